// The libraries of NVIDIA's that this program loads when it first needs them, by the names of their
// files.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/words.h"
#include "kernels/cuda/runtime/dynamic_library.h"

namespace qb::cuda {

enum class NvidiaLibrary { cublas, cudnn, cupti, nccl, nvml };

}  // namespace qb::cuda

namespace qb {

template <>
struct Words<cuda::NvidiaLibrary> {
  static constexpr std::string_view what = "library";
  static constexpr std::pair<cuda::NvidiaLibrary, std::string_view> table[] = {
      {cuda::NvidiaLibrary::cublas, "cublas"},  // products of `materialized`, `staged`, layers
      {cuda::NvidiaLibrary::cudnn, "cudnn"},    // kernel `cudnn`
      {cuda::NvidiaLibrary::cupti, "cupti"},    // device_memory_peak_bytes
      {cuda::NvidiaLibrary::nccl, "nccl"},      // ranks: nccl
      {cuda::NvidiaLibrary::nvml, "nvml"},      // why a clock is low
  };
};

}  // namespace qb

namespace qb::cuda {

// `libcublas.so.13`, `libcublas.so.12`: that of the CUDA which this program was compiled with
// first.
[[nodiscard]] std::vector<std::string> file_names(NvidiaLibrary library);

// Looks where the loader does, then in library_places(); for NVML, which comes with the driver,
// only where the loader does.
[[nodiscard]] DynamicLibrary open_library(NvidiaLibrary library);

// Where a library lies on this machine, or why it cannot be loaded. Loads it.
struct LibraryFound {
  NvidiaLibrary library = {};
  std::string file;
  std::string why_none;
};
[[nodiscard]] std::vector<LibraryFound> find_nvidia_libraries();

}  // namespace qb::cuda
