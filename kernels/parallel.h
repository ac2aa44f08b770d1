// parallel_for over a small team of threads (helper_threads.h). Exceptions of the body reach the
// caller.
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/helper_threads.h"

namespace qb {

// Calls body(begin, end, thread) over [0, n) from `threads` threads (the caller is one of them),
// handing out chunks of `grain` dynamically, lowest first. thread is in [0, threads).
void parallel_for(std::int64_t n, int threads, std::int64_t grain,
                  const std::function<void(std::int64_t, std::int64_t, int)>& body);

}  // namespace qb
