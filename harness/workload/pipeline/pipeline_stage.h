// SPDX-License-Identifier: Apache-2.0
// One of the stages that share a stack of layers (harness/plan/pipeline/). A layer is attention of
// a sequence to itself without weights: X' = attention(X, X, X) with the first kv_heads heads of X
// as keys and values, and backwards dX = dQ + dK + dV. A chunk attends to itself and to each chunk
// before it; backwards it adds to the gradients of their keys, which these keep until their turn.
//
// A stage has room for the message of its present unit and of the next one. It computes on while
// gradients leave, and waits for them before it sends the next ones. So what it holds follows from
// its order alone. Memory has these labels, besides what kernels take:
//   activation     what layers read, f32, and the output; of the last layer it is the caller's
//   lse            of a layer, two numbers a row (kernels/lse.h)
//   gradient       of an activation on its way backwards, and the sums of dK and dV of a layer
//   part, delta    of a call
#pragma once

#include <vector>

#include "harness/execute/device/attention_device.h"
#include "harness/execute/transport/transport.h"
#include "harness/plan/pipeline/pipeline_plan.h"
#include "harness/plan/problem.h"

namespace qb {

struct PipelineStack {
  Problem problem;  // of the whole batch, f32, with a causal mask
  PipelinePlan plan;
  Kernel kernel = Kernel::flash;
  int layers = 1;  // of a virtual stage
  std::vector<Range> chunks;

  [[nodiscard]] Extent rows_of(const PipelineUnit& unit) const;
  [[nodiscard]] double flop_of(const PipelineUnit& unit) const;
};

// Tensors of the whole batch, [batch, heads, N, d] f32, contiguous. The first stage reads x and
// writes d_x, and the last one writes y and reads d_y.
struct StackViews {
  TensorView x;
  TensorView y;
  TensorView d_y;
  TensorView d_x;
};

class PipelineStage {
 public:
  struct Times {
    std::vector<double> unit_s{};  // the kernels of each step
    double exposed_s = 0.0;        // waited for messages on their way
    double idle_s = 0.0;           // waited for a stage that was not ready
    double begin_s = 0.0;          // by now_s()
    double end_s = 0.0;
  };

  // The stack and the allocator must outlive it.
  PipelineStage(const PipelineStack& stack, const StackViews& whole, int stage, Allocator& memory)
      : stack_(stack),
        plan_(stack.plan),
        order_(plan_.order[static_cast<std::size_t>(stage)]),
        whole_(whole),
        stage_(stage),
        memory_(memory) {}

  [[nodiscard]] const Times& times() const { return times_; }

  // A run is begin(), a step for each unit of the stage's order, and end().
  void begin(Transport& transport);
  void step(AttentionDevice& device, Transport& transport);
  void end(Transport& transport);

 private:
  struct Message {
    Ticket ticket{};  // none: there is no message
    Tensor tensor{};
  };
  struct Kept {
    std::vector<Tensor> x{};  // the input of each layer, and the output; none where it is whole_'s
    std::vector<Tensor> lse{};
    std::vector<Tensor> d_keys{};  // dK, then dV: [batch, 2 kv_heads, tokens, d]
    Ticket sent{};
  };

  [[nodiscard]] Tensor take(Extent extent, const char* label, std::int64_t width = 0);
  [[nodiscard]] Kept& kept(PipelineUnit unit);  // by its forward unit
  [[nodiscard]] TensorView slice_of(const TensorView& whole, const PipelineUnit& unit) const;
  // The input of a layer; layer `layers` is the output of the last one.
  [[nodiscard]] TensorView x_of(const PipelineUnit& unit, int layer);
  [[nodiscard]] TensorView keys_of(const TensorView& rows, std::int64_t first = 0) const;
  [[nodiscard]] TileSchedule schedule_of(const PipelineUnit& unit, const PipelineUnit& keys) const;

  [[nodiscard]] Message receive(std::size_t index, Transport& transport);
  [[nodiscard]] Ticket send(const PipelineUnit& unit, const TensorView& rows, Transport& transport);
  void wait(Ticket& ticket, Transport& transport);
  void forward(const PipelineUnit& unit, AttentionDevice& device);
  void backward(const PipelineUnit& unit, AttentionDevice& device);
  void differentiate(const PipelineUnit& unit, int layer, const TensorView& d_y,
                     const TensorView& d_x, AttentionDevice& device);

  const PipelineStack& stack_;
  const PipelinePlan& plan_;
  const std::vector<PipelineUnit>& order_;
  const StackViews whole_;
  const int stage_;
  Allocator& memory_;
  std::size_t index_ = 0;     // of the next step
  std::vector<Kept> kept_{};  // by number of the forward unit
  Message in_{};              // of that step
  Message ahead_{};           // of the one after it
  Message out_{};             // the last gradients that were sent
  Tensor gradient_{};         // of this unit's output, then of its input
  Times times_{};
};

}  // namespace qb
