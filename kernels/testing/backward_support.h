// SPDX-License-Identifier: Apache-2.0
// The tests of the backward pass share this: calls with poisoned memory, gradients over any set of
// allowed pairs in any precision, and tolerances.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/attention_backward.h"
#include "kernels/reference_gradients.h"
#include "kernels/testing/test_support.h"

namespace qb::testing_support {

// Fills what it hands out with NaN, so that a kernel that reads what it did not write is found.
class PoisonedAllocator final : public Allocator {
 public:
  void* allocate(std::size_t bytes, std::string_view label, int worker) override {
    void* const memory = heap_allocator().allocate(bytes, label, worker);
    if (bytes != 0) std::memset(memory, 0xFF, bytes);
    return memory;
  }
  void deallocate(void* pointer) noexcept override { heap_allocator().deallocate(pointer); }
};

inline Allocator& poisoned_allocator() {
  static PoisonedAllocator allocator;
  return allocator;
}

// Holds dQ [b, h, n, d], dK [b, g, m, d] and dV [b, g, m, e].
struct Gradients {
  std::vector<double> d_q;
  std::vector<double> d_k;
  std::vector<double> d_v;
  friend bool operator==(const Gradients&, const Gradients&) = default;
};

inline Gradients gradients_of(const ReferenceGradients& all) { return {all.d_q, all.d_k, all.d_v}; }

// Writes values into a contiguous f32 tensor.
inline void store(const std::vector<double>& from, const TensorView& to) {
  for (std::size_t i = 0; i < from.size(); ++i)
    static_cast<float*>(to.data)[i] = static_cast<float>(from[i]);
}

// Holds the tensors and the schedule of one call.
struct BackwardCall {
  Tensor q;
  Tensor k;
  Tensor v;
  Tensor d_out;
  TileSchedule schedule;
  double scale = 1.0;
  Tensor out;
  Tensor lse;
  Tensor delta;
  Tensor d_q;
  Tensor d_k;
  Tensor d_v;

  BackwardCall(Tensor queries, Tensor keys, Tensor of_keys, Tensor gradient, TileSchedule tiles)
      : q(std::move(queries)),
        k(std::move(keys)),
        v(std::move(of_keys)),
        d_out(std::move(gradient)),
        schedule(std::move(tiles)) {
    Extent rows = q.view().extent;
    scale = 1.0 / std::sqrt(static_cast<double>(rows.head_dim));
    d_q = Tensor(heap_allocator(), DType::f32, rows, "d_q");
    d_k = Tensor(heap_allocator(), DType::f32, k.view().extent, "d_k");
    d_v = Tensor(heap_allocator(), DType::f32, v.view().extent, "d_v");
    rows.head_dim = v.view().extent.head_dim;
    out = Tensor(heap_allocator(), DType::f32, rows, "out");
    rows.head_dim = 1;
    lse = Tensor(heap_allocator(), DType::f32, rows, "lse");
    delta = Tensor(heap_allocator(), DType::f32, rows, "delta");
  }

  // Takes O and LSE of a forward pass in double, as a forward pass in float32 would leave them.
  void set_forward(const std::vector<double>& all_out, const std::vector<double>& all_lse) {
    store(all_out, out.view());
    store(all_lse, lse.view());
    compute_delta(out.view(), d_out.view(), delta.view());
  }

  [[nodiscard]] BackwardArguments arguments() const {
    return {q.view(),  k.view(), v.view(),   d_out.view(), lse.view(), delta.view(),
            &schedule, scale,    d_q.view(), d_k.view(),   d_v.view()};
  }

  [[nodiscard]] Gradients gradients() const {
    return {values(d_q.view()), values(d_k.view()), values(d_v.view())};
  }

  void clear() const {
    for (const Tensor* const tensor : {&d_q, &d_k, &d_v}) fill(tensor->view(), 0.0);
  }

  Gradients run(Kernel kernel, int threads = 1, Allocator& workspace = poisoned_allocator()) const {
    clear();
    attention_backward(kernel, arguments(), {workspace, threads, 0});
    return gradients();
  }
};

// Makes the call of a mask: its schedule as a kernel wants it, and the forward pass in float64.
inline void set_forward(BackwardCall& call, const Mask& mask, std::span<const float> sinks = {}) {
  const std::int64_t n = call.q.view().extent.length;
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < n; ++row) rows.push_back(row);
  const ReferenceRows forward = reference_rows(call.q.view(), call.k.view(), call.v.view(), mask,
                                               call.scale, rows, 2, 0.0, sinks);
  call.set_forward(forward.out, forward.lse);
}

inline GradientProblem problem_of(const BackwardCall& call, const Mask& mask) {
  return {call.q.view(), call.k.view(), call.v.view(), call.d_out.view(), mask, call.scale};
}

// Computes gradients over the pairs with allowed(query, key), with a softmax and sums of its own,
// everything in T. It is as simple as possible: the tests compare the float64 reference with it.
template <class T, class Allowed>
Gradients brute_force_gradients(const BackwardCall& call, Allowed allowed) {
  const Extent& of_q = call.q.view().extent;
  const Extent& of_k = call.k.view().extent;
  const std::int64_t d = of_q.head_dim;
  const std::int64_t e = call.v.view().extent.head_dim;
  const std::int64_t n = of_q.length;
  const std::int64_t m = of_k.length;
  const std::vector<T> q = values<T>(call.q.view());
  const std::vector<T> k = values<T>(call.k.view());
  const std::vector<T> v = values<T>(call.v.view());
  const std::vector<T> d_out = values<T>(call.d_out.view());
  std::vector<T> d_q(q.size(), T{0});
  std::vector<T> d_k(k.size(), T{0});
  std::vector<T> d_v(v.size(), T{0});
  const T scale = static_cast<T>(call.scale);
  const auto dot = [](const T* a, const T* b, std::int64_t count) {
    T sum = 0;
    for (std::int64_t x = 0; x < count; ++x) sum += a[x] * b[x];
    return sum;
  };
  for (std::int64_t head = 0; head < of_q.batch * of_q.heads; ++head) {
    const std::int64_t group = of_q.heads / of_k.heads;
    const std::int64_t kv = head / of_q.heads * of_k.heads + head % of_q.heads / group;
    for (std::int64_t i = head * n; i < (head + 1) * n; ++i) {
      const T* const query = q.data() + i * d;
      const T* const gradient = d_out.data() + i * e;
      std::vector<std::int64_t> keys;
      std::vector<T> p;
      T largest = -std::numeric_limits<T>::infinity();
      for (std::int64_t j = kv * m; j < (kv + 1) * m; ++j) {
        if (!allowed(i - head * n, j - kv * m)) continue;
        keys.push_back(j);
        p.push_back(scale * dot(query, k.data() + j * d, d));
        largest = std::max(largest, p.back());
      }
      T total = 0;
      for (T& weight : p) {
        weight = std::exp(weight - largest);
        total += weight;
      }
      T delta = 0;
      for (std::size_t at = 0; at < keys.size(); ++at) {
        p[at] /= total;
        delta += p[at] * dot(gradient, v.data() + keys[at] * e, e);
      }
      for (std::size_t at = 0; at < keys.size(); ++at) {
        const std::int64_t j = keys[at];
        const T* const key = k.data() + j * d;
        const T d_score = p[at] * (dot(gradient, v.data() + j * e, e) - delta);
        for (std::int64_t x = 0; x < e; ++x)
          d_v[static_cast<std::size_t>(j * e + x)] += p[at] * gradient[x];
        for (std::int64_t x = 0; x < d; ++x) {
          d_k[static_cast<std::size_t>(j * d + x)] += scale * d_score * query[x];
          d_q[static_cast<std::size_t>(i * d + x)] += scale * d_score * key[x];
        }
      }
    }
  }
  const auto doubles = [](const std::vector<T>& all) {
    return std::vector<double>(all.begin(), all.end());
  };
  return {doubles(d_q), doubles(d_k), doubles(d_v)};
}

inline double largest_magnitude(const std::vector<double>& all) {
  double largest = 0.0;
  for (const double value : all)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  return largest;
}

// Compares gradients within three times the naive implementation's own error, with a floor of a few
// roundings of the largest numbers involved: dO.V and D cancel, a weight has the error of LSE, and
// the naive error of few elements can be small by luck, as in verify.h. result: the type to which
// gradients were rounded at the end.
inline void expect_close(const BackwardCall& call, const Gradients& found, const Gradients& exact,
                         const Gradients& naive, DType result = DType::f32) {
  const auto most = [](const Tensor& tensor) { return largest_magnitude(values(tensor.view())); };
  const double u = unit_roundoff(DType::f32);
  const double weight = std::max(1.0, most(call.lse));
  const double product = std::sqrt(static_cast<double>(call.v.view().extent.head_dim)) *
                         most(call.v) * most(call.d_out);
  const auto expect = [&](const char* what, const std::vector<double>& a,
                          const std::vector<double>& b, const std::vector<double>& c,
                          double largest) {
    const double bound =
        3.0 * max_difference(c, b) + 8.0 * u * weight * largest +
        (unit_roundoff(result) + unit_roundoff(call.q.view().dtype)) * largest_magnitude(b);
    EXPECT_TRUE(max_difference(a, b) <= bound)
        << what << ": " << max_difference(a, b) << " > " << bound;
  };
  const double scale = std::abs(call.scale);
  expect("d_q", found.d_q, exact.d_q, naive.d_q, scale * product * most(call.k));
  expect("d_k", found.d_k, exact.d_k, naive.d_k, scale * product * most(call.q));
  expect("d_v", found.d_v, exact.d_v, naive.d_v, most(call.d_out));
}

}  // namespace qb::testing_support
