#include "harness/plan/picture.h"

#include "harness/base/numbers.h"
#include "harness/base/status.h"

namespace qb {

CsvTable partition_rectangles(const Plan& plan) {
  CsvTable table({"worker", "q_begin", "q_end", "k_begin", "k_end", "allowed", "offset"});
  for (std::size_t w = 0; w < plan.workers.size(); ++w) {
    for (const Step& step : plan.workers[w].steps) {
      for (const PairTask& task : step.tasks) {
        const TokenGroup& q = plan.q_groups[static_cast<std::size_t>(task.q_group)];
        const TokenGroup& k = plan.kv_groups[static_cast<std::size_t>(task.kv_group)];
        if (q.stride != 1 || k.stride != 1)
          throw Unsupported("a partition of strided groups is no set of rectangles");
        constexpr const char* kAllowed[] = {"all", "causal", "pattern"};
        table.append({to_text(static_cast<std::int64_t>(w)), to_text(q.first),
                      to_text(q.first + q.count), to_text(k.first), to_text(k.first + k.count),
                      kAllowed[static_cast<std::size_t>(task.allowed)], to_text(task.offset)});
      }
    }
  }
  return table;
}

}  // namespace qb
