// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/axial/axial_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/status.h"

namespace qb {
namespace {

AxialPart intersection(const AxialPart& a, const AxialPart& b) {
  return {qb::intersection(a.rows, b.rows), qb::intersection(a.columns, b.columns)};
}

std::string text(const AxialPart& part) {
  return fmt::format("rows {} to {} of columns {} to {}", part.rows.begin, part.rows.end - 1,
                     part.columns.begin, part.columns.end - 1);
}

}  // namespace

AxialPart AxialPlan::held(int worker, int round) const {
  if (round == 1) return {{0, rows}, part_of(columns, workers, worker)};
  return {part_of(rows, workers, worker), {0, columns}};
}

Range AxialPlan::tokens(int worker) const {
  const Range of = held(worker, 0).rows;
  return {of.begin * columns, of.end * columns};
}

AxialPlan plan_axial(std::int64_t rows, std::int64_t columns, int workers) {
  if (const std::int64_t most = std::min(rows, columns); workers > most)
    throw Unsupported(
        fmt::format("{} rows and {} columns are too few for {} workers, each of which needs one of "
                    "both; the nearest is workers: {}",
                    rows, columns, workers, most));
  AxialPlan plan{.rows = rows, .columns = columns, .workers = workers};
  for (int round = 0; round < AxialPlan::kRounds; ++round)
    for (int distance = 1; distance < workers; ++distance)  // no two to one worker at a time
      for (int from = 0; from < workers; ++from) {
        const int to = (from + distance) % workers;
        plan.messages.push_back(
            {round, from, to, intersection(plan.held(from, round), plan.held(to, round + 1))});
      }
  return plan;
}

std::optional<std::string> check(const AxialPlan& plan) {
  for (int round = 0; round < AxialPlan::kRounds; ++round)
    for (int to = 0; to < plan.workers; ++to) {
      const AxialPart wanted = plan.held(to, round + 1);
      std::vector<AxialPart> has = {intersection(plan.held(to, round), wanted)};
      std::int64_t count = has.front().count();
      for (const AxialMessage& m : plan.messages) {
        if (m.round != round || m.to != to) continue;
        if (intersection(m.part, plan.held(m.from, round)) != m.part)
          return fmt::format("in round {} worker {} sends {}, which it does not have", round,
                             m.from, text(m.part));
        const auto overlaps = [&](const AxialPart& part) {
          return intersection(part, m.part).count() > 0;
        };
        if (intersection(m.part, wanted) != m.part || std::ranges::any_of(has, overlaps))
          return fmt::format("in round {} worker {} gets {}, which it has or should not have",
                             round, to, text(m.part));
        has.push_back(m.part);
        count += m.part.count();
      }
      if (count != wanted.count())
        return fmt::format("after round {} worker {} has {} of {} tokens", round, to, count,
                           wanted.count());
    }
  return std::nullopt;
}

}  // namespace qb
