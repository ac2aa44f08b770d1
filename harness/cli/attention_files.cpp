#include "harness/cli/attention_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "harness/base/status.h"

namespace qb {
namespace {

std::string text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

// [b, h, n, d]
Extent extent_of(const NamedArray& named) {
  const std::vector<std::int64_t>& shape = named.array.shape;
  if (shape.size() < 2 || shape.size() > 4)
    throw UsageError(fmt::format("{} has shape {}; it must be [n, d], [h, n, d] or [b, h, n, d]",
                                 named.name, text(shape)));
  for (const std::int64_t size : shape)
    if (size < 1)
      throw UsageError(fmt::format("{} has shape {}: it is empty", named.name, text(shape)));
  std::vector<std::int64_t> full(4 - shape.size(), 1);
  full.insert(full.end(), shape.begin(), shape.end());
  return {full[0], full[1], full[2], full[3]};
}

void require_equal(const NamedArray& a, std::int64_t of_a, const NamedArray& b, std::int64_t of_b,
                   std::string_view what) {
  if (of_a != of_b)
    throw UsageError(fmt::format("{} {} has {} {} and {} {} has {}; they must be equal", a.name,
                                 text(a.array.shape), of_a, what, b.name, text(b.array.shape),
                                 of_b));
}

// C-order index of the i-th element.
std::string index_text(std::int64_t i, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; i /= shape[axis]) index[axis] = i % shape[axis];
  return text(index);
}

const std::byte* element(const void* data, DType dtype, std::int64_t i) {
  return static_cast<const std::byte*>(data) + i * size_of(dtype);
}

// The first element that is not finite; n where all are.
std::int64_t first_not_finite(const void* data, DType dtype, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)
    if (!std::isfinite(load_element(element(data, dtype, i), dtype))) return i;
  return n;
}

}  // namespace

Shape shape_of(const NamedArray& q, const NamedArray& k, const NamedArray& v) {
  const Extent of_q = extent_of(q);
  const Extent of_k = extent_of(k);
  const Extent of_v = extent_of(v);
  require_equal(q, of_q.batch, k, of_k.batch, "batches");
  require_equal(k, of_k.batch, v, of_v.batch, "batches");
  require_equal(k, of_k.heads, v, of_v.heads, "heads");
  require_equal(k, of_k.length, v, of_v.length, "tokens");
  require_equal(q, of_q.head_dim, k, of_k.head_dim, "elements a token");
  if (of_q.heads % of_k.heads != 0)
    throw UsageError(
        fmt::format("{} has {} heads and {} has {}; query heads must be a multiple of "
                    "key-value heads, which they share evenly",
                    q.name, of_q.heads, k.name, of_k.heads));
  return {of_q.batch,  of_q.heads,    of_k.heads,   of_q.length,
          of_k.length, of_q.head_dim, of_v.head_dim};
}

DType common_dtype(const NamedArray& q, const NamedArray& k, const NamedArray& v) {
  for (const NamedArray* other : {&k, &v})
    if (other->array.dtype != q.array.dtype)
      throw UsageError(fmt::format("{} is {} and {} is {}; convert them to one type", q.name,
                                   word(q.array.dtype), other->name, word(other->array.dtype)));
  return q.array.dtype;
}

Tensor tensor_of(const NamedArray& named, DType dtype, const Extent& extent, Allocator& memory,
                 std::string_view label) {
  const NpyArray& array = named.array;
  const std::int64_t n = extent.elements();
  if (const std::int64_t i = first_not_finite(array.data.data(), array.dtype, n); i < n)
    throw UsageError(
        fmt::format("{} holds {} at {}; attention needs finite numbers", named.name,
                    load_element(element(array.data.data(), array.dtype, i), array.dtype),
                    index_text(i, array.shape)));
  Tensor tensor(memory, dtype, extent, label);
  convert(array.data.data(), array.dtype, tensor.view().data, dtype, n);
  if (const std::int64_t i = first_not_finite(tensor.view().data, dtype, n); i < n)
    throw UsageError(
        fmt::format("{} holds {} at {}, which is infinite as {}", named.name,
                    load_element(element(array.data.data(), array.dtype, i), array.dtype),
                    index_text(i, array.shape), word(dtype)));
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
