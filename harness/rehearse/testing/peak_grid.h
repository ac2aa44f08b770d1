// SPDX-License-Identifier: Apache-2.0
// For tests only: what workers of a grid hold, and so those of rings: see
// harness/plan/strategies/grid.cpp for what they do. In hop i a worker computes with the keys of
// the tile i columns before its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "harness/plan/rotation.h"
#include "harness/plan/worker_group.h"
#include "harness/rehearse/testing/peak_worker.h"

namespace qb::testing_support {

// A grid of workers, which dealt tokens. exchanges: heads are shared, as in Ulysses' forward pass
// even on one worker. padded: messages of keys have room for the longest shard, as in rings.
struct HeldGrid {
  GridShape shape;
  bool exchanges = false;
  bool padded = false;
};
// The keys of a tile, and the messages in which a worker passes its share of them on.
struct TileKeys {
  std::int64_t rows = 0;
  std::int64_t first = DealtShards::kNoKey;
  std::int64_t inputs = 0;
  std::int64_t sums = 0;  // of a backward pass
};

// Bytes of messages that a worker receives and sends.
struct BothWays {
  std::int64_t in = 0;
  std::int64_t out = 0;
};

inline Range share_of(const HeldSizes& z, const HeldGrid& grid, int worker) {
  if (!grid.exchanges) return z.all_heads();
  return head_share(z.problem.shape, worker % grid.shape.heads, grid.shape.heads);
}

struct GridWorker {
  const HeldSizes& z;
  const DealtShards& dealt;
  const HeldGrid& grid;
  const WorkerGroup& group;
  const std::vector<TileKeys>& tiles;
  int index;
  std::int64_t& most;

  const DealtShards::Shard& own = dealt[index];
  WorkerGroup::Digits place = group.digits(index);
  int hops = grid.shape.columns;
  bool has_rows = grid.shape.rows > 1;
  Range heads = share_of(z, grid, index);
  // The workers whose queries come to it; itself too where heads are shared.
  std::vector<int> others = group.places({0, kHeadsAxis | kRowsAxis, !grid.exchanges}, index);
  std::vector<int> groups_of_others{};
  std::int64_t r = 0;                                                // queries that come
  int first = grid.exchanges || (z.backward() && has_rows) ? 1 : 0;  // the step of the first hop
  int last = std::max(first + hops - 1, has_rows ? 1 : 0);           // the step of the last call
  BothWays exchange{};
  BothWays returns{};      // results of queries, and those of keys if these return with them
  BothWays key_returns{};  // results of keys in a step of their own
  HeldByWorker worker{z, own.c, own.m, most};

  [[nodiscard]] Range share(int of) const { return share_of(z, grid, of); }
  [[nodiscard]] const TileKeys& tile(int hop) const {
    const auto [h, y, x] = place;
    return tiles[static_cast<std::size_t>(group.place({h, y, x - hop}))];
  }
  // The messages with which it begins a hop. After the last hop its sums come home.
  [[nodiscard]] std::int64_t inputs(int hop) const {
    return hops > 1 && hop < hops ? tile(hop).inputs : 0;
  }
  [[nodiscard]] std::int64_t sums(int hop) const {
    return z.backward() && hops > 1 ? tile(hop).sums : 0;
  }
  [[nodiscard]] std::int64_t key_sums(int hop) const {
    return hop == 0 ? z.results(0, tile(0).rows, heads) : 0;  // later they are in a message
  }
  void add_messages();
  void begin(int step);
  void compute(int step);
  void compute_own(int hop);
  void compute_others(int hop);
  void come_home();
  void play();
};

inline void GridWorker::add_messages() {
  for (const int other : others) {
    const DealtShards::Shard& theirs = dealt[other];
    groups_of_others.insert(groups_of_others.end(), theirs.q_groups.begin(), theirs.q_groups.end());
    r += theirs.c;
    const bool in_tile = grid.exchanges && other / grid.shape.heads == index / grid.shape.heads;
    const std::int64_t m_in = in_tile ? theirs.m : 0;
    const std::int64_t m_out = in_tile ? own.m : 0;
    const int with_keys = hops > 1 ? 0 : 1;
    exchange.in += z.sent_inputs(theirs.c, m_in, heads);
    exchange.out += z.sent_inputs(own.c, m_out, share(other));
    returns.in += z.sent_results(own.c, with_keys * m_out, share(other));
    returns.out += z.sent_results(theirs.c, with_keys * m_in, heads);
    if (!in_tile || hops == 1) continue;
    key_returns.in += z.sent_results(0, own.m, share(other));
    key_returns.out += z.sent_results(0, theirs.m, heads);
  }
  std::ranges::sort(groups_of_others);
  // Messages of equal content share a buffer.
  if (!grid.exchanges && has_rows) exchange.out = z.sent_inputs(own.c, 0, heads);
}

inline void GridWorker::begin(int step) {
  const int hop = step - first;
  const std::int64_t used = hop > 0 && hop < hops ? inputs(hop) + sums(hop) : 0;
  const bool joins = step == 1 && others.size() > 1;
  if (step > 0)
    worker.arrive(used, joins ? z.inputs(r, grid.exchanges ? tile(0).rows : 0, heads) : 0);
  if (step == 1 && others.size() == 1) worker.keep(exchange.in);
  // Keys that came in one step with queries are sent on in a message of their own.
  const bool sends = hop == 0 || (step == 1 && !others.empty() && hop + 1 < hops);
  const bool in_hops = hop >= 0 && hop < hops;
  worker.post((step == 0 ? exchange.in : 0) + (in_hops ? inputs(hop + 1) + sums(hop + 1) : 0) +
                  (step == last ? returns.in : 0),
              (step == 0 ? exchange.out : 0) + (sends ? inputs(hop) : 0));
}

inline void GridWorker::compute_own(int hop) {
  const std::int64_t rows = dealt.rows(own.q_groups, tile(hop).first);
  if (rows == 0) return;
  worker.held[kResults] = z.results(own.c, 0, heads);
  if (hop == 0) worker.held[kToLeave] = key_sums(0);
  worker.call(hop == 0 ? 0 : z.unmerged(rows, heads));
}

inline void GridWorker::compute_others(int hop) {
  const std::int64_t rows = dealt.rows(groups_of_others, tile(hop).first);
  if (rows == 0) return;
  const bool begun = worker.held[kToLeave] > 0;
  worker.held[kToLeave] = z.results(r, 0, heads) + key_sums(hop);
  worker.call(begun ? z.unmerged(rows, heads) : 0);
}

inline void GridWorker::compute(int step) {
  const int hop = step - first;
  const bool with_others = step > 0 && !others.empty();
  if (with_others && step == 1 && first == 0) compute_others(0);
  if (hop < 0 || hop >= hops) return;
  if (!grid.exchanges) compute_own(hop);
  if (with_others) compute_others(hop);
}

inline void GridWorker::come_home() {
  std::int64_t widened = 0;
  for (const int other : others) widened = std::max(widened, z.widened(own.c, share(other)));
  const bool later = hops > 1;
  if (grid.exchanges) worker.held[kResults] = z.results(own.c, later ? 0 : own.m, z.all_heads());
  worker.arrive(sums(hops), 0, widened);
  if (!grid.exchanges || !later || !z.backward()) return;
  worker.post(key_returns.in);
  worker.end(key_returns.out);
  worker.held[kResults] = z.results(own.c, own.m, z.all_heads());
  worker.arrive(0);
}

inline void GridWorker::play() {
  add_messages();
  worker.make_delta(own.c);
  for (int step = 0; step <= last; ++step) {
    begin(step);
    compute(step);
    const int hop = step - first;
    worker.end((hop == 0 ? sums(0) : 0) + (step == last ? returns.out : 0));
    if (hop != 0 || worker.held[kToLeave] == 0) continue;
    worker.held[kToLeave] -= key_sums(0);  // they have left, or are its result
    if (hops == 1 && !grid.exchanges) worker.held[kResults] += key_sums(0);
  }
  worker.held[kToLeave] = 0;
  come_home();
}

inline void hold_grid(const HeldSizes& sizes, const DealtShards& dealt, const HeldGrid& grid,
                      std::int64_t& most) {
  const WorkerGroup group(grid.shape);
  std::vector<TileKeys> tiles(dealt.shards.size());  // by worker of the tile
  for (int w = 0; w < group.size(); ++w) {
    TileKeys& tile = tiles[static_cast<std::size_t>(w)];
    for (const int other : group.places({0, kHeadsAxis}, w)) {
      tile.rows += dealt[other].m;
      tile.first = std::min(tile.first, dealt[other].first_key);
    }
    const std::int64_t room = grid.padded ? dealt.key_room : tile.rows;
    tile.inputs = sizes.sent_inputs(0, room, share_of(sizes, grid, w));
    tile.sums = sizes.sent_results(0, room, share_of(sizes, grid, w));
  }
  for (int w = 0; w < group.size(); ++w)
    GridWorker{sizes, dealt, grid, group, tiles, w, most}.play();
}

}  // namespace qb::testing_support
