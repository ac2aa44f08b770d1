// The way from one rank's device to those of the others. One implementation is NCCL
// (nccl_link.h), the other is the tests' (fake_link.h).
//
// Transfers run on a stream of their own, beside what the device computes; their order towards it
// is made by events. Those of one group begin together and end together: a rank that gives its
// receives and sends one by one may wait for a peer that waits for it.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace qb {

struct LinkPart {
  int peer = 0;  // the rank itself: a copy
  void* data = nullptr;
  std::size_t bytes = 0;
  bool outgoing = false;
};

class DeviceLink {
 public:
  virtual ~DeviceLink() = default;
  // Enqueues the parts as one group, which begins once the device has done what it was given so far
  // and the groups before have ended. Groups are numbered from 0. patience: called while the link
  // makes its first connections; it may throw.
  virtual int enqueue(std::span<const LinkPart> parts, const std::function<void()>& patience) = 0;
  // The device does what it is given later only when the group has ended.
  virtual void hold_back(int group) = 0;
  [[nodiscard]] virtual bool has_ended(int group) = 0;
  // Seconds from the group's beginning to its end, waiting for peers included; once it has ended.
  [[nodiscard]] virtual double seconds(int group) const = 0;
  // Throws CaseError where the link has failed.
  virtual void check() = 0;
  // Ends the groups that are under way, whatever their peers do. Only the destructor may follow.
  virtual void abort() noexcept = 0;
  // No group is under way, and none will be asked about again: numbers start anew.
  virtual void forget_groups() = 0;
};

}  // namespace qb
