// SPDX-License-Identifier: Apache-2.0
// Tests the backward pass of flash in every instruction set: against the float64 kernel on random
// problems, the same bits on any number of threads, NaN under masks, memory behind a row.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/testing/sanitized.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/mask/mask_tiles.h"
#include "kernels/testing/backward_support.h"
#include "kernels/testing/mask_fixtures.h"
#include "kernels/testing/schedule_fixtures.h"

namespace qb {
namespace {

using testing_support::BackwardCall;
using testing_support::Gradients;
using testing_support::random_tensor;

class FlashBackward : public ::testing::TestWithParam<InstructionSet> {
 protected:
  FlashBackward() { use_instruction_set(GetParam()); }
  ~FlashBackward() override { use_instruction_set(available_instruction_sets().front()); }
};

double rms(const std::vector<double>& all) {
  double sum = 0.0;
  for (const double value : all) sum += value * value;
  return all.empty() ? 0.0 : std::sqrt(sum / static_cast<double>(all.size()));
}

std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result(a);
  for (std::size_t i = 0; i < a.size(); ++i) result[i] -= b[i];
  return result;
}

// Fills O and LSE from a forward pass of the reference kernel, which takes the same schedule.
void run_forward(BackwardCall& call) {
  attention(Kernel::reference,
            {call.q.view(), call.k.view(), call.v.view(), &call.schedule, call.scale,
             call.out.view(), call.lse.view()},
            {heap_allocator(), 2, 0});
  compute_delta(call.out.view(), call.d_out.view(), call.delta.view());
}

// Runs the forward pass and compares the gradients with float64.
void expect_exact_gradients(BackwardCall& call, int threads) {
  run_forward(call);
  const Gradients exact = call.run(Kernel::reference, 2);
  const Gradients found = call.run(Kernel::flash, threads);

  // Relative to the gradients: the error of a score, which is that of its weight, and the rounding
  // of weights to bf16. Where dO.V and D cancel, it is relative to these.
  const double u = unit_roundoff(DType::f32);
  const auto d = static_cast<double>(call.q.view().extent.head_dim);
  const auto e = static_cast<double>(call.v.view().extent.head_dim);
  const double largest_lse =
      std::max(1.0, testing_support::largest_magnitude(testing_support::values(call.lse.view())));
  const double relative =
      4.0 * (8.0 + std::sqrt(d)) * u * largest_lse +
      (call.q.view().dtype == DType::bf16 ? 4.0 * unit_roundoff(DType::bf16) : 0.0);
  const auto of = [](const Tensor& tensor) { return rms(testing_support::values(tensor.view())); };
  const double product = std::sqrt(e) * of(call.v) * of(call.d_out);
  const double scale = std::abs(call.scale);
  const auto expect = [&](const char* what, const std::vector<double>& a,
                          const std::vector<double>& b, double size) {
    EXPECT_LE(rms(difference(a, b)), relative * rms(b) + 32.0 * u * largest_lse * size) << what;
  };
  expect("d_q", found.d_q, exact.d_q, scale * product * of(call.k));
  expect("d_k", found.d_k, exact.d_k, scale * product * of(call.q));
  expect("d_v", found.d_v, exact.d_v, of(call.d_out));
}

void expect_backward_agreement(std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 engine(seed);
  const auto below = [&engine](std::int64_t limit) {
    return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(limit));
  };
  const DType dtypes[] = {DType::f32, DType::f16, DType::bf16};
  const DType dtype = dtypes[below(3)];
  const std::int64_t dims[] = {1, 5, 16, 24, 31, 64, 96, 128, 256};
  const std::int64_t d = dims[below(9)];
  const std::int64_t e = below(3) == 0 ? 1 + below(256) : d;
  const std::int64_t kv_heads = 1 + below(2);
  const std::int64_t groups[] = {1, 1, 2, 3};
  const std::int64_t heads = kv_heads * groups[below(4)];
  const std::int64_t lengths[] = {1, 2, 5, 16, 47, 49, 97, 200, 385};
  const std::int64_t n = lengths[below(9)] + below(3);
  const std::int64_t m = 1 + below(below(3) == 0 ? 1500 : 300);
  const std::int64_t batch = 1 + below(2);
  const int threads = static_cast<int>(1 + below(4));
  const bool dense = below(2) == 0;
  BackwardCall call(random_tensor(dtype, {batch, heads, n, d}, seed + 1),
                    random_tensor(dtype, {batch, kv_heads, m, d}, seed + 2),
                    random_tensor(dtype, {batch, kv_heads, m, e}, seed + 3),
                    random_tensor(dtype, {batch, heads, n, e}, seed + 4),
                    dense ? build_schedule(n, m, {{0, n, {0, m, SpanKind::causal, m - n}}}, 768)
                          : testing_support::random_schedule(n, m, 64, engine));
  if (below(4) == 0) call.scale = -call.scale;
  expect_exact_gradients(call, threads);
}

TEST_P(FlashBackward, AgreesWithFloat64OnRandomProblems) {
  // The portable code takes twenty times as long, and minutes under sanitizers.
  const std::uint64_t seeds =
      GetParam() == InstructionSet::scalar || testing_support::kSanitized ? 4 : 20;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) expect_backward_agreement(1000 * seed);
}

// Rows and keys here mostly end amid a vector, a pair or a tile of the products.
TEST_P(FlashBackward, AgreesWithFloat64OnShortLengths) {
  const std::int64_t dims[] = {31, 32, 64, 72};
  const std::int64_t value_dims[] = {64, 17, 32, 1, 96};
  const double scales[] = {0.2, -0.2, 0.0};
  for (const std::int64_t n : {1, 15, 17, 48, 50})
    for (const std::int64_t m : {1, 2, 15, 16, 17, 31, 33, 40, 97, 113}) {
      SCOPED_TRACE(std::to_string(n) + " rows, " + std::to_string(m) + " keys");
      const SpanKind kind = m % 2 == 0 ? SpanKind::causal : SpanKind::full;
      const std::int64_t d = dims[m % 4];
      const std::int64_t e = value_dims[m % 5];
      BackwardCall call(
          random_tensor(DType::bf16, {1, 2, n, d}, 1), random_tensor(DType::bf16, {1, 1, m, d}, 2),
          random_tensor(DType::bf16, {1, 1, m, e}, 3), random_tensor(DType::bf16, {1, 2, n, e}, 4),
          build_schedule(n, m, {{0, n, {0, m, kind, m - n}}}, 64));
      call.scale = scales[m % 3];
      expect_exact_gradients(call, 1);
    }
}

// Chunks of keys are handed to threads as they come, but sums of dQ are made in one order.
TEST_P(FlashBackward, GivesTheSameBitsOnAnyNumberOfThreads) {
  const bool slow = GetParam() == InstructionSet::scalar || testing_support::kSanitized;
  for (const DType dtype : {DType::f32, DType::bf16})
    for (const MaskKind kind : {MaskKind::full, MaskKind::causal}) {
      const std::int64_t n = slow ? 150 : 500;
      const std::int64_t m = slow ? 1100 : 2100;
      const Mask mask = kind == MaskKind::full ? Mask::full() : Mask::causal(n, m);
      BackwardCall call(
          random_tensor(dtype, {1, 2, n, 40}, 1), random_tensor(dtype, {1, 1, m, 40}, 2),
          random_tensor(dtype, {1, 1, m, 40}, 3), random_tensor(dtype, {1, 2, n, 40}, 4),
          testing_support::dense_schedule(Kernel::flash, mask, n, m));
      run_forward(call);
      const Gradients alone = call.run(Kernel::flash, 1);
      for (const int threads : {2, 7})
        EXPECT_TRUE(call.run(Kernel::flash, threads) == alone) << threads << " threads";
    }
}

TEST_P(FlashBackward, GivesTheSameBitsForPatterns) {
  if (GetParam() == InstructionSet::scalar) GTEST_SKIP() << "the wide sets take the same path";
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    std::mt19937_64 engine(seed);
    const std::int64_t n = 1200;
    const Mask mask = mask_fixtures::mask_of(mask_fixtures::random_pattern(engine, n), n, n);
    SCOPED_TRACE(to_string(mask) + ", seed " + std::to_string(seed));
    BackwardCall call(
        random_tensor(DType::f32, {1, 1, n, 16}, seed),
        random_tensor(DType::f32, {1, 1, n, 16}, seed + 1),
        random_tensor(DType::f32, {1, 1, n, 16}, seed + 2),
        random_tensor(DType::f32, {1, 1, n, 16}, seed + 3),
        build_mask_schedule(mask, n, n, {{0, 0, {0, n, 1}, {0, n, 1}}}, 768, {true, 1}));
    testing_support::set_forward(call, mask);
    EXPECT_TRUE(call.run(Kernel::flash, 1) == call.run(Kernel::flash, 3));
  }
}

// Returns whether rows of `width` numbers hold a NaN.
std::vector<bool> nan_rows(const std::vector<double>& all, std::size_t width) {
  std::vector<bool> found(all.size() / width);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (std::isnan(all[i])) found[i / width] = true;
  return found;
}

// NaN in a row shows in its own gradient and in those of the rows that see it or that it sees, and
// in no other: here queries see keys up to their own position.
TEST_P(FlashBackward, LetsNothingOfAMaskedPairThrough) {
  constexpr std::int64_t kTokens = 150;
  constexpr std::size_t kKey = 100;
  constexpr std::size_t kQuery = 60;
  for (const DType dtype : {DType::f32, DType::bf16})
    for (const bool in_key : {false, true}) {
      const Mask mask = Mask::causal(kTokens, kTokens);
      BackwardCall call(random_tensor(dtype, {1, 1, kTokens, 16}, 1),
                        random_tensor(dtype, {1, 1, kTokens, 16}, 2),
                        random_tensor(dtype, {1, 1, kTokens, 24}, 3),
                        random_tensor(dtype, {1, 1, kTokens, 24}, 4),
                        testing_support::dense_schedule(Kernel::flash, mask, kTokens, kTokens));
      const Tensor& spoilt = in_key ? call.k : call.d_out;
      store_element(spoilt.view().row(0, 0, in_key ? 100 : 60) + 5 * size_of(dtype), dtype,
                    std::nan(""));
      run_forward(call);
      const Gradients found = call.run(Kernel::flash, 2);
      const std::vector<bool> d_q = nan_rows(found.d_q, 16);
      const std::vector<bool> d_k = nan_rows(found.d_k, 16);
      const std::vector<bool> d_v = nan_rows(found.d_v, 24);
      for (std::size_t i = 0; i < std::size_t{kTokens}; ++i) {
        // A row that sees the key has LSE = NaN, and so spoils every key that it sees.
        EXPECT_EQ(d_q[i], in_key ? i >= kKey : i == kQuery) << i;
        EXPECT_EQ(d_k[i], in_key ? true : i <= kQuery) << i;
        EXPECT_EQ(d_v[i], in_key ? true : i <= kQuery) << i;
      }
    }
}

// Memory after the last row of a tensor must not be read: where the tensor ends a page, the next
// page may not exist. Here it is NaN, which would show. Nor must it be written.
TEST_P(FlashBackward, TouchesNothingBehindARow) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    for (const std::int64_t d : {8, 24, 40, 64}) {
      const auto half_of = [&](const Tensor& wide) {
        TensorView rows = wide.view();
        rows.extent.head_dim = d;
        return rows;
      };
      const Tensor wide = random_tensor(dtype, {1, 1, 75, 2 * d}, 1);
      for (std::int64_t t = 0; t < 75; ++t)
        for (std::int64_t x = d; x < 2 * d; ++x)
          store_element(wide.view().row(0, 0, t) + x * size_of(dtype), dtype, std::nan(""));
      const TensorView rows = half_of(wide);
      const Tensor lse(heap_allocator(), DType::f32, {1, 1, 75, 1}, "lse");
      const Tensor delta(heap_allocator(), DType::f32, {1, 1, 75, 1}, "delta");
      const Tensor sums(heap_allocator(), DType::f32, {1, 1, 75, 2 * d}, "sums");
      testing_support::fill(lse.view(), 10.0);
      testing_support::fill(delta.view(), 0.5);
      testing_support::fill(sums.view(), 3.0);
      testing_support::fill(half_of(sums), 0.0);
      const Tensor d_k(heap_allocator(), DType::f32, {1, 1, 75, d}, "d_k");
      const Tensor d_v(heap_allocator(), DType::f32, {1, 1, 75, d}, "d_v");
      testing_support::fill(d_k.view(), 0.0);
      testing_support::fill(d_v.view(), 0.0);
      const TileSchedule schedule = build_schedule(75, 75, {{0, 75, {0, 75}}}, 64);
      attention_backward(Kernel::flash,
                         {rows, rows, rows, rows, lse.view(), delta.view(), &schedule, 0.1,
                          half_of(sums), d_k.view(), d_v.view()},
                         {testing_support::poisoned_allocator(), 1, 0});
      for (const TensorView& view : {half_of(sums), d_k.view(), d_v.view()})
        for (const double value : testing_support::values(view)) ASSERT_TRUE(std::isfinite(value));
      for (std::int64_t t = 0; t < 75; ++t)
        for (std::int64_t x = d; x < 2 * d; ++x)
          ASSERT_EQ(testing_support::at(sums.view(), 0, 0, t, x), 3.0);
    }
}

INSTANTIATE_TEST_SUITE_P(All, FlashBackward, ::testing::ValuesIn(available_instruction_sets()),
                         [](const auto& set) { return std::string(word(set.param)); });

}  // namespace
}  // namespace qb
