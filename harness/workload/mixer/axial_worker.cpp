// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/axial_worker.h"

#include "harness/verify/verify.h"

namespace qb {

std::span<const int> axial_rounds(Pass pass, bool has_pair_bias) {
  static constexpr int kForward[] = {kGatherBias, 0, 1};
  static constexpr int kBackward[] = {0, 0, 1};
  if (pass == Pass::backward) return kBackward;
  return std::span(kForward).subspan(has_pair_bias ? 0 : 1);
}

Tensor AxialWorker::take(DType dtype, const Part& part, const char* label,
                         std::int64_t numbers) const {
  Extent extent = extent_of(part);
  if (numbers > 0) extent.head_dim = numbers;
  return {memory_, dtype, extent, label, index_};
}

TensorView AxialWorker::Held::in_row(std::int64_t row, const Range& columns) const {
  const std::int64_t r = row - part.rows.begin;
  const std::int64_t c = columns.begin - part.columns.begin;
  return by_column ? view.tokens(c * part.rows.count() + r, columns.count(), part.rows.count())
                   : view.tokens(r * part.columns.count() + c, columns.count());
}

void AxialWorker::copy(const Held& from, const Held& to, const Part& part) const {
  for (std::int64_t row = part.rows.begin; row < part.rows.end; ++row)
    device().copy_rows(from.in_row(row, part.columns), to.in_row(row, part.columns));
}

void AxialWorker::leave(int round, const Held& from, const Held& to) {
  send(round, [&](const Parcel& out) { copy(from, held(out), out.part); });
  copy(from, to, intersection(axial_.rows_of(index_), axial_.columns_of(index_)));
}

void AxialWorker::arrive(int round, const Held& to) const {
  for (const Parcel& in : in_)
    if (in.round == round) copy(held(in), to, in.part);
}

void AxialWorker::attend(const MixerArguments& arguments, std::int64_t length,
                         const TensorView& lse) {
  timed([&] { device().attend_lines(arguments, length, context(), lse); });
}

AxialForward::AxialForward(const MixerProblem& problem, const MixerTensors& tensors,
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

AxialBackward::AxialBackward(const MixerProblem& problem, const MixerTensors& tensors,
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

}  // namespace qb
