// Libraries that are loaded when they are first needed: NVIDIA's own, which a machine without a GPU
// need not have, so that the program starts without them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace qb::cuda {

// Stays loaded to the end of the process: those libraries do not survive being unloaded.
class DynamicLibrary {
 public:
  // Tries each name as the loader finds it (LD_LIBRARY_PATH first), then in `folders`.
  DynamicLibrary(const std::vector<std::string>& names, const std::vector<std::string>& folders);

  [[nodiscard]] explicit operator bool() const { return handle_ != nullptr; }
  // Why it is not there: the loader's words for each name.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  // nullptr where the library has none of that name.
  [[nodiscard]] void* find(const char* symbol) const;

  // Throws EnvironmentError where it is missing.
  [[nodiscard]] void* require(const char* symbol) const;

 private:
  void* handle_ = nullptr;
  std::string name_;
  std::string reason_;
};

// Where this build's CUDA toolkit keeps its libraries; empty in a build without CUDA.
[[nodiscard]] std::vector<std::string> toolkit_folders();

}  // namespace qb::cuda
