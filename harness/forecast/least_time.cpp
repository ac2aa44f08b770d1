// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/least_time.h"

#include <algorithm>
#include <array>

#include "harness/plan/rotation.h"

namespace qb {

LeastTime::LeastTime(const Plan& plan, const DeviceCosts& device) {
  const Rotation* const rotation = plan.workers.rotation();
  if (rotation == nullptr || !rotation->has_equal_messages()) return;
  plan_ = std::make_shared<const Plan>(plan);
  profile_ = std::make_unique<const PlanProfile>(*plan_, Representatives(*plan_), device.kernel(),
                                                 &device);
  for (std::size_t s = 0; s < rotation->steps.size(); ++s)
    sends_.push_back(model_messages(rotation->step(s, 0, false).sends));
  for (const std::vector<ModelMessage>& step : sends_)
    for (const ModelMessage& message : step) sent_bytes_[message.peer] += message.bytes;
}

// The time until a worker's messages of one kind have arrived: those to its host, and those to
// others, follow each other on a link each.
double LeastTime::sent_s(const ModelLink& link, int worker, std::size_t step, bool late) const {
  std::array<double, 2> lanes{};
  for (const ModelMessage& message : sends_[step]) {
    if (message.late != late || message.peer == 0 || message.delay > 1) continue;
    const int peer = plan_->workers.rotation()->group.plus(worker, message.peer);
    const bool apart = link.hosts.workers_per_host == 0 || link.hosts.are_apart(worker, peer);
    const LinkLimit& limit = apart ? link.limit : link.hosts.inside;
    double& lane = lanes[apart ? 1 : 0];
    if (lane == 0.0) lane = limit.latency_s;
    if (limit.bandwidth_byte_per_s > 0.0)
      lane += static_cast<double>(message.bytes) / limit.bandwidth_byte_per_s;
  }
  return std::max(lanes[0], lanes[1]);
}

double LeastTime::worker_s(const ModelLink& link, int worker) const {
  double now_s = 0.0;
  double late_s = 0.0;  // when the sends of the step before have arrived
  for (std::size_t s = 0; s < sends_.size(); ++s) {
    const StepProfile& cost = profile_->of(worker, s);
    now_s = std::max(now_s + cost.receive_s, late_s) + cost.pack_early_s;
    const double early_s = now_s + sent_s(link, worker, s, false);
    now_s = link.overlap ? std::max(now_s + cost.kernel_s, early_s) : early_s + cost.kernel_s;
    now_s += cost.pack_late_s;
    late_s = now_s + sent_s(link, worker, s, true);
  }
  return std::max(now_s, late_s);
}

// The time until all that leaves by the NIC has arrived, if it stops for nothing.
double LeastTime::nic_s(const ModelLink& link, int nic) const {
  const WorkerGroup& group = plan_->workers.rotation()->group;
  std::int64_t bytes = 0;
  for (int w = 0; w < group.size(); ++w) {
    if (link.hosts.nic_of(w) != nic) continue;
    for (const auto& [peer, sent] : sent_bytes_)
      if (link.hosts.are_apart(w, group.plus(w, peer))) bytes += sent;
  }
  if (bytes == 0 || link.limit.bandwidth_byte_per_s <= 0.0) return 0.0;
  return link.limit.latency_s + static_cast<double>(bytes) / link.limit.bandwidth_byte_per_s;
}

double LeastTime::wall_s(const ModelLink& link, std::span<const int> workers) const {
  double least_s = 0.0;
  if (plan_ == nullptr) return 0.0;
  for (const int worker : workers) {
    least_s = std::max(least_s, worker_s(link, worker));
    if (link.hosts.shares_nics())
      least_s = std::max(least_s, nic_s(link, link.hosts.nic_of(worker)));
  }
  return least_s;
}

}  // namespace qb
