// SPDX-License-Identifier: Apache-2.0
// The file input and output that the rooms which touch files share.
#pragma once

#include <string>
#include <string_view>

namespace qb {

// Returns the whole file. Throws UsageError `cannot read PATH: reason`.
[[nodiscard]] std::string read_file(const std::string& path);

// Writes a temporary file beside `path`, flushes it to disk and renames it: readers see the old or
// the new content, never a part. Throws EnvironmentError (missing folder, no permission, full disk)
// and leaves nothing behind.
void write_file_atomically(const std::string& path, std::string_view content);

// Appends and flushes to disk. On a failure (full disk) it cuts the file back to its old length, so
// that no torn line stays, and throws EnvironmentError.
void append_and_flush(const std::string& path, std::string_view content);

// Does what mkdir -p does. Throws EnvironmentError with the remedy when the folder is not writable.
void ensure_directory(const std::string& path);

}  // namespace qb
