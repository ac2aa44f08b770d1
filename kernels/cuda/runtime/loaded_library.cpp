// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/loaded_library.h"

#include <dlfcn.h>
#include <link.h>
#include <algorithm>
#include <filesystem>
#include <utility>

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
    if (is_file) name_ = path;  // the error of the first existing file is kept
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

LoadedLibrary::LoadedLibrary(NvidiaLibrary library, const std::string& need)
    : LoadedLibrary(open_library(library), need) {}

LoadedLibrary::LoadedLibrary(DynamicLibrary library, const std::string& need)
    : library_(std::move(library)) {
  if (!library_)
    throw EnvironmentError(need + ": " + library_.reason() + "; set LD_LIBRARY_PATH to its folder");
}

}  // namespace qb::cuda

#ifndef QB_CUDA_MAJOR
#define QB_CUDA_MAJOR 13
#endif
namespace qb::cuda {
namespace {

// The libraries of these CUDA versions have the functions that are called here.
std::vector<std::string> of_cuda_versions(const std::string& stem) {
  std::vector<int> versions = {13, 12};
  std::stable_partition(versions.begin(), versions.end(),
                        [](int version) { return version == QB_CUDA_MAJOR; });
  std::vector<std::string> names;
  for (const int version : versions) names.push_back(stem + std::to_string(version));
  return names;
}

}  // namespace

std::vector<std::string> file_names(NvidiaLibrary library) {
  switch (library) {
    case NvidiaLibrary::cublas:
      return of_cuda_versions("libcublas.so.");
    case NvidiaLibrary::cupti:
      return of_cuda_versions("libcupti.so.");
    case NvidiaLibrary::nccl:
      return {"libnccl.so.2"};
    case NvidiaLibrary::nvml:
      return {"libnvidia-ml.so.1"};
  }
  return {};
}

DynamicLibrary open_library(NvidiaLibrary library) {
  return DynamicLibrary(file_names(library), library == NvidiaLibrary::nvml
                                                 ? std::vector<LibraryPlace>{}
                                                 : library_places());
}

std::vector<LibraryFound> find_nvidia_libraries() {
  std::vector<LibraryFound> found;
  for (const auto& [library, word] : kWords<NvidiaLibrary>.rows) {
    const DynamicLibrary opened = open_library(library);
    found.push_back({library, opened.file(), opened.reason()});
  }
  return found;
}

}  // namespace qb::cuda
