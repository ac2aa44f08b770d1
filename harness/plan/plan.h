// A plan is data: which worker computes which query-key pairs, in which order, holding and moving
// which tensors. Strategies write plans; the checker, the work model, the pictures and every
// executor only read them. Nothing here has the size of N.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/plan/problem.h"
#include "kernels/mask/mask_tiles.h"

namespace qb {

// Tokens first, first + stride, …, count of them: the unit that a layout deals out.
struct TokenGroup {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t stride = 1;

  [[nodiscard]] std::int64_t token(std::int64_t index) const { return first + index * stride; }
  friend bool operator==(const TokenGroup&, const TokenGroup&) = default;
};

// Query heads [begin, end); the key-value heads follow from the grouping.
struct HeadRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  friend bool operator==(const HeadRange&, const HeadRange&) = default;
};

// Every pair of (query group, key group); with `causal` those with local key index <= local query
// index + offset; with `pattern` those that the problem's mask allows of the groups' tokens,
// perhaps none at all.
enum class Allowed { all, causal, pattern };

struct PairTask {
  int q_group = 0;
  int kv_group = 0;
  HeadRange heads;
  Allowed allowed = Allowed::all;
  std::int64_t offset = 0;
};

enum class TransferKind { p2p, scatter, gather, all_gather, all_to_all, all_reduce };
// partial: O and LSE of some keys. The last three are what tree decoding reduces: the maximum LSE
// of each row, sum exp(LSE - maximum), and sum O exp(LSE - maximum).
enum class TensorRole { q, k, v, partial, row_max, denominator, numerator };

template <>
struct Words<TransferKind> {
  static constexpr std::string_view what = "transfer";
  static constexpr std::pair<TransferKind, std::string_view> table[] = {
      {TransferKind::p2p, "p2p"},
      {TransferKind::scatter, "scatter"},
      {TransferKind::gather, "gather"},
      {TransferKind::all_gather, "all_gather"},
      {TransferKind::all_to_all, "all_to_all"},
      {TransferKind::all_reduce, "all_reduce"}};
};

template <>
struct Words<TensorRole> {
  static constexpr std::string_view what = "tensor";
  static constexpr std::pair<TensorRole, std::string_view> table[] = {
      {TensorRole::q, "Q"},
      {TensorRole::k, "K"},
      {TensorRole::v, "V"},
      {TensorRole::partial, "partial"},
      {TensorRole::row_max, "row_max"},
      {TensorRole::denominator, "denominator"},
      {TensorRole::numerator, "numerator"}};
};

// Worker kRoot holds the whole sequence before the scatter and after the gather.
inline constexpr int kRoot = -1;

// One tensor's share of a message. Every kind but scatter and gather is a message between two
// workers, sent in one step and received in the next: collectives are spelt out, and `kind` says
// what they belong to. Q, K and V leave when the step begins, beside its tasks; what is computed
// leaves when it ends. All transfers of a step to one peer travel as one message. A worker may be
// its own peer in all_gather and all_to_all: that share is copied and not sent.
// What came p2p is held for one step, what came by a collective to the end.
struct Transfer {
  TransferKind kind = TransferKind::p2p;
  TensorRole what = TensorRole::k;
  int peer = 0;    // the other side, or kRoot
  int groups = 0;  // in Plan::group_lists: q groups for Q and what is computed, else kv groups
  HeadRange heads;
  std::int64_t bytes = 0;  // with the padding that makes messages equally long
  friend bool operator==(const Transfer&, const Transfer&) = default;
};

// What a worker does between two synchronisations: receives, pair tasks, sends.
struct Step {
  std::vector<Transfer> receives;
  std::vector<PairTask> tasks;
  std::vector<Transfer> sends;
};

struct Worker {
  std::vector<int> q_groups;   // resident before step 0 or received by scatter; ascending
  std::vector<int> kv_groups;  // likewise
  std::vector<Step> steps;
  HeadRange heads{};  // of what is resident; empty: all
};

// How the critical path is composed from the steps of the workers.
enum class Synchronisation {
  fork_join,  // workers are independent: the slowest worker
  rounds,     // a barrier after each step: the sum over rounds of the slowest worker
};

// Where the output is whole when all steps are done.
enum class Result {
  root,      // workers gather their partials at the root, which merges them
  owners,    // the one worker that holds a q group holds its output: tokens stay sharded
  everyone,  // each worker holds all of it, after all-reduces
};

struct Plan {
  Problem problem;
  std::string algorithm;
  Synchronisation synchronisation = Synchronisation::fork_join;
  Result result = Result::root;
  std::vector<TokenGroup> q_groups;
  std::vector<TokenGroup> kv_groups;
  std::vector<Worker> workers;
  std::vector<std::vector<int>> group_lists;  // ascending; shared by transfers
  // The step before which a kv group's tokens do not exist (decoding); empty: all are there at
  // once.
  std::vector<int> kv_first_step;

  [[nodiscard]] const std::vector<int>& groups_of(const Transfer& transfer) const {
    return group_lists[static_cast<std::size_t>(transfer.groups)];
  }
  [[nodiscard]] HeadRange heads_of(const Worker& worker) const {
    return worker.heads.end > 0 ? worker.heads : HeadRange{0, problem.shape.q_heads};
  }
};

// True where tokens move between workers, so that they cannot be played one after the other.
[[nodiscard]] bool communicates(const Plan& plan);

// Key-value heads that serve the query heads [begin, end).
[[nodiscard]] HeadRange kv_heads_of(const Shape& shape, const HeadRange& heads);

// Tokens of the named groups.
[[nodiscard]] std::int64_t tokens_of(const std::vector<TokenGroup>& groups,
                                     const std::vector<int>& chosen);

// Bytes of one tensor's rows for the query heads `heads` (K and V: of their key-value heads), over
// the whole batch. Partials and what is reduced are f32.
[[nodiscard]] std::int64_t tensor_bytes(const Problem& problem, TensorRole what, std::int64_t rows,
                                        const HeadRange& heads);

// Pairs (i, j) of [0, n_queries) x [0, n_keys) with j <= i + offset.
[[nodiscard]] std::int64_t causal_pairs(std::int64_t n_queries, std::int64_t n_keys,
                                        std::int64_t offset);

// The groups of a task as a block of the mask, alone in its tensors.
[[nodiscard]] MaskBlock mask_block(const Plan& plan, const PairTask& task);

// Pairs (per head) that a task computes.
[[nodiscard]] std::int64_t task_pairs(const Plan& plan, const PairTask& task);

// Pairs (per head) over all steps of a worker: its responsibility.
[[nodiscard]] std::int64_t worker_pairs(const Plan& plan, const Worker& worker);

}  // namespace qb
