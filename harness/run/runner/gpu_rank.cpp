// SPDX-License-Identifier: Apache-2.0
// Runs one rank on a GPU: its messages are groups of transfers while its device computes.
//
// The early sends and receives of a step are one group, the late ones (of results) another. Every
// rank reaches the groups of a plan in one order (it leaves out those in which it has no part), and
// within a group nothing waits for anything else, so no ring of ranks can deadlock.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <thread>

#include "harness/run/runner/nccl_executor.h"

namespace qb {
namespace {

// Limit on groups under way. A device takes only a limited amount of work that it has not begun,
// and then makes its caller wait where no failure of another rank can reach it.
constexpr int kMostUnderWay = 4;

class GroupTransport final : public Transport {
 public:
  // ranks: whenever this class waits, it asks `ranks` whether another rank has failed.
  GroupTransport(int rank, DeviceLink& link, AttentionDevice& device, WorkerTeam& ranks,
                 double timeout_s)
      : rank_(rank), link_(link), device_(device), ranks_(ranks), timeout_s_(timeout_s) {
    link_.forget_groups();
  }

  bool waits_on_device() const override { return true; }

  Passage wait(const Ticket& ticket) override {
    const int group = *static_cast<const int*>(ticket.get());
    if (group < 0) throw std::logic_error("a message is awaited before its group has left");
    if (group > held_back_) link_.hold_back(group);  // groups end in their order
    held_back_ = std::max(held_back_, group);
    return {};
  }

  void flush(bool late) override {
    Pending& pending = pending_[late ? 1 : 0];
    if (pending.parts.empty()) return;
    if (const int before = n_groups_ - kMostUnderWay; before >= 0)
      await([&] { return link_.has_ended(before); }, "the transfers of an earlier step");
    const double deadline_s = now_s() + timeout_s_;
    const int group = link_.enqueue(
        pending.parts, [&] { look_out(deadline_s, "a connection with another rank"); });
    for (const auto& ticket : pending.tickets) *ticket = group;
    of_step_[pending.step].push_back(group);
    n_groups_ = group + 1;
    pending = {};
  }

  void settle() override {
    link_.check();
    const int mark = device_.mark();
    await([&] { return device_.has_passed(mark); }, "its GPU, or for transfers with another rank");
    if (n_groups_ > 0)
      await([&] { return link_.has_ended(n_groups_ - 1); }, "transfers with another rank");
  }

  void abandon() noexcept override {
    link_.abort();
    try {
      device_.wait();
    } catch (const std::exception&) {
      return;  // a lost device does no more work either
    }
  }

  [[nodiscard]] double communication_s(int step) const override {
    double sum_s = 0.0;
    if (const auto groups = of_step_.find(step); groups != of_step_.end())
      for (const int group : groups->second) sum_s += link_.seconds(group);
    return sum_s;
  }

 private:
  struct Pending {
    std::vector<DeviceLink::Part> parts;
    std::vector<std::shared_ptr<int>> tickets;  // each is a group, -1 until that has left
    int step = 0;
  };

  Ticket post(const MessageKey& key, bool outgoing, std::span<std::byte> bytes) override {
    Pending& pending = pending_[key.late ? 1 : 0];
    pending.parts.push_back({outgoing ? key.to : key.from, bytes.data(), bytes.size(), outgoing});
    pending.step = key.step;
    return pending.tickets.emplace_back(std::make_shared<int>(-1));
  }

  // Throws if waiting any longer is useless.
  void look_out(double deadline_s, const char* what) const {
    link_.check();
    if (const auto failure = ranks_.failure()) std::rethrow_exception(failure);
    if (now_s() > deadline_s)
      throw CaseError(Status::timeout, fmt::format("rank {} waited {} s without success for {}",
                                                   rank_, timeout_s_, what));
  }

  // Checks for the end as often as it can, since the clock stops then.
  template <class Done>
  void await(const Done& done, const char* what) const {
    constexpr double kLookOut_s = 5e-4;
    const double deadline_s = now_s() + timeout_s_;
    double next_s = now_s() + kLookOut_s;
    while (!done()) {
      if (now_s() > next_s) {
        look_out(deadline_s, what);
        next_s = now_s() + kLookOut_s;
      }
      std::this_thread::yield();
    }
  }

  const int rank_;
  DeviceLink& link_;
  AttentionDevice& device_;
  WorkerTeam& ranks_;
  const double timeout_s_;
  Pending pending_[2];  // early, late
  int n_groups_ = 0;
  int held_back_ = -1;                       // the device waits for this group and all before it
  std::map<int, std::vector<int>> of_step_;  // groups by step
};

}  // namespace

WorkerReport run_gpu_rank(const Plan& plan, const ExecutionArguments& arguments,
                          AttentionDevice& device, DeviceLink& link, WorkerTeam& ranks, int rank,
                          KeptCalls* kept) {
  if (kept != nullptr) kept->rewind();
  GroupTransport messages(rank, link, device, ranks, arguments.message_timeout_s);
  // The device is the caller's.
  const std::shared_ptr<AttentionDevice> unowned(std::shared_ptr<void>(), &device);
  WorkerReport report = run_rank(ranks, messages, [&] {
    return make_rank_worker(plan, arguments, unowned, messages, rank, kept);
  });
  if (report.status != Status::ok && !report.is_others)
    report.text = fmt::format("{}: {}", device.facts().name, report.text);
  return report;
}

}  // namespace qb
