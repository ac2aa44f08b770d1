// The two ways in which the device executor plays a plan; private to it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "harness/execute/player/device_executor.h"
#include "harness/plan/blocks.h"

namespace qb {

struct DeviceExecutor::Player {
  virtual ~Player() = default;
  virtual Execution run() = 0;
};

// flash: launches that read the original tensors.
class DeviceExecutor::Rounds final : public DeviceExecutor::Player {
 public:
  Rounds(const Plan& plan, const DeviceArguments& arguments, ComputeDevice& device);
  Execution run() override;

 private:
  // Calls of one launch, and whose time it is.
  struct Round {
    int worker = 0;  // alone
    std::size_t step = 0;
    std::vector<cuda::GroupedWorker> workers;
    std::vector<std::unique_ptr<TileSchedule>> schedules;
    std::unique_ptr<PreparedCall> prepared;
  };

  void add_worker(int index);
  Round& round_of(int worker, std::size_t step);
  [[nodiscard]] std::unique_ptr<PreparedCall> prepare(const Round& round) const;
  [[nodiscard]] bool clears_first() const { return rounds_.size() != 1; }
  void enqueue(Stopwatch* watch, Execution& execution);

  const Plan& plan_;
  const DeviceArguments arguments_;
  ComputeDevice& device_;
  std::vector<Round> rounds_;
  bool keeps_prepared_ = false;
  std::function<void()> replay_;  // graph
};

// Other kernels: each worker computes with copies of its rows.
class DeviceExecutor::Shards final : public DeviceExecutor::Player {
 public:
  Shards(const Plan& plan, const DeviceArguments& arguments, ComputeDevice& device)
      : plan_(plan), arguments_(arguments), device_(device) {}
  Execution run() override;

 private:
  struct Held {
    Tensor first;   // Q, or K
    Tensor second;  // V
  };
  struct Partial {
    Block block;
    Tensor out;
    Tensor lse;
  };
  class Turn;

  void play_in_place(Stopwatch& watch, Execution& execution);

  const Plan& plan_;
  const DeviceArguments arguments_;
  ComputeDevice& device_;
  std::vector<char> written_;  // q groups of which the output holds something
};

}  // namespace qb
