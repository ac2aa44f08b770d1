// SPDX-License-Identifier: Apache-2.0
// The sums of a worker's gradients: plan/pass.h has the rule by which they are added to and sent.
#include <algorithm>
#include <optional>

#include "harness/run/runner/worker.h"

namespace qb {
namespace {

const char* sum_label(TensorRole what) {
  if (what == TensorRole::d_q) return "d_q_sum";
  return what == TensorRole::d_k ? "d_k_sum" : "d_v_sum";
}

std::size_t place_of(const Block& block, int group) {
  return static_cast<std::size_t>(std::ranges::lower_bound(block.groups, group) -
                                  block.groups.begin());
}

// Gradients return to their owner. What is on its way there belongs to the newest block of its
// tokens.
const Block& receiving_block(const BlockTracker& blocks, const Transfer& part,
                             const std::vector<int>& groups) {
  const bool of_keys = is_of_keys(part.what);
  const Block& own = blocks.block(of_keys ? kResidentKeys : kResidentQueries);
  const bool is_owner = std::ranges::all_of(groups, [&](int group) { return own.holds(group); });
  return is_owner ? own : blocks.block_of(!of_keys, groups.front());
}

}  // namespace

void attend_backward(const WorkerRunner::Tools& tools, const ExecutionArguments& arguments,
                     const BackwardArguments& call, int worker, double* compute_s) {
  AttentionDevice& device = tools.device;
  Allocator& memory = *arguments.allocator;
  if (tools.kept != nullptr)
    return tools.kept->attend_backward(device, arguments.kernel, call, memory, worker);
  AttentionDevice::KeptBackward kept;
  if (!device.facts().on_host) {
    tools.watch.charge(nullptr);
    kept = device.keep_backward_schedule(arguments.kernel, call, memory, worker);
    tools.watch.charge(compute_s);
  }
  if (kept) return kept(call, memory);
  device.attention_backward(arguments.kernel, call, {memory, arguments.threads, worker});
}

WorkerRunner::Sum& WorkerRunner::sum_of(const Block& block, TensorRole what) {
  Sum& sum = sums_[{block.id, what}];
  if (sum.begun.size() == block.groups.size()) return sum;
  sum.owned = Tensor(*arguments_.allocator, DType::f32, extent(what, block.rows, block.heads),
                     sum_label(what), index_);
  sum.view = sum.owned.view();
  sum.begun.assign(block.groups.size(), 0);
  return sum;
}

void WorkerRunner::begin_sum(const Block& block, TensorRole what, int group) {
  Sum& sum = sum_of(block, what);
  char& begun = sum.begun[place_of(block, group)];
  if (begun == 0) device_.clear_rows(rows_in(block, what, sum.view, group, block.heads));
  begun = 1;
}

void WorkerRunner::compute_gradients(const KernelCall& call) {
  const Block& q = blocks_.block(call.q_block);
  const Block& kv = blocks_.block(call.kv_block);
  for (const PairTask& task : call.tasks)
    for (const TensorRole what : kGradients)
      begin_sum(is_of_keys(what) ? kv : q, what, is_of_keys(what) ? task.kv_group : task.q_group);
  const std::optional<TileSchedule> schedule =
      call_schedule_for(plan_, blocks_, call, arguments_.kernel, device_);
  const auto sum = [&](TensorRole what) {
    return rows_of_call(call, what, sum_of(is_of_keys(what) ? kv : q, what).view);
  };
  attend_backward(tools_, arguments_,
                  {.q = input_of(call, TensorRole::q),
                   .k = input_of(call, TensorRole::k),
                   .v = input_of(call, TensorRole::v),
                   .d_out = input_of(call, TensorRole::d_out),
                   .lse = input_of(call, TensorRole::lse),
                   .delta = input_of(call, TensorRole::delta),
                   .schedule = schedule ? &*schedule : nullptr,
                   .scale = plan_.problem.scale,
                   .d_q = sum(TensorRole::d_q),
                   .d_k = sum(TensorRole::d_k),
                   .d_v = sum(TensorRole::d_v)},
                  index_, &step_time().compute_s);
}

void WorkerRunner::add_gradient_part(const Incoming& incoming, const Transfer& part,
                                     std::byte* data) {
  const std::vector<int>& groups = plan_.groups_of(part);
  if (groups.empty()) return;
  const TensorView came = tensor_in(part, data);
  const Block& block = receiving_block(blocks_, part, groups);
  const auto known = sums_.find({block.id, part.what});
  // The whole of a sum that is zero here can stay where it came.
  if (known == sums_.end() && plan_.gradients == DType::f32 && groups == block.groups &&
      part.heads == block.heads) {
    sums_[{block.id, part.what}] = {.owned = {},
                                    .message = incoming.buffer,
                                    .form = incoming.message,
                                    .view = came,
                                    .begun = std::vector<char>(groups.size(), 1)};
    return;
  }
  Sum& sum = sum_of(block, part.what);
  for_each_group(part, [&](int group, std::int64_t at, std::int64_t count) {
    const TensorView rows = rows_in(block, part.what, sum.view, group, part.heads);
    char& begun = sum.begun[place_of(block, group)];
    if (begun == 0 && part.heads == block.heads && plan_.gradients == DType::f32) {
      device_.copy_rows(came.tokens(at, count), rows);
    } else {
      begin_sum(block, part.what, group);
      device_.add_rows(rows, came.tokens(at, count));
    }
    begun = 1;
  });
}

void WorkerRunner::pack_gradient(const Transfer& part, std::byte* data) {
  const std::vector<int>& groups = plan_.groups_of(part);
  if (groups.empty()) return;
  const TensorView packed = tensor_in(part, data);
  const Block& block = blocks_.block_of(!is_of_keys(part.what), groups.front());
  const auto sum = sums_.find({block.id, part.what});
  const auto begun = [&](int group) {
    return sum != sums_.end() && sum->second.begun[place_of(block, group)] != 0;
  };
  if (!std::ranges::all_of(groups, begun))
    device_.fill(packed.data, 0, static_cast<std::size_t>(packed.bytes()));
  for_each_group(part, [&](int group, std::int64_t at, std::int64_t count) {
    if (begun(group))
      device_.copy_rows(rows_in(block, part.what, sum->second.view, group, part.heads),
                        packed.tokens(at, count));
  });
}

// Returns the message that came with exactly these sums, to which the worker has added in place.
std::shared_ptr<Buffer> WorkerRunner::summed_in_place(const Message& message) const {
  std::shared_ptr<Buffer> buffer;
  for (const Transfer& part : message.parts) {
    if (!is_gradient(part.what) || plan_.groups_of(part).empty()) return nullptr;
    const Block& block = blocks_.block_of(!is_of_keys(part.what), plan_.groups_of(part).front());
    const auto sum = sums_.find({block.id, part.what});
    if (sum == sums_.end() || sum->second.message == nullptr ||
        !same_content(sum->second.form, message) ||
        (buffer != nullptr && buffer != sum->second.message))
      return nullptr;
    buffer = sum->second.message;
  }
  return buffer;
}

// To send a sum is to move it.
void WorkerRunner::forget_sent_sums(const std::vector<Message>& sends) {
  for (const Message& message : sends)
    for (const Transfer& part : message.parts) {
      const std::vector<int>& groups = plan_.groups_of(part);
      if (!is_gradient(part.what) || groups.empty()) continue;
      const Block& block = blocks_.block_of(!is_of_keys(part.what), groups.front());
      const auto sum = sums_.find({block.id, part.what});
      if (sum == sums_.end()) continue;
      for (const int group : groups) {
        if (part.heads == block.heads)
          sum->second.begun[place_of(block, group)] = 0;
        else
          device_.clear_rows(rows_in(block, part.what, sum->second.view, group, part.heads));
      }
      if (std::ranges::count(sum->second.begun, 1) == 0) sums_.erase(sum);
    }
}

// What a worker computed for its own tokens in a collective's block was not sent.
void WorkerRunner::finish_gradients() {
  for (auto at = sums_.begin(); at != sums_.end();) {
    const auto [id, what] = at->first;
    if (id == kResidentQueries || id == kResidentKeys) {
      ++at;
      continue;
    }
    const Block& block = blocks_.block(id);
    const Block& own = blocks_.block(is_of_keys(what) ? kResidentKeys : kResidentQueries);
    for (const int group : block.groups) {
      if (at->second.begun[place_of(block, group)] == 0 || !own.holds(group)) continue;
      begin_sum(own, what, group);
      device_.add_rows(rows_in(own, what, sum_of(own, what).view, group, block.heads),
                       rows_in(block, what, at->second.view, group, block.heads));
    }
    at = sums_.erase(at);
  }
  for (const TensorRole what : kGradients) {
    const Block& own = blocks_.block(is_of_keys(what) ? kResidentKeys : kResidentQueries);
    for (const int group : own.groups) begin_sum(own, what, group);
  }
}

}  // namespace qb
