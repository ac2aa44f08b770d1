// SPDX-License-Identifier: Apache-2.0
// For tests only: what the forms of peak_forms.h are made of: bytes of tensors and of messages, the
// shards of a deal, and what a worker holds from step to step.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/integers.h"
#include "harness/plan/builder.h"
#include "harness/plan/messages.h"

namespace qb::testing_support {

// Kinds of what a worker holds. kMerged: the result of a call, or O of a message in float32, until
// it is merged; in a backward pass O, of which the worker makes D.
enum HeldKind { kShard, kResults, kGathered, kMessages, kToLeave, kMerged, kWorkspace, kHeldKinds };
using HeldBytes = std::array<std::int64_t, kHeldKinds>;

// Bytes of `c` rows of queries and `m` rows of keys of some query heads: of what tasks read and of
// what they compute, where they are held and as a message.
struct HeldSizes {
  const Problem& problem;
  Pass pass;
  std::int64_t workspace;        // of a kernel call
  bool goes_on;                  // a call adds to the results of those before it
  DType gradients = DType::f32;  // as in Plan

  using Roles = std::span<const TensorRole>;
  [[nodiscard]] bool backward() const { return pass == Pass::backward; }
  [[nodiscard]] Range all_heads() const { return {0, problem.shape.q_heads}; }
  [[nodiscard]] std::int64_t inputs(std::int64_t c, std::int64_t m, const Range& heads,
                                    bool sent = false) const {
    return bytes(query_inputs(pass), c, heads, sent) + bytes(kKeyInputs, m, heads, sent);
  }
  [[nodiscard]] std::int64_t results(std::int64_t c, std::int64_t m, const Range& heads,
                                     bool sent = false) const {
    return bytes(results_of(pass).first(1), c, heads, sent) +
           bytes(results_of(pass).subspan(1), m, heads, sent);
  }
  // What a call takes for its results before they are merged with others.
  [[nodiscard]] std::int64_t unmerged(std::int64_t rows, const Range& heads) const {
    return goes_on || backward() ? 0 : results(rows, 0, heads);
  }
  [[nodiscard]] std::int64_t sent_inputs(std::int64_t c, std::int64_t m, const Range& heads) const {
    return kMessageHeaderBytes + inputs(c, m, heads, true);
  }
  [[nodiscard]] std::int64_t sent_results(std::int64_t c, std::int64_t m,
                                          const Range& heads) const {
    return kMessageHeaderBytes + results(c, m, heads, true);
  }
  [[nodiscard]] std::int64_t bytes(Roles what, std::int64_t rows, const Range& heads,
                                   bool sent) const;
  [[nodiscard]] std::int64_t out(std::int64_t c, const Range& heads) const;  // O in float32
  // What O of a message takes while it is merged.
  [[nodiscard]] std::int64_t widened(std::int64_t c, const Range& heads) const {
    return backward() || problem.partials == DType::f32 ? 0 : out(c, heads);
  }
};

// The shards of a deal, by worker.
struct DealtShards {
  static constexpr std::int64_t kNoKey = std::numeric_limits<std::int64_t>::max();
  struct Shard {
    std::vector<int> q_groups;
    std::int64_t c = 0;  // queries
    std::int64_t m = 0;  // keys
    std::int64_t first_key = kNoKey;
  };

  DealtShards(const Problem& problem, int workers, Shards (*deal)(Plan&, int));
  [[nodiscard]] const Shard& operator[](int worker) const {
    return shards[static_cast<std::size_t>(worker)];
  }
  // Returns the rows of a call: those from the first to the last of these groups, which ascend,
  // that sees a key. first_key: of all keys of the call; kNoKey if there are none.
  [[nodiscard]] std::int64_t rows(const std::vector<int>& q_groups, std::int64_t first_key) const;
  [[nodiscard]] bool computes(int queries_of, int keys_of) const {
    return rows((*this)[queries_of].q_groups, (*this)[keys_of].first_key) > 0;
  }

  std::vector<Shard> shards;
  std::int64_t query_room = 0;  // of the longest shard
  std::int64_t key_room = 0;
  Plan dealt;
};

// One worker, step by step.
class HeldByWorker {
 public:
  HeldByWorker(const HeldSizes& sizes, std::int64_t c, std::int64_t m, std::int64_t& most)
      : z_(sizes), most_(most) {
    held[kShard] = z_.inputs(c, m, z_.all_heads());
    if (!z_.backward()) held[kResults] = z_.results(c, m, z_.all_heads());
  }
  // Makes D of O, where no root has sent it.
  void make_delta(std::int64_t c) {
    if (z_.backward()) offer(kMerged, z_.out(c, z_.all_heads()));
  }
  // A step begins: messages have come, of which so many bytes are used where they are; the others
  // are joined to so many bytes, or merged through so many.
  void arrive(std::int64_t used, std::int64_t joined = 0, std::int64_t merged = 0) {
    held[kMessages] = kept_ + coming_;
    held[kGathered] += joined;
    offer(kMerged, merged);
    held[kMessages] = kept_ + used;
    coming_ = 0;
  }
  // A message that has come is used where it is to the end.
  void keep(std::int64_t message) {
    kept_ += message;
    held[kMessages] += message;
  }
  // Makes room for the messages of the next step, and sends inputs.
  void post(std::int64_t coming, std::int64_t sent = 0) {
    coming_ = coming;
    held[kMessages] += coming + sent;
  }
  void call(std::int64_t result = 0) {
    held[kMerged] = result;
    offer(kWorkspace, z_.workspace);
    held[kMerged] = 0;
  }
  // The step ends: results leave, in so many bytes besides messages that they came in.
  void end(std::int64_t sent) { offer(kMessages, sent); }

  HeldBytes held{};

 private:
  void offer(HeldKind kind, std::int64_t bytes);

  const HeldSizes& z_;
  std::int64_t& most_;  // that any worker held at one time
  std::int64_t coming_ = 0;
  std::int64_t kept_ = 0;
};

inline std::int64_t HeldSizes::bytes(Roles what, std::int64_t rows, const Range& heads,
                                     bool sent) const {
  std::int64_t bytes = 0;
  for (const TensorRole role : what) {
    const DType sums = sent ? sent_sums(problem, role, gradients) : DType::f32;
    bytes += round_up(tensor_bytes(problem, role, rows, heads, sums), sent ? kMessageAlignment : 1);
  }
  return bytes;
}

inline std::int64_t HeldSizes::out(std::int64_t c, const Range& heads) const {
  return tensor_extent(problem, TensorRole::partial, c, heads).elements() * size_of(DType::f32);
}

inline DealtShards::DealtShards(const Problem& problem, int workers, Shards (*deal)(Plan&, int)) {
  dealt.problem = problem;
  const Shards all = deal(dealt, workers);
  key_room = all.kv_room;
  for (std::size_t w = 0; w < all.q.size(); ++w) {
    Shard& shard = shards.emplace_back(all.q[w], tokens_of(dealt.q_groups, all.q[w]),
                                       tokens_of(dealt.kv_groups, all.kv[w]));
    query_room = std::max(query_room, shard.c);
    for (const int group : all.kv[w])
      if (const TokenGroup& keys = group_at(dealt.kv_groups, group); keys.count > 0)
        shard.first_key = std::min(shard.first_key, keys.first);
  }
}

inline std::int64_t DealtShards::rows(const std::vector<int>& q_groups,
                                      std::int64_t first_key) const {
  const Shape& shape = dealt.problem.shape;
  const bool causal = dealt.problem.mask.kind == MaskKind::causal;
  std::int64_t rows = 0;
  std::int64_t between = 0;  // rows since the last group that sees a key
  for (const int group : q_groups) {
    const TokenGroup& queries = group_at(dealt.q_groups, group);
    const bool sees = queries.count > 0 && first_key != kNoKey &&
                      (!causal || queries.last() + shape.kv_len - shape.q_len >= first_key);
    if (sees || rows > 0) between += queries.count;
    if (sees) rows += std::exchange(between, 0);
  }
  return rows;
}

inline void HeldByWorker::offer(HeldKind kind, std::int64_t bytes) {
  held[kind] += bytes;
  most_ = std::max(most_, std::accumulate(held.begin(), held.end(), std::int64_t{0}));
  held[kind] -= bytes;
}

}  // namespace qb::testing_support
