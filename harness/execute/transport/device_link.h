// Joins one rank's device with those of the others. One implementation is NCCL (nccl_link.h), the
// tests have another (fake_link.h).
//
// Transfers run on their own stream while the device computes; events order them with its work. The
// transfers of one group begin together and end together: a rank that starts its receives and sends
// one by one may wait for a peer that waits for it.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace qb {

struct LinkPart {
  int peer = 0;  // the rank itself means a copy
  void* data = nullptr;
  std::size_t bytes = 0;
  bool outgoing = false;
};

class DeviceLink {
 public:
  virtual ~DeviceLink() = default;
  // Enqueues the parts as one group. It begins when the device has done its work so far and the
  // groups before have ended. Groups are numbered from 0. patience: called while the link makes its
  // first connections; it may throw.
  virtual int enqueue(std::span<const LinkPart> parts, const std::function<void()>& patience) = 0;
  // Makes the device's later work wait until the group has ended.
  virtual void hold_back(int group) = 0;
  [[nodiscard]] virtual bool has_ended(int group) = 0;
  // Returns the seconds from an ended group's beginning to its end, including waiting for peers.
  [[nodiscard]] virtual double seconds(int group) const = 0;
  // Throws CaseError if the link has failed.
  virtual void check() = 0;
  // Ends the groups that are under way, whatever their peers do. Only the destructor may follow.
  virtual void abort() noexcept = 0;
  // Restarts the numbers. No group may be under way, and earlier groups may not be used again.
  virtual void forget_groups() = 0;
};

}  // namespace qb
