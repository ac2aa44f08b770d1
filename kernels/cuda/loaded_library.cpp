#include "kernels/cuda/loaded_library.h"

#include "harness/base/status.h"

namespace qb::cuda {

LoadedLibrary::LoadedLibrary(const std::string& file, const std::string& need)
    : library_({file}, toolkit_folders()) {
  if (!library_)
    throw EnvironmentError(need + ": " + library_.reason() + "; set LD_LIBRARY_PATH to its folder");
}

}  // namespace qb::cuda
