// The memory of one worker over its steps, as the executors will take it.
#pragma once

#include <cstdint>

#include "harness/plan/plan.h"
#include "kernels/attention.h"

namespace qb {

// Peak of the bytes that worker `index` holds at once: its shard, its partials, the messages that
// come and go while it computes (a ring holds its shard, the one it computes with and the one that
// arrives), and the kernel's workspace. Exactly what the memory ledger counts for that worker.
[[nodiscard]] std::int64_t worker_peak_bytes(const Plan& plan, int index, Kernel kernel,
                                             int threads);

}  // namespace qb
