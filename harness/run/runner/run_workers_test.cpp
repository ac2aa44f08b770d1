// SPDX-License-Identifier: Apache-2.0
#include "harness/run/runner/run_workers.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <mutex>

#include "base/status.h"

namespace qb {
namespace {

// What the workers of a group do, in order.
struct Log {
  std::mutex mutex{};
  std::vector<std::string> calls{};
  int victim = -1;
  std::string fails_at{};
};

// Sends a number round a ring of workers, and adds up what comes.
class RingWorker final : public StepWorker {
 public:
  RingWorker(Log& log, int index, int workers, int steps, Transport* messages)
      : log_(log), index_(index), workers_(workers), steps_(steps), messages_(messages) {}

  [[nodiscard]] int steps() const override { return steps_; }
  void prepare() override {
    note("prepare");
    time_.steps.resize(static_cast<std::size_t>(steps_));
  }
  void begin(double begin_s) override {
    note("begin");
    begin_s_ = begin_s;
  }
  void begin_step() override {
    note("begin_step");
    if (messages_ == nullptr) return;
    const MessageKey from{(index_ + workers_ - 1) % workers_, index_, step_};
    in_ = messages_->receive(from, std::as_writable_bytes(std::span(&came_, 1)));
  }
  void compute_step() override {
    note("compute_step");
    sum_ += sent_;
    if (messages_ == nullptr) return;
    const MessageKey to{index_, (index_ + 1) % workers_, step_};
    out_ = messages_->send(to, std::as_bytes(std::span(&sent_, 1)));
  }
  void end_step() override {
    note("end_step");
    if (messages_ != nullptr) {
      StepTime& time = time_.steps[static_cast<std::size_t>(step_)];
      (void)messages_->timed_wait(in_, time.idle_s, time.exposed_communication_s);
      (void)messages_->wait(out_);
    }
    sent_ = came_;
    ++step_;
  }
  void finish() override {
    note("finish");
    time_.sent_bytes = sum_;
    time_.wall_s = now_s() - begin_s_;
  }
  [[nodiscard]] const WorkerTime& time() const override { return time_; }

 private:
  void note(const std::string& call) {
    if (index_ == log_.victim && call == log_.fails_at) throw OutOfMemory("ring", 8, 0, 4);
    const std::lock_guard lock(log_.mutex);
    log_.calls.push_back(fmt::format("{} {}", call, index_));
  }

  Log& log_;
  const int index_;
  const int workers_;
  const int steps_;
  Transport* const messages_;
  WorkerTime time_{};
  Ticket in_{};
  Ticket out_{};
  std::int64_t sent_ = index_;
  std::int64_t came_ = 0;
  std::int64_t sum_ = 0;
  int step_ = 0;
  double begin_s_ = 0.0;
};

Execution run_ring(Ranks ranks, int workers, Log& log) {
  return run_workers(ranks, {.carrier = ranks == Ranks::threads, .workers = workers},
                     [&](int w, WorkerTeam& team) {
                       return std::make_shared<RingWorker>(log, w, workers, workers, &team);
                     });
}

TEST(RunWorkers, InTurnEachPhaseOfAStepIsThatOfAllBeforeTheNext) {
  Log log;
  RingWorker first(log, 0, 2, 1, nullptr);
  RingWorker second(log, 1, 2, 2, nullptr);
  StepWorker* const both[] = {&first, &second};
  run_steps(both);
  EXPECT_EQ(log.calls,
            (std::vector<std::string>{"prepare 0", "prepare 1", "begin 0", "begin 1",
                                      "begin_step 0", "begin_step 1", "compute_step 0",
                                      "compute_step 1", "end_step 0", "end_step 1", "begin_step 1",
                                      "compute_step 1", "end_step 1", "finish 0", "finish 1"}));
}

TEST(RunWorkers, PassMessagesAndReturnTheTimesOfEachInTurnAndInThreads) {
  for (const Ranks ranks : {Ranks::serial, Ranks::threads})
    for (const int workers : {1, 2, 5}) {
      Log log;
      const Execution run = run_ring(ranks, workers, log);
      ASSERT_EQ(std::ssize(run.workers), workers);
      double most_s = 0.0;
      double sum_s = 0.0;
      for (const WorkerTime& time : run.workers) {
        EXPECT_EQ(time.sent_bytes, workers * (workers - 1) / 2) << "a number of each worker";
        EXPECT_EQ(std::ssize(time.steps), workers);
        most_s = std::max(most_s, time.wall_s);
        sum_s += time.wall_s;
      }
      EXPECT_EQ(run.wall_s, most_s);
      EXPECT_EQ(run.critical_path_s, most_s);
      EXPECT_EQ(run.worker_sum_s, sum_s);
    }
}

TEST(RunWorkers, EndWithTheFailureOfAnyOfThemInAnyPhase) {
  for (const Ranks ranks : {Ranks::serial, Ranks::threads})
    for (const char* const phase :
         {"prepare", "begin", "begin_step", "compute_step", "end_step", "finish"})
      for (const int victim : {0, 2}) {
        Log log;
        log.victim = victim;
        log.fails_at = phase;
        EXPECT_THROW((void)run_ring(ranks, 3, log), OutOfMemory) << phase;
      }
}

TEST(RunWorkers, OfARankReportsItsTimesOrItsFailure) {
  Log log;
  const auto report_of = [&](int victim) {
    log.victim = victim;
    log.fails_at = "finish";
    NoTransport alone;
    return run_rank(alone, alone,
                    [&] { return std::make_shared<RingWorker>(log, 0, 1, 3, &alone); });
  };
  const WorkerReport done = report_of(-1);
  ASSERT_EQ(done.status, Status::ok);
  const Execution run = times_of_ranks({done.text, done.text});
  ASSERT_EQ(run.workers.size(), 2u);
  EXPECT_EQ(run.workers[1].steps.size(), 3u);
  EXPECT_GT(run.wall_s, 0.0);
  EXPECT_EQ(run.worker_sum_s, 2.0 * run.wall_s);
  EXPECT_EQ(report_of(0).status, Status::oom);
  EXPECT_TRUE(times_of_ranks({}).workers.empty());
}

}  // namespace
}  // namespace qb
