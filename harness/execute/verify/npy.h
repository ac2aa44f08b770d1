// SPDX-License-Identifier: Apache-2.0
// NPY files: numpy's array format, versions 1 and 2, and tensors of their elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "kernels/allocator.h"

namespace qb {

struct NpyHeader {
  std::string name;  // path, for messages
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;  // C order
};

// An NPY file of which the header is read, and the elements are read once, straight to where they
// are needed. Throws as InputFile does, and UsageError `NAME: …` for a header that cannot be read,
// and for truncated or overlong data.
class NpyFile {
 public:
  // untyped: the type of 2-byte elements of which the file does not say it, as bfloat16.
  explicit NpyFile(const std::string& path, std::optional<DType> untyped = {});

  [[nodiscard]] const NpyHeader& header() const { return header_; }
  // Writes row i of `row` elements as `dtype` to place(i), in order. Throws UsageError that names
  // the file and the index of the first element that is not a finite number, or not finite in
  // `dtype`; minus infinity is let through where `lets_minus_infinity`.
  void read_rows(std::int64_t row, DType dtype, const std::function<void*(std::int64_t)>& place,
                 bool lets_minus_infinity = false);

 private:
  InputFile file_;
  std::string begun_;  // of the data, read with the header
  NpyHeader header_;
  std::int64_t data_bytes_ = 0;
};

// Writes an NPY file of `dtype` and `shape` to `file`: row i of `row` elements of f32 comes from
// place(i). Throws UsageError if a finite element is infinite in `dtype`.
void write_npy_rows(OutputFile& file, DType dtype, const std::vector<std::int64_t>& shape,
                    std::int64_t row, const std::function<const float*(std::int64_t)>& place,
                    std::string_view name);

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
