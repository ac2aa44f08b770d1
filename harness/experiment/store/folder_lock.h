// One writer per run folder.
#pragma once

#include <string>

namespace qb {

// Holds an exclusive flock on FOLDER/.lock for its life; the kernel lets go of it when the process
// dies, however it does. Children must not inherit it (close-on-exec).
class FolderLock {
 public:
  // Throws EnvironmentError `another run (pid N) is writing FOLDER`, or where the folder cannot be
  // written to.
  explicit FolderLock(const std::string& folder);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  int fd_ = -1;
};

// The process id of the writer, as it noted it itself; empty where nobody writes.
[[nodiscard]] std::string writer_of(const std::string& folder);

}  // namespace qb
