// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/axial_worker.h"

#include "base/clock.h"

namespace qb {

AxialWorker::AxialWorker(const MixerProblem& problem, const AxialPlan& plan, int index,
                         Allocator& memory)
    : CrewMember(problem, plan.tokens(index), index, memory), plan_(plan) {
  const DType dtype = problem.problem.dtype;
  const auto take = [&](DType type, const AxialPart& part, const char* label) {
    Extent extent = tensors_.arguments().out.extent;
    extent.length = part.count();
    return Tensor(memory, type, extent, label, index);
  };
  columns_ = take(dtype, plan.held(index, 1), "columns");
  columns_output_ = take(DType::f32, plan.held(index, 1), "columns_output");
  for (const AxialMessage& m : plan.messages) {
    if (m.from == index) out_.push_back({m, take(dtype, m.part, "message_out")});
    if (m.to != index) continue;
    in_.push_back({m, take(dtype, m.part, "message_in")});
    expect(m.from, m.round, bytes_of(in_.back().memory.view()));
  }
}

TensorView AxialWorker::Held::in_row(std::int64_t row, const Range& columns) const {
  const std::int64_t r = row - part.rows.begin;
  const std::int64_t c = columns.begin - part.columns.begin;
  return by_column ? view.tokens(c * part.rows.count() + r, columns.count(), part.rows.count())
                   : view.tokens(r * part.columns.count() + c, columns.count());
}

void AxialWorker::copy(const Held& from, const Held& to, const AxialPart& part,
                       MixerDevice& device) {
  for (std::int64_t row = part.rows.begin; row < part.rows.end; ++row)
    device.copy_rows(from.in_row(row, part.columns), to.in_row(row, part.columns));
}

AxialWorker::Held AxialWorker::before(int round) const {
  if (round == 1) return {plan_.held(index_, 1), columns_output_.view(), true};
  return {plan_.held(index_, 0), tensors_.arguments().out};
}

AxialWorker::Held AxialWorker::after(int round) const {
  return round == 0 ? Held{plan_.held(index_, 1), columns_.view(), true} : before(0);
}

void AxialWorker::attend(const MixerArguments& arguments, std::int64_t length, MixerDevice& device,
                         int threads) {
  const double start_s = now_s();
  device.attend_lines(arguments, length, context(threads));
  times_.mix_s = now_s() - start_s;
  times_.compute_s += times_.mix_s;
}

void AxialWorker::begin(MixerDevice& device, int threads) {
  times_ = {.begin_s = now_s()};
  attend(tensors_.arguments(), plan_.columns, device, threads);
}

void AxialWorker::unpack(int round, MixerDevice& device) const {
  for (const Parcel& parcel : in_)
    if (parcel.message.round == round)
      copy(parcel.held(), after(round), parcel.message.part, device);
}

void AxialWorker::post(int round, MixerDevice& device, int threads, Transport& transport) {
  if (round == 1) {
    unpack(0, device);
    attend({.q = columns_.view(),
            .k = columns_.view(),
            .v = columns_.view(),
            .scale = tensors_.arguments().scale,
            .out = columns_output_.view()},
           plan_.rows, device, threads);
  }
  for (const Parcel& parcel : out_) {
    if (parcel.message.round != round) continue;
    copy(before(round), parcel.held(), parcel.message.part, device);
    send(parcel.message.to, round, bytes_of(parcel.memory.view()), transport);
  }
  copy(before(round), after(round), {plan_.held(index_, 0).rows, plan_.held(index_, 1).columns},
       device);
}

void AxialWorker::finish(MixerDevice& device, int /*threads*/, Transport& transport) {
  unpack(1, device);
  end(transport);
}

}  // namespace qb
