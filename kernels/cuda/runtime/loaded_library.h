// SPDX-License-Identifier: Apache-2.0
// Loads NVIDIA's libraries when they are first needed, so that the program starts without them: a
// machine without a GPU need not have them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/words.h"

namespace qb::cuda {

// Returns folders to search; it is called only where no earlier place has the library.
using LibraryPlace = std::function<std::vector<std::string>()>;

// The library stays loaded to the end of the process: NVIDIA's libraries cannot be unloaded safely.
class DynamicLibrary {
 public:
  // Tries each name as the loader finds it (LD_LIBRARY_PATH first), then in the folders of each
  // place in turn. A name is tried everywhere before the next one: names are versions, and the
  // version that this program was compiled for matters more than the place.
  explicit DynamicLibrary(const std::vector<std::string>& names,
                          const std::vector<LibraryPlace>& places = {});

  [[nodiscard]] explicit operator bool() const { return handle_ != nullptr; }
  // Returns the loader's message on why it is missing; where a file is there but does not load, the
  // message about that file.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  // Returns the file that was loaded, without links in its path; empty where none was.
  [[nodiscard]] std::string file() const;
  [[nodiscard]] void* find(const char* symbol) const;  // nullptr where the symbol is missing

  [[nodiscard]] void* require(const char* symbol) const;  // throws EnvironmentError

 private:
  bool load(const std::string& path);

  void* handle_ = nullptr;
  std::string name_;
  std::string reason_;
};

enum class NvidiaLibrary { cublas, cupti, nccl, nvml };

}  // namespace qb::cuda

namespace qb {

template <>
inline constexpr auto kWords<cuda::NvidiaLibrary> = word_table<cuda::NvidiaLibrary>(
    "library",
    {
        {cuda::NvidiaLibrary::cublas, "cublas"},  // products of `materialized`, `staged`, layers
        {cuda::NvidiaLibrary::cupti, "cupti"},    // gpu_memory_peak_bytes
        {cuda::NvidiaLibrary::nccl, "nccl"},      // ranks: nccl
        {cuda::NvidiaLibrary::nvml, "nvml"},      // why a clock is low
    });

}  // namespace qb

namespace qb::cuda {

// Returns, say, `libcublas.so.13` and `libcublas.so.12`, first that of this build's CUDA version.
[[nodiscard]] std::vector<std::string> file_names(NvidiaLibrary library);

// Searches where the loader does, then in library_places(); NVML, which comes with the driver, is
// searched only where the loader does.
[[nodiscard]] DynamicLibrary open_library(NvidiaLibrary library);

// Looks for NVIDIA's libraries where the loader does not: in a CUDA toolkit, or among the packages
// that PyTorch is installed with, `site-packages/nvidia/*/lib`.
//
// The python3 in PATH, which runs PyTorch beside qb, names the site-packages: virtual environments,
// conda, pyenv, Debian and PYTHONPATH each have rules of their own. It is asked once in a process,
// and only where the loader and the toolkit lack a library: this takes some tens of milliseconds.
//
// Returns the toolkit, then the wheels.
[[nodiscard]] const std::vector<LibraryPlace>& library_places();

// Returns the folders of libraries in a toolkit at each of these paths.
[[nodiscard]] std::vector<std::string> toolkit_folders(const std::vector<std::string>& toolkits);

// Returns $CUDA_HOME and $CUDA_PATH where they are set, the toolkit of the nvcc in PATH, and
// /usr/local/cuda.
[[nodiscard]] std::vector<std::string> toolkits();

// Returns the folders nvidia/*/lib that exist in each of these folders, sorted within each.
[[nodiscard]] std::vector<std::string> wheel_folders(const std::vector<std::string>& python_path);

[[nodiscard]] std::vector<std::string> python_path();  // sys.path; empty without a python3

// Says where a library lies on this machine, or why it cannot be loaded; finding it loads it.
struct LibraryFound {
  NvidiaLibrary library = {};
  std::string file;
  std::string why_none;
};
[[nodiscard]] std::vector<LibraryFound> find_nvidia_libraries();

class LoadedLibrary {
 public:
  // Finds the library as open_library() does. Throws EnvironmentError, "NEED: why not; set
  // LD_LIBRARY_PATH to its folder".
  LoadedLibrary(NvidiaLibrary library, const std::string& need);
  LoadedLibrary(DynamicLibrary library, const std::string& need);

 protected:
  class Symbol {  // converts to the function pointer that it initialises
   public:
    explicit Symbol(void* address) : address_(address) {}
    template <class Function>
    operator Function*() const {  // NOLINT(google-explicit-constructor): that is its purpose
      return reinterpret_cast<Function*>(address_);
    }

   private:
    void* address_;
  };

  // Throws EnvironmentError, with the file and the name, where the library has no such function.
  [[nodiscard]] Symbol function(const char* name) const { return Symbol(library_.require(name)); }

 private:
  DynamicLibrary library_;
};

// A process has one of each. Where a call threw, the next call tries again.
template <class Library>
[[nodiscard]] const Library& loaded() {
  static const Library library;
  return library;
}

}  // namespace qb::cuda
