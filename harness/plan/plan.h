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

// Every pair of (query group, key group), or with `causal` those with local key index <= local
// query index + offset.
enum class Allowed { all, causal };

struct PairTask {
  int q_group = 0;
  int kv_group = 0;
  HeadRange heads;
  Allowed allowed = Allowed::all;
  std::int64_t offset = 0;
};

enum class TransferKind { p2p, scatter, gather, all_gather, all_to_all, all_reduce };
enum class TensorRole { q, k, v, partial };

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
      {TensorRole::partial, "partial"}};
};

// Worker kRoot holds the whole sequence before the scatter and after the gather.
inline constexpr int kRoot = -1;

struct Transfer {
  TransferKind kind = TransferKind::p2p;
  std::vector<int> peers;
  TensorRole what = TensorRole::k;
  std::vector<int> groups;  // q groups for Q and partial, kv groups for K and V
  HeadRange heads;
  std::int64_t bytes = 0;
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
};

// How the critical path is composed from the steps of the workers.
enum class Synchronisation {
  fork_join,  // workers are independent: the slowest worker
  rounds,     // a barrier after each step: the sum over rounds of the slowest worker
};

struct Plan {
  Problem problem;
  std::string algorithm;
  Synchronisation synchronisation = Synchronisation::fork_join;
  std::vector<TokenGroup> q_groups;
  std::vector<TokenGroup> kv_groups;
  std::vector<Worker> workers;
};

// Pairs (i, j) of [0, n_queries) x [0, n_keys) with j <= i + offset.
[[nodiscard]] std::int64_t causal_pairs(std::int64_t n_queries, std::int64_t n_keys,
                                        std::int64_t offset);

// Pairs (per head) that a task computes.
[[nodiscard]] std::int64_t task_pairs(const Plan& plan, const PairTask& task);

// Pairs (per head) over all steps of a worker: its responsibility.
[[nodiscard]] std::int64_t worker_pairs(const Plan& plan, const Worker& worker);

}  // namespace qb
