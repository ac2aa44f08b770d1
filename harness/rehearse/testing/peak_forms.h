// SPDX-License-Identifier: Apache-2.0
// For tests only: closed forms of the most that a worker's device holds in a pass, to compare with
// plan_memory(), which runs every worker over addresses. They plan and run nothing. A form is a
// sum: what the worker that holds most holds at its fullest moment, by kind of tensor. It is exact
// for unequal shards and for fewer tokens than workers, too.
//
// c queries and m keys of a shard, r queries and t keys that the worker gathers or whose results it
// sends back. A message has a header and for each tensor a place of its bytes rounded up to 64;
// those of a ring have room for the longest shard.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "harness/plan/rotation.h"
#include "harness/plan/testing/brute_force.h"
#include "harness/rehearse/testing/peak_grid.h"
#include "harness/rehearse/testing/peak_worker.h"
#include "interest_sets/split/distillation.h"
#include "kernels/attention.h"
#include "kernels/attention_backward.h"

namespace qb::testing_support {

inline std::int64_t sum_over(const auto& workers, const auto& bytes_of) {
  std::int64_t sum = 0;
  for (const int worker : workers) sum += bytes_of(worker);
  return sum;
}

// One worker that computes all at once, of tokens that the root sent or in the caller's tensors.
inline void hold_at_once(const HeldSizes& z, std::int64_t c, std::int64_t m, bool in_place,
                         std::int64_t& most) {
  HeldByWorker worker(z, c, m, most);
  worker.held[kResults] = z.results(c, m, z.all_heads());
  worker.call(in_place && z.backward() ? z.out(c, z.all_heads()) : 0);
}

// Queries go round. Forward a worker keeps its partials of the others' queries until the last step;
// backward sums of dQ go round too.
inline void hold_query_ring(const HeldSizes& z, const DealtShards& dealt, int w,
                            std::int64_t& most) {
  const auto workers = static_cast<int>(dealt.shards.size());
  const Range heads = z.all_heads();
  const auto& [q_groups, c, m, first_key] = dealt[w];
  const std::int64_t inputs = z.sent_inputs(dealt.query_room, 0, heads);
  const std::int64_t result = z.sent_results(dealt.query_room, 0, heads);
  const std::int64_t sums = z.backward() && workers > 1 ? result : 0;
  HeldByWorker worker(z, c, m, most);
  worker.make_delta(c);
  for (int i = 0; i < workers; ++i) {
    const int shard = (w - i + workers) % workers;
    const bool ends = i + 1 == workers;
    const std::int64_t returned = ends && !z.backward() ? i * result : 0;
    if (i > 0) worker.arrive(inputs + sums);
    worker.post((ends ? 0 : inputs) + sums + returned, i == 0 && !ends ? inputs : 0);
    if (dealt.computes(shard, w)) {
      if (z.backward()) worker.held[kResults] = z.results(0, m, heads);
      if (z.backward() == (i == 0)) worker.held[kToLeave] += z.results(dealt[shard].c, 0, heads);
      worker.call();
    }
    worker.end((i == 0 ? sums : 0) + returned);
    if (z.backward()) worker.held[kToLeave] = 0;
  }
  worker.held[kToLeave] = 0;
  if (workers > 1) worker.arrive(0, 0, z.widened(c, heads));
}

inline void hold_gathered(const HeldSizes& z, const DealtShards& dealt, int w, std::int64_t& most) {
  const auto all = integers_below(static_cast<int>(dealt.shards.size()));
  const Range heads = z.all_heads();
  const auto& [q_groups, c, m, first_key] = dealt[w];
  const auto inputs = [&](int of) { return z.sent_inputs(0, dealt[of].m, heads); };
  const auto sums = [&](int of) { return z.sent_results(0, dealt[of].m, heads); };
  const bool alone = all.size() == 1;
  HeldByWorker worker(z, c, m, most);
  worker.make_delta(c);
  worker.post(sum_over(all, inputs), inputs(w));
  worker.end(0);
  worker.arrive(0, alone ? 0 : z.inputs(0, z.problem.shape.kv_len, heads));
  if (alone) worker.keep(inputs(w));  // a single message is used where it came
  if (z.backward()) worker.post((std::ssize(all) - 1) * sums(w));
  if (c > 0) {
    worker.held[kResults] = z.results(c, 0, heads);
    worker.held[kToLeave] = z.results(0, z.problem.shape.kv_len, heads);
    worker.call();
  }
  if (z.backward()) worker.end(sum_over(all, sums) - sums(w));
  // One worker alone adds one gradient after the other to sums of its own.
  if (alone) worker.end(z.results(0, m, heads) / 2);
}

// The backward pass of Ulysses, whose workers still have all tokens of their heads.
inline void hold_saved_heads(const HeldSizes& sizes, const DealtShards& dealt, int w,
                             std::int64_t& most) {
  constexpr TensorRole kSent[] = {TensorRole::d_out};
  constexpr TensorRole kMade[] = {TensorRole::d_out, TensorRole::delta};
  const auto all = integers_below(static_cast<int>(dealt.shards.size()));
  const Shape& shape = sizes.problem.shape;
  const auto& [q_groups, c, m, first_key] = dealt[w];
  const auto share = [&](int worker) { return head_share(shape, worker, std::ssize(all)); };
  const Range heads = share(w);
  HeldSizes z = sizes;
  // Gradients are whole where no other worker computes with their heads.
  if (sum_over(all, [&](int of) { return kv_heads_of(shape, share(of)).count(); }) ==
      shape.kv_heads)
    z.gradients = z.problem.dtype;
  const std::int64_t made = z.bytes(kMade, shape.q_len, heads, false);
  const auto d_out = [&](int of, const Range& of_heads) {
    return kMessageHeaderBytes + z.bytes(kSent, dealt[of].c, of_heads, true);
  };
  HeldByWorker worker(z, 0, 0, most);
  worker.held[kShard] = z.bytes(kSent, c, z.all_heads(), false);
  worker.held[kGathered] = z.inputs(shape.q_len, shape.kv_len, heads) - made;
  worker.held[kMerged] = z.out(shape.q_len, heads);
  worker.post(sum_over(all, [&](int of) { return d_out(of, heads); }),
              sum_over(all, [&](int of) { return d_out(w, share(of)); }));
  worker.end(0);
  worker.arrive(0, made);
  worker.post(sum_over(all, [&](int of) { return z.sent_results(c, m, share(of)); }));
  worker.held[kToLeave] = z.results(shape.q_len, shape.kv_len, heads);
  worker.call();
  worker.end(
      sum_over(all, [&](int of) { return z.sent_results(dealt[of].c, dealt[of].m, heads); }));
  worker.held[kToLeave] = 0;
  if (all.size() > 1 || z.gradients != DType::f32)  // else the sums stay where they came
    worker.held[kResults] = z.results(c, m, z.all_heads());
  worker.arrive(0);
}

// A worker's kept pairs of groups, in the order in which it computes them, and these groups.
struct Quorum {
  std::vector<GroupPair> pairs;
  std::set<int> groups;
};

inline std::vector<Quorum> quorums_of(int workers) {
  const std::vector<ResiduePair> residues = kept_residue_pairs(default_interest_set(workers));
  std::vector<Quorum> all;
  for (int w = 0; w < workers; ++w) {
    Quorum& quorum = all.emplace_back(distill(workers, residues, w, Distillation::published));
    for (const GroupPair& pair : quorum.pairs) quorum.groups.insert({pair.first, pair.second});
  }
  return all;
}

// A kernel call of cqs_sharded, on the worker's own queries or on those of others, of which it
// touches groups first to last.
struct QuorumCall {
  bool own_queries = false;
  bool own_keys = false;
  int first = 0;
  int last = 0;
};

inline std::vector<QuorumCall> quorum_calls(const DealtShards& dealt, int w, const Quorum& quorum) {
  std::vector<QuorumCall> calls;
  const auto add = [&](int q, int kv) {
    if (!dealt.computes(q, kv)) return;
    const auto same = std::ranges::find_if(calls, [&](const QuorumCall& call) {
      return call.own_queries == (q == w) && call.own_keys == (kv == w);
    });
    if (same == calls.end()) return calls.push_back({q == w, kv == w, q, q});
    same->first = std::min(same->first, q);
    same->last = std::max(same->last, q);
  };
  for (const GroupPair& pair : quorum.pairs) {
    add(pair.first, pair.second);
    add(pair.second, pair.first);
  }
  return calls;
}

// fetchers: how many workers fetch this one's group.
inline void hold_exchange(const HeldSizes& z, const DealtShards& dealt, int w, Quorum quorum,
                          int fetchers, std::int64_t& most) {
  const Range heads = z.all_heads();
  const auto inputs = [&](int g) { return z.sent_inputs(dealt[g].c, dealt[g].m, heads); };
  const auto results = [&](int g) { return z.sent_results(dealt[g].c, dealt[g].m, heads); };
  const auto& [q_groups, c, m, first_key] = dealt[w];
  std::set<int>& others = quorum.groups;
  others.erase(w);
  const std::int64_t r = sum_over(others, [&](int g) { return dealt[g].c; });
  const std::int64_t t = sum_over(others, [&](int g) { return dealt[g].m; });
  HeldByWorker worker(z, c, m, most);
  worker.make_delta(c);
  worker.post(sum_over(others, inputs), fetchers > 0 ? inputs(w) : 0);
  worker.held[kResults] = z.results(c, m, heads);
  worker.call();
  const bool one = others.size() == 1;
  worker.arrive(0, one ? 0 : z.inputs(r, t, heads));
  if (one) worker.keep(sum_over(others, inputs));
  worker.post(fetchers * results(w));
  std::int64_t partials = 0;
  std::int64_t key_sums = 0;
  for (const QuorumCall& call : quorum_calls(dealt, w, quorum)) {
    const std::int64_t rows = call.own_queries ? c : sum_over(others, [&](int g) {
      return g >= call.first && g <= call.last ? dealt[g].c : 0;
    });
    // The first call on others' queries writes all their partials.
    const bool merges = call.own_queries || partials > 0;
    if (!call.own_queries) partials = z.results(r, 0, heads);
    if (!call.own_keys) key_sums = z.results(0, t, heads);
    worker.held[kToLeave] = partials + key_sums;
    worker.call(merges ? z.unmerged(rows, heads) : 0);
  }
  worker.end(sum_over(others, results));
  worker.held[kToLeave] = 0;
  worker.arrive(0, 0, z.widened(c, heads));
}

inline void hold_quorums(const HeldSizes& z, const DealtShards& dealt, bool sharded,
                         std::int64_t& most) {
  std::vector<Quorum> quorums = quorums_of(static_cast<int>(dealt.shards.size()));
  std::vector<int> holders(quorums.size(), 0);  // of each group, by workers with a pair of it
  for (const Quorum& quorum : quorums)
    for (const int group : quorum.groups) ++holders[static_cast<std::size_t>(group)];
  for (std::size_t at = 0; at < quorums.size(); ++at) {
    const int w = static_cast<int>(at);
    std::set<int>& groups = quorums[at].groups;
    if (sharded) {
      hold_exchange(z, dealt, w, quorums[at], holders[at] - (groups.contains(w) ? 1 : 0), most);
      continue;
    }
    groups.insert(w);
    hold_at_once(z, sum_over(groups, [&](int g) { return dealt[g].c; }),
                 sum_over(groups, [&](int g) { return dealt[g].m; }), false, most);
  }
}

inline void hold(std::string_view scheme, const HeldSizes& z, int workers, const GridShape& asked,
                 std::int64_t& most) {
  const bool is_quorum = takes_interest_set(scheme);
  const bool is_striped = scheme == "striped";
  const bool is_contiguous = scheme == "ring" || scheme == "ulysses" || is_quorum;
  const Shape& shape = z.problem.shape;
  if (workers == 1 && (scheme == "dense" || scheme == "ring" || is_striped))
    return hold_at_once(z, shape.q_len, shape.kv_len, true, most);
  const DealtShards dealt(z.problem, workers,
                          is_contiguous ? deal_contiguous
                          : is_striped  ? deal_striped
                                        : deal_zigzag);
  if (is_quorum) return hold_quorums(z, dealt, scheme == "cqs_sharded", most);
  const auto each = [&](const auto& play) {
    for (int w = 0; w < workers; ++w) play(z, dealt, w, most);
  };
  if (scheme == "all_gather_kv") return each(hold_gathered);
  if (scheme == "pass_q" || (scheme == "burst" && z.backward())) return each(hold_query_ring);
  if (scheme == "ulysses" && z.backward()) return each(hold_saved_heads);
  HeldGrid grid{.shape = {1, 1, workers}, .padded = true};
  if (scheme == "ulysses") grid = {.shape = {workers, 1, 1}, .exchanges = true};
  if (is_grid(scheme)) {
    grid = {.shape = grid_shape(scheme, z.problem, workers, asked)};
    grid.exchanges = grid.shape.heads > 1;
  }
  hold_grid(z, dealt, grid, most);
}

// Says whether there is a form for the scheme and the problem.
inline bool has_peak_form(std::string_view scheme, const Problem& problem) {
  return scheme != "decode" && scheme != "double_ring" && scheme != "flash_decoding" &&
         scheme != "tree_decode" && scheme != "helix" && scheme != "rectangular" &&
         problem.mask.kind != MaskKind::pattern && problem.mask.segments.empty();
}

// Returns the form where there is one and the scheme has a plan of the problem, whose P = kv_len -
// q_len is 0 or more. Where one worker computes in place, the caller's tensors count; the root of
// cqs is apart. grid: for grid, usp and mesh. kernel: one of which every call takes as much on one
// thread, as flash.
inline std::int64_t peak_form(std::string_view scheme, const Problem& problem, int workers,
                              Pass pass, const GridShape& grid, Kernel kernel) {
  const Shape& shape = problem.shape;
  const std::int64_t workspace =
      pass == Pass::forward
          ? kernel_workspace_bytes(kernel, shape.q(), shape.k(), problem.dtype, 1, shape.value_dim)
          : backward_workspace_bytes(kernel, shape.q(), shape.k(), problem.dtype, 1,
                                     shape.value_dim);
  std::int64_t most = 0;
  const bool goes_on = problem.adds_to_partials && kernel_tiles(kernel, shape.head_dim).resumes;
  hold(scheme, {problem, pass, workspace, goes_on}, workers, grid, most);
  return most;
}

}  // namespace qb::testing_support
