#include "harness/experiment/process/product_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/numbers.h"
#include "base/statistics.h"
#include "harness/execute/matrix_product.h"
#include "harness/execute/player/worker.h"
#include "harness/experiment/process/measured_columns.h"
#include "harness/experiment/process/prediction.h"
#include "harness/experiment/process/sampling.h"
#include "kernels/cpu/instruction_set.h"

namespace qb {
namespace {

void require_supported(const Case& c) {
  const auto require = [](bool holds, const std::string& otherwise) {
    if (!holds) throw Unsupported("a matrix product " + otherwise);
  };
  require(c.device != Device::cuda, "runs on the CPU only; use device: cpu");
  require(
      c.ranks == Ranks::serial,
      fmt::format("is played by ranks: serial, one worker after the other, not {}", word(c.ranks)));
  require(c.kernel == Kernel::materialized,
          fmt::format("goes through BLAS, as kernel: materialized does, not {}", word(c.kernel)));
  require(c.dtype == DType::f32, fmt::format("is computed in f32, not {}", word(c.dtype)));
  require(c.mask.kind() == MaskKind::full && !c.sequences && !c.scale && c.shape.batch == 1 &&
              c.shape.q_heads == 1 && c.shape.kv_heads == 1,
          "has no mask, sequences, scale, batch or heads; leave them out");
  require(!c.worker_speeds && c.group_sizes == GroupSizes::equal,
          "has workers of one speed and equal groups; leave out worker_speeds and group_sizes");
  if (c.algorithm == "dense") {
    require(c.workers == 1, fmt::format("by dense is one worker's, not {}'s", c.workers));
    return;
  }
  require(c.algorithm == "cqs",
          fmt::format("is dealt out by cqs or, whole, by dense, not by {}", c.algorithm));
  require(c.workers >= 3, fmt::format("by cqs needs at least 3 workers, not {}", c.workers));
  const std::int64_t column_groups = c.workers - c.product_row_groups;
  require(column_groups >= 1,
          fmt::format("over {} groups cannot have {} of rows; set product.row_groups below workers",
                      c.workers, c.product_row_groups));
  require(c.shape.q_len >= c.product_row_groups && c.shape.kv_len >= column_groups,
          fmt::format("of {} rows and {} columns does not make {} and {} groups", c.shape.q_len,
                      c.shape.kv_len, c.product_row_groups, column_groups));
}

// Bytes of A and B that a worker's blocks need, and of C that it writes.
struct Bytes {
  std::int64_t in = 0;
  std::int64_t out = 0;
};

// Blocks of a worker share their rows, or their columns, or have neither in common.
Bytes bytes_of(const PlannedProduct& planned, std::size_t worker) {
  std::set<std::pair<std::int64_t, std::int64_t>> rows;
  std::set<std::pair<std::int64_t, std::int64_t>> columns;
  for (const ProductBlock& block : planned.plan.workers[worker]) {
    rows.insert({block.row_begin, block.row_end});
    columns.insert({block.column_begin, block.column_end});
  }
  std::int64_t vectors = 0;
  for (const auto* ranges : {&rows, &columns})
    for (const auto& [begin, end] : *ranges) vectors += end - begin;
  return {vectors * planned.depth * size_of(DType::f32),
          planned.plan.elements(worker) * size_of(DType::f32)};
}

class ProductCase {
 public:
  ProductCase(const Case& c, const std::string& trace_stem, CaseResult& result)
      : case_(c), trace_stem_(trace_stem), result_(result) {}

  void run() {
    if (case_.cpu_isa) use_instruction_set(*case_.cpu_isa);
    planned_ = plan_product(case_);
    result_.values = product_prediction_columns(planned_);
    result_.values["isa"] = kernel_isa(case_.kernel);
    result_.values["provenance"] = "measured";
    if (const auto reason = infeasible(case_, planned_.flop()))
      throw CaseError(Status::infeasible, *reason);
    if (!covers_exactly_once(planned_.plan))
      throw CaseError(Status::error, "the plan is wrong: it is no exact cover of C");
    const bool record = case_.measure.memory_timeline || !trace_stem_.empty();
    MemoryLedger ledger(ledger_options(case_, record));
    try {
      ProductMatrices matrices(planned_.plan.rows, planned_.plan.columns, planned_.depth, ledger);
      matrices.fill(case_.seed, kThreads);
      (void)play(matrices);
      add_memory_peaks(ledger, result_.values);
      keep_events(case_, trace_stem_, ledger, result_);
      verify(matrices);
      timed_pass(matrices);
    } catch (const OutOfMemory&) {
      keep_events(case_, trace_stem_, ledger, result_);
      throw;
    }
    result_.status = Status::ok;
  }

 private:
  // The library is kept to the calling thread.
  static constexpr int kThreads = 1;

  // The seconds of each worker.
  [[nodiscard]] std::vector<double> play(const ProductMatrices& matrices) const {
    std::vector<double> seconds;
    for (std::size_t worker = 0; worker < planned_.plan.workers.size(); ++worker)
      seconds.push_back(multiply_blocks(planned_.plan, worker, matrices));
    return seconds;
  }

  void verify(const ProductMatrices& matrices) {
    if (case_.measure.verify_rows == 0) return;
    const Verification verification = verify_product(
        matrices, product_rows_to_verify(planned_.plan, case_.measure.verify_rows, case_.seed),
        kThreads);
    add_verification(verification, result_.values);
    if (!verification.correct) throw CaseError(Status::incorrect, verification.message);
  }

  void timed_pass(const ProductMatrices& matrices) {
    std::vector<std::vector<double>> times;
    result_.samples = take_samples(case_.measure, now_s, [&] {
      const double begin_s = now_s();
      times.push_back(play(matrices));
      Sample sample{.wall_s = now_s() - begin_s};
      std::size_t largest = 0;
      for (std::size_t worker = 0; worker < times.back().size(); ++worker) {
        sample.worker_sum_s += times.back()[worker];
        sample.critical_path_s = std::max(sample.critical_path_s, times.back()[worker]);
        if (planned_.plan.elements(worker) > planned_.plan.elements(largest)) largest = worker;
      }
      sample.longest_subsequence_s = times.back()[largest];
      return sample;
    });
    times.erase(times.begin(), times.begin() + case_.measure.warmups);
    add_medians(result_.samples, result_.values);
    add_rates(case_, planned_.flop(), kThreads, result_.samples, result_.values);
    result_.values["compute_median_s"] = result_.values["critical_path_median_s"];
    add_steps(times);
  }

  void add_steps(const std::vector<std::vector<double>>& times) {
    for (std::size_t worker = 0; worker < planned_.plan.workers.size(); ++worker) {
      std::vector<double> seconds;
      for (const std::vector<double>& repeat : times) seconds.push_back(repeat[worker]);
      const Bytes bytes = bytes_of(planned_, worker);
      result_.steps.push_back({to_text(static_cast<std::int64_t>(worker)), "0",
                               to_text(planned_.plan.elements(worker)),
                               to_text(planned_.plan.elements(worker)), to_text(bytes.in),
                               to_text(bytes.out), "", "", to_text(median(seconds)), "", "", ""});
    }
  }

  const Case& case_;
  const std::string& trace_stem_;
  CaseResult& result_;
  PlannedProduct planned_;
};

}  // namespace

PlannedProduct plan_product(const Case& c) {
  require_supported(c);
  if (c.algorithm == "dense")
    return {whole_product(c.shape.q_len, c.shape.kv_len), c.product_depth};
  const InterestSet set = c.interest_set ? parse_interest_set(*c.interest_set, c.workers)
                                         : default_interest_set(c.workers);
  qb::verify(set);
  return {product_plan(set, static_cast<int>(c.product_row_groups), c.shape.q_len, c.shape.kv_len,
                       c.distillation),
          c.product_depth};
}

std::map<std::string, std::string> product_prediction_columns(const PlannedProduct& planned) {
  const ProductPlan& plan = planned.plan;
  std::int64_t most = 0;
  std::int64_t moved = 0;
  for (std::size_t worker = 0; worker < plan.workers.size(); ++worker) {
    const Bytes bytes = bytes_of(planned, worker);
    most = std::max(most, plan.elements(worker));
    moved += bytes.in + bytes.out;
  }
  return {{"longest_subsequence_tokens", ""},  // there is no sequence
          {"responsibility_ratio", to_text(plan.ratio())},
          {"unmasked_pairs", to_text(plan.rows * plan.columns)},
          {"executed_pairs", to_text(plan.rows * plan.columns)},
          {"critical_path_pairs", to_text(most)},
          {"unmasked_flop", to_text(planned.flop())},
          {"moved_bytes", to_text(moved)},
          {"predicted_active_peak_bytes",
           to_text(product_bytes(plan.rows, plan.columns, planned.depth))},
          {"idle_workers", to_text(std::int64_t{plan.idle_workers()})}};
}

void run_product_case(const Case& c, const std::string& trace_stem, CaseResult& result) {
  ProductCase(c, trace_stem, result).run();
}

}  // namespace qb
