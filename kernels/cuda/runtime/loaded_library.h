// A library of NVIDIA's as a struct of function pointers, loaded at the first call of loaded<>():
//
//   struct Cublas : LoadedLibrary {
//     Cublas() : LoadedLibrary(NvidiaLibrary::cublas, "kernel materialized needs cuBLAS") {}
//     decltype(&cublasCreate_v2) create = function("cublasCreate_v2");
//   };
//   loaded<Cublas>().create(&handle);
#pragma once

#include <string>

#include "kernels/cuda/runtime/dynamic_library.h"
#include "kernels/cuda/runtime/nvidia_libraries.h"

namespace qb::cuda {

class LoadedLibrary {
 public:
  // As open_library() finds it. Throws EnvironmentError, "NEED: why not; set LD_LIBRARY_PATH to its
  // folder". Catch it where there is another way.
  LoadedLibrary(NvidiaLibrary library, const std::string& need);
  LoadedLibrary(DynamicLibrary library, const std::string& need);

 protected:
  // Becomes a pointer of whichever type it initialises.
  class Symbol {
   public:
    explicit Symbol(void* address) : address_(address) {}
    template <class Function>
    operator Function*() const {  // NOLINT(google-explicit-constructor): that is its purpose
      return reinterpret_cast<Function*>(address_);
    }

   private:
    void* address_;
  };

  // Throws EnvironmentError, with the file and the name, where the library has none of that name.
  [[nodiscard]] Symbol function(const char* name) const { return Symbol(library_.require(name)); }

 private:
  DynamicLibrary library_;
};

// One of each in a process. A call that threw is made again by the next.
template <class Library>
[[nodiscard]] const Library& loaded() {
  static const Library library;
  return library;
}

}  // namespace qb::cuda
