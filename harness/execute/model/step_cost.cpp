#include "harness/execute/model/step_cost.h"

#include "harness/plan/work/work.h"

namespace qb {

StepPricer::StepPricer(const Plan& plan, const DeviceCosts& device)
    : plan_(plan),
      device_(device),
      receives_(plan),
      sends_(plan),
      walk_(plan, [this](const PairTask& task) {
        return executed_pairs(plan_, task, device_.kernel(), device_.query_tile());
      }) {}

std::vector<StepCost> StepPricer::price(int worker) {
  const std::vector<Step>& steps = plan_.workers[static_cast<std::size_t>(worker)].steps;
  std::vector<StepCost> costs(steps.size());
  walk_.begin_worker(worker);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const std::vector<MessageView>& receives = receives_.read(steps[s].receives);
    const std::vector<CallTotals>& calls = walk_.enter_step(receives);
    costs[s].take_up_s = take_up_s(receives);
    for (const CallTotals& call : calls) costs[s].kernel_s += call_s(call);
    price_sends(receives, sends_.read(steps[s].sends), costs[s]);
    walk_.leave_step();
  }
  return costs;
}

double StepPricer::take_up_s(const std::vector<MessageView>& receives) const {
  const auto bytes = [&](TensorRole what, std::int64_t rows, const HeadRange& heads) {
    return tensor_bytes(plan_.problem, what, rows, heads);
  };
  double seconds = 0.0;
  for (const ArrivedBlock& block : walk_.arrived()) {
    if (block.n_messages == 1) continue;  // computed with where it lies
    seconds += device_.copy_s(block.of_queries ? bytes(TensorRole::q, block.rows, block.heads)
                                               : bytes(TensorRole::k, block.rows, block.heads) +
                                                     bytes(TensorRole::v, block.rows, block.heads));
  }
  for (const MessageView& message : receives)
    if (message.late)
      for (const Transfer& part : message.parts)
        seconds += device_.merge_s(
            bytes(part.what, tokens_of(plan_.q_groups, plan_.groups_of(part)), part.heads));
  return seconds;
}

double StepPricer::call_s(const CallTotals& call) const {
  const Shape& shape = plan_.problem.shape;
  const std::int64_t rows = call.q_end - call.q_begin;
  const std::int64_t keys = call.k_end - call.k_begin;
  const std::int64_t units = shape.batch * (call.heads.end - call.heads.begin);
  const std::int64_t result = tensor_bytes(plan_.problem, TensorRole::partial, rows, call.heads);
  const std::int64_t bytes = tensor_bytes(plan_.problem, TensorRole::q, rows, call.heads) +
                             tensor_bytes(plan_.problem, TensorRole::k, keys, call.heads) +
                             tensor_bytes(plan_.problem, TensorRole::v, keys, call.heads) + result;
  // The paper's baseline computes the whole local matrix and masks the ban list afterwards.
  const std::int64_t pairs = device_.kernel() == Kernel::materialized ? rows * keys : call.pairs;
  const double seconds = device_.call_s(pairs, units, bytes);
  return call.first ? seconds : seconds + device_.merge_s(result);
}

const MessageView* StepPricer::in_place(const std::vector<MessageView>& receives) const {
  int peer = kRoot;
  for (const ArrivedBlock& block : walk_.arrived()) {
    if (block.n_messages != 1 || (peer != kRoot && peer != block.message_peer)) return nullptr;
    peer = block.message_peer;
  }
  for (const MessageView& message : receives)
    if (message.peer == peer) return &message;
  return nullptr;
}

void StepPricer::price_sends(const std::vector<MessageView>& receives,
                             const std::vector<MessageView>& sends, StepCost& cost) const {
  const MessageView* come = in_place(receives);
  const MessageView* packed = nullptr;
  for (const MessageView& send : sends) {
    if (send.late) {
      cost.pack_late_s += device_.copy_s(send.bytes);
    } else if (!(come != nullptr && same_content(*come, send)) &&
               !(packed != nullptr && same_content(*packed, send))) {
      // An all-gather repeats one message, which is packed once.
      cost.pack_early_s += device_.copy_s(send.bytes);
      packed = &send;
    }
  }
}

}  // namespace qb
