// SPDX-License-Identifier: Apache-2.0
// Computes the backward pass in float64 through the tile schedule, in an obvious and slow way: one
// sweep over the query rows adds to dQ, another over blocks of keys adds to dK and dV, and each
// computes P and dS of its pairs anew. An element of a gradient belongs to one item of one sweep.
#include <algorithm>
#include <cmath>

#include "base/integers.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/score_rows.h"
#include "kernels/parallel.h"

namespace qb::cpu {
namespace {

constexpr std::int64_t kKeysAtOnce = 64;  // keys of an item of the second sweep

// The memory of one thread: a query's rows, and rows and sums of some keys.
struct Scratch {
  double* query;     // [d]
  double* d_out;     // [e]
  double* keys;      // [kKeysAtOnce][d]
  double* values;    // [kKeysAtOnce][e]
  double* of_first;  // [kKeysAtOnce][d], sums of dK, or of one row of dQ
  double* of_value;  // [kKeysAtOnce][e], sums of dV

  [[nodiscard]] static std::int64_t doubles(std::int64_t head_dim, std::int64_t value_dim) {
    return (2 * kKeysAtOnce + 1) * (head_dim + value_dim);
  }
  [[nodiscard]] static Scratch carve(double* memory, std::int64_t head_dim,
                                     std::int64_t value_dim) {
    double* const keys = memory + head_dim + value_dim;
    double* const values = keys + kKeysAtOnce * head_dim;
    double* const of_first = values + kKeysAtOnce * value_dim;
    return {memory, memory + head_dim, keys, values, of_first, of_first + kKeysAtOnce * head_dim};
  }
};

struct Weights {
  double p;
  double d_score;
};

class Call {
 public:
  explicit Call(const BackwardArguments& arguments)
      : a_(arguments), d_(a_.q.extent.head_dim), e_(a_.v.extent.head_dim) {}

  void add_query_gradient(std::int64_t b, std::int64_t h, std::int64_t row,
                          const Scratch& scratch) const {
    if (!load_query(b, h, row, scratch)) return;
    std::fill_n(scratch.of_first, d_, 0.0);
    const std::int64_t kv_head = h / (a_.q.extent.heads / a_.k.extent.heads);
    for_each_key(*a_.schedule, row, {0, a_.k.extent.length}, [&](std::int64_t key) {
      load_key(b, kv_head, key, scratch.keys, scratch.values);
      const Weights weights = weigh(b, h, row, scratch, scratch.keys, scratch.values);
      for (std::int64_t x = 0; x < d_; ++x)
        scratch.of_first[x] += weights.d_score * scratch.keys[x];
    });
    add(scratch.of_first, a_.scale, d_, a_.d_q.row_as<float>(b, h, row));
  }

  // Adds what all query heads of the group give to dK and dV of some keys, at most kKeysAtOnce.
  void add_key_gradients(std::int64_t b, std::int64_t group, const Range& keys,
                         const Scratch& scratch) const {
    std::fill_n(scratch.of_first, keys.count() * d_, 0.0);
    std::fill_n(scratch.of_value, keys.count() * e_, 0.0);
    for (std::int64_t key = 0; key < keys.count(); ++key)
      load_key(b, group, keys.begin + key, scratch.keys + key * d_, scratch.values + key * e_);
    const std::int64_t heads = a_.q.extent.heads / a_.k.extent.heads;
    for (std::int64_t h = group * heads; h < (group + 1) * heads; ++h)
      for (std::int64_t row = 0; row < a_.q.extent.length; ++row) {
        if (!load_query(b, h, row, scratch)) continue;
        for_each_key(*a_.schedule, row, keys, [&](std::int64_t key) {
          const std::int64_t at = key - keys.begin;
          const Weights weights =
              weigh(b, h, row, scratch, scratch.keys + at * d_, scratch.values + at * e_);
          for (std::int64_t x = 0; x < d_; ++x)
            scratch.of_first[at * d_ + x] += weights.d_score * scratch.query[x];
          for (std::int64_t x = 0; x < e_; ++x)
            scratch.of_value[at * e_ + x] += weights.p * scratch.d_out[x];
        });
      }
    for (std::int64_t key = 0; key < keys.count(); ++key) {
      add(scratch.of_first + key * d_, a_.scale, d_,
          a_.d_k.row_as<float>(b, group, keys.begin + key));
      add(scratch.of_value + key * e_, 1.0, e_, a_.d_v.row_as<float>(b, group, keys.begin + key));
    }
  }

 private:
  // Returns false for a row that sees nothing.
  [[nodiscard]] bool load_query(std::int64_t b, std::int64_t h, std::int64_t row,
                                const Scratch& scratch) const {
    if (load_lse(a_.lse, b, h, row).is_empty()) return false;
    convert(a_.q.row(b, h, row), a_.q.dtype, scratch.query, DType::f64, d_);
    convert(a_.d_out.row(b, h, row), a_.d_out.dtype, scratch.d_out, DType::f64, e_);
    return true;
  }
  void load_key(std::int64_t b, std::int64_t group, std::int64_t key, double* of_key,
                double* of_value) const {
    convert(a_.k.row(b, group, key), a_.k.dtype, of_key, DType::f64, d_);
    convert(a_.v.row(b, group, key), a_.v.dtype, of_value, DType::f64, e_);
  }

  [[nodiscard]] Weights weigh(std::int64_t b, std::int64_t h, std::int64_t row,
                              const Scratch& query, const double* key, const double* value) const {
    double score = 0.0;
    double product = 0.0;
    for (std::int64_t x = 0; x < d_; ++x) score += query.query[x] * key[x];
    for (std::int64_t x = 0; x < e_; ++x) product += query.d_out[x] * value[x];
    const double lse = load_lse(a_.lse, b, h, row).natural();
    const double delta = static_cast<double>(*a_.delta.row_as<float>(b, h, row));
    const double p = std::exp(a_.scale * score - lse);
    return {p, p * (product - delta)};
  }

  static void add(const double* sum, double factor, std::int64_t count, float* to) {
    for (std::int64_t x = 0; x < count; ++x) to[x] += static_cast<float>(factor * sum[x]);
  }

  const BackwardArguments& a_;
  const std::int64_t d_;
  const std::int64_t e_;
};

std::int64_t workspace_bytes(const CpuKernel::Shape& shape) {
  return shape.threads * 8 * Scratch::doubles(shape.q.head_dim, shape.value_dim);
}

void accumulate(const BackwardArguments& a, const KernelContext& context) {
  const std::int64_t d = a.q.extent.head_dim;
  const std::int64_t e = a.v.extent.head_dim;
  const std::int64_t doubles = Scratch::doubles(d, e);
  const Buffer memory(context.workspace, static_cast<std::size_t>(context.threads * 8 * doubles),
                      "reference_rows", context.worker);
  const auto scratch_of = [&](int thread) {
    return Scratch::carve(memory.as<double>() + thread * doubles, d, e);
  };
  const Call call(a);
  for_each_row(a.q.extent, context.threads, 16,
               [&](std::int64_t b, std::int64_t h, std::int64_t row, int thread) {
                 call.add_query_gradient(b, h, row, scratch_of(thread));
               });
  const Extent& k = a.k.extent;
  const std::int64_t blocks = ceil_div(k.length, kKeysAtOnce);
  parallel_for(k.batch * k.heads * blocks, context.threads, 1,
               [&](std::int64_t item, std::int64_t, int thread) {
                 const std::int64_t head = item / blocks;
                 const std::int64_t begin = item % blocks * kKeysAtOnce;
                 call.add_key_gradients(head / k.heads, head % k.heads,
                                        {begin, std::min(k.length, begin + kKeysAtOnce)},
                                        scratch_of(thread));
               });
}

}  // namespace

const CpuBackward reference_backward{.workspace_bytes = workspace_bytes, .accumulate = accumulate};

}  // namespace qb::cpu
