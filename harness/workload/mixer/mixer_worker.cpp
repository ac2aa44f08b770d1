// SPDX-License-Identifier: Apache-2.0
// One of the workers that share an operator: it holds consecutive tokens, makes their state, takes
// part in the rounds of a scan (harness/plan/exchange/), and then computes the output of its
// tokens. Where workers exchange two states (nystrom), the rounds of the first come before it makes
// the second. One worker alone has no rounds. Memory comes from the allocator with these labels,
// all of it when the worker is made, except what the kernels take:
//   state, state_joined           of its own tokens, and of all that it needs
//   message_in, message_out       blocks of states: parts of matrices, then of their vectors

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/workload/mixer/operator_worker.h"

namespace qb {
namespace {

bool is_causal(const ExchangePlan& plan) { return plan.kind == PartKind::states; }

Range block_of(const Extent& whole, const ExchangePlan& plan, std::int64_t block) {
  return part_of(is_causal(plan) ? whole.heads : whole.length, blocks_of(plan),
                 static_cast<int>(block));
}

MixerStateExtents extents_of(const MixerProblem& problem, int exchange) {
  return mixer_state_extents(problem.of_exchange(exchange), problem.shape(1));
}

class MixerWorker final : public OperatorWorker {
 public:
  // The references must outlive it.
  MixerWorker(const MixerProblem& problem, const MixerTensors& tensors,
              const ExchangeMessages& exchanges, const ExchangePlan& plan, int index,
              Allocator& memory);

 private:
  void compute(int round) override;
  struct OwnState {
    Tensor matrix{};
    Tensor vector{};
    [[nodiscard]] MixerState view() const { return {matrix.view(), vector.view()}; }
  };
  struct Exchange {
    OwnState own{};
    OwnState joined{};
  };
  [[nodiscard]] MixerState part_of_state(const MixerState& state, std::int64_t block) const;
  [[nodiscard]] MixerState in_message(const Parcel& parcel) const;
  // The tensors, with what earlier exchanges gave.
  [[nodiscard]] MixerArguments arguments(int exchange) const;
  void make_state(int exchange);
  void end_pass();
  // Makes the state that the worker needs of those that came.
  void join(int exchange) const;
  // to := the part, which is one block.
  void combine(int exchange, const Part& part, const MixerState& to) const;

  const ExchangePlan& plan_;
  std::vector<Exchange> exchanges_;  // none of one worker
};

MixerWorker::MixerWorker(const MixerProblem& problem, const MixerTensors& tensors,
                         const ExchangeMessages& exchanges, const ExchangePlan& plan, int index,
                         Allocator& memory)
    : OperatorWorker(problem, tensors, exchanges, index, memory), plan_(plan) {
  for (int e = 0; e < std::ssize(exchanges); ++e) {
    const MixerStateExtents of = extents_of(problem_, e);
    const auto state = [&](const char* label) {
      return OwnState{Tensor(memory_, DType::f32, of.matrix, label, index_),
                      Tensor(memory_, DType::f32, of.vector, label, index_)};
    };
    exchanges_.push_back({state("state"), state("state_joined")});
  }
}

MixerState MixerWorker::part_of_state(const MixerState& state, std::int64_t block) const {
  const auto part = [&](const TensorView& whole) {
    const Range range = block_of(whole.extent, plan_, block);
    return is_causal(plan_) ? whole.heads(range.begin, range.count())
                            : whole.tokens(range.begin, range.count());
  };
  return {part(state.matrix), part(state.vector)};
}

MixerState MixerWorker::in_message(const Parcel& parcel) const {
  const MixerState like = part_of_state(
      exchanges_[static_cast<std::size_t>(parcel.tensor)].own.view(), parcel.part.columns.begin);
  auto* const data = parcel.memory->as<float>();
  return {contiguous_view(data, DType::f32, like.matrix.extent),
          contiguous_view(data + like.matrix.extent.elements(), DType::f32, like.vector.extent)};
}

MixerArguments MixerWorker::arguments(int exchange) const {
  MixerArguments arguments = arguments_;
  if (exchange > 0) {
    const MixerState landmarks = exchanges_.front().joined.view();
    arguments.q_landmarks = landmarks.matrix;
    arguments.k_landmarks = landmarks.vector;
  }
  return arguments;
}

void MixerWorker::make_state(int exchange) {
  timed([&] {
    device().mix_state(problem_.of_exchange(exchange), arguments(exchange), context(),
                       exchanges_[static_cast<std::size_t>(exchange)].own.view());
  });
}

void MixerWorker::combine(int exchange, const Part& part, const MixerState& to) const {
  const Exchange& of = exchanges_[static_cast<std::size_t>(exchange)];
  std::vector<Range> held = {{index_, index_ + 1}};
  for (const Parcel& in : in_)
    if (in.tensor == exchange && in.part.columns == part.columns) held.push_back(in.part.rows);
  TensorView a = arguments_.a;
  if (a.data != nullptr) {
    const Range heads = block_of(a.extent, plan_, part.columns.begin);
    a = a.heads(heads.begin, heads.count());
  }
  bool appends = false;
  for (const Range& piece : pieces_of(part.rows, held)) {
    const auto came = std::ranges::find_if(in_, [&](const Parcel& in) {
      return in.tensor == exchange && in.part == Part{piece, part.columns};
    });
    const MixerState from =
        came == in_.end() ? part_of_state(of.own.view(), part.columns.begin) : in_message(*came);
    if (appends) {
      device().append_state(problem_.of_exchange(exchange), to, from, a);
    } else {
      device().copy_rows(from.matrix, to.matrix);
      device().copy_rows(from.vector, to.vector);
    }
    appends = true;
  }
}

void MixerWorker::join(int exchange) const {
  const MixerState joined = exchanges_[static_cast<std::size_t>(exchange)].joined.view();
  const Part& wanted = plan_.wanted_by(index_).front();
  for (std::int64_t block = 0; block < wanted.columns.end; ++block)
    combine(exchange, {wanted.rows, {block, block + 1}}, part_of_state(joined, block));
}

void MixerWorker::compute(int round) {
  if (round == rounds_) return end_pass();
  const int exchange = round / plan_.rounds();
  if (round % plan_.rounds() == 0) {
    if (exchange > 0) join(exchange - 1);
    make_state(exchange);
  }
  send(round, [&](const Parcel& out) { combine(exchange, out.part, in_message(out)); });
}

void MixerWorker::end_pass() {
  const int last = static_cast<int>(exchanges_.size()) - 1;
  const bool needs_others = plan_.wanted_by(index_).front().rows.count() > 0;
  if (needs_others) join(last);
  timed([&] {
    if (needs_others && !is_causal(plan_))
      return device().attend_state(problem_.of_exchange(last), arguments(last), context(),
                                   exchanges_.back().joined.view());
    const MixerState before = needs_others ? exchanges_.back().joined.view() : MixerState{};
    device().mix(problem_.options, arguments_, context(), needs_others ? &before : nullptr);
  });
}

}  // namespace

std::int64_t block_bytes(const MixerProblem& problem, const ExchangePlan& plan, int exchange,
                         std::int64_t block) {
  const MixerStateExtents of = extents_of(problem, exchange);
  std::int64_t elements = 0;
  for (const Extent& whole : {of.matrix, of.vector})
    elements += whole.elements() / (is_causal(plan) ? whole.heads : whole.length) *
                block_of(whole, plan, block).count();
  return elements * size_of(DType::f32);
}

std::unique_ptr<OperatorWorker> make_state_worker(const MixerProblem& problem,
                                                  const MixerTensors& tensors,
                                                  const ExchangeMessages& exchanges,
                                                  const ExchangePlan& plan, int index,
                                                  Allocator& memory) {
  return std::make_unique<MixerWorker>(problem, tensors, exchanges, plan, index, memory);
}

}  // namespace qb
