// SPDX-License-Identifier: Apache-2.0
// Tests that every available instruction set, down to the scalar fallback, gives the same results.
#include <gtest/gtest.h>

#include <set>

#include "kernels/attention.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/score_rows.h"
#include "kernels/testing/test_support.h"

namespace qb {
namespace {

// Runs its body once for each instruction set, best first, and returns to the best.
template <class Body>
void for_each_instruction_set(Body body) {
  for (const InstructionSet set : available_instruction_sets()) {
    use_instruction_set(set);
    SCOPED_TRACE(word(set));
    body();
  }
  use_instruction_set(available_instruction_sets().front());
}

TEST(InstructionSets, FlashAgreesWithTheReferenceOnEach) {
  const Tensor q = testing_support::random_tensor(DType::f16, {1, 2, 57, 40}, 1);
  const Tensor k = testing_support::random_tensor(DType::f16, {1, 1, 331, 40}, 2);
  const Tensor v = testing_support::random_tensor(DType::f16, {1, 1, 331, 72}, 3);
  const Tensor out(heap_allocator(), DType::f32, {1, 2, 57, 72}, "out");
  const Tensor lse(heap_allocator(), DType::f32, {1, 2, 57, 1}, "lse");
  const TileSchedule schedule =
      build_schedule(57, 331, {{0, 57, {0, 331, SpanKind::causal, 274}}}, 64);
  const AttentionArguments arguments{q.view(), k.view(),   v.view(),  &schedule,
                                     0.16,     out.view(), lse.view()};
  attention(Kernel::reference, arguments, {heap_allocator(), 1, 0});
  const std::vector<double> expected_out = testing_support::values(out.view());
  const std::vector<double> expected_lse = testing_support::values(lse.view());

  std::set<std::string_view> names;
  for_each_instruction_set([&] {
    testing_support::fill(out.view(), std::nan(""));
    testing_support::fill(lse.view(), std::nan(""));
    attention(Kernel::flash, arguments, {heap_allocator(), 1, 0});
    const double u = unit_roundoff(DType::f32);
    EXPECT_LE(testing_support::max_difference(testing_support::values(out.view()), expected_out),
              32.0 * u);
    EXPECT_LE(testing_support::max_difference(testing_support::values(lse.view()), expected_lse),
              64.0 * u);
    names.insert(kernel_isa(Kernel::flash));
  });
  EXPECT_EQ(names.size(), available_instruction_sets().size());
}

TEST(InstructionSets, SoftmaxOfARowOnEach) {
  for_each_instruction_set([] {
    for (const std::int64_t n : {1, 3, 16, 37}) {
      std::vector<float> row(static_cast<std::size_t>(n), 50.0f);
      row.back() = -std::numeric_limits<float>::infinity();
      const RowLse lse = cpu::softmax_row(row.data(), n);
      EXPECT_EQ(row.back(), 0.0f);
      if (n == 1) {
        EXPECT_TRUE(lse.is_empty());
        continue;
      }
      EXPECT_EQ(lse.maximum, 50.0f);
      EXPECT_FLOAT_EQ(lse.rest, std::log2(static_cast<float>(n - 1)));
      EXPECT_FLOAT_EQ(row.front(), 1.0f / static_cast<float>(n - 1));
    }
  });
}

TEST(InstructionSets, ConversionsGiveTheSameBitsOnEach) {
  std::vector<std::uint16_t> halves(65536);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
  for_each_instruction_set([&] {
    for (const DType dtype : {DType::f16, DType::bf16}) {
      std::vector<float> wide(halves.size());
      std::vector<std::uint16_t> back(halves.size());
      convert(halves.data(), dtype, wide.data(), DType::f32, 65536);
      convert(wide.data(), DType::f32, back.data(), dtype, 65536);
      for (std::size_t i = 0; i < halves.size(); ++i) {
        const float expected = dtype == DType::f16 ? f16_to_f32(halves[i]) : bf16_to_f32(halves[i]);
        if (std::isnan(expected)) {
          ASSERT_TRUE(std::isnan(wide[i])) << i;
          continue;
        }
        ASSERT_EQ(wide[i], expected) << i;
        ASSERT_EQ(back[i], halves[i]) << i;
      }
    }
  });
}

}  // namespace
}  // namespace qb
