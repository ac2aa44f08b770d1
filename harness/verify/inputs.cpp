// SPDX-License-Identifier: Apache-2.0
// Standard normal inputs by the Box-Muller transform of a counter-based generator.
//
// Only +, -, *, / and sqrt are used, which IEEE 754 rounds the same everywhere: the C library's log
// and cos differ in the last bit between machines, and the inputs of a seed must not.
#include "harness/verify/inputs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "base/hash.h"
#include "base/integers.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

constexpr std::int64_t kChunk = 1024;  // elements converted at once

constexpr double kTwoToMinus53 = 1.0 / 9007199254740992.0;

// Natural logarithm of x in (0, 1], to a few units in the last place. With x = m 2^e and m in
// [sqrt(1/2), sqrt(2)): log m = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.1716.
double log_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<std::int64_t>(bits >> 52) - 1022;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3fe0000000000000);
  if (m < std::numbers::sqrt2 / 2) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1.0) / (m + 1.0);
  const double s2 = s * s;
  double series = 0.0;
  for (int k = 21; k >= 3; k -= 2) series = (series + 1.0 / k) * s2;
  return static_cast<double>(exponent) * std::numbers::ln2 + 2.0 * (s + s * series);
}

// Returns cos and sin of 2 pi u, u in [0, 1), by Taylor series within pi / 4 of the nearest axis.
std::array<double, 2> circle(double u) {
  const double quadrant = std::floor(4.0 * u + 0.5);
  const double x = (4.0 * u - quadrant) * (std::numbers::pi / 2);
  const double x2 = x * x;
  double sine = 1.0;
  double cosine = 1.0;
  for (int k = 16; k >= 2; k -= 2) {
    sine = 1.0 - sine * x2 / (k * (k + 1));
    cosine = 1.0 - cosine * x2 / (k * (k - 1));
  }
  sine *= x;
  const std::array<double, 2> turned[] = {
      {cosine, sine}, {-sine, cosine}, {-cosine, -sine}, {sine, -cosine}};
  return turned[static_cast<int>(quadrant) % 4];
}

// Returns elements 2 * pair and 2 * pair + 1 of the tensor of `key`.
std::array<double, 2> normal_pair(std::uint64_t key, std::uint64_t pair) {
  const std::uint64_t a = mixed(key + (2 * pair + 1) * kGoldenGamma);
  const std::uint64_t b = mixed(key + (2 * pair + 2) * kGoldenGamma);
  const double u = static_cast<double>((a >> 11) + 1) * kTwoToMinus53;  // (0, 1]
  const double v = static_cast<double>(b >> 11) * kTwoToMinus53;        // [0, 1)
  const double radius = std::sqrt(-2.0 * log_of(u));
  const std::array<double, 2> direction = circle(v);
  return {radius * direction[0], radius * direction[1]};
}

// Writes `factor` times the elements [first, first + count) of the tensor of `key`; count is at
// most kChunk.
void fill_elements(std::uint64_t key, std::int64_t first, std::int64_t count, std::byte* to,
                   DType dtype, double factor = 1.0) {
  std::array<double, kChunk> values;
  std::array<double, 2> pair{};
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t element = first + i;
    if (i == 0 || element % 2 == 0)
      pair = normal_pair(key, static_cast<std::uint64_t>(element / 2));
    values[static_cast<std::size_t>(i)] = factor * pair[static_cast<std::size_t>(element % 2)];
  }
  convert(values.data(), DType::f64, to, dtype, count);
}

// The key of a whole tensor of a problem.
std::uint64_t key_of(const Problem& problem, TensorRole what) {
  std::uint64_t key = mixed(problem.seed * kGoldenGamma + kGoldenGamma);
  for (int i = 0; i <= static_cast<int>(what); ++i) key = mixed(key + kGoldenGamma);
  return key;
}

// The shape of a whole tensor of a problem.
Extent extent_of_input(const Shape& shape, TensorRole what) {
  if (what == TensorRole::q) return shape.q();
  if (what == TensorRole::k) return shape.k();
  return what == TensorRole::v ? shape.v() : shape.out();  // dO has the shape of O
}

// Says whether the tensor's rows are rows of keys.
bool repeats_rows(const Problem& problem, TensorRole what) {
  return (problem.inputs == InputKind::tied && what == TensorRole::k) ||
         (problem.inputs == InputKind::peaked && what == TensorRole::q);
}

// Where a row of an input is in the tensor that it is a part of.
struct RowSource {
  std::uint64_t key;
  std::int64_t row;  // of all batches, heads and tokens
  double factor = 1.0;
};

RowSource source_of(const Problem& problem, TensorRole what, std::int64_t batch, std::int64_t head,
                    std::int64_t token) {
  const Shape& shape = problem.shape;
  const Extent whole = extent_of_input(shape, what);
  const std::int64_t first = (batch * whole.heads + head) * whole.length;
  if (!repeats_rows(problem, what)) return {key_of(problem, what), first + token};
  if (what == TensorRole::k) return {key_of(problem, what), first};
  // Queries take the last positions of the keys.
  const std::int64_t seen = std::max<std::int64_t>(token + shape.kv_len - shape.q_len + 1, 1);
  const std::uint64_t drawn =
      mixed(key_of(problem, what) + static_cast<std::uint64_t>(first + token));
  const auto key = static_cast<std::int64_t>(drawn % static_cast<std::uint64_t>(seen));
  const std::int64_t kv_head = head / (shape.q_heads / shape.kv_heads);
  return {key_of(problem, TensorRole::k), (batch * shape.kv_heads + kv_head) * shape.kv_len + key,
          kPeakFactor};
}

}  // namespace

void fill_normal(const TensorView& view, std::uint64_t key, int threads) {
  const std::int64_t n = view.extent.elements();
  parallel_for(ceil_div(n, kChunk), threads, 16, [&](std::int64_t first, std::int64_t last, int) {
    for (std::int64_t begin = first * kChunk; begin < std::min(n, last * kChunk); begin += kChunk)
      fill_elements(key, begin, std::min(kChunk, n - begin),
                    static_cast<std::byte*>(view.data) + begin * size_of(view.dtype), view.dtype);
  });
}

std::vector<float> make_sinks(const Problem& problem) {
  std::vector<float> sinks(static_cast<std::size_t>(problem.shape.q_heads));
  fill_normal(contiguous_view(sinks.data(), DType::f32, {1, 1, 1, problem.shape.q_heads}),
              key_of(problem, TensorRole::d_sinks), 1);
  return sinks;
}

void make_shard(const Problem& problem, TensorRole what, const TokenGroup& tokens,
                const Range& heads, const TensorView& view, int threads) {
  const Extent whole = extent_of_input(problem.shape, what);
  const std::int64_t n_rows = whole.batch * heads.count() * tokens.count;
  parallel_for(n_rows, threads, 256, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t t = row % tokens.count;
      const std::int64_t h = row / tokens.count % heads.count();
      const std::int64_t b = row / tokens.count / heads.count();
      const RowSource source = source_of(problem, what, b, heads.begin + h, tokens.token(t));
      fill_elements(source.key, source.row * whole.head_dim, whole.head_dim, view.row(b, h, t),
                    view.dtype, source.factor);
    }
  });
}

void fill_input(const Problem& problem, TensorRole what, const Range& tokens,
                const TensorView& view, int threads) {
  const Extent& part = view.extent;
  if (!repeats_rows(problem, what) && part == extent_of_input(problem.shape, what))
    return fill_normal(view, key_of(problem, what), threads);
  make_shard(problem, what, {tokens.begin, tokens.count()}, {0, part.heads}, view, threads);
}

Tensor make_input(const Problem& problem, TensorRole what, Allocator& allocator, int threads,
                  std::string_view label, int worker) {
  Tensor tensor(allocator, problem.dtype, extent_of_input(problem.shape, what), label, worker);
  fill_input(problem, what, {0, tensor.view().extent.length}, tensor.view(), threads);
  return tensor;
}

}  // namespace qb
