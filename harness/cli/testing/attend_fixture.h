// SPDX-License-Identifier: Apache-2.0
// For tests only: random tensors in files, and requests to attend to them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "base/testing/scratch_folder.h"
#include "harness/cli/views/attend_files.h"
#include "harness/run/testing/inputs_of.h"
#include "harness/verify/testing/npy_fakes.h"

namespace qb::testing_support {

// Swaps the axes of heads and tokens, an element of a head and token after the other.
inline NpyArray tokens_first(const NpyArray& array, std::int64_t batch, std::int64_t heads,
                             std::int64_t tokens, std::int64_t elements) {
  NpyArray result = array;
  const auto size = static_cast<std::size_t>(size_of(array.dtype));
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t t = 0; t < tokens; ++t)
        for (std::int64_t e = 0; e < elements; ++e)
          std::memcpy(
              &result.data[static_cast<std::size_t>(((b * tokens + t) * heads + h) * elements + e) *
                           size],
              &array.data[static_cast<std::size_t>(((b * heads + h) * tokens + t) * elements + e) *
                          size],
              size);
  const std::size_t axis = array.shape[0] == batch && batch > 1 ? 1 : 0;
  std::swap(result.shape[axis], result.shape[axis + 1]);
  return result;
}

// Writes random q, k and v to files, and names files for the outputs.
class AttendFixture : public ::testing::Test {
 protected:
  void write_inputs(const Shape& shape, DType dtype, std::size_t rank) {
    problem_ = make_problem(shape, MaskKind::full, dtype, 3);
    inputs_ = make_inputs(problem_, heap_allocator(), 1);
    write("q.npy", inputs_.q.view(), rank);
    write("k.npy", inputs_.k.view(), rank);
    write("v.npy", inputs_.v.view(), rank);
  }

  // Writes a tensor without as many of its first axes as it has more than `rank`.
  void write(const std::string& name, const TensorView& view, std::size_t rank) {
    std::vector<std::int64_t> shape = {view.extent.batch, view.extent.heads, view.extent.length,
                                       view.extent.head_dim};
    shape.erase(shape.begin(), shape.end() - static_cast<std::ptrdiff_t>(rank));
    (void)scratch_.file(name, npy_bytes(view.dtype, shape, view.data));
  }

  // The same tensor as one of a safetensors file, with all axes.
  static NpyArray array_of(const std::string& name, const TensorView& view) {
    const auto* const begin = static_cast<const std::byte*>(view.data);
    return {{name,
             view.dtype,
             {view.extent.batch, view.extent.heads, view.extent.length, view.extent.head_dim}},
            {begin, begin + view.bytes()}};
  }

  [[nodiscard]] AttendRequest request() const {
    AttendRequest request;
    request.q = scratch_.path("q.npy");
    request.k = scratch_.path("k.npy");
    request.v = scratch_.path("v.npy");
    request.out = scratch_.path("o.npy");
    request.lse = scratch_.path("lse.npy");
    request.c.threads = 2;
    return request;
  }

  static double largest_difference(const NpyArray& array, const std::vector<double>& reference) {
    double largest = 0.0;
    for (std::size_t i = 0; i < reference.size(); ++i) {
      const double value = load_element(
          array.data.data() + static_cast<std::int64_t>(i) * size_of(array.dtype), array.dtype);
      if (value != reference[i]) largest = std::max(largest, std::abs(value - reference[i]));
    }
    return largest;
  }

  // There are only files that a test has written.
  void expect_nothing_written() const {
    for (const auto& entry : std::filesystem::directory_iterator(scratch_.path()))
      EXPECT_THAT(entry.path().filename().string(),
                  ::testing::MatchesRegex("([qkv]|do)\\.npy|.*\\.safetensors"));
  }

  template <class Error>
  void expect_refused(const AttendRequest& asked, const std::string& what) {
    try {
      (void)attend(asked);
      ADD_FAILURE() << "not refused: " << what;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(what));
    }
    expect_nothing_written();
  }

  ScratchFolder scratch_;
  Problem problem_;
  Inputs inputs_;
};

}  // namespace qb::testing_support
