// Allows one writer per run folder.
#pragma once

#include <string>

namespace qb {

// Holds an exclusive flock on FOLDER/.lock while it lives; the kernel releases the lock whenever
// the process dies. Children do not inherit it (close-on-exec).
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

// The process id that the writer wrote into the file; empty where nobody writes.
[[nodiscard]] std::string writer_of(const std::string& folder);

}  // namespace qb
