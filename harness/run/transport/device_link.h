// SPDX-License-Identifier: Apache-2.0
// Joins one rank's device with those of the others, by NCCL or, in tests, by fake_link.h. Only
// nccl_link.cpp includes the header of NCCL, and the library is loaded when it is first needed.
//
// Transfers run on their own stream while the device computes; events order them with its work. The
// transfers of one group begin together and end together: a rank that starts its receives and sends
// one by one may wait for a peer that waits for it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace qb {

class DeviceLink {
 public:
  struct Part {
    int peer = 0;  // the rank itself means a copy
    void* data = nullptr;
    std::size_t bytes = 0;
    bool outgoing = false;
  };
  virtual ~DeviceLink() = default;
  // Enqueues a group, which begins after the device's work so far and the groups before, and
  // returns its number, from 0 on. patience: called during the link's first connections; may throw.
  virtual int enqueue(std::span<const Part> parts, const std::function<void()>& patience) = 0;
  // Makes the device's later work wait until the group has ended.
  virtual void hold_back(int group) = 0;
  [[nodiscard]] virtual bool has_ended(int group) = 0;
  // Returns the seconds from an ended group's beginning to its end, including waiting for peers.
  [[nodiscard]] virtual double seconds(int group) const = 0;
  virtual void check() = 0;  // throws CaseError if the link has failed
  // Ends the groups that are under way, whatever their peers do. Only the destructor may follow.
  virtual void abort() noexcept = 0;
  // Restarts the numbers. No group may be under way, and earlier groups may not be used again.
  virtual void forget_groups() = 0;
};

// Returns the version, such as "2.28.9"; needs no GPU. Throws Unsupported if there is no libnccl.
[[nodiscard]] std::string nccl_version();
// One rank makes the id, and all pass it to open_nccl_link(). Throws CaseError.
[[nodiscard]] std::string new_nccl_id();
// The ranks 0 … ranks - 1, each on its own GPU, all call it. stream: the cudaStream_t that the rank
// computes on. Throws CaseError, also if the others do not come within timeout_s.
[[nodiscard]] std::unique_ptr<DeviceLink> open_nccl_link(void* stream, const std::string& id,
                                                         int rank, int ranks, double timeout_s);

}  // namespace qb
