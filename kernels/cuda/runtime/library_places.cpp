// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/loaded_library.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>

namespace qb::cuda {
namespace {

namespace fs = std::filesystem;

// Returns the root of the toolkit of the first nvcc in PATH; an empty text without one.
std::string toolkit_of_nvcc() {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  std::error_code ignored;
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path nvcc = fs::canonical(fs::path(folder) / "nvcc", ignored); !nvcc.empty())
      return nvcc.parent_path().parent_path();
  return {};
}

std::vector<std::string> lines_of(const char* command) {
  const auto close = [](std::FILE* stream) { (void)::pclose(stream); };
  const std::unique_ptr<std::FILE, decltype(close)> stream(::popen(command, "re"), close);
  if (stream == nullptr) return {};
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), stream.get()))
    text.append(buffer.data(), got);
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string line; std::getline(words, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::vector<std::string> toolkits() {
  std::vector<std::string> found;
  for (const char* const name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* const set = std::getenv(name); set != nullptr && *set != '\0')
      found.emplace_back(set);
  if (const std::string toolkit = toolkit_of_nvcc(); !toolkit.empty()) found.push_back(toolkit);
  found.emplace_back("/usr/local/cuda");
  return found;
}

std::vector<std::string> toolkit_folders(const std::vector<std::string>& toolkits) {
  std::vector<std::string> folders;
  for (const std::string& toolkit : toolkits)
    for (const char* const folder : {"/lib64", "/targets/x86_64-linux/lib", "/extras/CUPTI/lib64"})
      folders.push_back(toolkit + folder);
  return folders;
}

std::vector<std::string> wheel_folders(const std::vector<std::string>& python_path) {
  std::vector<std::string> folders;
  std::error_code ignored;
  for (const std::string& packages : python_path) {
    const auto first = std::ssize(folders);
    // An empty line is the folder that python3 runs in, from which nothing is loaded.
    if (packages.empty() || packages.front() != '/') continue;
    for (const auto& package : fs::directory_iterator(packages + "/nvidia", ignored))
      if (fs::is_directory(package.path() / "lib", ignored))
        folders.push_back(package.path() / "lib");
    std::sort(folders.begin() + first, folders.end());
  }
  return folders;
}

std::vector<std::string> python_path() {
  return lines_of("python3 -c 'import sys; print(*sys.path, sep=\"\\n\")' 2>/dev/null </dev/null");
}

const std::vector<LibraryPlace>& library_places() {
  static const std::vector<LibraryPlace> places = {[] { return toolkit_folders(toolkits()); },
                                                   [] {
                                                     static const std::vector<std::string> folders =
                                                         wheel_folders(python_path());
                                                     return folders;
                                                   }};
  return places;
}

}  // namespace qb::cuda
