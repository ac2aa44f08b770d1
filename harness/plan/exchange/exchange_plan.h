// SPDX-License-Identifier: Apache-2.0
// What workers send each other besides the tensors of attention, as data: in rounds, each message a
// part of what its sender holds. Two kinds of exchange are such plans.
//
// A scan: workers hold parts of a sequence and need the state of all tokens before each of theirs
// (kernels/mixer/). Appending states is associative and not commutative where the operator is
// causal, so what is sent is always the state of consecutive parts. Operators that are not causal
// need the state of all parts. With W workers of one part each, in their order:
//
//   chain       worker w sends what came and its own to w + 1: W - 1 rounds, 1 state a worker
//               (LASP-1, Sun et al. 2024)
//   all_gather  every worker sends its own to all others: 1 round, W - 1 states (LASP-2, 2025); of
//               operators that are causal and others
//   tree        in round r worker w sends that of the 2^r workers up to itself to w + 2^r:
//               ceil(log2 W) rounds and at most as many states (Hillis and Steele 1986)
//   all_scan    the chain with a state in K blocks: W - 2 + K rounds of a K-th (ZeCO, 2025)
//   all_to_all  no states: workers exchange tokens for heads and back (plan_relayout())
//   all_reduce  of operators that are not causal: worker w gets the W-th part w of all states, and
//               sends what they make to all others: 2 rounds, 2 (W - 1) / W states (a
//               reduce-scatter and an all-gather, Rabenseifner 2004)
//
// In zigzag a worker has parts w and 2 W - 1 - w of 2 W: the chain goes down the workers and back,
// what they gather is two states each, and the tree is one of the first W parts and then one of the
// others, which begins with what W - 1 has: 2 ceil(log2 W) rounds and at most 2 ceil(log2 W) - 1
// states where W is a power of 2. A backward pass has the parts of the forward pass in reverse.
//
// A change of layout: each token goes from the worker that holds it to the one that wants it, in
// one all-to-all. Axial attention (Dynamic Axial Parallelism of FastFold, Cheng et al. 2022) is
// attention within rows, a change to columns, attention within those, and the change back.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/words.h"
#include "kernels/tile_schedule.h"

namespace qb {

// Tokens of some rows and some columns of a tensor; of a scan, the state of the parts `rows` of a
// sequence, and of it the blocks `columns`.
struct Part {
  Range rows{};
  Range columns{};
  [[nodiscard]] std::int64_t count() const { return rows.count() * columns.count(); }
  friend bool operator==(const Part&, const Part&) = default;
};
[[nodiscard]] Part intersection(const Part& a, const Part& b);

enum class PartKind {
  tokens,  // a worker may send any part of what it holds
  states,  // of consecutive parts: they append in order, and none is divided
  sums,    // states that add in any order: one may take the place of those that it contains
};

struct ExchangeMessage {
  int round = 0;
  int from = 0;
  int to = 0;
  Part part{};
};

struct ExchangePlan {
  PartKind kind = PartKind::tokens;
  // By worker, before and after.
  std::vector<std::vector<Part>> held{};
  std::vector<std::vector<Part>> wanted{};
  std::vector<ExchangeMessage> messages{};  // in the order in which they leave and arrive

  [[nodiscard]] int workers() const { return static_cast<int>(held.size()); }
  [[nodiscard]] const std::vector<Part>& held_by(int worker) const {
    return held[static_cast<std::size_t>(worker)];
  }
  [[nodiscard]] const std::vector<Part>& wanted_by(int worker) const {
    return wanted[static_cast<std::size_t>(worker)];
  }
  [[nodiscard]] int rounds() const { return messages.empty() ? 0 : messages.back().round + 1; }
};

// How workers share the tokens of a sequence:
//
//   contiguous    worker w has part w of W: what a recurrence wants
//   zigzag        it has parts w and 2 W - 1 - w of 2 W: what causal attention wants
//   interleaved   it has every W-th block of tokens: what decoding wants, which appends a token to
//                 another worker each time (vLLM's cp_kv_cache_interleave_size)
enum class TokenLayout { contiguous, zigzag, interleaved };

QB_WORDS(TokenLayout, "layout", contiguous, zigzag, interleaved);

// The worker of each part, in the order of the tokens. Not of interleaved.
[[nodiscard]] std::vector<int> owners_of(TokenLayout layout, int workers);

// One of so many parts: the tokens of a worker, or the part of a state that is a block.
[[nodiscard]] constexpr Range part_of(std::int64_t count, int parts, int index) {
  return {index * count / parts, (index + 1) * count / parts};
}

enum class ScanKind { chain, all_gather, tree, all_scan, all_reduce, all_to_all };

QB_WORDS(ScanKind, "scan", chain, all_gather, tree, all_scan, all_reduce, all_to_all);

// owners: the worker of each part, as many parts of each. blocks: of all_scan; all_reduce has one a
// worker, and the other kinds send a state whole. Throws Unsupported for an all_reduce that is
// causal, for others that are not, except all_gather, and for all_to_all.
[[nodiscard]] ExchangePlan plan_scan(ScanKind kind, const std::vector<int>& owners, int blocks,
                                     bool causal);
[[nodiscard]] inline int blocks_of(const ExchangePlan& scan) {
  return static_cast<int>(scan.held.front().front().columns.count());
}

// What a convolution needs, whose state is the last tokens of a part: each worker gets that of the
// part before each of its own, in one round. It is checked as a scan that is causal.
[[nodiscard]] ExchangePlan plan_halo(const std::vector<int>& owners);

using Layout = std::function<std::vector<Part>(int worker)>;

// The parts of a layout do not overlap; both hold the same tokens.
[[nodiscard]] ExchangePlan plan_relayout(int workers, const Layout& from, const Layout& to);

// A tensor of R rows and C columns over W workers. Unequal shards differ by one row and by one
// column, so that the busiest worker has ceil(R / W) C^2 + ceil(C / W) R^2 of the RC (C + R) pairs.
struct AxialTensor {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  int workers = 1;
  [[nodiscard]] Part rows_of(int worker) const {
    return {part_of(rows, workers, worker), {0, columns}};
  }
  [[nodiscard]] Part columns_of(int worker) const {
    return {{0, rows}, part_of(columns, workers, worker)};
  }
  ExchangePlan changes[2];  // to columns, and back
};

// Throws Unsupported if a worker would have no row or no column.
[[nodiscard]] AxialTensor plan_axial(std::int64_t rows, std::int64_t columns, int workers);

// Chooses, among the ranges that a worker has, those that lie one after another and fill `wanted`;
// none if they do not fill it.
[[nodiscard]] std::vector<Range> pieces_of(const Range& wanted, const std::vector<Range>& held);

// Returns the first error: a worker sends what it does not have in that round, gets something twice
// or what it does not want, or does not end with each part that it wants exactly once.
[[nodiscard]] std::optional<std::string> check(const ExchangePlan& plan);

}  // namespace qb
