// SPDX-License-Identifier: Apache-2.0
// For tests under mpirun: fake GPUs of several processes, and MPI in place of NCCL between them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/run/testing/fake_link.h"
#include "harness/run/transport/mpi_world.h"

namespace qb {

// Replaces NCCL: a group's transfers are MPI messages between the memories of fake GPUs.
class MpiLink final : public DeviceLink {
 public:
  MpiLink(int rank, int ranks, double timeout_s)
      : rank_(rank), ranks_(ranks), timeout_s_(timeout_s) {}

  int enqueue(std::span<const DeviceLink::Part> parts,
              const std::function<void()>& patience) override {
    patience();
    std::vector<Ticket>& group = groups_.emplace_back();
    // Messages between two ranks keep their order.
    for (const DeviceLink::Part& part : parts) {
      const std::span<std::byte> bytes(static_cast<std::byte*>(to_host(part.data)), part.bytes);
      group.push_back(part.outgoing ? transport_->send({rank_, part.peer, 0}, bytes)
                                    : transport_->receive({part.peer, rank_, 0}, bytes));
    }
    return static_cast<int>(groups_.size()) - 1;
  }
  void hold_back(int group) override {
    for (int g = 0; g <= group; ++g) (void)has_ended(g);
  }
  bool has_ended(int group) override {
    for (const Ticket& ticket : groups_[static_cast<std::size_t>(group)])
      (void)transport_->wait(ticket);
    groups_[static_cast<std::size_t>(group)].clear();
    return true;
  }
  double seconds(int) const override { return 1.0; }
  void check() override {}
  void abort() noexcept override {}
  void forget_groups() override {
    groups_.clear();
    // It cannot be made earlier: the first transport between the others needs the idle ranks.
    if (!transport_) transport_ = MpiWorld::current()->make_transport(ranks_, timeout_s_);
  }

 private:
  const int rank_;
  const int ranks_;
  const double timeout_s_;
  std::unique_ptr<WorkerTeam> transport_;
  std::vector<std::vector<Ticket>> groups_;
};

class GpuOfARank final : public FakeGpu {
 public:
  explicit GpuOfARank(std::string id, std::string name = "a GPU") {
    facts_.id = std::move(id);
    facts_.name = std::move(name);
  }
  [[nodiscard]] std::unique_ptr<DeviceLink> open_link(const std::string& id, int rank, int ranks,
                                                      double timeout_s) override {
    if (id != "fake") throw std::logic_error("the id was changed on its way");
    return std::make_unique<MpiLink>(rank, ranks, timeout_s);
  }
};

}  // namespace qb
