#include "kernels/cuda/runtime/nvidia_libraries.h"

#include <algorithm>

#include "kernels/cuda/runtime/library_places.h"

#ifndef QB_CUDA_MAJOR
#define QB_CUDA_MAJOR 13
#endif

namespace qb::cuda {
namespace {

// Versions of CUDA whose libraries have what is called here.
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
    case NvidiaLibrary::cudnn:
      return {"libcudnn.so.9"};
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
  for (const auto& [library, word] : Words<NvidiaLibrary>::table) {
    const DynamicLibrary opened = open_library(library);
    found.push_back({library, opened.file(), opened.reason()});
  }
  return found;
}

}  // namespace qb::cuda
