#include "harness/execute/transport/group_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "base/clock.h"

namespace qb {
namespace {

// Limit on groups under way. A device takes only a limited amount of work that it has not begun,
// and then makes its caller wait where no failure of another rank can reach it.
constexpr int kMostUnderWay = 4;

}  // namespace

struct GroupTransport::Posted final : Transit {
  int group = -1;
};

GroupTransport::GroupTransport(int rank, DeviceLink& link, ComputeDevice& device,
                               RankTransport& ranks, double timeout_s)
    : rank_(rank), link_(link), device_(device), ranks_(ranks), timeout_s_(timeout_s) {
  link_.forget_groups();
}

Ticket GroupTransport::post(const MessageKey& key, const LinkPart& part) {
  Pending& pending = pending_[key.late ? 1 : 0];
  auto posted = std::make_shared<Posted>();
  pending.parts.push_back(part);
  pending.posted.push_back(posted);
  pending.step = key.step;
  return posted;
}

Ticket GroupTransport::send(const MessageKey& key, std::span<const std::byte> bytes) {
  // The transport only reads the bytes.
  return post(key, {key.to, const_cast<std::byte*>(bytes.data()), bytes.size(), true});
}

Ticket GroupTransport::receive(const MessageKey& key, std::span<std::byte> bytes) {
  return post(key, {key.from, bytes.data(), bytes.size(), false});
}

void GroupTransport::flush(bool late) {
  Pending& pending = pending_[late ? 1 : 0];
  if (pending.parts.empty()) return;
  if (const int before = n_groups_ - kMostUnderWay; before >= 0)
    await([&] { return link_.has_ended(before); }, "the transfers of an earlier step");
  const double deadline_s = now_s() + timeout_s_;
  const int group =
      link_.enqueue(pending.parts, [&] { look_out(deadline_s, "a connection with another rank"); });
  for (const auto& posted : pending.posted) posted->group = group;
  of_step_[pending.step].push_back(group);
  n_groups_ = group + 1;
  pending = {};
}

Passage GroupTransport::wait(const Ticket& ticket) {
  const int group = static_cast<const Posted&>(*ticket).group;
  if (group < 0) throw std::logic_error("a message is awaited before its group has left");
  if (group > held_back_) link_.hold_back(group);  // groups end in their order
  held_back_ = std::max(held_back_, group);
  return {};
}

// Throws if waiting any longer is useless.
void GroupTransport::look_out(double deadline_s, const char* what) const {
  link_.check();
  if (const auto failure = ranks_.failure()) throw *failure;
  if (now_s() > deadline_s)
    throw CaseError(Status::timeout,
                    fmt::format("rank {} waited {} s in vain for {}", rank_, timeout_s_, what));
}

// Checks for the end as often as it can, since the clock stops then.
template <class Done>
void GroupTransport::await(const Done& done, const char* what) const {
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

void GroupTransport::settle() {
  link_.check();
  const int mark = device_.mark();
  await([&] { return device_.has_passed(mark); }, "its GPU, or for transfers with another rank");
  if (n_groups_ > 0)
    await([&] { return link_.has_ended(n_groups_ - 1); }, "transfers with another rank");
}

void GroupTransport::abandon() noexcept {
  link_.abort();
  try {
    device_.wait();
  } catch (const std::exception&) {
    return;  // a lost device does no more work either
  }
}

double GroupTransport::seconds(int step) const {
  double sum_s = 0.0;
  if (const auto groups = of_step_.find(step); groups != of_step_.end())
    for (const int group : groups->second) sum_s += link_.seconds(group);
  return sum_s;
}

}  // namespace qb
