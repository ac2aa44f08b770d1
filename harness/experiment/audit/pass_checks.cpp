// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/audit/audited_row.h"

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers.h"
#include "base/schema/column_fields.h"
#include "base/words.h"
#include "harness/workload/case.h"

namespace qb {
namespace {

constexpr const char* kPassClocks[] = {"forward_time", "backward_time"};
// Times are written with every digit, and a sum is rounded once more.
constexpr double kSumRounding = 1e-9;

void check_gradient(AuditedRow& row, const std::string& name, bool computed) {
  const std::string& error = row.at(name + "_max_error");
  if (!computed && !error.empty())
    row.find("{}_max_error is '{}', but the case computes no such gradient", name, error);
  if (computed && !(row.number_at(name + "_max_error") <= row.number_at(name + "_tolerance")))
    row.find("the row is ok, but {}_max_error '{}' is not within the tolerance '{}'", name, error,
             row.at(name + "_tolerance"));
}

// Attention has gradients of Q, K and V, a layer those of its hidden states and of its weights.
void check_gradients(AuditedRow& row) {
  const bool computed = !row.is_modelled() && row.text("pass") != word(Passes::forward);
  const bool layer = row.text("workload") == word(WorkloadKind::transformer_layer);
  for (const std::string_view gradient : kGradientColumns)
    check_gradient(row, std::string(gradient), computed && !layer);
  for (const std::string_view gradient : kLayerGradientColumns)
    check_gradient(row, std::string(gradient), computed && layer);
  if (computed && !layer && !(row.number("verified_keys") > 0.0))
    row.find("the row is ok, but the gradient of no key was verified");
}

void check_sum(AuditedRow& row, const Row& sample) {
  const double forward_s = sample.number("forward_time_s");
  const double backward_s = sample.number("backward_time_s");
  const double wall_s = sample.number("wall_time_s");
  if (forward_s > 0.0 && backward_s > 0.0 &&
      std::abs(forward_s + backward_s - wall_s) <= kSumRounding * wall_s)
    return;
  row.find("in repeat {} the passes take {} s and {} s, and wall_time_s is {} s",
           sample.text("repeat"), forward_s, backward_s, wall_s);
}

}  // namespace

void check_passes(AuditedRow& row) {
  check_gradients(row);
  const bool both = row.text("pass") == word(Passes::both);
  for (const std::string clock : kPassClocks)
    row.expect_interval(clock, both ? row.repeats(clock + "_s") : std::vector<double>{},
                        "samples.csv");
  if (both)
    for (const Row& sample : row.samples) check_sum(row, sample);
}

}  // namespace qb
