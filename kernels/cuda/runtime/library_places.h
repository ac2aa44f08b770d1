// Where NVIDIA's libraries lie that the loader does not find: in a CUDA toolkit, or among the
// packages that PyTorch is installed with, `site-packages/nvidia/*/lib`.
//
// Which site-packages is asked of the python3 in PATH, once in a process and only where the loader
// and the toolkit lack a library: virtual environments, conda, pyenv's shims, Debian's
// dist-packages and PYTHONPATH each have rules of their own, and the python that runs PyTorch
// beside qb knows them. It takes some tens of milliseconds.
#pragma once

#include <string>
#include <vector>

#include "kernels/cuda/runtime/dynamic_library.h"

namespace qb::cuda {

// The toolkit, then the wheels.
[[nodiscard]] const std::vector<LibraryPlace>& library_places();

// Folders of libraries in a toolkit at each of these paths.
[[nodiscard]] std::vector<std::string> toolkit_folders(const std::vector<std::string>& toolkits);

// $CUDA_HOME and $CUDA_PATH where they are set, the one that nvcc in PATH is of, /usr/local/cuda.
[[nodiscard]] std::vector<std::string> toolkits();

// nvidia/*/lib in each of the folders that Python imports from, sorted in each; of those that
// exist.
[[nodiscard]] std::vector<std::string> wheel_folders(const std::vector<std::string>& python_path);

// sys.path of the python3 in PATH; empty without one.
[[nodiscard]] std::vector<std::string> python_path();

}  // namespace qb::cuda
