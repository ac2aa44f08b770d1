// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/verify/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "base/status.h"

namespace qb {
namespace {

// Returns the C-order index of the i-th element.
std::string index_text(std::int64_t i, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; i /= shape[axis]) index[axis] = i % shape[axis];
  return shape_text(index);
}

const std::byte* element(const void* data, DType dtype, std::int64_t i) {
  return static_cast<const std::byte*>(data) + i * size_of(dtype);
}

// Returns the first element that is not finite; n if all are.
std::int64_t first_not_finite(const void* data, DType dtype, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)
    if (!std::isfinite(load_element(element(data, dtype, i), dtype))) return i;
  return n;
}

}  // namespace

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

void copy_finite(const NpyArray& array, DType dtype, void* to) {
  const auto n = static_cast<std::int64_t>(array.data.size()) / size_of(array.dtype);
  const auto value = [&](std::int64_t i) {
    return load_element(element(array.data.data(), array.dtype, i), array.dtype);
  };
  if (const std::int64_t i = first_not_finite(array.data.data(), array.dtype, n); i < n)
    throw UsageError(fmt::format("{} holds {} at {}; finite numbers are needed", array.name,
                                 value(i), index_text(i, array.shape)));
  convert(array.data.data(), array.dtype, to, dtype, n);
  if (const std::int64_t i = first_not_finite(to, dtype, n); i < n)
    throw UsageError(fmt::format("{} holds {} at {}, which is infinite as {}", array.name, value(i),
                                 index_text(i, array.shape), word(dtype)));
}

Tensor tensor_of(const NpyArray& array, DType dtype, const Extent& extent, Allocator& memory,
                 std::string_view label) {
  Tensor tensor(memory, dtype, extent, label);
  copy_finite(array, dtype, tensor.view().data);
  return tensor;
}

std::string npy_of(const TensorView& tensor, DType dtype, const std::vector<std::int64_t>& shape,
                   std::string_view name) {
  const std::int64_t n = tensor.extent.elements();
  std::vector<std::byte> data(static_cast<std::size_t>(n * size_of(dtype)));
  convert(tensor.data, tensor.dtype, data.data(), dtype, n);
  for (std::int64_t i = 0; i < n; ++i) {
    const double value = load_element(element(tensor.data, tensor.dtype, i), tensor.dtype);
    if (std::isfinite(value) && !std::isfinite(load_element(element(data.data(), dtype, i), dtype)))
      throw UsageError(
          fmt::format("{} holds {} at {}, which is infinite as {}; choose a wider "
                      "--out-dtype",
                      name, value, index_text(i, shape), word(dtype)));
  }
  return npy_bytes(dtype, shape, data.data());
}

}  // namespace qb
