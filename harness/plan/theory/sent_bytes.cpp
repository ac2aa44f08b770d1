// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/theory/sent_bytes.h"

#include <fmt/format.h>

#include "base/status.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/theory/sent_bytes_forms.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

SplitProblem split_of(const Problem& problem, int workers) {
  const Shape& shape = problem.shape;
  return {.new_tokens = shape.q_len,
          .cached_tokens = shape.kv_len - shape.q_len,
          .workers = workers,
          .q_heads = shape.q_heads,
          .kv_heads = shape.kv_heads,
          .head_dim = shape.head_dim,
          .element_bytes = size_of(problem.dtype)};
}

void require_63_bits(const SplitProblem& p, Pass pass) {
  // No scheme sends more than all tensors on every worker: Q, K, V and O, or backward twice that.
  const double tensors = pass == Pass::forward ? 4.0 : 8.0;
  const double most = tensors * static_cast<double>(p.new_tokens + p.cached_tokens + p.workers) *
                      static_cast<double>(p.workers) * static_cast<double>(p.q_heads) *
                      static_cast<double>(p.head_dim + 2) * 8.0;
  if (!(most < 9e18))
    throw UsageError("the bytes of this problem do not fit 63 bits; take fewer tokens or heads");
}

struct SentByPlan {
  std::int64_t bytes = 0;  // by the worker that sends most
  std::string unsupported;
};

SentByPlan sent_by_plan(std::string_view scheme, const Problem& problem, int workers, Pass pass) {
  if (scheme == "decode" && problem.shape.q_len > kFewNewTokens)
    return {0, fmt::format("decode is planned here for at most {} new tokens", kFewNewTokens)};
  if (scheme == "flash_decoding")
    return {0, "flash_decoding splits the keys on one device, so that no link carries them"};
  try {
    const Plan plan = make_plan(scheme, problem, {.workers = workers, .pass = pass});
    // The bytes are the same with every kernel; `reference` has no tiles that take time to count.
    return {model_work(plan, Kernel::reference).sent_bytes_max, ""};
  } catch (const Unsupported& reason) {
    return {0, reason.what()};
  }
}

std::int64_t sent_by_formulas(const std::vector<SentBytes>& rows, const std::string& scheme) {
  std::int64_t bytes = 0;
  for (const SentBytes& row : rows)
    if (row.scheme == scheme && !row.received) bytes += row.total();
  return bytes;
}

}  // namespace

std::vector<SentBytes> sent_bytes(const Problem& problem, int workers, Pass pass) {
  const SplitProblem p = split_of(problem, workers);
  require_63_bits(p, pass);
  std::vector<SentBytes> rows;
  for (const Strategy& strategy : strategies()) {
    const SentByPlan planned = sent_by_plan(strategy.name, problem, workers, pass);
    const SentBytes without_form{.pass = pass,
                                 .scheme = std::string(strategy.name),
                                 .transfer = "all",
                                 .messages = 1,
                                 .bytes = planned.bytes,
                                 .formula = "by the plan; there is no closed form",
                                 .planned_bytes = planned.bytes,
                                 .difference = "",
                                 .unsupported = planned.unsupported};
    const std::size_t before = rows.size();
    for (const TransferForm& form : transfer_forms(pass)) {
      if (!KernelRow::lists(form.schemes, strategy.name)) continue;
      SentBytes& row = rows.emplace_back(without_form);
      row.transfer = form.transfer;
      row.received = form.received;
      row.formula = form.formula;
      row.difference = form.difference;
      // A formula holds only where the scheme has a plan.
      const bool holds = planned.unsupported.empty();
      row.messages = holds ? form.messages(p.workers) : 0;
      row.bytes = holds ? form.bytes(p) : 0;
    }
    if (rows.size() == before) rows.push_back(without_form);
  }
  for (SentBytes& row : rows) {
    row.formula_bytes = sent_by_formulas(rows, row.scheme);
    if (row.formula_bytes == row.planned_bytes) row.difference.clear();
  }
  return rows;
}

double min_block_tokens(double compute_flop_per_s, double link_byte_per_s,
                        std::int64_t element_bytes, std::int64_t q_heads, std::int64_t kv_heads,
                        bool half_blocks) {
  const double whole = compute_flop_per_s / link_byte_per_s *
                       (static_cast<double>(element_bytes) / 2.0) *
                       (static_cast<double>(kv_heads) / static_cast<double>(q_heads));
  return half_blocks ? 2.0 * whole : whole;
}

}  // namespace qb
