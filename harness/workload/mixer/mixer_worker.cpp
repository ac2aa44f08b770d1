// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/mixer_worker.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace qb {

Range part_of(std::int64_t count, int parts, int index) {
  return {index * count / parts, (index + 1) * count / parts};
}

std::int64_t block_bytes(const MixerProblem& problem, int blocks, int block) {
  const MixerStateExtents of = mixer_state_extents(problem.options, problem.shape(1));
  return (of.matrix.elements() + of.vector.elements()) / of.matrix.heads *
         part_of(of.matrix.heads, blocks, block).count() * size_of(DType::f32);
}

MixerWorker::MixerWorker(const MixerProblem& problem, const ScanPlan& plan, int index,
                         Allocator& memory)
    : problem_(problem),
      plan_(plan),
      index_(index),
      memory_(memory),
      tensors_(problem, part_of(problem.problem.shape.q_len, plan.workers, index), memory, index) {
  if (plan.workers == 1) return;
  own_ = take_state("state");
  before_ = take_state("state_before");
  const auto take = [&](const ScanMessage& m, const char* label) {
    const std::int64_t bytes = block_bytes(problem, plan.blocks, m.block);
    return Block{m.workers, m.block, Buffer(memory, static_cast<std::size_t>(bytes), label, index)};
  };
  for (const ScanMessage& m : plan.messages) {
    if (m.to == index) {
      receives_.push_back(m);
      in_.push_back(take(m, "message_in"));
    }
    if (m.from != index) continue;
    sends_.push_back(m);
    const auto is_same = [&](const Block& block) {
      return block.workers == m.workers && block.block == m.block;
    };
    if (std::ranges::none_of(out_, is_same)) out_.push_back(take(m, "message_out"));
  }
}

MixerWorker::OwnState MixerWorker::take_state(const char* label) const {
  const MixerStateExtents of = mixer_state_extents(problem_.options, problem_.shape(1));
  return {Tensor(memory_, DType::f32, of.matrix, label, index_),
          Tensor(memory_, DType::f32, of.vector, label, index_)};
}

MixerState MixerWorker::heads_of(const MixerState& state, int block) const {
  const Range heads = part_of(state.matrix.extent.heads, plan_.blocks, block);
  return {state.matrix.heads(heads.begin, heads.count()),
          state.vector.heads(heads.begin, heads.count())};
}

MixerState MixerWorker::in_message(const Block& block) const {
  const MixerState like = heads_of(own_.view(), block.block);
  auto* const data = block.memory.as<float>();
  return {contiguous_view(data, DType::f32, like.matrix.extent),
          contiguous_view(data + like.matrix.extent.elements(), DType::f32, like.vector.extent)};
}

void MixerWorker::combine(const Range& workers, int block, const MixerState& to, bool appends,
                          MixerDevice& device) const {
  std::vector<Range> held = {{index_, index_ + 1}};
  for (const Block& in : in_)
    if (in.block == block) held.push_back(in.workers);
  TensorView a = tensors_.arguments().a;
  if (a.data != nullptr) {
    const Range heads = part_of(a.extent.heads, plan_.blocks, block);
    a = a.heads(heads.begin, heads.count());
  }
  for (const Range& piece : pieces_of(workers, held)) {
    const auto came = std::ranges::find_if(
        in_, [&](const Block& in) { return in.block == block && in.workers == piece; });
    const MixerState from = came == in_.end() ? heads_of(own_.view(), block) : in_message(*came);
    if (appends) {
      device.append_state(problem_.options, to, from, a);
    } else {
      device.copy_rows(from.matrix, to.matrix);
      device.copy_rows(from.vector, to.vector);
    }
    appends = true;
  }
}

void MixerWorker::receive(Transport& transport) {
  incoming_.clear();
  outgoing_.clear();
  for (Block& out : out_) out.made = false;
  for (std::size_t i = 0; i < receives_.size(); ++i)
    incoming_.push_back(transport.receive({receives_[i].from, index_, receives_[i].round},
                                          {in_[i].memory.as<std::byte>(), in_[i].memory.bytes()}));
}

void MixerWorker::begin(MixerDevice& device, int threads) {
  times_ = {.begin_s = now_s()};
  if (plan_.workers == 1) return;
  device.mix_state(problem_.options, tensors_.arguments(), context(threads), own_.view());
  times_.compute_s = now_s() - times_.begin_s;
}

void MixerWorker::post(int round, MixerDevice& device, Transport& transport) {
  for (const ScanMessage& m : sends_) {
    if (m.round != round) continue;
    Block& out = *std::ranges::find_if(out_, [&](const Block& block) {
      return block.workers == m.workers && block.block == m.block;
    });
    // Once: a worker may still read what an earlier round sent.
    if (!std::exchange(out.made, true)) combine(m.workers, m.block, in_message(out), false, device);
    outgoing_.push_back(
        transport.send({index_, m.to, round}, {out.memory.as<std::byte>(), out.memory.bytes()}));
  }
}

void MixerWorker::await(int round, Transport& transport) {
  for (std::size_t i = 0; i < receives_.size(); ++i) {
    if (receives_[i].round != round) continue;
    const double wait_s = now_s();
    const Passage passage = transport.wait(incoming_[i]);
    const double waited_s = now_s() - wait_s;
    const double idle_s = std::clamp(passage.started_s - wait_s, 0.0, waited_s);
    times_.idle_s += idle_s;
    times_.exposed_s += waited_s - idle_s;
  }
}

void MixerWorker::finish(MixerDevice& device, int threads, Transport& transport) {
  const std::vector<Range> needs = plan_.needs_of(index_);
  for (int block = 0; block < plan_.blocks; ++block)
    for (std::size_t i = 0; i < needs.size(); ++i)
      combine(needs[i], block, heads_of(before_.view(), block), i > 0, device);
  const MixerState before = before_.view();
  const double start_s = now_s();
  device.mix(problem_.options, tensors_.arguments(), context(threads),
             needs.empty() ? nullptr : &before);
  times_.mix_s = now_s() - start_s;
  times_.compute_s += times_.mix_s;
  for (const Ticket& ticket : outgoing_) (void)transport.wait(ticket);
  times_.end_s = now_s();
}

}  // namespace qb
