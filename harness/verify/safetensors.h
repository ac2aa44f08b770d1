// SPDX-License-Identifier: Apache-2.0
// Safetensors files (github.com/huggingface/safetensors, "Format"): 8 bytes are the length of a
// header in little-endian order, the header is JSON, and the rest is data. The header gives the
// dtype, the shape and the data_offsets (begin and end in the data) of each tensor by its name, and
// may have __metadata__. Every byte of the data belongs to exactly one tensor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/files.h"
#include "harness/verify/npy.h"

namespace qb {

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

// Whether a file with this header has such a tensor.
[[nodiscard]] bool has_safetensor(std::string_view header, std::string_view name,
                                  std::string_view tensor);

}  // namespace qb
