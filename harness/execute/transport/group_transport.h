// Carries a worker's messages as groups of transfers while its device computes.
//
// The early sends of a step and the receives of the same kind are one group; the sends of its
// results are another. Every rank reaches the groups of a plan in one order (groups of a step in
// which it has no part are empty and left out), and within a group nothing waits for anything else,
// so no ring of ranks can deadlock.
#pragma once

#include <map>
#include <vector>

#include "harness/execute/device/compute_device.h"
#include "harness/execute/transport/device_link.h"
#include "harness/execute/transport/transport.h"

namespace qb {

class GroupTransport final : public Transport {
 public:
  // ranks: whenever this class waits, it asks `ranks` whether another rank has failed.
  GroupTransport(int rank, DeviceLink& link, ComputeDevice& device, RankTransport& ranks,
                 double timeout_s);

  [[nodiscard]] Ticket send(const MessageKey& key, std::span<const std::byte> bytes) override;
  [[nodiscard]] Ticket receive(const MessageKey& key, std::span<std::byte> bytes) override;
  [[nodiscard]] bool waits_on_device() const override { return true; }
  Passage wait(const Ticket& ticket) override;
  void flush(bool late) override;
  void settle() override;
  void abandon() noexcept override;

  // Returns how long the groups with the messages of a step were under way; call it after settle().
  [[nodiscard]] double seconds(int step) const;

 private:
  struct Posted;
  struct Pending {
    std::vector<LinkPart> parts;
    std::vector<std::shared_ptr<Posted>> posted;
    int step = 0;
  };

  Ticket post(const MessageKey& key, const LinkPart& part);
  void look_out(double deadline_s, const char* what) const;
  template <class Done>
  void await(const Done& done, const char* what) const;

  const int rank_;
  DeviceLink& link_;
  ComputeDevice& device_;
  RankTransport& ranks_;
  const double timeout_s_;
  Pending pending_[2];  // early, late
  int n_groups_ = 0;
  int held_back_ = -1;                       // the device waits for this group and all before it
  std::map<int, std::vector<int>> of_step_;  // groups by step
};

}  // namespace qb
