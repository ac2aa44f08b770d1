// Threads that wait for work: starting one anew costs as much as a small attention (20 to 50 us).
#pragma once

#include <functional>

namespace qb {

// Calls work(0) in the calling thread and work(1) … work(n - 1) in helpers, which are started when
// first needed and kept; returns when all have returned. Where the system gives fewer threads,
// fewer calls are made, so the calls must share their work out among those that come. work must not
// throw. May be called from many threads and from within work.
//
// A team that fills the machine (n == available_cores()) is pinned, one thread a core; smaller ones
// are left to the scheduler, since another process may fill the other cores.
void run_with_helpers(int n, const std::function<void(int)>& work);

// Cores that this process may use (its affinity mask when first asked), at least 1.
[[nodiscard]] int available_cores();

}  // namespace qb
