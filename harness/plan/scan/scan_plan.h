// SPDX-License-Identifier: Apache-2.0
// Workers hold consecutive tokens and need the state of all tokens before theirs (kernels/mixer/):
// a scan. A plan is data, as that of attention is: which worker sends the state of which workers'
// tokens to whom, and in which round. Appending states is associative and not commutative where the
// operator is causal, so what is sent is always the state of consecutive workers. Operators that
// are not causal need the state of all workers.
//
//   chain       worker w sends what came and its own to w + 1: W - 1 rounds, 1 state a worker
//               (LASP-1, Sun et al. 2024)
//   all_gather  every worker sends its own to all others: 1 round, W - 1 states (LASP-2, 2025); of
//               operators that are causal and others
//   tree        in round r worker w sends that of the 2^r workers up to itself to w + 2^r:
//               ceil(log2 W) rounds and at most as many states (Hillis and Steele 1986)
//   all_scan    the chain with a state in K blocks: W - 2 + K rounds of a K-th (ZeCO, 2025)
//   all_reduce  of operators that are not causal: worker w gets the W-th part w of all states, and
//               sends what they make to all others: 2 rounds, 2 (W - 1) / W states (a
//               reduce-scatter and an all-gather, Rabenseifner 2004)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/words.h"
#include "kernels/tile_schedule.h"

namespace qb {

enum class ScanKind { chain, all_gather, tree, all_scan, all_reduce };

template <>
inline constexpr auto kWords<ScanKind> =
    word_table<ScanKind>("scan", {{ScanKind::chain, "chain"},
                                  {ScanKind::all_gather, "all_gather"},
                                  {ScanKind::tree, "tree"},
                                  {ScanKind::all_scan, "all_scan"},
                                  {ScanKind::all_reduce, "all_reduce"}});

struct ScanMessage {
  int round = 0;
  int from = 0;
  int to = 0;
  int block = 0;    // of the state
  Range workers{};  // the state of their tokens
};

struct ScanPlan {
  int workers = 1;
  int blocks = 1;      // in which a state is sent
  bool causal = true;  // a worker needs the state of those before it; false: of all
  std::vector<ScanMessage> messages{};  // in the order in which they leave and arrive

  [[nodiscard]] int rounds() const { return messages.empty() ? 0 : messages.back().round + 1; }
  // The workers whose states make up what the worker needs.
  [[nodiscard]] Range needs_of(int worker) const;
};

// One of so many parts: the tokens of a worker, or the part of a state that is a block.
[[nodiscard]] constexpr Range part_of(std::int64_t count, int parts, int index) {
  return {index * count / parts, (index + 1) * count / parts};
}

// blocks: of all_scan; all_reduce has one a worker, and the other kinds send a state whole. Throws
// Unsupported for an all_reduce that is causal, and for others that are not, except all_gather.
[[nodiscard]] ScanPlan plan_scan(ScanKind kind, int workers, int blocks, bool causal);

// Chooses, among the ranges that a worker has, those that lie one after another and fill `wanted`;
// none if they do not fill it.
[[nodiscard]] std::vector<Range> pieces_of(const Range& wanted, const std::vector<Range>& held);

// Returns the first error: a worker sends what it does not have in that round, gets something twice
// or from nobody, or does not end with each needed state exactly once. Where it is not causal, what
// comes may take the place of states that it contains.
[[nodiscard]] std::optional<std::string> check(const ScanPlan& plan);

}  // namespace qb
