// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/theory/peak_memory.h"

#include <algorithm>
#include <set>

#include "base/integers.h"
#include "harness/plan/rotation.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/theory/peak_worker.h"
#include "interest_sets/split/distillation.h"
#include "kernels/attention.h"
#include "kernels/attention_backward.h"

namespace qb {
namespace {

std::int64_t sum_over(const auto& workers, const auto& bytes_of) {
  std::int64_t sum = 0;
  for (const int worker : workers) sum += bytes_of(worker);
  return sum;
}

// One worker that computes all at once, of tokens that the root sent or in the caller's tensors.
void hold_at_once(const HeldSizes& z, std::int64_t c, std::int64_t m, bool in_place,
                  MostHeld& most) {
  HeldByWorker worker(z, c, m, most);
  worker.held[kResults] = z.results(c, m, z.all_heads());
  worker.call(in_place && z.backward() ? z.out(c, z.all_heads()) : 0);
}

// Queries go round. Forward a worker keeps its partials of the others' queries until the last step;
// backward sums of dQ go round too.
void hold_query_ring(const HeldSizes& z, const DealtShards& dealt, int w, MostHeld& most) {
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

void hold_gathered(const HeldSizes& z, const DealtShards& dealt, int w, MostHeld& most) {
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
void hold_saved_heads(const HeldSizes& sizes, const DealtShards& dealt, int w, MostHeld& most) {
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

std::vector<Quorum> quorums_of(int workers) {
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

std::vector<QuorumCall> quorum_calls(const DealtShards& dealt, int w, const Quorum& quorum) {
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
void hold_exchange(const HeldSizes& z, const DealtShards& dealt, int w, Quorum quorum, int fetchers,
                   MostHeld& most) {
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
    const bool merges = !z.backward() && (call.own_queries || partials > 0);
    if (!call.own_queries) partials = z.results(r, 0, heads);
    if (!call.own_keys) key_sums = z.results(0, t, heads);
    worker.held[kToLeave] = partials + key_sums;
    worker.call(merges ? z.results(rows, 0, heads) : 0);
  }
  worker.end(sum_over(others, results));
  worker.held[kToLeave] = 0;
  worker.arrive(0, 0, z.widened(c, heads));
}

void hold_quorums(const HeldSizes& z, const DealtShards& dealt, bool sharded, MostHeld& most) {
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

void hold(std::string_view scheme, const HeldSizes& z, int workers, const GridShape& asked,
          MostHeld& most) {
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

struct KindTexts {
  const char* what;
  const char* formula;
};

constexpr KindTexts kForwardTexts[] = {{"Q, K, V of its shard", "c NH d e + 2 m NKV d e"},
                                       {"O, LSE of its shard", "c NH (d + 1) p"},
                                       {"gathered Q, K, V", "r s d e + 2 t k d e"},
                                       {"messages", ""},
                                       {"partials that leave", "r s (d + 1) p"},
                                       {"result to merge", "b s (d + 1) p"},
                                       {"workspace", "w"}};
constexpr KindTexts kBackwardTexts[] = {
    {"Q, dO, LSE, D, K, V of its shard", "c NH (2 d e + 2 p) + 2 m NKV d e"},
    {"sums that stay", "c NH d p, 2 m NKV d p"},
    {"gathered Q, dO, LSE, D, K, V", "r s (2 d e + 2 p) + 2 t k d e"},
    {"messages", ""},
    {"sums that leave", "r s d p, 2 t k d p"},
    {"O", "c NH d p"},
    {"workspace", "w"}};

// What the messages of a scheme are, of which the fullest moment has some.
struct MessageTexts {
  const char* schemes;
  const char* forward;
  const char* backward;
};

constexpr MessageTexts kMessageTexts[] = {
    {"ring striped zigzag pass_kv all_gather_kv", "h + 2 |m NKV d e|",
     "h + 2 |m NKV d e|, h + 2 |m NKV d p|"},
    {"burst", "h + 2 |m NKV d e|", "h + 2 |c NH d e| + 2 |c NH p|, h + |c NH d p|"},
    {"pass_q", "h + |c NH d e|, h + |c NH (d o + p)|", ""},
    {"ulysses", "h + |c s d e| + 2 |m k d e|, h + |c s (d o + p)|",
     "h + |c s d e|, h + |c s d p| + 2 |m k d p|, or e for p"},
    {"grid usp mesh", "h + |c s d e| + 2 |m k d e|, h + 2 |t k d e|, h + |c s (d o + p)|",
     "h + 2 |c s d e| + 2 |c s p| + 2 |m k d e|, h + 2 |t k d e|, h + 2 |t k d p|, "
     "h + |c s d p| + 2 |m k d p|"},
    {"cqs_sharded", "h + |c NH d e| + 2 |m NKV d e|, h + |c NH (d o + p)|",
     "h + 2 |c NH d e| + 2 |c NH p| + 2 |m NKV d e|, h + |c NH d p| + 2 |m NKV d p|"}};

HeldTensors held_tensors(std::string_view scheme, bool backward, std::size_t kind,
                         std::int64_t bytes) {
  if (backward && scheme == "ulysses" && kind == kShard)
    return {"dO of its shard", "c NH d e", bytes};
  const KindTexts& texts = (backward ? kBackwardTexts : kForwardTexts)[kind];
  if (kind != kMessages) return {texts.what, texts.formula, bytes};
  const auto messages = std::ranges::find_if(kMessageTexts, [&](const MessageTexts& each) {
    return KernelRow::lists(each.schemes, scheme);
  });
  return {texts.what, backward ? messages->backward : messages->forward, bytes};
}

}  // namespace

std::string why_no_peak_form(std::string_view scheme, const Problem& problem) {
  if (scheme == "decode" || scheme == "flash_decoding" || scheme == "tree_decode")
    return "no form: what decoding holds follows from the number of new tokens";
  if (problem.mask.kind == MaskKind::pattern || !problem.mask.segments.empty())
    return "no form for a pattern or a packed batch";
  return {};
}

std::vector<HeldTensors> peak_memory(std::string_view scheme, const Problem& problem, int workers,
                                     Pass pass, const GridShape& grid, Kernel kernel) {
  const Shape& shape = problem.shape;
  const std::int64_t workspace =
      pass == Pass::forward
          ? kernel_workspace_bytes(kernel, shape.q(), shape.k(), problem.dtype, 1, shape.value_dim)
          : backward_workspace_bytes(kernel, shape.q(), shape.k(), problem.dtype, 1,
                                     shape.value_dim);
  MostHeld most;
  hold(scheme, {problem, pass, workspace}, workers, grid, most);
  std::vector<HeldTensors> tensors;
  for (std::size_t kind = 0; kind < most.bytes.size(); ++kind)
    if (most.bytes[kind] > 0)
      tensors.push_back(held_tensors(scheme, pass == Pass::backward, kind, most.bytes[kind]));
  return tensors;
}

}  // namespace qb
