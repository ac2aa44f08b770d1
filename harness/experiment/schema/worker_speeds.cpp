#include "harness/experiment/schema/worker_speeds.h"

#include <fmt/format.h>

#include "base/numbers.h"
#include "harness/experiment/schema/listed.h"
#include "harness/plan/strategies/strategy.h"
#include "interest_sets/split/skew.h"

namespace qb {

std::vector<double> parse_worker_speeds(std::string_view text) {
  std::vector<double> speeds;
  for (const std::string_view item : listed(text)) {
    const auto speed = parse_real(item);
    if (!speed || !(*speed > 0.0 && *speed <= 1.0))
      throw UsageError(fmt::format(
          "worker_speeds: '{}' is no speed; it is a part of the machine's, above 0 and at most 1",
          item));
    speeds.push_back(*speed);
  }
  if (speeds.empty())
    throw UsageError("worker_speeds needs at least one speed, such as 0.5 for worker 0");
  return speeds;
}

std::string to_string(std::span<const double> worker_speeds) {
  std::string text;
  for (const double speed : worker_speeds)
    text += fmt::format("{}{}", text.empty() ? "" : " ", to_text(speed));
  return text;
}

std::vector<double> worker_speeds_of(const Case& c) {
  if (!c.worker_speeds) return {};
  std::vector<double> speeds = parse_worker_speeds(*c.worker_speeds);
  if (std::ssize(speeds) > c.workers)
    throw UsageError(
        fmt::format("worker_speeds gives {} speeds for {} workers; give at most one "
                    "each",
                    speeds.size(), c.workers));
  speeds.resize(static_cast<std::size_t>(c.workers), 1.0);
  return speeds;
}

std::vector<std::int64_t> group_sizes_by_speed(const Case& c, const InterestSet& set) {
  if (c.shape.q_len != c.shape.kv_len)
    throw Unsupported(
        fmt::format("group_sizes: by_speed needs as many keys as queries, not {} and {}; use equal",
                    c.shape.kv_len, c.shape.q_len));
  std::vector<double> speeds = worker_speeds_of(c);
  speeds.resize(static_cast<std::size_t>(c.workers), 1.0);
  return skewed_group_sizes(set, c.shape.q_len, speeds, c.distillation);
}

}  // namespace qb
