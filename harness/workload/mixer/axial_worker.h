// SPDX-License-Identifier: Apache-2.0
// One of the workers that share axial attention (harness/plan/axial/). It attends within its rows,
// exchanges parts of them for its columns, attends within those, and exchanges back. Messages have
// the type of the inputs, as activations of a model have. Memory comes from the allocator with
// these labels, all of it when the worker is made, except what the kernels take:
//   q, k, v, output            the tensors of its rows (mixer_tensors.h)
//   columns, columns_output    its columns, one after another
//   message_in, message_out    parts of the tensor, row by row
#pragma once

#include <vector>

#include "harness/plan/axial/axial_plan.h"
#include "harness/workload/mixer/crew_member.h"

namespace qb {

class AxialWorker final : public CrewMember {
 public:
  // The references must outlive it.
  AxialWorker(const MixerProblem& problem, const AxialPlan& plan, int index, Allocator& memory);

  [[nodiscard]] int rounds() const override { return AxialPlan::kRounds; }
  void begin(MixerDevice& device, int threads) override;
  void post(int round, MixerDevice& device, int threads, Transport& transport) override;
  void finish(MixerDevice& device, int threads, Transport& transport) override;

 private:
  // Tokens of the tensor, which follow each other by row or by column.
  struct Held {
    AxialPart part;
    TensorView view;
    bool by_column = false;
    [[nodiscard]] TensorView in_row(std::int64_t row, const Range& columns) const;
  };
  struct Parcel {
    AxialMessage message;
    Tensor memory;
    [[nodiscard]] Held held() const { return {message.part, memory.view()}; }
  };
  static void copy(const Held& from, const Held& to, const AxialPart& part, MixerDevice& device);
  // What it holds before the round, of its inputs or of the output of a pass.
  [[nodiscard]] Held before(int round) const;
  [[nodiscard]] Held after(int round) const;
  void unpack(int round, MixerDevice& device) const;
  void attend(const MixerArguments& arguments, std::int64_t length, MixerDevice& device,
              int threads);

  const AxialPlan& plan_;
  Tensor columns_;
  Tensor columns_output_;
  std::vector<Parcel> in_;
  std::vector<Parcel> out_;
};

}  // namespace qb
