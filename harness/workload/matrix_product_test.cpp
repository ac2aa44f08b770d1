#include "harness/workload/matrix_product.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace qb {
namespace {

using testing::HasSubstr;

float* values(const Tensor& tensor) { return static_cast<float*>(tensor.view().data); }

std::vector<std::int64_t> all_rows(const ProductMatrices& matrices) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(matrices.rows));
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  return rows;
}

void play(const ProductPlan& plan, const ProductMatrices& matrices) {
  for (std::size_t worker = 0; worker < plan.workers.size(); ++worker)
    EXPECT_GE(multiply_blocks(plan, worker, matrices), 0.0);
}

TEST(MatrixProduct, AgreesWithFloat64ForAnySplit) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 60; ++round) {
    const int workers = 3 + static_cast<int>(random() % 30);
    const int row_groups = 1 + static_cast<int>(random() % static_cast<unsigned>(workers - 1));
    const std::int64_t rows = row_groups + static_cast<std::int64_t>(random() % 60);
    const std::int64_t columns = workers - row_groups + static_cast<std::int64_t>(random() % 60);
    const std::int64_t depth = 1 + static_cast<std::int64_t>(random() % 50);
    const auto distillation = random() % 2 == 0 ? Distillation::published : Distillation::balanced;
    ProductMatrices matrices(rows, columns, depth, heap_allocator());
    matrices.fill(random(), 1);
    play(product_plan(default_interest_set(workers), row_groups, rows, columns, distillation),
         matrices);
    const Verification verification = verify_product(matrices, all_rows(matrices), 2);
    EXPECT_TRUE(verification.correct) << verification.message;
    EXPECT_EQ(verification.rows, rows);
  }
}

TEST(MatrixProduct, OfOneElementAndOfOutliersIsRight) {
  for (const std::int64_t n : {1, 2, 37}) {
    ProductMatrices matrices(n, n, n, heap_allocator());
    matrices.fill(3, 1);
    values(matrices.a)[0] = 1e18f;
    values(matrices.b)[n * n - 1] = -1e18f;
    values(matrices.b)[0] = 1e-30f;
    play(whole_product(n, n), matrices);
    const Verification verification = verify_product(matrices, all_rows(matrices), 1);
    EXPECT_TRUE(verification.correct) << n << ": " << verification.message;
  }
}

// The matrices are those of a product that is known: C = 3 x 4 = 12 in every element.
TEST(MatrixProduct, TheRelativeL2ErrorIsThatOfTheRowsThatAreCompared) {
  ProductMatrices matrices(8, 5, 1, heap_allocator());
  std::ranges::fill_n(values(matrices.a), 8, 3.0f);
  std::ranges::fill_n(values(matrices.b), 5, 4.0f);
  std::ranges::fill_n(values(matrices.c), 40, 12.0f);
  EXPECT_EQ(verify_product(matrices, all_rows(matrices), 1).relative_l2_error, 0.0);
  values(matrices.c)[2 * 5 + 1] += 3.0f;
  values(matrices.c)[6 * 5 + 4] -= 4.0f;
  for (const int threads : {1, 3})
    EXPECT_DOUBLE_EQ(verify_product(matrices, all_rows(matrices), threads).relative_l2_error,
                     5.0 / (12.0 * std::sqrt(40.0)));
  EXPECT_DOUBLE_EQ(verify_product(matrices, {2, 3}, 1).relative_l2_error,
                   3.0 / (12.0 * std::sqrt(10.0)));
}

TEST(MatrixProduct, ABlockThatIsNotComputedIsNoticed) {
  ProductMatrices matrices(40, 40, 8, heap_allocator());
  matrices.fill(1, 1);
  ProductPlan plan = product_plan(default_interest_set(7), 3, 40, 40);
  const auto busy = std::ranges::find_if(plan.workers, [](const auto& b) { return !b.empty(); });
  busy->pop_back();
  play(plan, matrices);
  const Verification verification = verify_product(matrices, {0}, 1);
  EXPECT_FALSE(verification.correct);
  EXPECT_THAT(verification.message, HasSubstr("never written"));
}

// One element lacks a term, among outliers that make all other errors large.
TEST(MatrixProduct, AWrongElementIsNamedWhateverTheOthersAre) {
  ProductMatrices matrices(30, 50, 200, heap_allocator());
  matrices.fill(5, 1);
  for (std::int64_t k = 0; k < 200; ++k) values(matrices.a)[k] *= 1e12f;            // row 0
  for (std::int64_t k = 0; k < 200; ++k) values(matrices.b)[k * 50 + 49] *= 1e12f;  // last column
  play(whole_product(30, 50), matrices);
  EXPECT_TRUE(verify_product(matrices, all_rows(matrices), 1).correct);
  values(matrices.c)[7 * 50 + 11] -=
      values(matrices.a)[7 * 200 + 3] * values(matrices.b)[3 * 50 + 11];
  const Verification verification = verify_product(matrices, all_rows(matrices), 1);
  EXPECT_FALSE(verification.correct);
  EXPECT_THAT(verification.message, HasSubstr("row 7, column 11"));
  EXPECT_TRUE(verify_product(matrices, {6, 8}, 1).correct) << "the row was not looked at";
}

TEST(MatrixProduct, TheRowsToVerifyTouchEveryBlock) {
  for (const auto distillation : {Distillation::published, Distillation::balanced}) {
    const ProductPlan plan = product_plan(default_interest_set(16), 8, 1000, 900, distillation);
    const auto rows = product_rows_to_verify(plan, 64, 1);
    EXPECT_EQ(rows.size(), 64u);
    for (const auto& blocks : plan.workers)
      for (const ProductBlock& block : blocks)
        EXPECT_TRUE(std::ranges::any_of(rows, [&](std::int64_t row) {
          return row >= block.row_begin && row < block.row_end;
        })) << block.row_begin;
  }
  EXPECT_EQ(product_rows_to_verify(whole_product(5, 5), 64, 1).size(), 5u);
}

}  // namespace
}  // namespace qb
