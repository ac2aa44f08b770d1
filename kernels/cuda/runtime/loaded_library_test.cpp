// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/loaded_library.h"

#include <gtest/gtest.h>

#include "base/status.h"

namespace qb::cuda {
namespace {

struct Mathematics : LoadedLibrary {
  Mathematics() : LoadedLibrary(DynamicLibrary({"libm.so.6"}), "nothing works") {}
  double (*cosine)(double) = function("cos");
  float (*sine)(float) = function("sinf");
};

struct Nowhere : LoadedLibrary {
  Nowhere() : LoadedLibrary(DynamicLibrary({"libthere_is_none.so.1"}), "ranks: none needs it") {}
};

struct Older : LoadedLibrary {
  Older() : LoadedLibrary(DynamicLibrary({"libm.so.6"}), "nothing works") {}
  void (*missing)() = function("cublasCreate_v99");
};

template <class Library>
std::string why_not() {
  try {
    (void)loaded<Library>();
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return {};
}

TEST(LoadedLibrary, IsAStructOfFunctions) {
  EXPECT_EQ(loaded<Mathematics>().cosine(0.0), 1.0);
  EXPECT_EQ(loaded<Mathematics>().sine(0.0f), 0.0f);
  EXPECT_EQ(&loaded<Mathematics>(), &loaded<Mathematics>());
}

TEST(LoadedLibrary, SaysWhatNeedsItAndTheRemedyEachTimeItIsAskedFor) {
  for (int i = 0; i < 2; ++i) {
    const std::string reason = why_not<Nowhere>();
    EXPECT_EQ(reason.rfind("ranks: none needs it: libthere_is_none.so.1: ", 0), 0u) << reason;
    EXPECT_NE(reason.find("; set LD_LIBRARY_PATH to its folder"), std::string::npos) << reason;
  }
}

TEST(LoadedLibrary, NamesTheFunctionThatAnotherVersionLacks) {
  EXPECT_EQ(why_not<Older>(),
            "libm.so.6 has no function cublasCreate_v99; is it of another version?");
}

}  // namespace
}  // namespace qb::cuda
