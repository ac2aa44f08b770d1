// SPDX-License-Identifier: Apache-2.0
// A plan is data: which worker computes which query-key pairs and when, and which tensors it holds
// and moves. Strategies write plans; all else only reads them. Nothing here has the size of N.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "harness/plan/pass.h"
#include "harness/plan/problem.h"

namespace qb {

// all: every pair of the two groups. causal: those with local key index <= local query index +
// offset. pattern: those that the problem's mask allows, perhaps none.
enum class Allowed { all, causal, pattern };

struct PairTask {
  int q_group = 0;
  int kv_group = 0;
  Range heads;
  Allowed allowed = Allowed::all;
  std::int64_t offset = 0;
  friend bool operator==(const PairTask&, const PairTask&) = default;
};

enum class TransferKind {
  p2p,
  scatter,
  gather,
  all_gather,
  all_to_all,
  all_reduce,
  reduce_scatter,
  fetch,
  write_back
};

QB_WORDS(TransferKind, "transfer", p2p, scatter, gather, all_gather, all_to_all, all_reduce,
         reduce_scatter, fetch, write_back);

// Places of tensors that are not workers. The root holds the whole sequence before the scatter and
// after the gather. The tier is memory that every worker reaches by itself: it holds the whole
// inputs, a worker fetches a part of them ahead of any step, and writes back rows of the output.
inline constexpr int kRoot = -1;
inline constexpr int kTier = -2;

inline constexpr int kToTheEnd = std::numeric_limits<int>::max();

// One tensor's share of a message. Every transfer that begins and ends at a worker is a message
// between two workers. Collectives are written out as such messages, and `kind` names the
// collective. Inputs leave when the step begins, while its tasks run; results leave when it ends,
// and a gradient is moved (pass.h). All transfers of a step to one peer travel as one message, or
// as two if both inputs and results are among them; so they have one `delay`. A worker may be its
// own peer in all_gather and all_to_all: that share is copied and not sent.
struct Transfer {
  TransferKind kind = TransferKind::p2p;
  TensorRole what = TensorRole::k;
  int peer = 0;    // the other side, or kRoot, or kTier
  int groups = 0;  // index into Plan::group_lists: kv groups if is_of_keys(what), else q groups
  Range heads;
  std::int64_t bytes = 0;  // including the padding that makes messages equally long
  int delay = 1;           // it is received so many steps after the one that sends or fetches it
  int until = kToTheEnd;   // the last step in which the receiver holds it, if it is an input
  friend bool operator==(const Transfer&, const Transfer&) = default;
};

// What a worker does between two synchronisations: it receives, computes its tasks and sends.
struct Step {
  std::vector<Transfer> receives;
  std::vector<PairTask> tasks;
  std::vector<Transfer> sends;
  friend bool operator==(const Step&, const Step&) = default;
};

struct Worker {
  std::vector<int> q_groups;   // resident before step 0 or received by scatter, in ascending order
  std::vector<int> kv_groups;  // likewise, and Plan::resident
  std::vector<Step> steps;
  Range heads{};  // heads of the resident tensors; empty: all
  // Heads of which the forward pass left Q, K, V, LSE and D of every token here; empty: none. (D is
  // there as soon as dO is: it follows from that and from O.)
  Range saved{};
  // Heads of the resident queries, and of those the heads whose output is this worker's; empty: all
  // that it has.
  Range queries{};
  Range results{};
  friend bool operator==(const Worker&, const Worker&) = default;
};

struct Rotation;

// The workers of a plan: a vector, or a rule that makes each one when it is read, so that a plan of
// thousands of workers stays small. An access that can change a worker first makes them all.
class Workers {
 public:
  enum class Parts { share, messages, all };  // no steps; steps without their tasks; everything
  using Make = std::function<Worker(int index, Parts parts)>;

  Workers() = default;
  Workers(std::initializer_list<Worker> workers) : spelt_(workers) {}
  // rotation: the rule, if it is a rotation (rotation.h), else nullptr.
  Workers(int size, Make make, std::shared_ptr<const Rotation> rotation = nullptr);

  [[nodiscard]] std::size_t size() const { return made_ ? n_made_ : spelt_.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  // A worker that is made here is kept as long as the plan. Threads may call this at the same time.
  const Worker& operator[](std::size_t index) const;
  // Returns the same worker, made in `scratch` if a rule makes it: for walks over all workers.
  const Worker& read(std::size_t index, Worker& scratch, Parts parts = Parts::all) const;
  [[nodiscard]] Worker share(std::size_t index) const;  // all of it but its steps
  // Returns the rule if the workers differ by rotation and are not spelt out, else nullptr.
  [[nodiscard]] const Rotation* rotation() const { return rotation_.get(); }

  Worker& operator[](std::size_t index) { return spell_out()[index]; }
  Worker& back() { return spell_out().back(); }
  void resize(std::size_t size) { spell_out().resize(size); }
  void push_back(Worker worker) { spell_out().push_back(std::move(worker)); }
  auto begin() { return spell_out().begin(); }
  auto end() { return spell_out().end(); }
  std::vector<Worker>& spell_out();  // makes all workers of the rule and keeps them

  // Returns a range of what the operator gives for a plan that does not change.
  [[nodiscard]] auto all() const {
    return std::views::iota(std::size_t{0}, size()) |
           std::views::transform([this](std::size_t i) -> const Worker& { return (*this)[i]; });
  }

 private:
  struct Made;
  std::vector<Worker> spelt_;
  std::size_t n_made_ = 0;
  std::shared_ptr<const Made> made_;  // copies of the plan share it, since it never changes
  std::shared_ptr<const Rotation> rotation_;
};

// How the steps of the workers add up to the critical path.
enum class Synchronisation {
  fork_join,  // workers are independent: the path is the slowest worker
  rounds,     // a barrier ends each step: the path sums the slowest worker of each round
};

// Says where the whole output, or the whole gradients are when all steps are done.
enum class Result {
  root,      // workers gather their results at the root, which merges or adds them
  owners,    // the one worker that holds a group holds its output or gradient: tokens stay sharded
  everyone,  // each worker holds the whole output, after all-reduces (a forward pass only)
  tier,      // the memory tier, to which workers write whole rows back (a forward pass only)
};

struct Plan {
  Problem problem;
  std::string algorithm;
  Pass pass = Pass::forward;
  Synchronisation synchronisation = Synchronisation::fork_join;
  Result result = Result::root;
  std::vector<TokenGroup> q_groups;
  std::vector<TokenGroup> kv_groups;
  Workers workers;
  std::vector<std::vector<int>> group_lists;  // in ascending order, shared by transfers
  // Groups of keys that every worker holds from the beginning, one for each worker, which owns its
  // gradients; empty: none.
  std::vector<int> resident;
  std::vector<int> kv_first_step;  // the first step in which a group exists (decoding); empty: 0
  // The type of gradients that are sent: f32 if they are parts of a sum, else that of the inputs.
  DType gradients = DType::f32;

  [[nodiscard]] const std::vector<int>& groups_of(const Transfer& transfer) const {
    return group_lists[static_cast<std::size_t>(transfer.groups)];
  }
  [[nodiscard]] Range heads_of(const Worker& worker) const {
    return worker.heads.end > 0 ? worker.heads : Range{0, problem.shape.q_heads};
  }
  [[nodiscard]] Range query_heads_of(const Worker& worker) const {
    return worker.queries.end > 0 ? worker.queries : heads_of(worker);
  }
  [[nodiscard]] Range result_heads_of(const Worker& worker) const {
    return worker.results.end > 0 ? worker.results : query_heads_of(worker);
  }
};

// Returns true if tensors move between workers, so that workers cannot be run one after another.
[[nodiscard]] bool communicates(const Plan& plan);

[[nodiscard]] Range kv_heads_of(const Shape& shape, const Range& heads);

[[nodiscard]] inline const TokenGroup& group_at(const std::vector<TokenGroup>& groups, int group) {
  return groups[static_cast<std::size_t>(group)];
}
[[nodiscard]] std::int64_t tokens_of(const std::vector<TokenGroup>& groups,
                                     const std::vector<int>& chosen);

// Says whether the LSE of a row is one float somewhere: where a device keeps it, or on its way
// between workers.
[[nodiscard]] bool rounds_lse(const Plan& plan);

// The type of a tensor's sums on their way between workers: O of a partial, weighted or not, and
// gradients.
[[nodiscard]] inline DType sent_sums(const Problem& problem, TensorRole what, DType gradients) {
  return what == TensorRole::partial || what == TensorRole::weighted ? problem.partials : gradients;
}

// These return the shape, type and bytes of one tensor's rows for the query heads `heads` (K and V:
// for their key-value heads), over the whole batch, as messages hold them. The shape of a partial
// is that of O, its bytes are those of O, in whole floats, and LSE. Reduced tensors, LSE and D are
// f32, and O of a partial, dQ, dK and dV are of the type `sums`.
[[nodiscard]] Extent tensor_extent(const Problem& problem, TensorRole what, std::int64_t rows,
                                   const Range& heads);
[[nodiscard]] DType tensor_dtype(const Problem& problem, TensorRole what, DType sums = DType::f32);
[[nodiscard]] std::int64_t tensor_bytes(const Problem& problem, TensorRole what, std::int64_t rows,
                                        const Range& heads, DType sums = DType::f32);

// Pairs (i, j) of [0, n_queries) x [0, n_keys) with j <= i + offset.
[[nodiscard]] std::int64_t causal_pairs(std::int64_t n_queries, std::int64_t n_keys,
                                        std::int64_t offset);

[[nodiscard]] std::int64_t task_pairs(const Plan& plan, const PairTask& task);  // per head

}  // namespace qb
