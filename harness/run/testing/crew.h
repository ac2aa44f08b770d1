// SPDX-License-Identifier: Apache-2.0
// For tests: runs all ranks of a run of ranks: nccl without a GPU. A rank is a thread with a
// device of its own, whose memory the host cannot touch, and links are in memory.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "harness/run/memory/memory_ledger.h"
#include "harness/run/runner/nccl_executor.h"
#include "harness/run/testing/device_trial.h"
#include "harness/run/testing/failing_allocator.h"
#include "harness/run/testing/fake_link.h"

namespace qb {

// All ranks of one run, and the faults that one of them may have.
struct Crew {
  explicit Crew(int ranks)
      : links(ranks),
        meeting(ranks, [this] { links.stop_waiting(); }),
        n(ranks),
        peak_bytes(static_cast<std::size_t>(ranks)) {}

  FakeLinks links;
  ThreadRanks meeting;
  int n;
  std::function<void(int rank, FakeGpu& gpu, FailingAllocator& memory)> prepare = {};
  double timeout_s = 20.0;
  int executions = 1;                    // each rank runs them one after another
  std::vector<std::int64_t> peak_bytes;  // by rank: the most that its worker has held
};

// Runs one rank; only rank 0 has whole tensors. The trial is of either pass.
template <class AnyTrial>
WorkerReport play_one(const AnyTrial& trial, Kernel kernel, Crew& crew, int rank) {
  const Pass pass = trial.plan.pass;
  FakeGpu gpu;
  MemoryLedger ledger(ledger_over(gpu));
  FailingAllocator memory(ledger);
  std::optional<TrialOnDevice> whole;
  ExecutionArguments arguments;
  arguments.kernel = kernel;
  arguments.allocator = &memory;
  arguments.message_timeout_s = crew.timeout_s;
  if (!is_scattered(trial.plan) || rank != 0) arguments.shard = trial.shards();
  if (rank == 0) arguments = whole.emplace(trial, gpu, ledger).with_tensors(arguments);
  ledger.reset_peaks();
  if (crew.prepare) crew.prepare(rank, gpu, memory);
  const auto link = crew.links.open(rank);
  KeptCalls kept;
  WorkerReport report;
  const std::string_view calls = pass == Pass::forward ? "attention" : "attention_backward";
  const std::string_view keeps = pass == Pass::forward ? "keep_schedule" : "keep_backward_schedule";
  for (int execution = 0; execution < crew.executions; ++execution) {
    if (rank == 0)
      for (const TensorView& written : written_by(pass, arguments))
        gpu.fill(written.data, 0x7b, static_cast<std::size_t>(written.bytes()));
    ThreadRanks::One ranks(crew.meeting, rank);
    report = run_gpu_rank(trial.plan, arguments, gpu, *link, ranks, rank, &kept);
  }
  if (report.status == Status::ok) {
    EXPECT_EQ(gpu.counts[keeps] * crew.executions, kernel == Kernel::flash ? gpu.counts[calls] : 0);
  }
  crew.peak_bytes[static_cast<std::size_t>(rank)] =
      static_cast<std::int64_t>(ledger.worker_peak_bytes(rank));
  kept = {};
  if (rank == 0 && report.status == Status::ok) whole->download();
  whole.reset();
  EXPECT_EQ(ledger.active_bytes(), 0u) << "rank " << rank;
  return report;
}

// Returns the times of all ranks, or throws the failure of one.
template <class AnyTrial>
Execution play_all(const AnyTrial& trial, Kernel kernel, Crew& crew) {
  std::vector<WorkerReport> reports(static_cast<std::size_t>(crew.n));
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < crew.n; ++rank)
      threads.emplace_back([&, rank] {
        reports[static_cast<std::size_t>(rank)] = play_one(trial, kernel, crew, rank);
      });
  }
  return with_waits_at_root(trial.plan, times_of_ranks(results(reports)));
}

// Returns the failure of rank 0's execution.
template <class AnyTrial>
std::string failure_of(const AnyTrial& trial, Crew& crew) {
  return case_failure([&] { (void)play_all(trial, Kernel::flash, crew); });
}

// Lets the victim's k-th request for memory fail in the k-th run, until a run succeeds, and returns
// how many did not. Each must name the victim.
template <class AnyTrial>
int run_out_on_rank(const AnyTrial& trial, int ranks, int victim) {
  for (int request = 1;; ++request) {
    Crew crew(ranks);
    crew.prepare = [&](int rank, FakeGpu&, FailingAllocator& memory) {
      if (rank == victim) memory.fail_at(request);
    };
    const std::string failure = failure_of(trial, crew);
    if (failure == "nothing thrown") return request - 1;
    EXPECT_EQ(failure.find(fmt::format("oom: rank {}: a host that plays", victim)), 0u)
        << failure << ", request " << request;
  }
}

// Loses the device of rank 1 at its k-th operation in the k-th run, as run_out_on_rank() does.
template <class AnyTrial>
int lose_rank_1(const AnyTrial& trial, int ranks) {
  for (int operation = 1;; ++operation) {
    Crew crew(ranks);
    crew.prepare = [&](int rank, FakeGpu& gpu, FailingAllocator&) {
      if (rank == 1) gpu.lost_at = gpu.operations + operation;
    };
    const std::string failure = failure_of(trial, crew);
    if (failure == "nothing thrown") return operation - 1;
    EXPECT_EQ(failure,
              "crashed: rank 1: a host that plays a GPU: the device was lost: unspecified launch "
              "failure")
        << operation;
  }
}

}  // namespace qb
