// SPDX-License-Identifier: Apache-2.0
// The tests of the kernels share this: random and adversarial tensors, an allocator that counts,
// and attention over any set of allowed pairs, in any precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/allocator.h"
#include "kernels/attention.h"
#include "kernels/reference.h"

namespace qb::testing_support {

class CountingAllocator final : public Allocator {
 public:
  void* allocate(std::size_t bytes, std::string_view label, int worker) override {
    void* const pointer = heap_allocator().allocate(bytes, label, worker);
    const std::lock_guard lock(mutex_);
    live_[pointer] = bytes;
    active_ += bytes;
    peak_ = std::max(peak_, active_);
    labels_.emplace_back(label);
    workers_.push_back(worker);
    return pointer;
  }
  void deallocate(void* pointer) noexcept override {
    const std::lock_guard lock(mutex_);
    active_ -= live_.at(pointer);
    live_.erase(pointer);
    heap_allocator().deallocate(pointer);
  }
  [[nodiscard]] std::size_t active() const { return active_; }
  [[nodiscard]] std::size_t peak() const { return peak_; }
  [[nodiscard]] const std::vector<std::string>& labels() const { return labels_; }
  [[nodiscard]] const std::vector<int>& workers() const { return workers_; }

 private:
  std::mutex mutex_;
  std::map<void*, std::size_t> live_;
  std::size_t active_ = 0;
  std::size_t peak_ = 0;
  std::vector<std::string> labels_;
  std::vector<int> workers_;
};

inline void fill(const TensorView& view, double value) {
  for (std::int64_t b = 0; b < view.extent.batch; ++b)
    for (std::int64_t h = 0; h < view.extent.heads; ++h)
      for (std::int64_t t = 0; t < view.extent.length; ++t)
        for (std::int64_t x = 0; x < view.extent.head_dim; ++x)
          store_element(view.row(b, h, t) + x * size_of(view.dtype), view.dtype, value);
}

// Returns element [b, h, t, x] as a double.
inline double at(const TensorView& view, std::int64_t b, std::int64_t h, std::int64_t t,
                 std::int64_t x) {
  return load_element(view.row(b, h, t) + x * size_of(view.dtype), view.dtype);
}

// Returns standard normal values times `deviation`; one in `outlier_every` is 100 times as large
// (0: none).
inline Tensor random_tensor(DType dtype, const Extent& extent, std::uint64_t seed,
                            double deviation = 1.0, int outlier_every = 0) {
  Tensor tensor(heap_allocator(), dtype, extent, "test");
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal(0.0, deviation);
  for (std::int64_t i = 0; i < extent.elements(); ++i) {
    double value = normal(engine);
    if (outlier_every != 0 && engine() % static_cast<std::uint64_t>(outlier_every) == 0)
      value *= 100.0;
    store_element(static_cast<std::byte*>(tensor.view().data) + i * size_of(dtype), dtype, value);
  }
  return tensor;
}

// Holds O [b, h, n, e] and LSE [b, h, n].
struct Attended {
  std::vector<double> out;
  std::vector<double> lse;
};

// Returns the values of a view in [b, h, t, x] order.
template <class T = double>
std::vector<T> values(const TensorView& view) {
  std::vector<T> result(static_cast<std::size_t>(view.extent.elements()));
  T* row = result.data();
  for (std::int64_t b = 0; b < view.extent.batch; ++b)
    for (std::int64_t h = 0; h < view.extent.heads; ++h)
      for (std::int64_t t = 0; t < view.extent.length; ++t, row += view.extent.head_dim)
        convert(view.row(b, h, t), view.dtype, row, sizeof(T) == 8 ? DType::f64 : DType::f32,
                view.extent.head_dim);
  return result;
}

// Computes attention over the pairs with allowed(query, key), two-pass, everything in T. It is as
// simple as possible: the tests compare the float64 reference itself with it.
template <class T, class Allowed>
Attended brute_force(const TensorView& q, const TensorView& k, const TensorView& v, double scale,
                     Allowed allowed) {
  const std::int64_t d = q.extent.head_dim;
  const std::int64_t e = v.extent.head_dim;
  const std::int64_t m = k.extent.length;
  const std::int64_t group = q.extent.heads / k.extent.heads;
  const std::vector<T> queries = values<T>(q);
  const std::vector<T> keys = values<T>(k);
  const std::vector<T> of_keys = values<T>(v);
  const T* query = queries.data();
  Attended result;
  for (std::int64_t b = 0; b < q.extent.batch; ++b)
    for (std::int64_t h = 0; h < q.extent.heads; ++h)
      for (std::int64_t i = 0; i < q.extent.length; ++i, query += d) {
        const std::int64_t first_key = (b * k.extent.heads + h / group) * m;
        std::vector<T> sum(static_cast<std::size_t>(e), T{0});
        std::vector<std::pair<std::int64_t, T>> scores;
        T largest = -std::numeric_limits<T>::infinity();
        for (std::int64_t j = 0; j < m; ++j) {
          if (!allowed(i, j)) continue;
          const T* const key = keys.data() + (first_key + j) * d;
          T product = 0;
          for (std::int64_t x = 0; x < d; ++x) product += query[x] * key[x];
          scores.emplace_back(j, product * static_cast<T>(scale));
          largest = std::max(largest, scores.back().second);
        }
        T total = 0;
        for (const auto& [j, score] : scores) {
          const T p = std::exp(score - largest);
          const T* const value = of_keys.data() + (first_key + j) * e;
          total += p;
          for (std::int64_t x = 0; x < e; ++x) sum[static_cast<std::size_t>(x)] += p * value[x];
        }
        for (const T value : sum)
          result.out.push_back(scores.empty() ? 0.0 : static_cast<double>(value / total));
        result.lse.push_back(static_cast<double>(largest + std::log(total)));
        if (scores.empty()) result.lse.back() = -std::numeric_limits<double>::infinity();
      }
  return result;
}

// Returns the largest |a - b|; NaN in either counts as an infinite error, equal infinities count as
// right.
inline double max_difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    const double difference = std::abs(a[i] - b[i]);
    if (!(difference <= largest))
      largest = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
  }
  return largest;
}

constexpr Kernel kKernels[] = {Kernel::reference, Kernel::materialized, Kernel::flash};

// Holds the inputs, schedule and poisoned outputs of one call.
struct Call {
  Tensor q;
  Tensor k;
  Tensor v;
  TileSchedule schedule;
  double scale = 1.0;
  Tensor out;
  Tensor lse;

  Call(Tensor queries, Tensor keys, Tensor values, TileSchedule tiles)
      : q(std::move(queries)),
        k(std::move(keys)),
        v(std::move(values)),
        schedule(std::move(tiles)) {
    const Extent& extent = q.view().extent;
    scale = 1.0 / std::sqrt(static_cast<double>(extent.head_dim));
    out = Tensor(heap_allocator(), DType::f32,
                 {extent.batch, extent.heads, extent.length, v.view().extent.head_dim}, "out");
    lse =
        Tensor(heap_allocator(), DType::f32, {extent.batch, extent.heads, extent.length, 1}, "lse");
  }

  [[nodiscard]] AttentionArguments arguments() const {
    return {q.view(), k.view(), v.view(), &schedule, scale, out.view(), lse.view()};
  }

  Attended run(Kernel kernel, int threads = 1, Allocator& workspace = heap_allocator()) {
    fill(out.view(), std::nan(""));
    fill(lse.view(), std::nan(""));
    attention(kernel, arguments(), {workspace, threads, 0});
    return {values(out.view()), values(lse.view())};
  }
};

inline TileSchedule dense_schedule(Kernel kernel, const Mask& mask, std::int64_t n,
                                   std::int64_t m) {
  const KeySpan keys{0, m, mask.kind == MaskKind::full ? SpanKind::full : SpanKind::causal,
                     mask.offset};
  return build_schedule(n, m, {{0, n, keys}}, kernel_tiles(kernel, 64).query_tile);
}

}  // namespace qb::testing_support
