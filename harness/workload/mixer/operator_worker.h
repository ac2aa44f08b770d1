// SPDX-License-Identifier: Apache-2.0
// What the workers of an operator (mixer_share.h) have in common in a pass, whatever they exchange:
// the tensors of consecutive tokens, one part of the sequence or more, and a device.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "harness/plan/pass.h"
#include "harness/run/device/mixer_device.h"
#include "harness/workload/exchange_worker.h"
#include "harness/workload/mixer/mixer_tensors.h"

namespace qb {

// What the workers of an operator at one place are made of; the references must outlive them.
struct OperatorParts {
  const MixerProblem& problem;
  const std::vector<MixerTensors>& tensors;  // of consecutive tokens each
  // The forward pass has the first, and the backward pass, if there is one, the second.
  std::span<const ExchangeMessages> exchanges;
  int index = 0;
  Allocator& memory;
};

class OperatorWorker : public ExchangeWorker {
 public:
  OperatorWorker(const OperatorParts& parts, Pass pass)
      : ExchangeWorker(parts.exchanges[pass == Pass::forward ? 0 : 1], parts.index, parts.memory),
        pass_(pass),
        problem_(parts.problem),
        tensors_(parts.tensors.begin(), parts.tensors.end()),
        arguments_(tensors_.front().arguments()),
        gradients_(tensors_.front().gradients()) {}

  // What the next run computes and sends with. at_end: called when its time has ended.
  void use(MixerDevice& device, int threads, Transport& messages,
           std::function<void(WorkerTime&)> at_end) {
    device_ = &device;
    threads_ = threads;
    ExchangeWorker::use(messages, std::move(at_end));
  }
  // The tensors were filled. Makes what others send unreadable.
  virtual void poison_what_comes() const {}

 protected:
  [[nodiscard]] MixerDevice& device() const { return *device_; }
  [[nodiscard]] KernelContext context() const { return {memory_, threads_, index_}; }

  const Pass pass_;
  const MixerProblem& problem_;
  const std::vector<MixerViews> tensors_;  // by part
  const MixerArguments arguments_;         // of the first part
  const MixerGradients gradients_;

 private:
  MixerDevice* device_ = nullptr;
  int threads_ = 1;
};

// The bytes of a part of a scan that is one block of a state: some heads where the operator is
// causal, and else some rows of every head. gated_delta sends no M with the state of all
// tokens from the first one on, to which no other is appended.
[[nodiscard]] std::int64_t block_bytes(const MixerProblem& problem, const ExchangePlan& plan,
                                       int exchange, const Part& part);

// The forward and the backward worker; the second one needs what the first has.
using PassWorkers = std::pair<std::unique_ptr<OperatorWorker>, std::unique_ptr<OperatorWorker>>;

// Makes them of a class whose constructor takes the parts, the pass, what its workers share, and
// the worker of the forward pass in a backward pass.
template <class Worker, class Shared>
[[nodiscard]] PassWorkers make_pass_workers(const OperatorParts& parts, const Shared& shared) {
  auto first = std::make_unique<Worker>(parts, Pass::forward, shared, nullptr);
  std::unique_ptr<OperatorWorker> second;
  if (parts.exchanges.size() > 1)
    second = std::make_unique<Worker>(parts, Pass::backward, shared, first.get());
  return {std::move(first), std::move(second)};
}

// Makes workers that share states (mixer_worker.cpp), by the plan of each pass. The references must
// outlive them, and those of the next functions.
[[nodiscard]] PassWorkers make_state_workers(const OperatorParts& parts,
                                             std::span<const ExchangePlan> plans);
// Makes workers that exchange tokens for heads of the keys, of which they get these
// (heads_worker.cpp): parts of messages have heads and tokens as rows and columns.
[[nodiscard]] PassWorkers make_heads_workers(const OperatorParts& parts, const Range& heads);
// The type in which they send a tensor of a token, in the order of read() or written().
[[nodiscard]] DType sent_by_heads(const MixerProblem& problem, Pass pass, int round,
                                  std::size_t which, const TensorView& view);

// The change of layout that each round of a pass of axial is, or kGatherBias. Backwards dO goes to
// the columns, then Y, which is made again, and the gradient of Y comes back.
inline constexpr int kGatherBias = -1;  // each worker sends the rows of its columns to all others
[[nodiscard]] std::span<const int> axial_rounds(Pass pass, bool has_pair_bias);

// Makes the workers of axial attention (axial_worker.cpp), which share memory.
[[nodiscard]] PassWorkers make_axial_workers(const OperatorParts& parts, const AxialTensor& axial);

}  // namespace qb
