// SPDX-License-Identifier: Apache-2.0
// Compares every CPU kernel over random patterns with brute force in float64, also with NaN and
// infinities in K and V where a query sees nothing.
#include <gtest/gtest.h>

#include <random>

#include "base/testing/sanitized.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/mask/mask_tiles.h"
#include "kernels/testing/mask_fixtures.h"
#include "kernels/testing/test_support.h"

namespace qb {
namespace {

constexpr Kernel kAll[] = {Kernel::reference, Kernel::materialized, Kernel::flash, Kernel::staged};

TileSchedule schedule_of(Kernel kernel, const Mask& mask, std::int64_t q_len, std::int64_t kv_len,
                         int threads) {
  const KernelTiles tiles = kernel_tiles(kernel, 16);
  return build_mask_schedule(mask, q_len, kv_len, {{0, 0, {0, q_len, 1}, {0, kv_len, 1}}},
                             tiles.query_tile, {tiles.residue_classes, threads});
}

// Returns the largest |a - b|, where NaN equals only NaN.
double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> left = a;
  std::vector<double> right = b;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::isnan(a[i]) && std::isnan(b[i])) left[i] = right[i] = 0.0;
  return testing_support::max_difference(left, right);
}

// Puts `value` into one element of some tokens' rows.
void spoil(const TensorView& view, std::mt19937_64& engine, double value, std::int64_t tokens) {
  for (std::int64_t i = 0; i < tokens; ++i) {
    const auto below = [&](std::int64_t limit) {
      return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(limit));
    };
    std::byte* const row =
        view.row(below(view.extent.batch), below(view.extent.heads), below(view.extent.length));
    store_element(row + below(view.extent.head_dim) * size_of(view.dtype), view.dtype, value);
  }
}

struct Drawn {
  Mask mask;
  std::int64_t q_len;
  std::int64_t kv_len;
};

Drawn draw(std::mt19937_64& engine, std::int64_t most) {
  const auto n = 2 + static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(most));
  const std::int64_t q_len = engine() % 3 != 0 ? n : 1 + static_cast<std::int64_t>(engine() % 150);
  const MaskSpec spec(mask_fixtures::random_pattern(engine, n));
  return {spec.mask(q_len, n), q_len, n};
}

class Patterns : public ::testing::TestWithParam<InstructionSet> {
 protected:
  Patterns() { use_instruction_set(GetParam()); }
  ~Patterns() override { use_instruction_set(available_instruction_sets().front()); }
};

TEST_P(Patterns, AreAttentionInFlash) {
  int with_classes = 0;
  const std::uint64_t seeds = GetParam() == InstructionSet::scalar ? 8
                              : testing_support::kSanitized        ? 20
                                                                   : 60;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    std::mt19937_64 engine(seed);
    const Drawn drawn = draw(engine, seed % 10 == 0 ? 900 : 200);
    SCOPED_TRACE(to_string(drawn.mask) + ", seed " + std::to_string(seed));
    const DType dtypes[] = {DType::f32, DType::f32, DType::f16, DType::bf16};
    const DType dtype = dtypes[engine() % 4];
    const std::int64_t dims[] = {16, 64, 24, 7};
    const std::int64_t d = dims[engine() % 4];
    const std::int64_t e = engine() % 3 == 0 ? 40 : d;
    const int threads = static_cast<int>(1 + engine() % 3);
    testing_support::Call call(
        testing_support::random_tensor(dtype, {1, 4, drawn.q_len, d}, seed),
        testing_support::random_tensor(dtype, {1, 2, drawn.kv_len, d}, seed + 1),
        testing_support::random_tensor(dtype, {1, 2, drawn.kv_len, e}, seed + 2),
        schedule_of(Kernel::flash, drawn.mask, drawn.q_len, drawn.kv_len, threads));
    with_classes += call.schedule.classes.empty() ? 0 : 1;
    const auto expected = testing_support::brute_force<double>(
        call.q.view(), call.k.view(), call.v.view(), call.scale,
        [&](std::int64_t q, std::int64_t k) { return drawn.mask.allows(q, k); });
    const testing_support::Attended found = call.run(Kernel::flash, threads);
    EXPECT_LT(testing_support::max_difference(found.out, expected.out),
              dtype == DType::bf16 ? 3e-2 : 3e-5);
    EXPECT_LT(testing_support::max_difference(found.lse, expected.lse), 3e-5);
  }
  if (GetParam() != InstructionSet::scalar) {
    EXPECT_GT(with_classes, testing_support::kSanitized ? 0 : 3);
  }
}

// A key that a query does not see does not affect it, whatever its values; one that it sees does.
TEST_P(Patterns, LetNothingOfAMaskedKeyThrough) {
  int rows_spoilt = 0;
  int rows_whole = 0;
  const std::uint64_t seeds = GetParam() == InstructionSet::scalar ? 3
                              : testing_support::kSanitized        ? 8
                                                                   : 20;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    std::mt19937_64 engine(seed);
    const Drawn drawn = draw(engine, 300);
    SCOPED_TRACE(to_string(drawn.mask) + ", seed " + std::to_string(seed));
    const Tensor q = testing_support::random_tensor(DType::f32, {1, 2, drawn.q_len, 16}, seed);
    const Tensor k = testing_support::random_tensor(DType::f32, {1, 1, drawn.kv_len, 16}, seed + 1);
    const Tensor v = testing_support::random_tensor(DType::f32, {1, 1, drawn.kv_len, 24}, seed + 2);
    spoil(k.view(), engine, std::nan(""), 2);
    spoil(v.view(), engine, std::nan(""), 2);
    spoil(v.view(), engine, std::numeric_limits<double>::infinity(), 2);
    for (const Kernel kernel : kAll)
      for (const DType dtype : {DType::f32, DType::bf16}) {
        if (kernel == Kernel::staged && dtype != DType::f32) continue;
        SCOPED_TRACE(std::string(word(kernel)) + " " + std::string(word(dtype)));
        const auto copy = [dtype](const Tensor& tensor) {
          Tensor result(heap_allocator(), dtype, tensor.view().extent, "copy");
          convert(tensor.view().data, DType::f32, result.view().data, dtype,
                  tensor.view().extent.elements());
          return result;
        };
        testing_support::Call call(copy(q), copy(k), copy(v),
                                   schedule_of(kernel, drawn.mask, drawn.q_len, drawn.kv_len, 1));
        const auto expected = testing_support::brute_force<double>(
            call.q.view(), call.k.view(), call.v.view(), call.scale,
            [&](std::int64_t i, std::int64_t j) { return drawn.mask.allows(i, j); });
        const testing_support::Attended found = call.run(kernel, 2);
        for (std::size_t i = 0; i < expected.lse.size(); ++i) {
          ASSERT_EQ(std::isnan(expected.lse[i]), std::isnan(found.lse[i])) << i;
          if (std::isnan(expected.lse[i])) {
            EXPECT_TRUE(std::isnan(found.out[i * 24])) << i;
            ++rows_spoilt;
            continue;
          }
          ++rows_whole;
          EXPECT_TRUE(expected.lse[i] == found.lse[i] ||
                      std::abs(expected.lse[i] - found.lse[i]) < 1e-3)
              << i;
          const auto of_row = [i](const std::vector<double>& all) {
            return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(i * 24),
                                       all.begin() + static_cast<std::ptrdiff_t>(i * 24 + 24));
          };
          EXPECT_LT(largest_difference(of_row(found.out), of_row(expected.out)), 3e-2) << i;
        }
      }
  }
  EXPECT_GT(rows_spoilt, 50);
  EXPECT_GT(rows_whole, 500);
}

INSTANTIATE_TEST_SUITE_P(All, Patterns, ::testing::ValuesIn(available_instruction_sets()),
                         [](const auto& set) { return std::string(word(set.param)); });

}  // namespace
}  // namespace qb
