// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "harness/plan/layout.h"

namespace qb {
namespace {

// Deals `count` tokens from `first` on as deal_zigzag() does. Returns the most for one worker.
std::int64_t deal_chunks(std::int64_t first, std::int64_t count, std::vector<TokenGroup>& groups,
                         std::vector<std::vector<int>>& shards) {
  const int workers = static_cast<int>(shards.size());
  const int base = static_cast<int>(groups.size());
  for (const TokenGroup& chunk : contiguous_groups(count, 2 * workers, first))
    groups.push_back(chunk);
  std::int64_t most = 0;
  for (int w = 0; w < workers; ++w) {
    const std::vector<int> chunks = {base + w, base + 2 * workers - 1 - w};
    most = std::max(most, tokens_of(groups, chunks));
    std::vector<int>& shard = shards[static_cast<std::size_t>(w)];
    shard.insert(shard.end(), chunks.begin(), chunks.end());
  }
  return most;
}

// Gives each worker one of the plan's groups, cut where packed sequences end.
Shards shards_of_groups(Plan& plan) {
  const std::vector<Segment> sequences = segments_of(plan.problem);
  Shards shards;
  shards.q = cut_at_ends(sequences, &Segment::q_end, plan.q_groups);
  shards.kv = cut_at_ends(sequences, &Segment::k_end, plan.kv_groups);
  for (const std::vector<int>& shard : shards.kv)
    shards.kv_room = std::max(shards.kv_room, tokens_of(plan.kv_groups, shard));
  return shards;
}

// Adds the groups of the keys that every worker has, which no shard has.
void add_resident(Plan& plan, const std::vector<TokenGroup>& groups) {
  if (plan.problem.resident_keys == 0) return;
  for (const TokenGroup& group : groups) {
    plan.resident.push_back(static_cast<int>(plan.kv_groups.size()));
    plan.kv_groups.push_back(group);
  }
}

}  // namespace

PlanBuilder::PlanBuilder(const Problem& problem, std::string algorithm, int workers, Pass pass,
                         DType gradients) {
  if (problem.resident_keys > 0)
    throw Unsupported(
        fmt::format("{} holds no tokens on every worker, as resident_tokens asks for; rings, "
                    "ulysses, grids and all_gather_kv do",
                    algorithm));
  plan.problem = problem;
  plan.algorithm = std::move(algorithm);
  plan.pass = pass;
  plan.gradients = gradients;
  plan.workers.resize(static_cast<std::size_t>(workers));
}

Step& PlanBuilder::step(int index, int step_index) {
  std::vector<Step>& steps = worker(index).steps;
  if (steps.size() <= static_cast<std::size_t>(step_index))
    steps.resize(static_cast<std::size_t>(step_index) + 1);
  return steps[static_cast<std::size_t>(step_index)];
}

int PlanBuilder::neighbour(int index, int distance) const {
  const int n = n_workers();
  return ((index + distance) % n + n) % n;
}

int PlanBuilder::add_list(std::vector<int> groups) {
  plan.group_lists.push_back(std::move(groups));
  return static_cast<int>(plan.group_lists.size()) - 1;
}

void PlanBuilder::add_task(Step& step, int q_group, int kv_group, const Range& heads) const {
  const Left left = left_by_mask(plan.problem, group_at(plan.q_groups, q_group),
                                 group_at(plan.kv_groups, kv_group));
  if (!left.any) return;
  PairTask& task = step.tasks.emplace_back();
  task.q_group = q_group;
  task.kv_group = kv_group;
  task.heads.begin = heads.begin;
  task.heads.end = heads.end;
  task.allowed = left.allowed;
  task.offset = left.offset;
}

void PlanBuilder::add_task(Step& step, int q_group, int kv_group) const {
  add_task(step, q_group, kv_group, all_heads());
}

Transfer PlanBuilder::transfer(const Message& message, int peer, int send_step) const {
  const std::vector<TokenGroup>& groups = is_of_keys(message.what) ? plan.kv_groups : plan.q_groups;
  const std::int64_t rows =
      std::max(tokens_of(groups, plan.group_lists[static_cast<std::size_t>(message.groups)]),
               message.padded_rows);
  const std::int64_t bytes = tensor_bytes(plan.problem, message.what, rows, message.heads,
                                          sent_sums(plan.problem, message.what, plan.gradients));
  return {.kind = message.kind,
          .what = message.what,
          .peer = peer,
          .groups = message.groups,
          .heads = message.heads,
          .bytes = bytes,
          .until = message.kind == TransferKind::p2p ? send_step + 1 : kToTheEnd};
}

void PlanBuilder::send(int from, int to, int send_step, const Message& message) {
  step(from, send_step).sends.push_back(transfer(message, to, send_step));
  step(to, send_step + 1).receives.push_back(transfer(message, from, send_step));
}

void PlanBuilder::scatter(Step& step, TensorRole what, int groups) const {
  step.receives.push_back(
      transfer({TransferKind::scatter, what, groups, all_heads(), 0}, kRoot, 0));
}

void PlanBuilder::gather(Step& step, TensorRole what, int groups, const Range& heads) const {
  step.sends.push_back(transfer({TransferKind::gather, what, groups, heads, 0}, kRoot, 0));
}

Shards deal_contiguous(Plan& plan, int workers) {
  const std::int64_t resident = plan.problem.resident_keys;
  plan.q_groups = contiguous_groups(plan.problem.shape.q_len, workers);
  plan.kv_groups = contiguous_groups(plan.problem.shape.kv_len - resident, workers, resident);
  Shards shards = shards_of_groups(plan);
  add_resident(plan, contiguous_groups(resident, workers));
  return shards;
}

Shards deal_striped(Plan& plan, int workers) {
  const std::int64_t resident = plan.problem.resident_keys;
  plan.q_groups = striped_groups(plan.problem.shape.q_len, workers);
  plan.kv_groups = striped_groups(plan.problem.shape.kv_len - resident, workers, resident);
  Shards shards = shards_of_groups(plan);
  add_resident(plan, striped_groups(resident, workers));
  return shards;
}

Shards deal_zigzag(Plan& plan, int workers) {
  Shards shards{std::vector<std::vector<int>>(static_cast<std::size_t>(workers)),
                std::vector<std::vector<int>>(static_cast<std::size_t>(workers)), 0};
  const std::int64_t resident = plan.problem.resident_keys;
  for (Segment segment : segments_of(plan.problem)) {
    segment.k_begin += resident;  // of one sequence
    const std::int64_t n_new = segment.q_end - segment.q_begin;
    // If there are fewer keys than queries, all keys count as new.
    const std::int64_t n_cached =
        std::max<std::int64_t>(0, segment.k_end - segment.k_begin - n_new);
    (void)deal_chunks(segment.q_begin, n_new, plan.q_groups, shards.q);
    if (n_cached > 0)
      shards.kv_room += deal_chunks(segment.k_begin, n_cached, plan.kv_groups, shards.kv);
    shards.kv_room +=
        deal_chunks(segment.k_begin + n_cached, segment.k_end - segment.k_begin - n_cached,
                    plan.kv_groups, shards.kv);
  }
  add_resident(plan, contiguous_groups(resident, workers));
  return shards;
}

Shards (*deal_called(std::string_view name))(Plan&, int) {
  if (name == "contiguous") return deal_contiguous;
  if (name == "striped") return deal_striped;
  if (name == "zigzag") return deal_zigzag;
  throw UsageError(unknown_word(
      "deal", name, std::array<std::string_view, 3>{"contiguous", "striped", "zigzag"}));
}

void require_one_sequence(const Problem& problem, std::string_view algorithm) {
  if (const std::size_t n = problem.mask.segments.size(); n > 1)
    throw Unsupported(fmt::format(
        "{} decodes one sequence, and this batch packs {}; decode takes them", algorithm, n));
}

}  // namespace qb
