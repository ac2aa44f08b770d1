// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/work/profile.h"

#include <algorithm>
#include <span>
#include <utility>

#include "harness/plan/blocks.h"

namespace qb {
namespace {

// Sets the bytes that worker `index` receives and sends. The share of a collective that it keeps
// for itself is not sent.
void set_bytes(const Step& step, int index, StepProfile& profile) {
  const auto add = [&](const Transfer& transfer, std::int64_t& all, std::int64_t& of_root) {
    if (transfer.peer != index) all += transfer.bytes;
    if (transfer.peer < 0) of_root += transfer.bytes;
  };
  for (const Transfer& one : step.receives) add(one, profile.bytes_in, profile.bytes_from_root);
  for (const Transfer& one : step.sends) add(one, profile.bytes_out, profile.bytes_to_root);
}

// Divides by the heads of the problem and rounds up: a worker may compute a share of them only.
std::int64_t per_head(std::int64_t pairs_of_heads, const Plan& plan) {
  return (pairs_of_heads + plan.problem.shape.q_heads - 1) / plan.problem.shape.q_heads;
}

// Returns the worker's keys in a step: the resident ones, in decoding those that exist so far.
std::int64_t resident_keys(const Plan& plan, const Worker& worker, std::size_t step) {
  if (plan.kv_first_step.empty()) return tokens_of(plan.kv_groups, worker.kv_groups);
  std::int64_t tokens = 0;
  for (int group : worker.kv_groups)
    if (plan.kv_first_step[static_cast<std::size_t>(group)] <= static_cast<int>(step))
      tokens += group_at(plan.kv_groups, group).count;
  return tokens;
}

std::int64_t bytes_of_part(const Plan& plan, const Transfer& part) {
  const std::vector<TokenGroup>& groups = is_of_keys(part.what) ? plan.kv_groups : plan.q_groups;
  return tensor_bytes(plan.problem, part.what, tokens_of(groups, plan.groups_of(part)), part.heads);
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

// Walks through the steps of one worker.
class StepWalk {
 public:
  StepWalk(const Plan& plan, Kernel kernel, const StepPrices* prices)
      : plan_(plan),
        kernel_(kernel),
        computes_(row_of(kernel).computes),
        tiles_(kernel_tiles(kernel, plan.problem.shape.head_dim)),
        prices_(prices) {
    if (prices != nullptr) tiles_.query_tile = prices->query_tile();
  }

  [[nodiscard]] std::vector<StepProfile> steps(const Worker& worker, int index) const {
    std::vector<StepProfile> steps(worker.steps.size());
    BlockTracker blocks(plan_, worker);
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const Step& step = worker.steps[s];
      StepProfile& profile = steps[s];
      blocks.enter_step();
      set_bytes(step, index, profile);
      profile.kv_tokens = resident_keys(plan_, worker, s);
      if (prices_ != nullptr) price_receives(blocks, profile);
      set_calls(blocks.take_calls(), profile);
      if (prices_ != nullptr) price_sends(blocks, messages_of(step.sends), profile);
      (void)blocks.leave_step();
    }
    return steps;
  }

  void set_calls(const std::vector<KernelCall>& calls, StepProfile& profile) const {
    TaskPairs of_heads;
    profile.kernel_s = 0.0;
    for (const KernelCall& call : calls) {
      const TaskPairs pairs = pairs_of(call);
      const std::int64_t heads = call.heads.end - call.heads.begin;
      of_heads.unmasked += heads * pairs.unmasked;
      of_heads.executed += heads * pairs.executed;
      if (prices_ != nullptr) profile.kernel_s += call_s(call, pairs.executed);
    }
    profile.unmasked_pairs = per_head(of_heads.unmasked, plan_);
    profile.executed_pairs = per_head(of_heads.executed, plan_);
  }

 private:
  struct TaskPairs {
    std::int64_t unmasked = 0;
    std::int64_t executed = 0;
  };

  // In a causal block, `flash` and `staged` compute tiles of query_tile rows and every key up to
  // the last one that the tile's last row sees. alone: no other task is in the call.
  [[nodiscard]] TaskPairs pairs_of(const PairTask& task, bool alone) const {
    const TokenGroup& q = group_at(plan_.q_groups, task.q_group);
    const TokenGroup& k = group_at(plan_.kv_groups, task.kv_group);
    if (task.allowed == Allowed::pattern && kernel_ != Kernel::reference &&
        computes_ != Computes::matrix) {
      KernelTiles tiles = tiles_;
      tiles.residue_classes = tiles.residue_classes && alone;
      const PairCounts counts = count_pairs(plan_.problem.mask, q, k, tiles);
      return {counts.unmasked, counts.executed};
    }
    const std::int64_t unmasked = task_pairs(plan_, task);
    if (task.allowed == Allowed::all || computes_ != Computes::tiles) return {unmasked, unmasked};
    std::int64_t executed = 0;
    for (std::int64_t begin = 0; begin < q.count; begin += tiles_.query_tile) {
      const std::int64_t end = std::min(begin + tiles_.query_tile, q.count);
      executed += (end - begin) * std::clamp<std::int64_t>(end + task.offset, 0, k.count);
    }
    return {unmasked, executed};
  }

  // Per head. A device's price takes each task of a pattern as if it were alone.
  [[nodiscard]] TaskPairs pairs_of(const KernelCall& call) const {
    TaskPairs pairs;
    for (std::size_t t = 0; t < call.tasks.size(); ++t) {
      const std::int64_t times = call.times.empty() ? 1 : call.times[t];
      const auto [unmasked, executed] =
          pairs_of(call.tasks[t], prices_ != nullptr || call.tasks.size() == 1);
      pairs.unmasked += times * unmasked;
      pairs.executed += times * executed;
    }
    // The paper's baseline computes the whole local matrix and masks the ban list afterwards.
    if (computes_ == Computes::matrix)
      pairs.executed = (call.q_end - call.q_begin) * (call.k_end - call.k_begin);
    return pairs;
  }

  // Returns the bytes of these tensors; `rows` are queries, or keys.
  [[nodiscard]] std::int64_t bytes_of_rows(std::span<const TensorRole> tensors, std::int64_t rows,
                                           const Range& heads) const {
    std::int64_t bytes = 0;
    for (const TensorRole what : tensors) bytes += tensor_bytes(plan_.problem, what, rows, heads);
    return bytes;
  }
  [[nodiscard]] std::int64_t input_bytes(bool queries, std::int64_t rows,
                                         const Range& heads) const {
    return queries ? bytes_of_rows(query_inputs(plan_.pass), rows, heads)
                   : bytes_of_rows(kKeyInputs, rows, heads);
  }

  void price_receives(const BlockTracker& blocks, StepProfile& profile) const {
    // dO comes without its queries where the forward pass left these here (Worker::saved).
    std::int64_t d_out_bytes = 0;
    for (const Message& message : blocks.received())
      if (std::ranges::count(message.parts, TensorRole::q, &Transfer::what) == 0)
        for (const Transfer& part : message.parts)
          if (part.what == TensorRole::d_out) d_out_bytes += bytes_of_part(plan_, part);
    profile.receive_s = prices_->copy_s(d_out_bytes);
    for (const Block& block : blocks.arrived())
      if (block.messages.size() != 1)  // else it is used in place
        profile.receive_s +=
            prices_->copy_s(input_bytes(block.of_queries, block.rows, block.heads));
    for (const Message& message : blocks.received())
      for (const Transfer& part : message.parts)
        if (message.late && !stays_in_place(plan_, part))
          profile.receive_s += prices_->merge_s(bytes_of_part(plan_, part));
  }

  // pairs: those that the kernel computes per head.
  [[nodiscard]] double call_s(const KernelCall& call, std::int64_t pairs) const {
    const std::int64_t rows = call.q_end - call.q_begin;
    const std::int64_t keys = call.k_end - call.k_begin;
    const std::int64_t units = plan_.problem.shape.batch * (call.heads.end - call.heads.begin);
    const std::int64_t inputs =
        input_bytes(true, rows, call.heads) + input_bytes(false, keys, call.heads);
    if (plan_.pass == Pass::backward) {
      const std::int64_t sums = bytes_of_rows(gradients_of(true), rows, call.heads) +
                                bytes_of_rows(gradients_of(false), keys, call.heads);
      return prices_->call_s(pairs, units, inputs + 2 * sums);  // reads and writes them
    }
    const std::int64_t result = tensor_bytes(plan_.problem, TensorRole::partial, rows, call.heads);
    const double seconds = prices_->call_s(pairs, units, inputs + result);
    return call.first ? seconds : seconds + prices_->merge_s(result);
  }

  void price_sends(const BlockTracker& blocks, const std::vector<Message>& sends,
                   StepProfile& profile) const {
    const Message* packed = nullptr;
    for (const Message& send : sends) {
      if (send.late) {
        if (!is_summed_in_place(plan_, blocks, send))
          profile.pack_late_s += prices_->copy_s(tensor_bytes(send));
      } else if (!(packed != nullptr && same_content(*packed, send)) && !blocks.passed_on(send)) {
        // An all-gather repeats one message, which is packed once.
        profile.pack_early_s += prices_->copy_s(tensor_bytes(send));
        packed = &send;
      }
    }
  }

  const Plan& plan_;
  const Kernel kernel_;
  const Computes computes_;
  KernelTiles tiles_;
  const StepPrices* const prices_;
};

}  // namespace

PlanProfile::PlanProfile(const Plan& plan, const Representatives& alike, Kernel kernel,
                         const StepPrices* prices)
    : alike_(alike) {
  for (std::size_t i = 0; i < alike.size(); ++i)
    alike.read(plan, i, [&](const Worker& worker, int index) {
      const std::vector<StepProfile> steps = StepWalk(plan, kernel, prices).steps(worker, index);
      std::int64_t q_tokens = tokens_of(plan.q_groups, worker.q_groups);
      for (const Step& step : worker.steps)
        for (const Transfer& one : step.receives)
          if (one.peer == kTier && one.what == TensorRole::q)
            q_tokens = std::max(q_tokens, tokens_of(plan.q_groups, plan.groups_of(one)));
      shares_.push_back({q_tokens, tokens_of(plan.kv_groups, worker.kv_groups), steps.size()});
      steps_.resize(std::max(steps_.size(), steps.size()));
      for (std::size_t s = 0; s < steps.size(); ++s) {
        steps_[s].resize(alike.size());
        steps_[s][i] = steps[s];
      }
    });
  const CountedCalls* const counted = alike_.counted();
  if (counted == nullptr) return;
  const StepWalk walk(plan, kernel, prices);
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    steps_[s].resize(counted->n_classes(s), steps_[s][0]);
    counted->for_each_class(s, [&](int w, std::size_t which) {
      walk.set_calls(counted->calls(w, s), steps_[s][which]);
    });
  }
}

}  // namespace qb
