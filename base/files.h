// SPDX-License-Identifier: Apache-2.0
// The one way to read a file or a folder, and the one to write a file; and a folder for as long as
// a function runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace qb {

// A file, or a pipe, that is read from its begin to its end. Throws UsageError `cannot read PATH:
// reason` where it is not there, is a folder or may not be read, and EnvironmentError where reading
// fails.
class InputFile {
 public:
  explicit InputFile(std::string path);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  // Reads `bytes`, fewer only at the end of the file. Returns how many.
  std::size_t read(void* to, std::size_t bytes);
  // Goes past `bytes` of a regular file.
  void skip(std::int64_t bytes);
  // The size of a regular file; it is 0 for other files, which do not say theirs.
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }

 private:
  std::string path_;
  int fd_ = -1;
  std::uint64_t size_bytes_ = 0;
};

// Returns the whole file. Throws as InputFile does, and EnvironmentError where memory is short.
[[nodiscard]] std::string read_file(const std::string& path);

// Returns a text in UTF-8, without its byte order mark. Throws as read_file() does, and UsageError
// for a file in another encoding.
[[nodiscard]] std::string read_text(const std::string& path);

// A file on its way. A regular file, or one that is not there yet, is written beside its place,
// flushed to disk and renamed, so that readers see the old or the new content, never a part; it
// keeps its mode, and a link to it stays one. What is not a regular file (a device, a FIFO) is
// written as it is. Throws EnvironmentError (missing folder, no permission, full disk) and leaves
// nothing behind.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view content);
  // Nothing is written after this, and only renaming is left to commit().
  void flush();
  // Nothing is there before this returns.
  void commit();

 private:
  void give_up();
  [[noreturn]] void fail(int problem);

  std::string path_;
  std::string target_;     // what `path` leads to
  std::string temporary_;  // empty: the target itself is open
  int fd_ = -1;
};

// Writes the whole of it through an OutputFile.
void write_file_atomically(const std::string& path, std::string_view content);

// Says whether an OutputFile of that name is written as it is, before commit().
[[nodiscard]] bool is_written_in_place(const std::string& path);

// Throws EnvironmentError where an OutputFile of that name could not be opened now.
void require_writable(const std::string& path);

// Says whether two names of outputs lead to one file, which the later would replace.
[[nodiscard]] bool is_same_output(const std::string& one, const std::string& other);

// Appends and flushes to disk. On a failure (full disk) it cuts the file back to its old length, so
// that no torn line stays, and throws EnvironmentError.
void append_and_flush(const std::string& path, std::string_view content);

// The paths of what a folder holds, sorted; none where there is no such folder. Throws as InputFile
// does where it cannot be read to its end.
[[nodiscard]] std::vector<std::filesystem::path> paths_in(const std::string& folder);

// Gives `use` the path of an empty folder and removes it, with all in it, afterwards. Throws
// EnvironmentError if none can be made.
void in_temporary_folder(const std::function<void(const std::string&)>& use);

// Does what mkdir -p does. Throws EnvironmentError with the remedy when the folder is not writable.
void ensure_directory(const std::string& path);

}  // namespace qb
