// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/at_once.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <latch>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/status.h"

namespace qb {

void play_at_once(int workers, MemoryTransport& transport, const std::function<void(int)>& play) {
  std::latch ready(workers);
  std::mutex mutex;
  std::exception_ptr first;
  const auto fail = [&](const std::exception_ptr& error) {
    transport.fail(error);
    const std::lock_guard lock(mutex);
    if (!first) first = error;
  };
  const auto work = [&](int worker) noexcept {
    ready.arrive_and_wait();
    try {
      play(worker);
    } catch (...) {
      fail(std::current_exception());
    }
  };
  {
    std::vector<std::jthread> players;
    try {
      for (int worker = 0; worker < workers; ++worker) players.emplace_back(work, worker);
    } catch (const std::system_error& error) {
      fail(std::make_exception_ptr(CaseError(
          Status::error, fmt::format("the system gives {} of the {} threads that the workers need "
                                     "({}); use fewer workers or ranks: serial",
                                     players.size(), workers, error.what()))));
      ready.count_down(workers - std::ssize(players));
    }
  }
  if (first) std::rethrow_exception(first);
}

void wait(Transport& transport, const Ticket& ticket, double& idle_s, double& exposed_s) {
  const double wait_s = now_s();
  const Passage passage = transport.wait(ticket);
  const double waited_s = now_s() - wait_s;
  const double until_ready_s = std::clamp(passage.started_s - wait_s, 0.0, waited_s);
  idle_s += until_ready_s;
  exposed_s += waited_s - until_ready_s;
}

}  // namespace qb
