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

void add_all_reduce(ScanPlan& plan) {
  plan.blocks = plan.workers;
  for (const int round : {0, 1})
    for (int distance = 1; distance < plan.workers; ++distance)
      for (int from = 0; from < plan.workers; ++from) {
        const int to = (from + distance) % plan.workers;
        if (round == 0)
          plan.messages.push_back({round, from, to, to, own(from)});
        else
          plan.messages.push_back({round, from, to, from, {0, plan.workers}});
      }
}

void add_tree(ScanPlan& plan) {
  for (int round = 0, distance = 1; distance < plan.workers; ++round, distance *= 2)
    for (int w = 0; w + distance < plan.workers; ++w)
      plan.messages.push_back({round, w, w + distance, 0, {std::max(0, w + 1 - distance), w + 1}});
}

}  // namespace

Range ScanPlan::needs_of(int worker) const { return {0, causal ? worker : workers}; }

ScanPlan plan_scan(ScanKind kind, int workers, int blocks, bool causal) {
  ScanPlan plan{.workers = workers, .causal = causal};
  if (causal && kind == ScanKind::all_reduce)
    throw Unsupported(
        "mixer.scan: all_reduce gives a worker the state of all tokens, and with mask: causal it "
        "needs that of the tokens before its own; the nearest is mixer.scan: all_gather");
  if (!causal && kind != ScanKind::all_gather && kind != ScanKind::all_reduce)
    throw Unsupported(fmt::format(
        "mixer.scan: {} gives a worker the states before its tokens, and with mask: full it needs "
        "those of all tokens; the nearest is mixer.scan: all_gather",
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
    case ScanKind::all_reduce:
      add_all_reduce(plan);
      break;
  }
  return plan;
}

std::vector<Range> pieces_of(const Range& wanted, const std::vector<Range>& held) {
  std::vector<const Range*> longest(static_cast<std::size_t>(wanted.count()), nullptr);  // by begin
  const auto from = [&](std::int64_t begin) -> const Range*& {
    return longest[static_cast<std::size_t>(begin - wanted.begin)];
  };
  for (const Range& range : held) {
    if (range.begin < wanted.begin || range.begin >= wanted.end || range.end > wanted.end) continue;
    const Range*& best = from(range.begin);
    if (best == nullptr || range.end > best->end) best = &range;
  }
  std::vector<Range> pieces;
  for (std::int64_t at = wanted.begin; at < wanted.end; at = pieces.back().end) {
    if (from(at) == nullptr) return {};
    pieces.push_back(*from(at));
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
      const auto replaces = [&](const Range& range) {
        return !plan.causal && range != m.workers && intersection(range, m.workers) == range;
      };
      for (const Range& range : at(m.to, m.block))
        if (intersection(range, m.workers).count() > 0 && !replaces(range))
          return fmt::format("in round {} worker {} gets the state of {}, of which it has {}",
                             m.round, m.to, text(m.workers), text(range));
      at(m.to, m.block).push_back(m.workers);
    }
  }
  for (int w = 0; w < plan.workers; ++w)
    for (int block = 0; block < plan.blocks; ++block)
      if (const Range need = plan.needs_of(w);
          need.count() > 0 && pieces_of(need, at(w, block)).empty())
        return fmt::format("worker {} ends without the state of {}", w, text(need));
  return std::nullopt;
}

}  // namespace qb
