#include "kernels/cuda/dynamic_library.h"

#include <dlfcn.h>

#include "harness/base/status.h"

namespace qb::cuda {

DynamicLibrary::DynamicLibrary(const std::vector<std::string>& names,
                               const std::vector<std::string>& folders) {
  std::vector<std::string> paths = names;
  for (const std::string& folder : folders)
    for (const std::string& name : names) paths.push_back(folder + "/" + name);
  for (const std::string& path : paths) {
    handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle_ != nullptr) {
      name_ = path;
      reason_.clear();
      return;
    }
    const char* const words = ::dlerror();
    if (reason_.empty()) reason_ = words == nullptr ? path : words;
  }
}

void* DynamicLibrary::find(const char* symbol) const {
  return handle_ == nullptr ? nullptr : ::dlsym(handle_, symbol);
}

void* DynamicLibrary::require(const char* symbol) const {
  void* const found = find(symbol);
  if (found != nullptr) return found;
  if (handle_ == nullptr) throw EnvironmentError(reason_);
  throw EnvironmentError(name_ + " has no function " + symbol + "; is it of another version?");
}

std::vector<std::string> toolkit_folders() {
#ifdef QB_CUDA_LIBRARY_FOLDER
  return {QB_CUDA_LIBRARY_FOLDER};
#else
  return {};
#endif
}

}  // namespace qb::cuda
