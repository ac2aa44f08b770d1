// SPDX-License-Identifier: Apache-2.0
// Workers hold consecutive tokens and need the state of all tokens before theirs (kernels/mixer/):
// a scan. A plan is data, as that of attention is: which worker sends the state of which workers'
// tokens to whom, and in which round. Appending states is associative and not commutative, so what
// is sent is always the state of consecutive workers.
//
//   chain       worker w sends what came and its own to w + 1: W - 1 rounds, 1 state a worker
//               (LASP-1, Sun et al. 2024)
//   all_gather  every worker sends its own to all others: 1 round, W - 1 states (LASP-2, 2025). It
//               also serves operators that are not causal, which need the states of all others
//   tree        in round r worker w sends that of the 2^r workers up to itself to w + 2^r:
//               ceil(log2 W) rounds and at most as many states (Hillis and Steele 1986)
//   all_scan    the chain with a state in K blocks: W - 2 + K rounds of a K-th (ZeCO, 2025)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/words.h"
#include "kernels/tile_schedule.h"

namespace qb {

enum class ScanKind { chain, all_gather, tree, all_scan };

template <>
inline constexpr auto kWords<ScanKind> = word_table<ScanKind>("scan",
                                                              {{ScanKind::chain, "chain"},
                                                               {ScanKind::all_gather, "all_gather"},
                                                               {ScanKind::tree, "tree"},
                                                               {ScanKind::all_scan, "all_scan"}});

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
  bool causal = true;  // a worker needs the state of those before it; false: of all others
  std::vector<ScanMessage> messages{};  // in the order in which they leave and arrive

  [[nodiscard]] int rounds() const { return messages.empty() ? 0 : messages.back().round + 1; }
  // The workers whose states make up what the worker needs, as one or two ranges in order.
  [[nodiscard]] std::vector<Range> needs_of(int worker) const;
};

// blocks: of all_scan; the other kinds send a state whole. Throws Unsupported for a scan that is
// not causal, except all_gather.
[[nodiscard]] ScanPlan plan_scan(ScanKind kind, int workers, int blocks, bool causal);

// Chooses, among the ranges that a worker has, those that lie one after another and fill `wanted`;
// none if they do not fill it.
[[nodiscard]] std::vector<Range> pieces_of(const Range& wanted, const std::vector<Range>& held);

// Returns the first error: a worker sends what it does not have in that round, gets something twice
// or from nobody, or does not end with each needed state exactly once.
[[nodiscard]] std::optional<std::string> check(const ScanPlan& plan);

// The states that the worker which sends most sends.
[[nodiscard]] double sent_states(const ScanPlan& plan);

}  // namespace qb
