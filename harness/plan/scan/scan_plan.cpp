// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/scan/scan_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/status.h"

namespace qb {
namespace {

Range own(int worker) { return {worker, worker + 1}; }

void add_chain(ScanPlan& plan) {
  const int rounds = plan.workers - 2 + plan.blocks;
  for (int round = 0; round < rounds; ++round)
    for (int w = 0; w + 1 < plan.workers; ++w)
      if (const int block = round - w; block >= 0 && block < plan.blocks)
        plan.messages.push_back({round, w, w + 1, block, {0, w + 1}});
}

void add_all_gather(ScanPlan& plan) {
  for (int distance = 1; distance < plan.workers; ++distance)  // no two to one worker at a time
    for (int from = 0; from < plan.workers; ++from)
      plan.messages.push_back({0, from, (from + distance) % plan.workers, 0, own(from)});
}

void add_tree(ScanPlan& plan) {
  for (int round = 0, distance = 1; distance < plan.workers; ++round, distance *= 2)
    for (int w = 0; w + distance < plan.workers; ++w)
      plan.messages.push_back({round, w, w + distance, 0, {std::max(0, w + 1 - distance), w + 1}});
}

}  // namespace

std::vector<Range> ScanPlan::needs_of(int worker) const {
  std::vector<Range> needs;
  if (worker > 0) needs.push_back({0, worker});
  if (!causal && worker + 1 < workers) needs.push_back({worker + 1, workers});
  return needs;
}

ScanPlan plan_scan(ScanKind kind, int workers, int blocks, bool causal) {
  ScanPlan plan{.workers = workers, .causal = causal};
  if (!causal && kind != ScanKind::all_gather)
    throw Unsupported(fmt::format(
        "mixer.scan: {} gives a worker the states before its tokens, and with mask: full it needs "
        "those of all other tokens; the nearest is mixer.scan: all_gather",
        word(kind)));
  if (kind == ScanKind::all_scan) plan.blocks = blocks;
  switch (kind) {
    case ScanKind::chain:
    case ScanKind::all_scan:
      add_chain(plan);
      break;
    case ScanKind::all_gather:
      add_all_gather(plan);
      break;
    case ScanKind::tree:
      add_tree(plan);
      break;
  }
  return plan;
}

std::vector<Range> pieces_of(const Range& wanted, const std::vector<Range>& held) {
  std::vector<Range> pieces;
  for (std::int64_t at = wanted.begin; at < wanted.end; at = pieces.back().end) {
    const Range* longest = nullptr;
    for (const Range& range : held)
      if (range.begin == at && range.end <= wanted.end &&
          (longest == nullptr || range.end > longest->end))
        longest = &range;
    if (longest == nullptr) return {};
    pieces.push_back(*longest);
  }
  return pieces;
}

std::optional<std::string> check(const ScanPlan& plan) {
  const auto text = [](const Range& range) {
    return fmt::format("workers {} to {}", range.begin, range.end - 1);
  };
  // What each worker has of each block.
  std::vector<std::vector<Range>> held(static_cast<std::size_t>(plan.workers) *
                                       static_cast<std::size_t>(plan.blocks));
  const auto at = [&](int worker, int block) -> std::vector<Range>& {
    return held[static_cast<std::size_t>(worker * plan.blocks + block)];
  };
  for (int w = 0; w < plan.workers; ++w)
    for (int block = 0; block < plan.blocks; ++block) at(w, block).push_back(own(w));
  for (std::size_t i = 0, end = 0; i < plan.messages.size(); i = end) {
    // Messages of a round leave before any of them arrives.
    for (end = i; end < plan.messages.size() && plan.messages[end].round == plan.messages[i].round;
         ++end)
      if (const ScanMessage& m = plan.messages[end];
          pieces_of(m.workers, at(m.from, m.block)).empty())
        return fmt::format("in round {} worker {} sends the state of {}, which it does not have",
                           m.round, m.from, text(m.workers));
    for (std::size_t j = i; j < end; ++j) {
      const ScanMessage& m = plan.messages[j];
      for (const Range& range : at(m.to, m.block))
        if (intersection(range, m.workers).count() > 0)
          return fmt::format("in round {} worker {} gets the state of {}, of which it has {}",
                             m.round, m.to, text(m.workers), text(range));
      at(m.to, m.block).push_back(m.workers);
    }
  }
  for (int w = 0; w < plan.workers; ++w)
    for (int block = 0; block < plan.blocks; ++block)
      for (const Range& need : plan.needs_of(w))
        if (pieces_of(need, at(w, block)).empty())
          return fmt::format("worker {} ends without the state of {}", w, text(need));
  return std::nullopt;
}

double sent_states(const ScanPlan& plan) {
  std::vector<std::int64_t> sent(static_cast<std::size_t>(plan.workers), 0);
  for (const ScanMessage& m : plan.messages) ++sent[static_cast<std::size_t>(m.from)];
  return static_cast<double>(std::ranges::max(sent)) / plan.blocks;
}

}  // namespace qb
