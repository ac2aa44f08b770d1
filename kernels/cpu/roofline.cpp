// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/roofline.h"

#include <algorithm>
#include <cstring>

#include "base/clock.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/parallel.h"

#include "kernels/cpu/every_set-inl.h"

#include "kernels/cpu/exp2-inl.h"
#include "kernels/cpu/tile_product-inl.h"
#include "kernels/cpu/tile_registers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

// There are as many independent sums as in the kernels' products.
template <class Units>
HWY_INLINE double multiply_add_rounds(std::int64_t rounds, const float* factor, float* result) {
  constexpr std::size_t kSums = kRowBlock * kVectorBlock;
  const Floats d;
  const auto a = hn::Set(d, factor[0]);
  const auto b = hn::Set(d, factor[1]);
  Vector sum[kSums];
#pragma GCC unroll 32
  for (std::size_t i = 0; i < kSums; ++i) sum[i] = hn::Set(d, static_cast<float>(i));
  for (std::int64_t round = 0; round < rounds; ++round)
#pragma GCC unroll 32
    for (std::size_t i = 0; i < kSums; ++i) sum[i] = Units::multiply_add(a, b, sum[i]);
  auto total = sum[0];
#pragma GCC unroll 32
  for (std::size_t i = 1; i < kSums; ++i) total = hn::Add(total, sum[i]);
  *result = hn::GetLane(hn::SumOfLanes(d, total));
  return static_cast<double>(rounds) * kSums * static_cast<double>(hn::Lanes(d)) * 2.0 *
         Units::kElements;
}

// Returns the FLOP of `rounds` rounds.
double multiply_add(bool bf16_pairs, std::int64_t rounds, const float* factor, float* result) {
#if HWY_TARGET == HWY_AVX3
  if (bf16_pairs && bf16_tiles()) return Bf16Tiles::multiply_registers(rounds);
  if (bf16_pairs) return multiply_add_rounds<Bf16Pairs>(rounds, factor, result);
#endif
  (void)bf16_pairs;
  return multiply_add_rounds<Float32Units>(rounds, factor, result);
}

// Goes over `n` elements, a multiple of every vector, again and again.
float exponentials(const float* x, std::int64_t n, std::int64_t rounds) {
  const Floats d;
  auto sum = hn::Zero(d);
  for (std::int64_t round = 0; round < rounds; ++round)
    for (std::int64_t i = 0; i < n; i += lanes())
      sum = hn::Add(sum, exp2_fast(d, hn::Load(d, x + i)));
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

float sum_of(const float* x, std::int64_t n) {
  const Floats d;
  constexpr std::int64_t kSums = 8;
  Vector sum[kSums];
#pragma GCC unroll 8
  for (auto& s : sum) s = hn::Zero(d);
  for (std::int64_t i = 0; i < n; i += kSums * lanes())
#pragma GCC unroll 8
    for (std::int64_t s = 0; s < kSums; ++s)
      sum[s] = hn::Add(sum[s], hn::Load(d, x + i + s * lanes()));
  auto total = hn::Zero(d);
  for (const auto& s : sum) total = hn::Add(total, s);
  return hn::GetLane(hn::SumOfLanes(d, total));
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
namespace {

HWY_EXPORT(multiply_add);
HWY_EXPORT(exponentials);
HWY_EXPORT(sum_of);

volatile float sink;  // results go here, so that the compiler keeps the work

// Returns the best rate of a few bursts; burst(thread) returns its work.
template <class Burst>
double best_rate(int threads, const Burst& burst) {
  constexpr int kBursts = 5;
  std::vector<double> work(static_cast<std::size_t>(threads));
  double best = 0.0;
  for (int i = 0; i < kBursts; ++i) {
    std::ranges::fill(work, 0.0);
    const double start_s = now_s();
    run_with_helpers(threads,
                     [&](int thread) { work[static_cast<std::size_t>(thread)] = burst(thread); });
    const double elapsed_s = now_s() - start_s;
    double sum = 0.0;
    for (const double part : work) sum += part;
    best = std::max(best, sum / elapsed_s);
  }
  return best;
}

}  // namespace

double fma_peak_flop_per_s(int threads, bool bf16_pairs) {
  // This is 0.5 as f32; as two bf16 it is 0.5 and 0. The sums converge to twice the product, so
  // that none overflows.
  static const float factor[2] = {0.5f, 0.5f};
  constexpr std::int64_t kRounds = 200'000;
  return best_rate(threads, [&](int) {
    float result = 0.0f;
    const double flop = HWY_DYNAMIC_DISPATCH(multiply_add)(bf16_pairs, kRounds, factor, &result);
    sink = result;
    return flop;
  });
}

double kernel_peak_flop_per_s(Kernel kernel, DType dtype, int threads) {
  const Products products = row_of(kernel).products;
  if (products == Products::scalar) return 0.0;
  const bool bf16_pairs = products == Products::own && dtype == DType::bf16 && bf16_products();
  return fma_peak_flop_per_s(threads, bf16_pairs);
}

double exp2_per_s(int threads) {
  constexpr std::int64_t kElements = 2048;
  constexpr std::int64_t kRounds = 2000;
  alignas(64) static float x[kElements];
  for (std::int64_t i = 0; i < kElements; ++i) x[i] = -static_cast<float>(i) / 128.0f;
  return best_rate(threads, [&](int) {
    sink = HWY_DYNAMIC_DISPATCH(exponentials)(x, kElements, kRounds);
    return static_cast<double>(kElements * kRounds);
  });
}

MemoryCeiling::MemoryCeiling(int threads, std::int64_t bytes_each)
    : threads_(threads),
      floats_each_(bytes_each / 4),
      rounds_(std::max<std::int64_t>(1, kBeyondCaches / bytes_each)),
      memory_(heap_allocator(), static_cast<std::size_t>(threads * bytes_each), "ceiling") {
  std::memset(memory_.data(), 0, memory_.bytes());
}

double MemoryCeiling::read_bytes_per_s() {
  return best_rate(threads_, [&](int thread) {
    const float* const x = memory_.as<float>() + thread * floats_each_;
    for (std::int64_t round = 0; round < rounds_; ++round)
      sink = HWY_DYNAMIC_DISPATCH(sum_of)(x, floats_each_);
    return static_cast<double>(rounds_ * floats_each_ * 4);
  });
}

double MemoryCeiling::copy_bytes_per_s() {
  return best_rate(threads_, [&](int thread) {
    float* const x = memory_.as<float>() + thread * floats_each_;
    for (std::int64_t round = 0; round < rounds_; ++round)
      std::memcpy(x + floats_each_ / 2, x, static_cast<std::size_t>(floats_each_ * 2));
    return static_cast<double>(rounds_ * floats_each_ * 4);
  });
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
