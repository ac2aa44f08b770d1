// SPDX-License-Identifier: Apache-2.0
// Tensors are [batch, heads, length, head_dim]. A view owns nothing and knows its strides, so that
// a token group, a head range or a slice of a batch is a view and never a copy.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/dtype.h"

namespace qb {

// The tokens first, first + stride, …: `count` of them.
struct TokenGroup {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t stride = 1;

  [[nodiscard]] std::int64_t token(std::int64_t index) const { return first + index * stride; }
  [[nodiscard]] std::int64_t last() const { return token(count - 1); }
  friend bool operator==(const TokenGroup&, const TokenGroup&) = default;
};

struct Extent {
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t length = 0;
  std::int64_t head_dim = 1;  // 1 for statistics (LSE)

  [[nodiscard]] std::int64_t elements() const { return batch * heads * length * head_dim; }
  friend bool operator==(const Extent&, const Extent&) = default;
};

// The head_dim elements of a token are contiguous; the strides are in elements.
struct TensorView {
  void* data = nullptr;
  DType dtype = DType::f32;
  Extent extent;
  std::int64_t batch_stride = 0;
  std::int64_t head_stride = 0;
  std::int64_t token_stride = 0;

  [[nodiscard]] std::byte* row(std::int64_t batch, std::int64_t head, std::int64_t token) const {
    return static_cast<std::byte*>(data) +
           (batch * batch_stride + head * head_stride + token * token_stride) * size_of(dtype);
  }
  template <class T>
  [[nodiscard]] T* row_as(std::int64_t batch, std::int64_t head, std::int64_t token) const {
    return reinterpret_cast<T*>(row(batch, head, token));
  }
  [[nodiscard]] TensorView tokens(std::int64_t first, std::int64_t count,
                                  std::int64_t stride = 1) const {
    TensorView view = *this;
    view.data = row(0, 0, first);
    view.extent.length = count;
    view.token_stride = token_stride * stride;
    return view;
  }
  [[nodiscard]] TensorView heads(std::int64_t begin, std::int64_t count) const {
    TensorView view = *this;
    view.data = row(0, begin, 0);
    view.extent.heads = count;
    return view;
  }
  [[nodiscard]] std::int64_t bytes() const { return extent.elements() * size_of(dtype); }
};

// Returns a contiguous view in C order of memory that the caller owns.
[[nodiscard]] inline TensorView contiguous_view(void* data, DType dtype, const Extent& extent) {
  return {data,
          dtype,
          extent,
          extent.heads * extent.length * extent.head_dim,
          extent.length * extent.head_dim,
          extent.head_dim};
}

}  // namespace qb
