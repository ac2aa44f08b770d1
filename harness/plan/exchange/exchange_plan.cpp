// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/exchange/exchange_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/integers.h"
#include "base/status.h"

namespace qb {
namespace {

// Calls visit(from, to) for each two workers, so that no two send to one at a time.
template <class Visit>
void for_each_pair(int workers, const Visit& visit) {
  for (int distance = 1; distance < workers; ++distance)
    for (int from = 0; from < workers; ++from) visit(from, (from + distance) % workers);
}

template <class PartOf>
void add_all_to_all(ExchangePlan& plan, int round, const PartOf& part) {
  for_each_pair(plan.workers(), [&](int from, int to) {
    plan.messages.push_back({round, from, to, part(from, to)});
  });
}

// The messages of a scan go from the worker of a part to that of a later one, if it is another.
class ScanMessages {
 public:
  ScanMessages(ExchangePlan& plan, const std::vector<int>& owners) : plan_(plan), owners_(owners) {}

  void add_chain(int blocks) {
    for (int round = 0; round < parts() - 2 + blocks; ++round)
      for (int p = 0; p + 1 < parts(); ++p)
        if (const int block = round - p; block >= 0 && block < blocks)
          add(round, p, p + 1, {{0, p + 1}, {block, block + 1}});
  }
  void add_tree() {
    int round = 0;
    for (int base = 0; base < parts(); base += plan_.workers())
      for (int distance = 1; distance < plan_.workers(); ++round, distance *= 2)
        for (int p = base; p + distance < base + plan_.workers(); ++p) {
          const int begin = p + 1 - distance;
          add(round, p, p + distance, {{begin > base ? begin : 0, p + 1}, {0, 1}});
        }
  }

 private:
  [[nodiscard]] int parts() const { return static_cast<int>(owners_.size()); }
  void add(int round, int from, int to, const Part& part) {
    const int sender = owners_[static_cast<std::size_t>(from)];
    const int receiver = owners_[static_cast<std::size_t>(to)];
    if (sender != receiver) plan_.messages.push_back({round, sender, receiver, part});
  }

  ExchangePlan& plan_;
  const std::vector<int>& owners_;
};

// Says whether these parts make up the wanted one.
bool cover(PartKind kind, const std::vector<Part>& held, const Part& wanted) {
  if (kind == PartKind::tokens) {
    std::int64_t count = 0;
    for (const Part& part : held) count += intersection(part, wanted).count();
    return count == wanted.count();
  }
  for (std::int64_t block = wanted.columns.begin; block < wanted.columns.end; ++block) {
    std::vector<Range> rows;
    for (const Part& part : held)
      if (part.columns.begin <= block && block < part.columns.end) rows.push_back(part.rows);
    if (wanted.rows.count() > 0 && pieces_of(wanted.rows, rows).empty()) return false;
  }
  return true;
}

}  // namespace

Part intersection(const Part& a, const Part& b) {
  return {qb::intersection(a.rows, b.rows), qb::intersection(a.columns, b.columns)};
}

std::vector<int> owners_of(TokenLayout layout, int workers) {
  std::vector<int> owners = integers_below(workers);
  if (layout == TokenLayout::zigzag)
    for (int w = workers; w-- > 0;) owners.push_back(w);
  return owners;
}

ExchangePlan plan_scan(ScanKind kind, const std::vector<int>& owners, int blocks, bool causal) {
  const int workers = std::ranges::max(owners) + 1;
  const auto parts = static_cast<int>(owners.size());
  if (kind == ScanKind::all_to_all)
    throw Unsupported("mixer.scan: all_to_all sends tokens and no states");
  if (causal && kind == ScanKind::all_reduce)
    throw Unsupported(
        "mixer.scan: all_reduce gives a worker the state of all tokens, and with mask: causal it "
        "needs that of the tokens before its own; the nearest is mixer.scan: all_gather");
  if (!causal && kind != ScanKind::all_gather && kind != ScanKind::all_reduce)
    throw Unsupported(fmt::format(
        "mixer.scan: {} gives a worker the states before its tokens, and with mask: full it needs "
        "those of all tokens; the nearest is mixer.scan: all_gather",
        word(kind)));
  if (kind == ScanKind::all_reduce) blocks = workers;
  if (kind != ScanKind::all_scan && kind != ScanKind::all_reduce) blocks = 1;
  ExchangePlan plan{.kind = causal ? PartKind::states : PartKind::sums};
  plan.held.resize(static_cast<std::size_t>(workers));
  plan.wanted.resize(static_cast<std::size_t>(workers));
  for (int p = 0; p < parts; ++p) {
    const auto w = static_cast<std::size_t>(owners[static_cast<std::size_t>(p)]);
    plan.held[w].push_back({{p, p + 1}, {0, blocks}});
    plan.wanted[w].push_back({{0, causal ? p : parts}, {0, blocks}});
  }
  ScanMessages messages(plan, owners);
  switch (kind) {
    case ScanKind::chain:
    case ScanKind::all_scan:
      messages.add_chain(blocks);
      break;
    case ScanKind::all_gather:
      for_each_pair(workers, [&](int from, int to) {
        for (const Part& part : plan.held_by(from)) plan.messages.push_back({0, from, to, part});
      });
      break;
    case ScanKind::tree:
      messages.add_tree();
      break;
    case ScanKind::all_to_all:
      break;
    case ScanKind::all_reduce:
      add_all_to_all(plan, 0, [](int from, int to) {
        return Part{{from, from + 1}, {to, to + 1}};
      });
      add_all_to_all(plan, 1, [&](int from, int) { return Part{{0, workers}, {from, from + 1}}; });
      break;
  }
  return plan;
}

ExchangePlan plan_halo(const std::vector<int>& owners) {
  const auto workers = static_cast<std::size_t>(std::ranges::max(owners) + 1);
  ExchangePlan plan{.kind = PartKind::states};
  plan.held.resize(workers);
  plan.wanted.resize(workers);
  for (int p = 0; p < std::ssize(owners); ++p) {
    const int owner = owners[static_cast<std::size_t>(p)];
    const Part before{{std::max(0, p - 1), p}, {0, 1}};
    plan.held[static_cast<std::size_t>(owner)].push_back({{p, p + 1}, {0, 1}});
    plan.wanted[static_cast<std::size_t>(owner)].push_back(before);
    if (const int from = owners[static_cast<std::size_t>(before.rows.begin)]; from != owner)
      plan.messages.push_back({0, from, owner, before});
  }
  return plan;
}

ExchangePlan plan_relayout(int workers, const Layout& from, const Layout& to) {
  ExchangePlan plan;
  for (int w = 0; w < workers; ++w) {
    plan.held.push_back(from(w));
    plan.wanted.push_back(to(w));
  }
  for_each_pair(workers, [&](int w, int other) {
    for (const Part& held : plan.held_by(w))
      for (const Part& wanted : plan.wanted_by(other))
        if (const Part part = intersection(held, wanted); part.count() > 0)
          plan.messages.push_back({0, w, other, part});
  });
  return plan;
}

AxialTensor plan_axial(std::int64_t rows, std::int64_t columns, int workers) {
  if (const std::int64_t most = std::min(rows, columns); workers > most)
    throw Unsupported(
        fmt::format("{} rows and {} columns are too few for {} workers, each of which needs one of "
                    "both; the nearest is workers: {}",
                    rows, columns, workers, most));
  AxialTensor tensor{rows, columns, workers, {}};
  const Layout by_row = [&](int worker) { return std::vector{tensor.rows_of(worker)}; };
  const Layout by_column = [&](int worker) { return std::vector{tensor.columns_of(worker)}; };
  tensor.changes[0] = plan_relayout(workers, by_row, by_column);
  tensor.changes[1] = plan_relayout(workers, by_column, by_row);
  return tensor;
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

std::optional<std::string> check(const ExchangePlan& plan) {
  const bool moves = plan.kind == PartKind::tokens;
  const auto text = [&](const Part& part) {
    return moves ? fmt::format("rows {} to {} of columns {} to {}", part.rows.begin,
                               part.rows.end - 1, part.columns.begin, part.columns.end - 1)
                 : fmt::format("the state of parts {} to {}", part.rows.begin, part.rows.end - 1);
  };
  std::vector<std::vector<Part>> has = plan.held;
  const auto at = [&](int worker) -> std::vector<Part>& {
    return has[static_cast<std::size_t>(worker)];
  };
  // A worker with several parts needs the tokens before each of them, which overlap.
  const auto several = [&](int worker) {
    return plan.kind == PartKind::states && plan.held_by(worker).size() > 1;
  };
  if (moves)  // it keeps of its own what it wants
    for (std::size_t w = 0; w < has.size(); ++w) {
      has[w].clear();
      for (const Part& held : plan.held[w])
        for (const Part& wanted : plan.wanted[w])
          if (const Part part = intersection(held, wanted); part.count() > 0)
            has[w].push_back(part);
    }
  for (std::size_t i = 0, end = 0; i < plan.messages.size(); i = end) {
    // Messages of a round leave before any of them arrives. Tokens leave from the old layout.
    for (end = i; end < plan.messages.size() && plan.messages[end].round == plan.messages[i].round;
         ++end)
      if (const ExchangeMessage& m = plan.messages[end];
          !cover(plan.kind, moves ? plan.held_by(m.from) : at(m.from), m.part))
        return fmt::format("in round {} worker {} sends {}, which it does not have", m.round,
                           m.from, text(m.part));
    for (std::size_t j = i; j < end; ++j) {
      const ExchangeMessage& m = plan.messages[j];
      if (moves && !cover(plan.kind, plan.wanted_by(m.to), m.part))
        return fmt::format("in round {} worker {} gets {}, which it does not want", m.round, m.to,
                           text(m.part));
      for (const Part& part : at(m.to))
        if (const Part both = intersection(part, m.part);
            both.count() > 0 &&
            !(plan.kind == PartKind::sums && both.rows == part.rows && part.rows != m.part.rows) &&
            !(several(m.to) && both.rows != m.part.rows))
          return fmt::format("in round {} worker {} gets {}, of which it has {}", m.round, m.to,
                             text(m.part), text(part));
      at(m.to).push_back(m.part);
    }
  }
  for (std::size_t w = 0; w < plan.wanted.size(); ++w)
    for (const Part& wanted : plan.wanted[w])
      if (!cover(plan.kind, has[w], wanted))
        return fmt::format("worker {} ends without {}", w, text(wanted));
  return std::nullopt;
}

}  // namespace qb
