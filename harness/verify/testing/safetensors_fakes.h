// SPDX-License-Identifier: Apache-2.0
// For tests only: the bytes of safetensors files.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <string>
#include <vector>

#include "harness/verify/testing/npy_fakes.h"

namespace qb::testing_support {

// The 8 bytes of length, the header, and the data.
inline std::string safetensors_bytes(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + header + data;
}

// One tensor after the other, by their names.
inline std::string safetensors_bytes(const std::vector<NpyArray>& tensors) {
  std::string header = R"({"__metadata__":{"format":"pt"})";
  std::string data;
  for (const NpyArray& one : tensors) {
    std::string type(word(one.dtype));
    for (char& letter : type) letter = static_cast<char>(std::toupper(letter));
    const std::size_t begin = data.size();
    data.append(reinterpret_cast<const char*>(one.data.data()), one.data.size());
    header += fmt::format(R"(,"{}":{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", one.name,
                          type, fmt::join(one.shape, ","), begin, data.size());
  }
  return safetensors_bytes(header + "}  ", data);
}

}  // namespace qb::testing_support
