// SPDX-License-Identifier: Apache-2.0
// Tensors in files: NPY files (npy.cpp), and those of safetensors files (safetensors.cpp).
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

// The header of an NPY file: numpy's array format, versions 1 and 2.
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

// Throws UsageError `NAME: what`.
[[noreturn]] void refuse_file(std::string_view name, const std::string& what);

[[nodiscard]] std::string shape_text(const std::vector<std::int64_t>& shape);  // [2, 768]

// Which numbers a file may hold.
enum class Allows { finite, minus_infinity, anything };

// Whether a safetensors file has such a tensor.
[[nodiscard]] bool holds_tensor(const std::string& path, std::string_view tensor);

// A tensor in a file, of which the header is read, and the elements are read once, straight to
// where they are needed. Throws as InputFile does, and UsageError, which names the file, for a
// header that cannot be read, and for truncated or overlong data.
class TensorFile {
 public:
  // Opens an NPY file, or a pipe. untyped: the type of 2-byte elements of which the file does not
  // say it, as bfloat16.
  explicit TensorFile(const std::string& path, std::optional<DType> untyped = {});
  // Opens a tensor of a safetensors file.
  TensorFile(const std::string& path, std::string_view tensor);

  [[nodiscard]] const NpyHeader& header() const { return header_; }
  // Writes row i of `row` elements as `dtype` to place(i), in order. Throws UsageError that names
  // the file and the index of the first element that is not a finite number, or not finite in
  // `dtype`, unless `allows` lets it through.
  void read_rows(std::int64_t row, DType dtype, const std::function<void*(std::int64_t)>& place,
                 Allows allows = Allows::finite);

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

// Safetensors files (github.com/huggingface/safetensors, "Format"): 8 bytes are the length of a
// header in little-endian order, the header is JSON, and the rest is data. The header gives the
// dtype, the shape and the data_offsets (begin and end in the data) of each tensor by its name, and
// may have __metadata__. Every byte of the data belongs to exactly one tensor.

// Where a tensor is. Its header's name is `TENSOR of FILE`.
struct SafetensorsEntry {
  NpyHeader header;
  std::int64_t begin = 0;  // bytes, from the begin of the data
};

// Reads the length and the header from the begin of a regular file, whose name is for messages.
// Throws UsageError `FILE: …` where it is not such a file; it takes no memory for a header that the
// file cannot hold.
[[nodiscard]] std::string read_safetensors_header(InputFile& file, std::string_view name);

// Finds a tensor of f16, bf16, f32 or f64 in the header of file `name`, after which `data_bytes` of
// data follow. Throws UsageError, which names the file, for a malformed header, for tensors that
// overlap, end beyond the data or leave bytes out, and where there is no such tensor or it has
// another type.
[[nodiscard]] SafetensorsEntry find_safetensor(std::string_view header, std::string_view name,
                                               std::string_view tensor, std::int64_t data_bytes);

}  // namespace qb
