// SPDX-License-Identifier: Apache-2.0
// The workers that share axial attention (harness/plan/exchange/), forwards and backwards. Messages
// have the type of the inputs, as activations of a model and their gradients have. Memory comes
// from the allocator with these labels, all of it when a worker is made, except what the kernels
// take:
//   columns, columns_output      the worker's columns, one after another
//   message_in, message_out      parts of the tensor, row by row, or of the pair bias
// and of a backward pass
//   rows_output, d_rows          Y of its rows, made again, and its gradient
//   lse                          of both
//   d_columns_output, d_columns  dO of its columns, and the gradients of Y as queries, keys, values
#pragma once

#include <span>
#include <vector>

#include "harness/plan/exchange/exchange_plan.h"
#include "harness/plan/pass.h"
#include "harness/workload/mixer/operator_worker.h"

namespace qb {

// The change of layout that each round of a pass is, or kGatherBias. Backwards dO goes to
// the columns, then Y, which is made again, and the gradient of Y comes back.
inline constexpr int kGatherBias = -1;  // each worker sends the rows of its columns to all others
[[nodiscard]] std::span<const int> axial_rounds(Pass pass, bool has_pair_bias);

// What a worker does in both passes.
class AxialWorker : public OperatorWorker {
 protected:
  // The tensors and the references must outlive it.
  AxialWorker(const MixerProblem& problem, const MixerTensors& tensors,
              const ExchangeMessages& exchanges, const AxialTensor& axial, Pass pass, int index,
              Allocator& memory)
      : OperatorWorker(problem, tensors, exchanges, index, memory),
        axial_(axial),
        changes_(axial_rounds(pass, problem.has_pair_bias)) {}

  // Tokens of the tensor, which follow each other by row or by column.
  struct Held {
    Part part;
    TensorView view;
    bool by_column = false;
    [[nodiscard]] TensorView in_row(std::int64_t row, const Range& columns) const;
  };
  [[nodiscard]] Held rows(const TensorView& view) const { return {axial_.rows_of(index_), view}; }
  [[nodiscard]] Held columns(const TensorView& view) const {
    return {axial_.columns_of(index_), view, true};
  }
  [[nodiscard]] Held held(const Parcel& parcel) const {
    return {parcel.part,
            contiguous_view(parcel.memory->data(), problem_.problem.dtype, extent_of(parcel.part))};
  }
  [[nodiscard]] Extent extent_of(const Part& part) const {
    Extent extent = arguments_.out.extent;
    extent.length = part.count();
    return extent;
  }
  // `numbers` of each head of these tokens; 0: as many as outputs have.
  [[nodiscard]] Tensor take(DType dtype, const Part& part, const char* label,
                            std::int64_t numbers = 0) const;
  [[nodiscard]] Tensor take_rows(DType dtype, const char* label, std::int64_t numbers = 0) const {
    return take(dtype, axial_.rows_of(index_), label, numbers);
  }
  [[nodiscard]] Tensor take_columns(DType dtype, const char* label,
                                    std::int64_t numbers = 0) const {
    return take(dtype, axial_.columns_of(index_), label, numbers);
  }

  // Sends what others get in this round, and copies what it keeps.
  void leave(int round, const Held& from, const Held& to);
  // Copies what came.
  void arrive(int round, const Held& to) const;
  void attend(const MixerArguments& arguments, std::int64_t length, const TensorView& lse = {});
  // Returns the arguments of attention among the tokens of each column.
  [[nodiscard]] MixerArguments among_columns(const TensorView& y, const TensorView& out) const {
    return {.q = y, .k = y, .v = y, .scale = arguments_.scale, .out = out};
  }

  const AxialTensor& axial_;
  const std::span<const int> changes_;  // by round

 private:
  void copy(const Held& from, const Held& to, const Part& part) const;
};

// It gathers the pair bias if there is one, attends within its rows, exchanges parts of them for
// its columns, attends within those, and exchanges back.
class AxialForward final : public AxialWorker {
 public:
  AxialForward(const MixerProblem& problem, const MixerTensors& tensors,
               const ExchangeMessages& exchanges, const AxialTensor& axial, int index,
               Allocator& memory);

  [[nodiscard]] const TensorView& columns_in() const { return columns_.view(); }
  [[nodiscard]] const TensorView& columns_out() const { return columns_output_.view(); }

  void poison_what_comes() const override;

 private:
  void compute(int round) override;
  // Rows of the pair bias, those of the worker's columns.
  [[nodiscard]] TensorView bias_of(int worker) const;
  [[nodiscard]] TensorView bias_in(const Parcel& parcel) const;

  const Tensor columns_;
  const Tensor columns_output_;
};

// It keeps nothing of a forward pass, whose worker lends it the memory of its columns.
class AxialBackward final : public AxialWorker {
 public:
  AxialBackward(const MixerProblem& problem, const MixerTensors& tensors,
                const ExchangeMessages& exchanges, const AxialTensor& axial, int index,
                Allocator& memory, const AxialForward& forward);

 private:
  void compute(int round) override;
  void pass_columns();
  void pass_rows();

  const TensorView columns_;
  const TensorView columns_output_;
  const Tensor rows_output_;
  const Tensor d_rows_;
  const Tensor d_columns_output_;
  const Tensor d_columns_[3];
  const Tensor lse_of_rows_;
  const Tensor lse_of_columns_;
};

}  // namespace qb
