// SPDX-License-Identifier: Apache-2.0
// Looks for NVIDIA's libraries where the loader does not: in a CUDA toolkit, or among the packages
// that PyTorch is installed with, `site-packages/nvidia/*/lib`.
//
// The python3 in PATH, which runs PyTorch beside qb, names the site-packages: virtual environments,
// conda, pyenv, Debian and PYTHONPATH each have rules of their own. It is asked once in a process,
// and only where the loader and the toolkit lack a library: this takes some tens of milliseconds.
#pragma once

#include <string>
#include <vector>

#include "kernels/cuda/runtime/loaded_library.h"

namespace qb::cuda {

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

}  // namespace qb::cuda
