// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/model/step_cost.h"

#include <algorithm>
#include <span>

#include "harness/plan/blocks.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

// Returns the bytes of these tensors; `rows` are queries, or keys.
std::int64_t priced_bytes(const Plan& plan, std::span<const TensorRole> tensors, std::int64_t rows,
                          const Range& heads) {
  std::int64_t bytes = 0;
  for (const TensorRole what : tensors) bytes += tensor_bytes(plan.problem, what, rows, heads);
  return bytes;
}

std::span<const TensorRole> priced_inputs(const Plan& plan, bool queries) {
  if (queries) return query_inputs(plan.pass);
  return kKeyInputs;
}

// dO that comes without its queries, where the forward pass left these here (Worker::saved).
std::int64_t joined_d_out_bytes(const Plan& plan, const BlockTracker& blocks) {
  std::int64_t bytes = 0;
  for (const Message& message : blocks.received()) {
    if (std::ranges::count(message.parts, TensorRole::q, &Transfer::what) > 0) continue;
    for (const Transfer& part : message.parts)
      if (part.what == TensorRole::d_out)
        bytes += tensor_bytes(plan.problem, part.what,
                              tokens_of(plan.q_groups, plan.groups_of(part)), part.heads);
  }
  return bytes;
}

// What goes from neighbour to neighbour comes to a worker without a sum of it: in f32 it stays
// where it came, and the worker's calls add to it there.
bool stays_in_place(const Plan& plan, const Transfer& part) {
  return is_gradient(part.what) && part.kind == TransferKind::p2p && plan.gradients == DType::f32;
}

// Returns true if the message is sent on where it came, with what this step has added to it.
bool is_summed_in_place(const Plan& plan, const BlockTracker& blocks, const Message& send) {
  return std::ranges::all_of(send.parts,
                             [&](const Transfer& part) { return stays_in_place(plan, part); }) &&
         std::ranges::any_of(blocks.received(),
                             [&](const Message& received) { return same_content(received, send); });
}

double receive_s(const Plan& plan, const DeviceCosts& device, const BlockTracker& blocks) {
  double seconds = device.copy_s(joined_d_out_bytes(plan, blocks));
  for (const Block& block : blocks.arrived()) {
    if (block.messages.size() == 1) continue;  // used in place
    seconds += device.copy_s(
        priced_bytes(plan, priced_inputs(plan, block.of_queries), block.rows, block.heads));
  }
  for (const Message& message : blocks.received())
    if (message.late)
      for (const Transfer& part : message.parts) {
        if (stays_in_place(plan, part)) continue;
        const std::vector<TokenGroup>& groups =
            is_of_keys(part.what) ? plan.kv_groups : plan.q_groups;
        seconds += device.merge_s(tensor_bytes(
            plan.problem, part.what, tokens_of(groups, plan.groups_of(part)), part.heads));
      }
  return seconds;
}

std::int64_t pairs_of(const Plan& plan, const DeviceCosts& device, const PairTask& task) {
  return executed_pairs(plan, task, device.kernel(), device.query_tile());
}

// pairs: those that the kernel computes per head.
double call_s(const Plan& plan, const DeviceCosts& device, const KernelCall& call,
              std::int64_t pairs) {
  const std::int64_t rows = call.q_end - call.q_begin;
  const std::int64_t keys = call.k_end - call.k_begin;
  const std::int64_t units = plan.problem.shape.batch * (call.heads.end - call.heads.begin);
  const std::int64_t inputs = priced_bytes(plan, priced_inputs(plan, true), rows, call.heads) +
                              priced_bytes(plan, priced_inputs(plan, false), keys, call.heads);
  // The paper's baseline computes the whole local matrix and masks the ban list afterwards.
  if (row_of(device.kernel()).computes == Computes::matrix) pairs = rows * keys;
  if (plan.pass == Pass::backward) {
    const std::int64_t sums = priced_bytes(plan, gradients_of(true), rows, call.heads) +
                              priced_bytes(plan, gradients_of(false), keys, call.heads);
    return device.call_s(pairs, units, inputs + 2 * sums);  // reads and writes them
  }
  const std::int64_t result = tensor_bytes(plan.problem, TensorRole::partial, rows, call.heads);
  const double seconds = device.call_s(pairs, units, inputs + result);
  return call.first ? seconds : seconds + device.merge_s(result);
}

void price_sends(const Plan& plan, const DeviceCosts& device, const BlockTracker& blocks,
                 const std::vector<Message>& sends, StepCost& cost) {
  const Message* packed = nullptr;
  for (const Message& send : sends) {
    if (send.late) {
      if (!is_summed_in_place(plan, blocks, send))
        cost.pack_late_s += device.copy_s(tensor_bytes(send));
    } else if (!(packed != nullptr && same_content(*packed, send)) && !blocks.passed_on(send)) {
      // An all-gather repeats one message, which is packed once.
      cost.pack_early_s += device.copy_s(tensor_bytes(send));
      packed = &send;
    }
  }
}

}  // namespace

std::vector<StepCost> step_costs(const Plan& plan, const Worker& worker,
                                 const DeviceCosts& device) {
  std::vector<StepCost> costs;
  BlockTracker blocks(plan, worker);
  for (const Step& step : worker.steps) {
    blocks.enter_step();
    StepCost& cost = costs.emplace_back();
    cost.receive_s = receive_s(plan, device, blocks);
    for (const KernelCall& call : blocks.take_calls()) {
      std::int64_t pairs = 0;
      for (const PairTask& task : call.tasks) pairs += pairs_of(plan, device, task);
      cost.kernel_s += call_s(plan, device, call, pairs);
    }
    price_sends(plan, device, blocks, messages_of(step.sends), cost);
    (void)blocks.leave_step();
  }
  return costs;
}

PlanCosts::PlanCosts(const Plan& plan, const DeviceCosts& device) : representatives_(plan) {
  if (representatives_.size() == 0) {
    Worker scratch;
    for (std::size_t w = 0; w < plan.workers.size(); ++w)
      costs_.push_back(step_costs(plan, plan.workers.read(w, scratch), device));
    return;
  }
  for (std::size_t i = 0; i < representatives_.size(); ++i) {
    const Plan like = representatives_.plan(i);
    costs_.push_back(step_costs(like, like.workers[0], device));
  }
  for (std::size_t s = 0; representatives_.counted() != nullptr && s < costs_[0].size(); ++s)
    price_counted(plan, device, s);
}

void PlanCosts::price_counted(const Plan& plan, const DeviceCosts& device, std::size_t step) {
  const CountedCalls& counted = *representatives_.counted();
  std::vector<double>& kernel_s = kernel_s_.emplace_back(counted.n_classes(step), -1.0);
  for (int w = 0; w < static_cast<int>(plan.workers.size()); ++w) {
    double& seconds = kernel_s[counted.class_of(w, step)];
    if (seconds >= 0.0) continue;
    seconds = 0.0;
    for (const CountedCalls::Call& call : counted.calls(w, step)) {
      std::int64_t pairs = 0;
      for (std::size_t t = 0; t < call.tasks.size(); ++t)
        pairs += call.times[t] * pairs_of(plan, device, call.tasks[t]);
      seconds += call_s(plan, device, call, pairs);
    }
  }
}

}  // namespace qb
