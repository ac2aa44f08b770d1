// Tests the rows of real products in this process, and the ends of cases that cannot run.
#include "harness/experiment/process/run_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/numbers.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/spec/spec.h"
#include "harness/workload/case.h"
#include "harness/workload/testing/tiny_case.h"

namespace qb {
namespace {

using testing::HasSubstr;

Case tiny_product(int workers) {
  Case c = tiny(workers == 1 ? "dense" : "cqs", workers);
  c.workload = WorkloadKind::matrix_product;
  c.kernel = Kernel::materialized;
  c.shape = {.batch = 1,
             .q_heads = 1,
             .kv_heads = 1,
             .q_len = 90,
             .kv_len = 120,
             .head_dim = 64,
             .value_dim = 64};
  c.product_depth = 40;
  return c;
}

double number(const CaseResult& result, const std::string& column) {
  return parse_real(result.values.at(column)).value();
}

TEST(ProductCase, IsVerifiedTimedAndItsMemoryIsThePredictedOne) {
  for (const int workers : {1, 3, 4, 7, 8, 16}) {
    const CaseResult result = run_case(tiny_product(workers), "");
    ASSERT_EQ(result.status, Status::ok) << result.message;
    EXPECT_EQ(result.values.at("verified_rows"), "32");
    EXPECT_LE(number(result, "max_error"), number(result, "tolerance"));
    EXPECT_GT(number(result, "relative_l2_error"), 0.0);
    EXPECT_LT(number(result, "relative_l2_error"), 1e-6);
    EXPECT_EQ(result.values.at("active_memory_peak_bytes"),
              result.values.at("predicted_active_peak_bytes"));
    EXPECT_EQ(number(result, "unmasked_flop"), 2.0 * 90 * 120 * 40);
    EXPECT_EQ(result.samples.size(), 4u);
    EXPECT_LE(number(result, "critical_path_median_s"), number(result, "worker_sum_median_s"));
    EXPECT_EQ(result.steps.size(), static_cast<std::size_t>(workers));
    for (const auto& row : result.steps) EXPECT_EQ(row.size() + 1, step_table().columns.size());
    for (const auto& [column, value] : result.values)
      EXPECT_THAT(case_table().columns, testing::Contains(column));
  }
}

// This is the example of the supplement.
TEST(ProductCase, SevenWorkersOverThreeAndFourGroupsReportOneIdle) {
  const CaseResult result = run_case(tiny_product(7), "");
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_EQ(result.values.at("idle_workers"), "1");
  EXPECT_EQ(result.values.at("responsibility_ratio"), "6");
  EXPECT_EQ(result.values.at("critical_path_pairs"), to_text(std::int64_t{90 * 120 / 6}));
  EXPECT_EQ(predicted_values(tiny_product(7)).at("longest_subsequence_tokens"), "")
      << "which a dry run prints";
  EXPECT_EQ(result.steps[3][2], "0") << "worker 3 has no block";
  EXPECT_EQ(result.steps[3][4], "0") << "and needs none of A and B";
  // The worker needs three groups of 30: one of rows and two of columns, or the reverse.
  EXPECT_EQ(result.steps[0][4], to_text(std::int64_t{3 * 30 * 40 * 4}));
}

TEST(ProductCase, TheWholeProductIsOneWorkersWithoutIdleOnes) {
  const CaseResult result = run_case(tiny_product(1), "");
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_EQ(result.values.at("idle_workers"), "0");
  EXPECT_EQ(result.values.at("responsibility_ratio"), "1");
}

TEST(ProductCase, OverItsBudgetIsOutOfMemory) {
  Case c = tiny_product(7);
  c.memory_budget_bytes = (90 * 40 + 40 * 120 + 90 * 120) * 4;
  EXPECT_EQ(run_case(c, "").status, Status::ok);
  --c.memory_budget_bytes;
  EXPECT_EQ(run_case(c, "").status, Status::oom);
}

TEST(ProductCase, SaysWhatAProductCannotBe) {
  const auto expect_unsupported = [](auto edit, const std::string& reason) {
    Case c = tiny_product(7);
    edit(c);
    const CaseResult result = run_case(c, "");
    EXPECT_EQ(result.status, Status::unsupported) << reason;
    EXPECT_THAT(result.message, HasSubstr(reason));
    EXPECT_THROW((void)predicted_values(c), Unsupported) << reason;
  };
  expect_unsupported([](Case& c) { c.kernel = Kernel::flash; }, "goes through BLAS");
  expect_unsupported([](Case& c) { c.algorithm = "ring"; }, "dealt out by cqs");
  expect_unsupported([](Case& c) { c.algorithm = "dense"; }, "is one worker's, not 7's");
  expect_unsupported([](Case& c) { c.workers = 2; }, "at least 3 workers, not 2");
  expect_unsupported([](Case& c) { c.ranks = Ranks::threads; }, "one worker after the other");
  expect_unsupported([](Case& c) { c.dtype = DType::bf16; }, "is computed in f32, not bf16");
  expect_unsupported([](Case& c) { c.mask = MaskKind::causal; }, "has no mask");
  expect_unsupported([](Case& c) { c.worker_speeds = "0.5"; }, "leave out worker_speeds");
  expect_unsupported([](Case& c) { c.product_row_groups = 7; }, "cannot have 7 of rows");
  expect_unsupported([](Case& c) { c.shape.q_len = 2; },
                     "of 2 rows and 120 columns does not make 3 and 4 groups");
}

TEST(ProductCase, TakesHalfOfTheGroupsAndASquareAWhereNoneIsGiven) {
  Case c = tiny_product(7);
  c.product_depth = 0;
  EXPECT_EQ(resolve_case(c).product_row_groups, 3);
  EXPECT_EQ(resolve_case(c).product_depth, 90);
  c.product_row_groups = 2;
  EXPECT_EQ(resolve_case(c).product_row_groups, 2);
}

TEST(ProductCase, IsWrittenInASpecAndKeptByTheResolvedOne) {
  const Spec spec = parse_spec(
      "experiment: e\n"
      "workload: matrix_product\n"
      "kernel: materialized\n"
      "n_tokens: 64\n"
      "algorithm: cqs\n"
      "workers: 7\n"
      "product.depth: 512\n"
      "sweep: {product.row_groups: [0, 1, 2]}\n",
      "spec.yaml", {});
  ASSERT_EQ(spec.cases.size(), 3u);
  EXPECT_EQ(spec.cases[2].product_row_groups, 2);
  const Spec again = parse_spec(spec.resolved_yaml, "resolved.yaml", {});
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(case_parameters(again.cases[i]), case_parameters(spec.cases[i]));
}

}  // namespace
}  // namespace qb
