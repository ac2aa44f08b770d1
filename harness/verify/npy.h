// SPDX-License-Identifier: Apache-2.0
// The headers of NPY files: numpy's array format, versions 1 and 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/allocator.h"

namespace qb {

struct NpyHeader {
  std::string name;  // path, for messages
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;  // C order
};

// Parses the header at the begin of a file, and moves `bytes` on to its data. Throws UsageError
// `NAME: …` for a wrong magic or version, a malformed header, Fortran order, and big-endian or
// non-float types.
[[nodiscard]] NpyHeader take_npy_header(std::string_view& bytes, std::string_view name,
                                        std::optional<DType> untyped = {});
// Returns the bytes of the data. Throws UsageError where 63 bits do not count them.
[[nodiscard]] std::int64_t npy_data_bytes(const NpyHeader& header);
// Throws UsageError unless as many bytes of data follow a header.
void require_npy_bytes(const NpyHeader& header, std::size_t bytes);

// Returns the version 1 header of a C-order array. Throws UsageError for bf16, which NPY lacks.
[[nodiscard]] std::string npy_header(DType dtype, const std::vector<std::int64_t>& shape);

[[nodiscard]] std::string shape_text(const std::vector<std::int64_t>& shape);  // [2, 768]

}  // namespace qb
