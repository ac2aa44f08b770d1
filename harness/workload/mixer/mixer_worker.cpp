// SPDX-License-Identifier: Apache-2.0
// One of the workers that share an operator: it holds one part of the sequence or two, makes their
// states, takes part in the rounds of a scan (harness/plan/exchange/), and then computes the output
// of its tokens. A backward pass does so with gradients of states, for parts in reverse, and reads
// the states that the forward pass had. Where workers exchange two states (nystrom), the rounds of
// the first come before it makes the second. One worker alone has no rounds. Memory comes from the
// allocator with these labels, all of it when the worker is made, except what the kernels take:
//   state, state_joined           of its own tokens, and of all that they need, of each part
//   message_in, message_out       blocks of states: parts of matrices, then of their vectors

#include <algorithm>
#include <optional>
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

// Where a state is of all tokens from the first one on, gated_delta needs its matrix S alone; M is
// as large.
bool is_whole(const MixerProblem& problem, const Part& part) {
  return problem.options.kind == Mixer::gated_delta && part.rows.begin == 0;
}

MixerStateExtents extents_of(const MixerProblem& problem, int exchange) {
  return mixer_state_extents(problem.of_exchange(exchange), problem.shape(1));
}

class MixerWorker final : public OperatorWorker {
 public:
  // plans: of each pass. forward: the worker of that pass, in a backward pass, else nullptr. The
  // references must outlive it.
  MixerWorker(const OperatorParts& parts, Pass pass, std::span<const ExchangePlan> plans,
              const MixerWorker* forward);

 private:
  void compute(int round) override;
  struct OwnState {
    Tensor matrix{};
    Tensor vector{};
    [[nodiscard]] MixerState view() const { return {matrix.view(), vector.view()}; }
  };
  struct Exchange {  // by part, in the order of the plan
    std::vector<OwnState> own{};
    std::vector<OwnState> joined{};
  };
  [[nodiscard]] MixerState part_of_state(const MixerState& state, std::int64_t block) const;
  [[nodiscard]] MixerState in_message(const Parcel& parcel) const;
  // The place among the tensors of a part of the plan.
  [[nodiscard]] std::size_t of_tensors(std::size_t part) const {
    return forward_ == nullptr ? part : tensors_.size() - 1 - part;
  }
  // The state of all tokens that the part needs, if there are any.
  [[nodiscard]] std::optional<MixerState> joined(std::size_t part) const;
  // The tensors, with what earlier exchanges gave.
  [[nodiscard]] MixerArguments arguments(std::size_t part, int exchange) const;
  void make_state(std::size_t part, int exchange);
  void end_pass(std::size_t part);
  // Makes the states that the worker needs of those that came.
  void join(int exchange) const;
  // to := the part, which is one block, of what came before the round.
  void combine(int exchange, const Part& part, int round, const MixerState& to) const;

  const ExchangePlan& plan_;
  const MixerWorker* const forward_;
  std::vector<Exchange> exchanges_;  // none of one worker
};

MixerWorker::MixerWorker(const OperatorParts& parts, Pass pass, std::span<const ExchangePlan> plans,
                         const MixerWorker* forward)
    : OperatorWorker(parts, pass), plan_(plans[pass == Pass::forward ? 0 : 1]), forward_(forward) {
  const std::size_t n = parts.exchanges[pass == Pass::forward ? 0 : 1].size();
  for (int e = 0; std::cmp_less(e, n); ++e) {
    const MixerStateExtents of = extents_of(problem_, e);
    const auto state = [&](const char* label) {
      return OwnState{Tensor(memory_, DType::f32, of.matrix, label, index_),
                      Tensor(memory_, DType::f32, of.vector, label, index_)};
    };
    Exchange& exchange = exchanges_.emplace_back();
    for (std::size_t part = 0; part < tensors_.size(); ++part) {
      exchange.own.push_back(state("state"));
      exchange.joined.push_back(state("state_joined"));
    }
  }
}

MixerState MixerWorker::part_of_state(const MixerState& state, std::int64_t block) const {
  const auto part = [&](const TensorView& whole) {
    const Range range = block_of(whole.extent, plan_, block);
    return is_causal(plan_) ? whole.heads(range.begin, range.count())
                            : whole.tokens(range.begin, range.count());
  };
  return {part(state.matrix), state.vector.data == nullptr ? TensorView{} : part(state.vector)};
}

MixerState MixerWorker::in_message(const Parcel& parcel) const {
  const MixerState like =
      part_of_state(exchanges_[static_cast<std::size_t>(parcel.tensor)].own.front().view(),
                    parcel.part.columns.begin);
  auto* const data = parcel.memory->as<float>();
  MixerState state{contiguous_view(data, DType::f32, like.matrix.extent), {}};
  if (!is_whole(problem_, parcel.part))
    state.vector =
        contiguous_view(data + like.matrix.extent.elements(), DType::f32, like.vector.extent);
  return state;
}

std::optional<MixerState> MixerWorker::joined(std::size_t part) const {
  if (exchanges_.empty() || plan_.wanted_by(index_)[part].rows.count() == 0) return std::nullopt;
  return exchanges_.back().joined[part].view();
}

MixerArguments MixerWorker::arguments(std::size_t part, int exchange) const {
  MixerArguments arguments = tensors_[of_tensors(part)].arguments();
  if (exchange > 0) {
    const MixerState landmarks = exchanges_.front().joined[part].view();
    arguments.q_landmarks = landmarks.matrix;
    arguments.k_landmarks = landmarks.vector;
  }
  return arguments;
}

void MixerWorker::make_state(std::size_t part, int exchange) {
  const MixerState own = exchanges_[static_cast<std::size_t>(exchange)].own[part].view();
  timed([&] {
    if (forward_ == nullptr)
      return device().mix_state(problem_.of_exchange(exchange), arguments(part, exchange),
                                context(), own);
    const std::size_t there = of_tensors(part);
    const std::optional<MixerState> before = forward_->joined(there);
    device().mix_state_backward(
        problem_.options, arguments(part, exchange), tensors_[there].gradients().d_out, context(),
        before ? &*before : nullptr, forward_->exchanges_.back().own[there].view(), own);
  });
}

void MixerWorker::combine(int exchange, const Part& part, int round, const MixerState& to) const {
  const Exchange& of = exchanges_[static_cast<std::size_t>(exchange)];
  const std::vector<Part>& own = plan_.held_by(index_);
  const auto is_there = [&](const Parcel& in) {
    return in.tensor == exchange && in.part.columns == part.columns && in.round < round;
  };
  std::vector<Range> held;
  for (const Part& one : own) held.push_back(one.rows);
  for (const Parcel& in : in_)
    if (is_there(in)) held.push_back(in.part.rows);
  TensorView a = arguments_.a;
  if (a.data != nullptr) {
    const Range heads = block_of(a.extent, plan_, part.columns.begin);
    a = a.heads(heads.begin, heads.count());
  }
  bool appends = false;
  for (const Range& piece : pieces_of(part.rows, held)) {
    const auto came = std::ranges::find_if(
        in_, [&](const Parcel& in) { return is_there(in) && in.part.rows == piece; });
    const auto at = std::ranges::find(own, piece, &Part::rows) - own.begin();
    const MixerState from =
        came == in_.end()
            ? part_of_state(of.own[static_cast<std::size_t>(at)].view(), part.columns.begin)
            : in_message(*came);
    if (appends) {
      device().append_state(problem_.of_exchange(exchange), to, from, a);
    } else {
      device().copy_rows(from.matrix, to.matrix);
      if (to.vector.data != nullptr) device().copy_rows(from.vector, to.vector);
    }
    appends = true;
  }
}

void MixerWorker::join(int exchange) const {
  for (std::size_t part = 0; part < tensors_.size(); ++part) {
    MixerState joined = exchanges_[static_cast<std::size_t>(exchange)].joined[part].view();
    const Part& wanted = plan_.wanted_by(index_)[part];
    if (is_whole(problem_, wanted)) joined.vector = {};
    for (std::int64_t block = 0; block < wanted.columns.end; ++block)
      combine(exchange, {wanted.rows, {block, block + 1}}, rounds_, part_of_state(joined, block));
  }
}

void MixerWorker::compute(int round) {
  if (round == rounds_) {
    if (rounds_ > 0) join(static_cast<int>(exchanges_.size()) - 1);
    for (std::size_t part = 0; part < tensors_.size(); ++part) end_pass(part);
    return;
  }
  const int exchange = round / plan_.rounds();
  if (round % plan_.rounds() == 0) {
    if (exchange > 0) join(exchange - 1);
    for (std::size_t part = 0; part < tensors_.size(); ++part) make_state(part, exchange);
  }
  send(round, [&](const Parcel& out) { combine(exchange, out.part, out.round, in_message(out)); });
}

void MixerWorker::end_pass(std::size_t part) {
  const std::optional<MixerState> others = joined(part);
  timed([&] {
    if (others && !is_causal(plan_)) {
      const int last = static_cast<int>(exchanges_.size()) - 1;
      return device().attend_state(problem_.of_exchange(last), arguments(part, last), context(),
                                   *others);
    }
    const auto pointer = [](const std::optional<MixerState>& state) {
      return state ? &*state : nullptr;
    };
    const MixerArguments& a = tensors_[of_tensors(part)].arguments();
    if (forward_ == nullptr) return device().mix(problem_.options, a, context(), pointer(others));
    const std::optional<MixerState> before = forward_->joined(of_tensors(part));
    device().mix_backward(problem_.options, a, tensors_[of_tensors(part)].gradients(), context(),
                          pointer(before), pointer(others));
  });
}

}  // namespace

std::int64_t block_bytes(const MixerProblem& problem, const ExchangePlan& plan, int exchange,
                         const Part& part) {
  const MixerStateExtents of = extents_of(problem, exchange);
  const auto elements = [&](const Extent& whole) {
    return whole.elements() / (is_causal(plan) ? whole.heads : whole.length) *
           block_of(whole, plan, part.columns.begin).count();
  };
  return (elements(of.matrix) + (is_whole(problem, part) ? 0 : elements(of.vector))) *
         size_of(DType::f32);
}

PassWorkers make_state_workers(const OperatorParts& parts, std::span<const ExchangePlan> plans) {
  return make_pass_workers<MixerWorker>(parts, plans);
}

}  // namespace qb
