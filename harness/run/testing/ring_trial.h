// SPDX-License-Identifier: Apache-2.0
// For tests of worker teams: workers pass messages round a ring, and one of them may fail at any
// point.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "base/status.h"
#include "harness/run/transport/worker_team.h"

namespace qb {

struct RingTrial {
  static constexpr int kRounds = 3;
  // Before and after meet(), around each message of each round, and at the end.
  static constexpr int kPoints = 2 + 3 * kRounds + 1;

  explicit RingTrial(int n) : workers(n), buffers(static_cast<std::size_t>(n)) {}

  // The part of one worker, which returns the number that it began with plus those that came.
  std::string play(WorkerTeam& team, int worker) {
    int point = 0;
    const auto pass_point = [&] {
      if (worker == victim && point++ == fails_at)
        throw CaseError(Status::oom, failure_of_victim());
    };
    auto& [first, second] = buffers[static_cast<std::size_t>(worker)];
    first.assign(kLength, worker);
    second.assign(kLength, -1);
    int sum = worker;
    pass_point();
    (void)team.meet();
    pass_point();
    for (int round = 0; round < kRounds; ++round) {
      const Ticket receive = team.receive({(worker + workers - 1) % workers, worker, round},
                                          std::as_writable_bytes(std::span(second)));
      pass_point();
      const Ticket send = team.send({worker, (worker + 1) % workers, round},
                                    std::as_bytes(std::span(std::as_const(first))));
      pass_point();
      (void)team.wait(receive);
      (void)team.wait(send);
      pass_point();
      std::swap(first, second);
      sum += first.back();
    }
    pass_point();
    return std::to_string(sum);
  }
  [[nodiscard]] std::string failure_of_victim() const {
    return fmt::format("worker {} fails at {}", victim, fails_at);
  }
  [[nodiscard]] std::string expected(int worker) const {
    int sum = worker;
    for (int round = 1; round <= kRounds; ++round)
      sum += ((worker - round) % workers + workers) % workers;
    return std::to_string(sum);
  }

  static constexpr std::size_t kLength = 50'000;  // more than MPI sends at once
  int workers;
  int victim = -1;
  int fails_at = 0;
  std::vector<std::array<std::vector<int>, 2>> buffers;
};

}  // namespace qb
