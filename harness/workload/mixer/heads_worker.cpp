// SPDX-License-Identifier: Apache-2.0
// The workers that share an operator by its heads (DeepSpeed-Ulysses, Jacobs et al. 2023, for a
// recurrence): each gets all tokens of its heads in one all-to-all, computes them alone, and what
// it made goes back in another. A backward pass sends dO and gets gradients; the inputs are those
// that the forward pass has gathered. Outputs and gradients of Q, K and V travel in the type of the
// inputs. Memory comes from the allocator with the labels of mixer_tensors.h
// once more, of all tokens of the worker's heads, and
//   message_in, message_out   parts of tensors, one tensor after another

#include <algorithm>
#include <memory>
#include <utility>

#include "harness/verify/verify.h"
#include "harness/workload/held_part.h"
#include "harness/workload/mixer/operator_worker.h"

namespace qb {
namespace {

// All tokens of some heads.
struct Gathered {
  Gathered(const MixerProblem& whole, const Range& of, Allocator& memory, int worker,
           bool with_gradients)
      : heads(of),
        problem(some_heads(whole, of)),
        tensors(problem, {0, whole.problem.shape.q_len}, memory, worker, with_gradients) {}
  static MixerProblem some_heads(MixerProblem problem, const Range& of) {
    Shape& shape = problem.problem.shape;
    shape.q_heads = shape.q_heads / shape.kv_heads * of.count();
    shape.kv_heads = of.count();
    return problem;
  }
  const Range heads;  // of the keys
  const MixerProblem problem;
  const MixerTensors tensors;
};

class HeadsWorker final : public OperatorWorker {
 public:
  HeadsWorker(const OperatorParts& parts, Pass pass, const std::shared_ptr<Gathered>& gathered,
              const HeadsWorker* /*forward*/)
      : OperatorWorker(parts, pass), gathered_(gathered) {}

  void poison_what_comes() const override {
    for (const TensorView& view : gathered_->tensors.read(Pass::forward)) poison(view);
    for (const TensorView& view : gathered_->tensors.written(Pass::forward)) poison(view);
  }

 private:
  void compute(int round) override {
    if (round > 0)
      for (const Parcel& in : in_)
        if (in.round == round - 1) pack(in, held(round - 1, in.part, false), false);
    if (round == 2) return;
    if (round == 1)
      timed([&] {
        const MixerViews& all = gathered_->tensors;
        if (pass_ == Pass::forward)
          device().mix(problem_.options, all.arguments(), context(), nullptr);
        else
          device().mix_backward(problem_.options, all.arguments(), all.gradients(), context(),
                                nullptr, nullptr);
      });
    send(round, [&](const Parcel& out) { pack(out, held(round, out.part, true), true); });
    for (const MixerViews& own : tensors_) {
      const Part part{gathered_->heads, own.tokens()};
      const std::vector<HeldPart> from = held(round, part, true);
      const std::vector<HeldPart> to = held(round, part, false);
      for (std::size_t t = 0; t < from.size(); ++t) copy_part(device(), from[t], to[t], part);
    }
  }
  void pack(const Parcel& parcel, const std::vector<HeldPart>& tensors, bool packs) const {
    (void)pack_part(device(), tensors, parcel.part, parcel.memory->as<std::byte>(), packs);
  }
  // The tensors that have this part: inputs go from tokens to heads, and what is made goes back.
  [[nodiscard]] std::vector<HeldPart> held(int round, const Part& part, bool leaves) const {
    const bool by_tokens = leaves == (round == 0);
    const auto own = std::ranges::find_if(tensors_, [&](const MixerViews& views) {
      return intersection(views.tokens(), part.columns) == part.columns;
    });
    const MixerViews& views = by_tokens ? *own : gathered_->tensors;
    const Range heads = by_tokens ? Range{0, problem_.problem.shape.kv_heads} : gathered_->heads;
    std::vector<HeldPart> all;
    for (const TensorView& view : round == 0 ? views.read(pass_) : views.written(pass_))
      all.push_back({{heads, views.tokens()},
                     view,
                     HeldPart::Order::by_head,
                     sent_by_heads(problem_, pass_, round, all.size(), view)});
    return all;
  }

  const std::shared_ptr<Gathered> gathered_;
};

}  // namespace

DType sent_by_heads(const MixerProblem& problem, Pass pass, int round, std::size_t which,
                    const TensorView& view) {
  const std::size_t of_inputs = pass == Pass::forward ? 1 : 3;  // then gradients of the gates
  return round == 1 && which < of_inputs ? problem.problem.dtype : view.dtype;
}

PassWorkers make_heads_workers(const OperatorParts& parts, const Range& heads) {
  return make_pass_workers<HeadsWorker>(
      parts, std::make_shared<Gathered>(parts.problem, heads, parts.memory, parts.index,
                                        parts.exchanges.size() > 1));
}

}  // namespace qb
