// C = A B with A [n_tokens, product.depth] and B [product.depth, kv_len]: cqs assigns its blocks to
// workers, which compute one after the other on one core, or one worker computes all (dense).
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/numbers.h"
#include "base/statistics.h"
#include "harness/workload/matrix_product.h"
#include "harness/workload/workload.h"
#include "interest_sets/split/product.h"

namespace qb {
namespace {

// The library uses the calling thread alone.
constexpr int kThreads = 1;

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
  require(c.pass == Passes::forward, "has no backward pass; leave out pass");
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

ProductPlan plan_of_product(const Case& c) {
  require_supported(c);
  if (c.algorithm == "dense") return whole_product(c.shape.q_len, c.shape.kv_len);
  const InterestSet set = c.interest_set ? parse_interest_set(*c.interest_set, c.workers)
                                         : default_interest_set(c.workers);
  verify(set);
  return product_plan(set, static_cast<int>(c.product_row_groups), c.shape.q_len, c.shape.kv_len,
                      c.distillation);
}

// Bytes of A and B that a worker's blocks need, and of C that it writes.
struct Bytes {
  std::int64_t in = 0;
  std::int64_t out = 0;
};

// Two blocks of a worker share their rows, or their columns, or neither.
Bytes bytes_of(const ProductPlan& plan, std::int64_t depth, std::size_t worker) {
  std::set<std::pair<std::int64_t, std::int64_t>> rows;
  std::set<std::pair<std::int64_t, std::int64_t>> columns;
  for (const ProductBlock& block : plan.workers[worker]) {
    rows.insert({block.row_begin, block.row_end});
    columns.insert({block.column_begin, block.column_end});
  }
  std::int64_t vectors = 0;
  for (const auto* ranges : {&rows, &columns})
    for (const auto& [begin, end] : *ranges) vectors += end - begin;
  return {vectors * depth * size_of(DType::f32), plan.elements(worker) * size_of(DType::f32)};
}

class Product final : public Workload {
 public:
  explicit Product(const Case& c) : Workload(c), plan_(plan_of_product(c)) {}

  // Pairs are elements of C; bytes are those of the rows of A, columns of B and blocks of C.
  RowValues predict(const cuda::KernelCosts*) override {
    std::int64_t most = 0;
    std::int64_t moved = 0;
    for (std::size_t worker = 0; worker < plan_.workers.size(); ++worker) {
      const Bytes bytes = bytes_of(plan_, depth(), worker);
      most = std::max(most, plan_.elements(worker));
      moved += bytes.in + bytes.out;
    }
    return {
        {"longest_subsequence_tokens", ""},  // there is no sequence
        {"responsibility_ratio", to_text(plan_.ratio())},
        {"unmasked_pairs", to_text(plan_.rows * plan_.columns)},
        {"executed_pairs", to_text(plan_.rows * plan_.columns)},
        {"critical_path_pairs", to_text(most)},
        {"unmasked_flop", to_text(flop())},
        {"moved_bytes", to_text(moved)},
        {"predicted_active_peak_bytes", to_text(product_bytes(plan_.rows, plan_.columns, depth()))},
        {"idle_workers", to_text(std::int64_t{plan_.idle_workers()})}};
  }
  double flop() const override {
    return 2.0 * static_cast<double>(plan_.rows) * static_cast<double>(plan_.columns) *
           static_cast<double>(depth());
  }
  int threads() const override { return kThreads; }
  std::optional<std::string> flaw() const override {
    if (covers_exactly_once(plan_)) return std::nullopt;
    return "it is no exact cover of C";
  }

  Sample run(bool verifying) override {
    const double begin_s = now_s();
    std::vector<double> seconds;
    for (std::size_t worker = 0; worker < plan_.workers.size(); ++worker)
      seconds.push_back(multiply_blocks(plan_, worker, *matrices_));
    Sample sample{.wall_s = now_s() - begin_s};
    std::size_t largest = 0;
    for (std::size_t worker = 0; worker < seconds.size(); ++worker) {
      sample.worker_sum_s += seconds[worker];
      sample.critical_path_s = std::max(sample.critical_path_s, seconds[worker]);
      if (plan_.elements(worker) > plan_.elements(largest)) largest = worker;
    }
    sample.longest_subsequence_s = seconds[largest];
    if (!verifying) seconds_.push_back(std::move(seconds));
    return sample;
  }

  Verification verify() override {
    return verify_product(
        *matrices_, product_rows_to_verify(plan_, case_.measure.verify_rows, case_.seed), kThreads);
  }

  void report(CaseResult& result) override {
    result.values["compute_median_s"] = result.values["critical_path_median_s"];
    for (std::size_t worker = 0; worker < plan_.workers.size(); ++worker) {
      std::vector<double> times;
      for (std::size_t repeat = 0; repeat < seconds_.size(); ++repeat)
        if (!result.samples[repeat].warmup) times.push_back(seconds_[repeat][worker]);
      const Bytes bytes = bytes_of(plan_, depth(), worker);
      result.steps.push_back({to_text(static_cast<std::int64_t>(worker)), "0",
                              to_text(plan_.elements(worker)), to_text(plan_.elements(worker)),
                              to_text(bytes.in), to_text(bytes.out), "", "", to_text(median(times)),
                              "", "", ""});
    }
  }

 private:
  [[nodiscard]] std::int64_t depth() const { return case_.product_depth; }

  void hold(const std::string&) override {
    seconds_.clear();
    matrices_.emplace(plan_.rows, plan_.columns, depth(), ledger());
    matrices_->fill(case_.seed, kThreads);
  }
  void release() override { matrices_.reset(); }

  const ProductPlan plan_;
  std::optional<ProductMatrices> matrices_;
  std::vector<std::vector<double>> seconds_;  // of each timed run and worker
};

}  // namespace

std::unique_ptr<Workload> plan_product(const Case& c) { return std::make_unique<Product>(c); }

}  // namespace qb
