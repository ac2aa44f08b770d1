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

// In a forward pass it gathers the pair bias if there is one, attends within its rows, exchanges
// parts of them for its columns, attends within those, and exchanges back. A backward pass keeps
// nothing of a forward pass, whose worker lends it the memory of its columns.
class AxialWorker final : public OperatorWorker {
 public:
  // forward: the worker of that pass, in a backward pass, else nullptr. The references must outlive
  // it.
  AxialWorker(const OperatorParts& parts, Pass pass, const AxialTensor& axial,
              const AxialWorker* forward);

  void poison_what_comes() const override;

 private:
  void compute(int round) override {
    pass_ == Pass::forward ? compute_output(round) : compute_gradients(round);
  }
  void compute_output(int round);
  void compute_gradients(int round);
  void pass_columns();
  void pass_rows();

  [[nodiscard]] HeldPart rows(const TensorView& view) const {
    return {axial_.rows_of(index_), view, HeldPart::Order::by_row, problem_.problem.dtype};
  }
  [[nodiscard]] HeldPart columns(const TensorView& view) const {
    return {axial_.columns_of(index_), view, HeldPart::Order::by_column, problem_.problem.dtype};
  }
  // Sends what others get in this round, and copies what it keeps.
  void leave(int round, const HeldPart& from, const HeldPart& to);
  // Copies what came.
  void arrive(int round, const HeldPart& to) const;
  void attend(const MixerArguments& arguments, std::int64_t length, const TensorView& lse = {});
  // Returns the arguments of attention among the tokens of each column.
  [[nodiscard]] MixerArguments among_columns() const {
    return {.q = columns_,
            .k = columns_,
            .v = columns_,
            .scale = arguments_.scale,
            .out = columns_output_};
  }
  // Rows of the pair bias, those of the worker's columns.
  [[nodiscard]] TensorView bias_of(int worker) const;
  [[nodiscard]] TensorView bias_in(const Parcel& parcel) const;

  const AxialTensor& axial_;
  const std::span<const int> changes_;  // by round
  std::vector<Tensor> owned_;
  TensorView columns_;
  TensorView columns_output_;
  TensorView rows_output_;  // this and the next five: of a backward pass
  TensorView d_rows_;
  TensorView d_columns_output_;
  TensorView d_columns_[3];
  TensorView lse_of_rows_;
  TensorView lse_of_columns_;
};

AxialWorker::AxialWorker(const OperatorParts& parts, Pass pass, const AxialTensor& axial,
                         const AxialWorker* forward)
    : OperatorWorker(parts, pass),
      axial_(axial),
      changes_(axial_rounds(pass, problem_.has_pair_bias)) {
  // numbers: of each head of these tokens; 0: as many as outputs have.
  const auto take = [&](DType dtype, const Part& part, const char* label,
                        std::int64_t numbers = 0) {
    Extent extent = arguments_.out.extent;
    extent.length = part.count();
    if (numbers > 0) extent.head_dim = numbers;
    return owned_.emplace_back(memory_, dtype, extent, label, index_).view();
  };
  const Part own_rows = axial_.rows_of(index_);
  const Part own_columns = axial_.columns_of(index_);
  const DType dtype = problem_.problem.dtype;
  if (forward == nullptr) {
    columns_ = take(dtype, own_columns, "columns");
    columns_output_ = take(DType::f32, own_columns, "columns_output");
    return;
  }
  columns_ = forward->columns_;
  columns_output_ = forward->columns_output_;
  rows_output_ = take(DType::f32, own_rows, "rows_output");
  d_rows_ = take(dtype, own_rows, "d_rows");
  d_columns_output_ = take(dtype, own_columns, "d_columns_output");
  for (TensorView& gradient : d_columns_) gradient = take(DType::f32, own_columns, "d_columns");
  lse_of_rows_ = take(DType::f32, own_rows, "lse", 2);
  lse_of_columns_ = take(DType::f32, own_columns, "lse", 2);
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

TensorView AxialWorker::bias_of(int worker) const {
  const Range rows = axial_.columns_of(worker).columns;
  return arguments_.pair_bias.tokens(rows.begin, rows.count());
}

TensorView AxialWorker::bias_in(const Parcel& parcel) const {
  return contiguous_view(parcel.memory->data(), problem_.problem.dtype,
                         bias_of(parcel.from).extent);
}

void AxialWorker::poison_what_comes() const {
  for (int w = 0; problem_.has_pair_bias && w < axial_.workers; ++w)
    if (w != index_) poison(bias_of(w));
}

void AxialWorker::compute_output(int round) {
  if (round == rounds_) return arrive(round - 1, rows(arguments_.out));
  switch (changes_[static_cast<std::size_t>(round)]) {
    case kGatherBias:
      return send(round,
                  [&](const Parcel& out) { device().copy_rows(bias_of(index_), bias_in(out)); });
    case 0:
      for (const Parcel& in : in_)
        if (in.round < round) device().copy_rows(bias_in(in), bias_of(in.from));
      attend(arguments_, axial_.columns);
      return leave(round, rows(arguments_.out), columns(columns_));
    default:
      arrive(round - 1, columns(columns_));
      attend(among_columns(), axial_.rows);
      leave(round, columns(columns_output_), rows(arguments_.out));
  }
}

void AxialWorker::compute_gradients(int round) {
  switch (round) {
    case 0: {
      leave(round, rows(gradients_.d_out), columns(d_columns_output_));
      MixerArguments again = arguments_;  // while dO is on its way
      again.out = rows_output_;
      return attend(again, axial_.columns, lse_of_rows_);
    }
    case 1:
      return leave(round, rows(rows_output_), columns(columns_));
    case 2:
      arrive(0, columns(d_columns_output_));
      arrive(1, columns(columns_));
      pass_columns();
      return leave(round, columns(d_columns_[0]), rows(d_rows_));
    default:
      arrive(2, rows(d_rows_));
      pass_rows();
  }
}

void AxialWorker::pass_columns() {
  const MixerArguments second = among_columns();
  attend(second, axial_.rows, lse_of_columns_);
  timed([&] {
    const auto& [d_q, d_k, d_v] = d_columns_;
    device().attend_lines_backward(second, lse_of_columns_, {d_columns_output_, d_q, d_k, d_v},
                                   axial_.rows, context());
    device().add_rows(d_q, d_k);
    device().add_rows(d_q, d_v);
  });
}

void AxialWorker::pass_rows() {
  timed([&] {
    MixerArguments of_rows = arguments_;
    of_rows.out = rows_output_;
    MixerGradients gradients = gradients_;
    gradients.d_out = d_rows_;
    device().attend_lines_backward(of_rows, lse_of_rows_, gradients, axial_.columns, context());
  });
}

}  // namespace

std::span<const int> axial_rounds(Pass pass, bool has_pair_bias) {
  static constexpr int kForward[] = {kGatherBias, 0, 1};
  static constexpr int kBackward[] = {0, 0, 1};
  if (pass == Pass::backward) return kBackward;
  return std::span(kForward).subspan(has_pair_bias ? 0 : 1);
}

PassWorkers make_axial_workers(const OperatorParts& parts, const AxialTensor& axial) {
  return make_pass_workers<AxialWorker>(parts, axial);
}

}  // namespace qb
