// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/picture.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/integers.h"
#include "base/numbers.h"

namespace qb {
namespace {

constexpr std::int64_t kMostLookedAt = 64;  // tokens per side; larger cells are not checked by pair

// It stops once one pair is allowed and another is not.
Coverage looked_at(const Mask& mask, const TokenGroup& q, const TokenGroup& k) {
  bool any = false;
  bool all = true;
  for (std::int64_t i = 0; i < q.count && (all || !any); ++i)
    for (std::int64_t j = 0; j < k.count && (all || !any); ++j) {
      const bool allowed = mask.allows(q.token(i), k.token(j));
      any = any || allowed;
      all = all && allowed;
    }
  return all ? Coverage::all : any ? Coverage::partial : Coverage::none;
}

Coverage cell_coverage(const Mask& mask, const TokenGroup& q, const TokenGroup& k) {
  if (const Coverage said = mask.coverage(q, k); said != Coverage::partial) return said;
  return std::max(q.count, k.count) <= kMostLookedAt ? looked_at(mask, q, k) : Coverage::partial;
}

struct Run {  // equal neighbouring cells of a row
  std::int64_t k_begin = 0;
  std::int64_t k_end = 0;
  Coverage coverage = Coverage::none;
  auto operator<=>(const Run&) const = default;
};

std::vector<Run> runs_of(const Mask& mask, const TokenGroup& q, const TokenGroup& keys,
                         std::int64_t side) {
  std::vector<Run> runs;
  for (std::int64_t at = 0; at < keys.count; at += side) {
    const std::int64_t count = std::min(side, keys.count - at);
    const Coverage coverage = cell_coverage(mask, q, {keys.first + at, count, 1});
    if (coverage == Coverage::none) continue;
    const std::int64_t begin = keys.first + at;
    if (!runs.empty() && runs.back().k_end == begin && runs.back().coverage == coverage)
      runs.back().k_end += count;
    else
      runs.push_back({begin, begin + count, coverage});
  }
  return runs;
}

class Rectangles {
 public:
  Rectangles(const Plan& plan, std::int64_t cells)
      : plan_(plan),
        cells_(cells),
        side_(ceil_div(std::max(plan.problem.shape.q_len, plan.problem.shape.kv_len), cells)) {}

  void add(std::size_t worker, const PairTask& task) {
    worker_ = to_text(static_cast<std::int64_t>(worker));
    const TokenGroup& q = group_at(plan_.q_groups, task.q_group);
    const TokenGroup& k = group_at(plan_.kv_groups, task.kv_group);
    if (q.stride != 1 || k.stride != 1) {
      for (std::int64_t i = 0; i < q.count && q.token(i) < cells_; ++i)
        for (std::int64_t j = 0; j < k.count && k.token(j) < cells_; ++j)
          if (plan_.problem.mask.allows(q.token(i), k.token(j)))
            owners_[q.token(i)][k.token(j)] = worker_;
      return;
    }
    if (task.allowed == Allowed::all)
      put(q.first, q.first + q.count, k.first, k.first + k.count, "all");
    else
      add_cells(q, k);
  }
  [[nodiscard]] CsvTable take() {
    for (const auto& [q, keys] : owners_)
      for (auto first = keys.begin(), next = first; first != keys.end(); first = next) {
        std::int64_t end = first->first;
        for (; next != keys.end() && next->first == end && next->second == first->second; ++end)
          ++next;
        worker_ = first->second;
        put(q, q + 1, first->first, end, "all");
      }
    return std::move(table_);
  }

 private:
  // A run that the row above also has extends that row's rectangle.
  void add_cells(const TokenGroup& q, const TokenGroup& k) {
    Mask mask = plan_.problem.mask;  // of the sequence that has both groups
    mask.offset = mask.offset_of(q.first);
    mask.segments.clear();
    std::map<Run, std::int64_t> open;  // by run, the row where its rectangle began
    const std::int64_t end = q.first + q.count;
    for (std::int64_t at = q.first, before = -1; at != before;
         before = std::exchange(at, std::min(at + side_, end))) {
      std::map<Run, std::int64_t> next;
      if (at < end)
        for (const Run& run : runs_of(mask, {at, std::min(side_, end - at), 1}, k, side_))
          next[run] = open.contains(run) ? open[run] : at;
      for (const auto& [run, q_begin] : open)
        if (!next.contains(run))
          put(q_begin, at, run.k_begin, run.k_end, run.coverage == Coverage::all ? "all" : "some");
      open = std::move(next);
    }
  }

  void put(std::int64_t q_begin, std::int64_t q_end, std::int64_t k_begin, std::int64_t k_end,
           const char* allowed) {
    table_.append(
        {worker_, to_text(q_begin), to_text(q_end), to_text(k_begin), to_text(k_end), allowed});
  }

  const Plan& plan_;
  const std::int64_t cells_;
  const std::int64_t side_;
  std::string worker_;
  std::map<std::int64_t, std::map<std::int64_t, std::string>> owners_{};  // by query and key
  CsvTable table_{{"worker", "q_begin", "q_end", "k_begin", "k_end", "allowed"}};
};

}  // namespace

CsvTable partition_rectangles(const Plan& plan, std::int64_t cells) {
  Rectangles rectangles(plan, cells);
  for (std::size_t w = 0; w < plan.workers.size(); ++w)
    for (const Step& step : plan.workers[w].steps)
      for (const PairTask& task : step.tasks)
        if (task.heads.begin == 0) rectangles.add(w, task);
  return rectangles.take();
}

}  // namespace qb
