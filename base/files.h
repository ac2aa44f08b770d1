// The little file I/O that every room above the pure ones shares.
#pragma once

#include <string>
#include <string_view>

namespace qb {

// Whole file. Throws UsageError `cannot read PATH: reason`.
[[nodiscard]] std::string read_file(const std::string& path);

// Writes a temporary beside `path`, flushes it to disk and renames it: readers see the old or the
// new content, never a part. Throws EnvironmentError (missing folder, no permission, full disk) and
// leaves nothing behind.
void write_file_atomically(const std::string& path, std::string_view content);

// Appends and flushes to disk. On a failure (full disk) the file is cut back to its old length and
// EnvironmentError thrown, so that no torn line stays.
void append_and_flush(const std::string& path, std::string_view content);

// mkdir -p. Throws EnvironmentError with the remedy when it cannot be written to.
void ensure_directory(const std::string& path);

}  // namespace qb
