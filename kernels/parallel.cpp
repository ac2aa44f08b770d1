#include "kernels/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "kernels/helper_threads.h"

namespace qb {
namespace {

// The range of one parallel_for call, and the first exception of its body.
class Team {
 public:
  using Body = std::function<void(std::int64_t, std::int64_t, int)>;

  Team(std::int64_t n, std::int64_t grain, const Body& body) : n_(n), grain_(grain), body_(body) {}

  // Takes chunks until none is left or a body has thrown.
  void work(int thread) noexcept {
    try {
      while (true) {
        const std::int64_t begin = next_.fetch_add(grain_, std::memory_order_relaxed);
        if (begin >= n_) return;
        body_(begin, std::min(n_, begin + grain_), thread);
      }
    } catch (...) {
      next_.store(n_, std::memory_order_relaxed);
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  const std::int64_t n_;
  const std::int64_t grain_;
  const Body& body_;
  std::atomic<std::int64_t> next_{0};
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

void parallel_for(std::int64_t n, int threads, std::int64_t grain, const Team::Body& body) {
  if (n <= 0) return;
  const std::int64_t step = std::max<std::int64_t>(1, grain);
  Team team(n, step, body);
  const std::int64_t chunks = (n - 1) / step + 1;
  run_with_helpers(static_cast<int>(std::min<std::int64_t>(threads, chunks)),
                   [&team](int thread) { team.work(thread); });
  team.rethrow();
}

}  // namespace qb
