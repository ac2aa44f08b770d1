// A case of workload matrix_product: C = A B with A [n_tokens, product.depth] and B
// [product.depth, kv_len], the blocks of C dealt out by cqs, or all of them one worker's (dense).
#pragma once

#include <map>
#include <string>

#include "harness/experiment/process/result.h"
#include "interest_sets/split/product.h"

namespace qb {

struct PlannedProduct {
  ProductPlan plan;
  std::int64_t depth = 0;

  [[nodiscard]] double flop() const {
    return 2.0 * static_cast<double>(plan.rows) * static_cast<double>(plan.columns) *
           static_cast<double>(depth);
  }
};

// Throws Unsupported with the reason where a product has no such case, UsageError for an interest
// set that is none.
[[nodiscard]] PlannedProduct plan_product(const Case& c);

// Pairs are elements of C, bytes those of the rows of A, columns of B and blocks of C.
[[nodiscard]] std::map<std::string, std::string> product_prediction_columns(
    const PlannedProduct& planned);

// Workers one after the other, each on one core: as run_case does it for attention. Throws
// CaseError and whatever else goes wrong.
void run_product_case(const Case& c, const std::string& trace_stem, CaseResult& result);

}  // namespace qb
