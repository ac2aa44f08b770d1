// NPY files: numpy's array format, versions 1 and 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/dtype.h"

namespace qb {

struct NpyArray {
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;  // C order
};

// Parses the bytes of a file. Throws UsageError `NAME: …` for a wrong magic or version, a malformed
// header, Fortran order, big-endian or non-float types, and truncated or overlong data.
[[nodiscard]] NpyArray parse_npy(std::string_view bytes, std::string_view name);
[[nodiscard]] NpyArray read_npy(const std::string& path);

// Returns the version 1 bytes of a C-order array. Throws UsageError for bf16, which NPY lacks, and
// std::invalid_argument for a shape that no array can have.
[[nodiscard]] std::string npy_bytes(DType dtype, const std::vector<std::int64_t>& shape,
                                    const void* data);

}  // namespace qb
