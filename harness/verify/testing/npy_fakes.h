// SPDX-License-Identifier: Apache-2.0
// For tests only: NPY arrays in memory, and the error messages for refused ones.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/status.h"
#include "harness/verify/tensor_file.h"

namespace qb {

struct NpyArray : NpyHeader {
  std::vector<std::byte> data;
};

inline NpyArray parse_npy(std::string_view bytes, std::string_view name) {
  NpyArray array{take_npy_header(bytes, name), {}};
  require_npy_bytes(array, bytes.size());
  const auto* const data = reinterpret_cast<const std::byte*>(bytes.data());
  array.data.assign(data, data + bytes.size());
  return array;
}

inline NpyArray read_npy(const std::string& path) { return parse_npy(read_file(path), path); }

inline std::string npy_bytes(DType dtype, const std::vector<std::int64_t>& shape,
                             const void* data) {
  std::int64_t bytes = size_of(dtype);
  for (const std::int64_t side : shape) bytes *= side;
  return npy_header(dtype, shape)
      .append(static_cast<const char*>(data), static_cast<std::size_t>(bytes));
}

}  // namespace qb

namespace qb::testing_support {

// Elements 0, 1, 2, …
inline NpyArray named(const std::string& name, DType dtype, std::vector<std::int64_t> shape) {
  std::int64_t n = 1;
  for (const std::int64_t size : shape) n *= size;
  NpyArray array{{name, dtype, std::move(shape)},
                 std::vector<std::byte>(static_cast<std::size_t>(n * size_of(dtype)))};
  for (std::int64_t i = 0; i < n; ++i)
    store_element(array.data.data() + i * size_of(dtype), dtype, static_cast<double>(i));
  return array;
}

// The message of the UsageError that `f` throws.
template <class F>
std::string refusal(const F& f) {
  try {
    f();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

}  // namespace qb::testing_support
