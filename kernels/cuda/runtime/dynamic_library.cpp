#include "kernels/cuda/runtime/dynamic_library.h"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>

#include "base/status.h"

namespace qb::cuda {

DynamicLibrary::DynamicLibrary(const std::vector<std::string>& names,
                               const std::vector<LibraryPlace>& places) {
  for (const std::string& name : names) {
    if (load(name)) return;
    for (const LibraryPlace& place : places)
      for (const std::string& folder : place()) {
        std::error_code ignored;
        const std::string path = folder + "/" + name;
        if (!std::filesystem::exists(path, ignored)) continue;
        if (load(path)) return;
      }
  }
}

bool DynamicLibrary::load(const std::string& path) {
  handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle_ == nullptr) {
    const char* const words = ::dlerror();
    const bool is_file = path.find('/') != std::string::npos;
    if (reason_.empty() || (is_file && name_.empty())) reason_ = words == nullptr ? path : words;
    if (is_file) name_ = path;  // the first file that is there tells most
    return false;
  }
  name_ = path;
  reason_.clear();
  return true;
}

std::string DynamicLibrary::file() const {
  link_map* map = nullptr;
  if (handle_ == nullptr || ::dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0) return {};
  std::error_code unknown;
  const std::filesystem::path real = std::filesystem::canonical(map->l_name, unknown);
  return unknown ? map->l_name : real.string();
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

}  // namespace qb::cuda
