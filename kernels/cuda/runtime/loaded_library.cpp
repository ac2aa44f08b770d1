#include "kernels/cuda/runtime/loaded_library.h"

#include <utility>

#include "base/status.h"

namespace qb::cuda {

LoadedLibrary::LoadedLibrary(NvidiaLibrary library, const std::string& need)
    : LoadedLibrary(open_library(library), need) {}

LoadedLibrary::LoadedLibrary(DynamicLibrary library, const std::string& need)
    : library_(std::move(library)) {
  if (!library_)
    throw EnvironmentError(need + ": " + library_.reason() + "; set LD_LIBRARY_PATH to its folder");
}

}  // namespace qb::cuda
