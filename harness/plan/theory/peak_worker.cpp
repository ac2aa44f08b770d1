// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/theory/peak_worker.h"

#include <algorithm>
#include <numeric>

#include "base/integers.h"

namespace qb {

std::int64_t HeldSizes::bytes(Roles what, std::int64_t rows, const Range& heads, bool sent) const {
  std::int64_t bytes = 0;
  for (const TensorRole role : what) {
    const DType sums = sent ? sent_sums(problem, role, gradients) : DType::f32;
    bytes += round_up(tensor_bytes(problem, role, rows, heads, sums), sent ? kMessageAlignment : 1);
  }
  return bytes;
}

std::int64_t HeldSizes::out(std::int64_t c, const Range& heads) const {
  return tensor_extent(problem, TensorRole::partial, c, heads).elements() * size_of(DType::f32);
}

DealtShards::DealtShards(const Problem& problem, int workers, Shards (*deal)(Plan&, int)) {
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

std::int64_t DealtShards::rows(const std::vector<int>& q_groups, std::int64_t first_key) const {
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

void HeldByWorker::offer(HeldKind kind, std::int64_t bytes) {
  held[kind] += bytes;
  const std::int64_t total = std::accumulate(held.begin(), held.end(), std::int64_t{0});
  if (total > most_.total) most_ = {held, total};
  held[kind] -= bytes;
}

}  // namespace qb
