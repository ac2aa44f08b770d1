// Libraries that are loaded when they are first needed: NVIDIA's own, which a machine without a GPU
// need not have, so that the program starts without them.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace qb::cuda {

// Folders to look in, asked for only where nothing before them has the library.
using LibraryPlace = std::function<std::vector<std::string>()>;

// Stays loaded to the end of the process: those libraries do not survive being unloaded.
class DynamicLibrary {
 public:
  // Tries each name as the loader finds it (LD_LIBRARY_PATH first), then in the folders of each
  // place in turn. A name is tried everywhere before the next one: names are versions, and the one
  // that this program was compiled for is worth more than where it lies.
  explicit DynamicLibrary(const std::vector<std::string>& names,
                          const std::vector<LibraryPlace>& places = {});

  [[nodiscard]] explicit operator bool() const { return handle_ != nullptr; }
  // Why it is not there, in the loader's words: of a file that is there and does not load, where
  // there is one.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  // The file that was loaded, without links in its path; empty where none was.
  [[nodiscard]] std::string file() const;
  // nullptr where the library has none of that name.
  [[nodiscard]] void* find(const char* symbol) const;

  // Throws EnvironmentError where it is missing.
  [[nodiscard]] void* require(const char* symbol) const;

 private:
  bool load(const std::string& path);

  void* handle_ = nullptr;
  std::string name_;
  std::string reason_;
};

}  // namespace qb::cuda
