// SPDX-License-Identifier: Apache-2.0
// For tests only: NPY arrays in memory, and the error messages for refused ones.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "harness/execute/verify/npy.h"

namespace qb::testing_support {

// Elements 0, 1, 2, …
inline NpyArray named(const std::string& name, DType dtype, std::vector<std::int64_t> shape) {
  std::int64_t n = 1;
  for (const std::int64_t size : shape) n *= size;
  NpyArray array{name, dtype, std::move(shape),
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
