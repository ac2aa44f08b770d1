// SPDX-License-Identifier: Apache-2.0
// Tensors in files: NPY files, and those of safetensors files.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "harness/verify/npy.h"

namespace qb {

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
  // Opens a tensor of a safetensors file (safetensors.h).
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

}  // namespace qb
