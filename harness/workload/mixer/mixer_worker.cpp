// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/mixer_worker.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace qb {
namespace {

Range block_of(const Extent& whole, const ScanPlan& plan, int block) {
  return part_of(plan.causal ? whole.heads : whole.length, plan.blocks, block);
}

MixerStateExtents extents_of(const MixerProblem& problem, int exchange) {
  return mixer_state_extents(problem.of_exchange(exchange), problem.shape(1));
}

}  // namespace

std::int64_t block_bytes(const MixerProblem& problem, const ScanPlan& plan, int exchange,
                         int block) {
  const MixerStateExtents of = extents_of(problem, exchange);
  std::int64_t elements = 0;
  for (const Extent& whole : {of.matrix, of.vector})
    elements += whole.elements() / (plan.causal ? whole.heads : whole.length) *
                block_of(whole, plan, block).count();
  return elements * size_of(DType::f32);
}

std::vector<SizedMessage> sized_messages(const MixerProblem& problem, const ScanPlan& plan,
                                         int exchange) {
  std::vector<SizedMessage> messages;
  for (const ScanMessage& m : plan.messages)
    messages.push_back({m.round, m.from, m.to, block_bytes(problem, plan, exchange, m.block)});
  return messages;
}

MixerWorker::MixerWorker(const MixerProblem& problem, const MixerTensors& tensors,
                         const ScanPlan& plan, int index, Allocator& memory)
    : CrewMember(problem, tensors, index, memory), plan_(plan) {
  if (plan.workers == 1) return;
  std::ranges::copy_if(plan.messages, std::back_inserter(sends_),
                       [&](const ScanMessage& m) { return m.from == index; });
  for (int e = 0; e < mixer_exchanges(problem.options.kind); ++e)
    exchanges_.push_back(take_exchange(e));
}

MixerWorker::Exchange MixerWorker::take_exchange(int exchange) {
  const MixerStateExtents of = extents_of(problem_, exchange);
  const auto state = [&](const char* label) {
    return OwnState{Tensor(memory_, DType::f32, of.matrix, label, index_),
                    Tensor(memory_, DType::f32, of.vector, label, index_)};
  };
  const auto take = [&](const ScanMessage& m, const char* label) {
    const std::int64_t bytes = block_bytes(problem_, plan_, exchange, m.block);
    return Block{m.workers, m.block,
                 Buffer(memory_, static_cast<std::size_t>(bytes), label, index_)};
  };
  Exchange taken{.own = state("state"), .joined = state("state_joined")};
  for (const ScanMessage& m : plan_.messages) {
    if (m.to != index_) continue;
    const Buffer& memory = taken.in.emplace_back(take(m, "message_in")).memory;
    expect(m.from, exchange * plan_.rounds() + m.round, {memory.as<std::byte>(), memory.bytes()});
  }
  for (const ScanMessage& m : sends_)
    if (std::ranges::none_of(taken.out, [&](const Block& block) { return block.holds(m); }))
      taken.out.push_back(take(m, "message_out"));
  return taken;
}

MixerState MixerWorker::part_of_state(const MixerState& state, int block) const {
  const auto part = [&](const TensorView& whole) {
    const Range range = block_of(whole.extent, plan_, block);
    return plan_.causal ? whole.heads(range.begin, range.count())
                        : whole.tokens(range.begin, range.count());
  };
  return {part(state.matrix), part(state.vector)};
}

MixerState MixerWorker::in_message(const Exchange& exchange, const Block& block) const {
  const MixerState like = part_of_state(exchange.own.view(), block.block);
  auto* const data = block.memory.as<float>();
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

void MixerWorker::make_state(int exchange, const Tools& tools) {
  time([&] {
    tools.device.mix_state(problem_.of_exchange(exchange), arguments(exchange), context(tools),
                           exchanges_[static_cast<std::size_t>(exchange)].own.view());
  });
}

void MixerWorker::combine(int exchange, const Range& workers, int block, const MixerState& to,
                          MixerDevice& device) const {
  const Exchange& of = exchanges_[static_cast<std::size_t>(exchange)];
  std::vector<Range> held = {{index_, index_ + 1}};
  for (const Block& in : of.in)
    if (in.block == block) held.push_back(in.workers);
  TensorView a = arguments_.a;
  if (a.data != nullptr) {
    const Range heads = part_of(a.extent.heads, plan_.blocks, block);
    a = a.heads(heads.begin, heads.count());
  }
  bool appends = false;
  for (const Range& piece : pieces_of(workers, held)) {
    const auto came = std::ranges::find_if(
        of.in, [&](const Block& in) { return in.block == block && in.workers == piece; });
    const MixerState from =
        came == of.in.end() ? part_of_state(of.own.view(), block) : in_message(of, *came);
    if (appends) {
      device.append_state(problem_.of_exchange(exchange), to, from, a);
    } else {
      device.copy_rows(from.matrix, to.matrix);
      device.copy_rows(from.vector, to.vector);
    }
    appends = true;
  }
}

void MixerWorker::join(int exchange, MixerDevice& device) const {
  const MixerState joined = exchanges_[static_cast<std::size_t>(exchange)].joined.view();
  for (int block = 0; block < plan_.blocks; ++block)
    combine(exchange, plan_.needs_of(index_), block, part_of_state(joined, block), device);
}

void MixerWorker::compute(int round, const Tools& tools) {
  if (round == rounds()) return finish(tools);
  const int exchange = round / plan_.rounds();
  if (round % plan_.rounds() == 0) {
    if (exchange > 0) join(exchange - 1, tools.device);
    make_state(exchange, tools);
    for (Block& out : exchanges_[static_cast<std::size_t>(exchange)].out) out.made = false;
  }
  Exchange& of = exchanges_[static_cast<std::size_t>(exchange)];
  for (const ScanMessage& m : sends_) {
    if (m.round != round % plan_.rounds()) continue;
    Block& out = *std::ranges::find_if(of.out, [&](const Block& block) { return block.holds(m); });
    // Once: a worker may still read what an earlier round sent.
    if (!std::exchange(out.made, true))
      combine(exchange, m.workers, m.block, in_message(of, out), tools.device);
    send(m.to, round, {out.memory.as<std::byte>(), out.memory.bytes()}, tools);
  }
}

void MixerWorker::finish(const Tools& tools) {
  MixerDevice& device = tools.device;
  const int last = static_cast<int>(exchanges_.size()) - 1;
  const bool needs_others = plan_.needs_of(index_).count() > 0;
  if (needs_others) join(last, device);
  time([&] {
    if (needs_others && !plan_.causal)
      return device.attend_state(problem_.of_exchange(last), arguments(last), context(tools),
                                 exchanges_.back().joined.view());
    const MixerState before = needs_others ? exchanges_.back().joined.view() : MixerState{};
    device.mix(problem_.options, arguments_, context(tools), needs_others ? &before : nullptr);
  });
}

}  // namespace qb
