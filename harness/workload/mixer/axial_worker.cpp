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

#include <span>
#include <utility>
#include <vector>

#include "harness/verify/verify.h"
#include "harness/workload/held_part.h"
#include "harness/workload/mixer/operator_worker.h"

namespace qb {

namespace {

// What a worker does in both passes.
class AxialWorker : public OperatorWorker {
 protected:
  // The tensors and the references must outlive it.
  AxialWorker(const MixerProblem& problem, const std::vector<MixerTensors>& tensors,
              const ExchangeMessages& exchanges, const AxialTensor& axial, Pass pass, int index,
              Allocator& memory)
      : OperatorWorker(problem, tensors, exchanges, index, memory),
        axial_(axial),
        changes_(axial_rounds(pass, problem.has_pair_bias)) {}

  [[nodiscard]] HeldPart rows(const TensorView& view) const {
    return {axial_.rows_of(index_), view, HeldPart::Order::by_row, problem_.problem.dtype};
  }
  [[nodiscard]] HeldPart columns(const TensorView& view) const {
    return {axial_.columns_of(index_), view, HeldPart::Order::by_column, problem_.problem.dtype};
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
  void leave(int round, const HeldPart& from, const HeldPart& to);
  // Copies what came.
  void arrive(int round, const HeldPart& to) const;
  void attend(const MixerArguments& arguments, std::int64_t length, const TensorView& lse = {});
  // Returns the arguments of attention among the tokens of each column.
  [[nodiscard]] MixerArguments among_columns(const TensorView& y, const TensorView& out) const {
    return {.q = y, .k = y, .v = y, .scale = arguments_.scale, .out = out};
  }

  const AxialTensor& axial_;
  const std::span<const int> changes_;  // by round
};

// It gathers the pair bias if there is one, attends within its rows, exchanges parts of them for
// its columns, attends within those, and exchanges back.
class AxialForward final : public AxialWorker {
 public:
  AxialForward(const MixerProblem& problem, const std::vector<MixerTensors>& tensors,
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
  AxialBackward(const MixerProblem& problem, const std::vector<MixerTensors>& tensors,
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

Tensor AxialWorker::take(DType dtype, const Part& part, const char* label,
                         std::int64_t numbers) const {
  Extent extent = extent_of(part);
  if (numbers > 0) extent.head_dim = numbers;
  return {memory_, dtype, extent, label, index_};
}

void AxialWorker::leave(int round, const HeldPart& from, const HeldPart& to) {
  send(round, [&](const Parcel& out) {
    (void)pack_part(device(), {from}, out.part, out.memory->as<std::byte>(), true);
  });
  copy_part(device(), from, to, intersection(axial_.rows_of(index_), axial_.columns_of(index_)));
}

void AxialWorker::arrive(int round, const HeldPart& to) const {
  for (const Parcel& in : in_)
    if (in.round == round)
      (void)pack_part(device(), {to}, in.part, in.memory->as<std::byte>(), false);
}

void AxialWorker::attend(const MixerArguments& arguments, std::int64_t length,
                         const TensorView& lse) {
  timed([&] { device().attend_lines(arguments, length, context(), lse); });
}

AxialForward::AxialForward(const MixerProblem& problem, const std::vector<MixerTensors>& tensors,
                           const ExchangeMessages& exchanges, const AxialTensor& axial, int index,
                           Allocator& memory)
    : AxialWorker(problem, tensors, exchanges, axial, Pass::forward, index, memory),
      columns_(take_columns(problem.problem.dtype, "columns")),
      columns_output_(take_columns(DType::f32, "columns_output")) {}

TensorView AxialForward::bias_of(int worker) const {
  const Range rows = axial_.columns_of(worker).columns;
  return arguments_.pair_bias.tokens(rows.begin, rows.count());
}

TensorView AxialForward::bias_in(const Parcel& parcel) const {
  return contiguous_view(parcel.memory->data(), problem_.problem.dtype,
                         bias_of(parcel.from).extent);
}

void AxialForward::poison_what_comes() const {
  for (int w = 0; problem_.has_pair_bias && w < axial_.workers; ++w)
    if (w != index_) poison(bias_of(w));
}

void AxialForward::compute(int round) {
  if (round == rounds_) return arrive(round - 1, rows(arguments_.out));
  switch (changes_[static_cast<std::size_t>(round)]) {
    case kGatherBias:
      return send(round,
                  [&](const Parcel& out) { device().copy_rows(bias_of(index_), bias_in(out)); });
    case 0:
      for (const Parcel& in : in_)
        if (in.round < round) device().copy_rows(bias_in(in), bias_of(in.from));
      attend(arguments_, axial_.columns);
      return leave(round, rows(arguments_.out), columns(columns_.view()));
    default:
      arrive(round - 1, columns(columns_.view()));
      attend(among_columns(columns_.view(), columns_output_.view()), axial_.rows);
      leave(round, columns(columns_output_.view()), rows(arguments_.out));
  }
}

AxialBackward::AxialBackward(const MixerProblem& problem, const std::vector<MixerTensors>& tensors,
                             const ExchangeMessages& exchanges, const AxialTensor& axial, int index,
                             Allocator& memory, const AxialForward& forward)
    : AxialWorker(problem, tensors, exchanges, axial, Pass::backward, index, memory),
      columns_(forward.columns_in()),
      columns_output_(forward.columns_out()),
      rows_output_(take_rows(DType::f32, "rows_output")),
      d_rows_(take_rows(problem.problem.dtype, "d_rows")),
      d_columns_output_(take_columns(problem.problem.dtype, "d_columns_output")),
      d_columns_{take_columns(DType::f32, "d_columns"), take_columns(DType::f32, "d_columns"),
                 take_columns(DType::f32, "d_columns")},
      lse_of_rows_(take_rows(DType::f32, "lse", 2)),
      lse_of_columns_(take_columns(DType::f32, "lse", 2)) {}

void AxialBackward::compute(int round) {
  switch (round) {
    case 0: {
      leave(round, rows(gradients_.d_out), columns(d_columns_output_.view()));
      MixerArguments again = arguments_;  // while dO is on its way
      again.out = rows_output_.view();
      return attend(again, axial_.columns, lse_of_rows_.view());
    }
    case 1:
      return leave(round, rows(rows_output_.view()), columns(columns_));
    case 2:
      arrive(0, columns(d_columns_output_.view()));
      arrive(1, columns(columns_));
      pass_columns();
      return leave(round, columns(d_columns_[0].view()), rows(d_rows_.view()));
    default:
      arrive(2, rows(d_rows_.view()));
      pass_rows();
  }
}

void AxialBackward::pass_columns() {
  const MixerArguments second = among_columns(columns_, columns_output_);
  attend(second, axial_.rows, lse_of_columns_.view());
  timed([&] {
    const auto& [d_q, d_k, d_v] = d_columns_;
    device().attend_lines_backward(second, lse_of_columns_.view(),
                                   {d_columns_output_.view(), d_q.view(), d_k.view(), d_v.view()},
                                   axial_.rows, context());
    device().add_rows(d_q.view(), d_k.view());
    device().add_rows(d_q.view(), d_v.view());
  });
}

void AxialBackward::pass_rows() {
  timed([&] {
    MixerArguments of_rows = arguments_;
    of_rows.out = rows_output_.view();
    MixerGradients gradients = gradients_;
    gradients.d_out = d_rows_.view();
    device().attend_lines_backward(of_rows, lse_of_rows_.view(), gradients, axial_.columns,
                                   context());
  });
}

}  // namespace

std::span<const int> axial_rounds(Pass pass, bool has_pair_bias) {
  static constexpr int kForward[] = {kGatherBias, 0, 1};
  static constexpr int kBackward[] = {0, 0, 1};
  if (pass == Pass::backward) return kBackward;
  return std::span(kForward).subspan(has_pair_bias ? 0 : 1);
}

PassWorkers make_axial_workers(const MixerProblem& problem,
                               const std::vector<MixerTensors>& tensors,
                               const ExchangeMessages& forward, const ExchangeMessages* backward,
                               const AxialTensor& axial, int index, Allocator& memory) {
  auto first = std::make_unique<AxialForward>(problem, tensors, forward, axial, index, memory);
  std::unique_ptr<OperatorWorker> second;
  if (backward != nullptr)
    second =
        std::make_unique<AxialBackward>(problem, tensors, *backward, axial, index, memory, *first);
  return {std::move(first), std::move(second)};
}

}  // namespace qb
