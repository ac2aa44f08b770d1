// parallel_for over a small team of threads. Exceptions of the body reach the caller.
#pragma once

#include <cstdint>
#include <functional>

namespace qb {

// Calls body(begin, end, thread) over [0, n) from `threads` threads (the caller is one of them),
// handing out chunks of `grain` dynamically, lowest first. thread is in [0, threads).
void parallel_for(std::int64_t n, int threads, std::int64_t grain,
                  const std::function<void(std::int64_t, std::int64_t, int)>& body);

// Cores that this process may use (its affinity mask), at least 1.
[[nodiscard]] int available_cores();

}  // namespace qb
