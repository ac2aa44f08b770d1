// What strategies have in common: dealing groups to workers, tasks, and messages whose receive
// always fits their send.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/plan/plan.h"

namespace qb {

class PlanBuilder {
 public:
  PlanBuilder(const Problem& problem, std::string algorithm, int workers);

  Plan plan;

  [[nodiscard]] int n_workers() const { return static_cast<int>(plan.workers.size()); }
  [[nodiscard]] Worker& worker(int index) { return plan.workers[static_cast<std::size_t>(index)]; }
  [[nodiscard]] Step& step(int worker, int index);
  // The worker `distance` places before (negative) or after in the ring.
  [[nodiscard]] int neighbour(int worker, int distance) const;

  // Gives a list of groups its index for transfers.
  [[nodiscard]] int add_list(std::vector<int> groups);

  // Adds the task of the two groups for these heads, unless the mask leaves nothing of it.
  void add_task(Step& step, int q_group, int kv_group);
  void add_task(Step& step, int q_group, int kv_group, const HeadRange& heads);
  // Every pair of the q groups and the kv groups.
  void add_tasks(Step& step, const std::vector<int>& q_groups, const std::vector<int>& kv_groups);

  // A message of one tensor, sent in step `send_step` and received in the next one. padded_rows:
  // rows that the message has room for, where above those of the groups.
  struct Message {
    TransferKind kind = TransferKind::p2p;
    TensorRole what = TensorRole::k;
    int groups = 0;
    HeadRange heads;
    std::int64_t padded_rows = 0;
  };
  void send(int from, int to, int send_step, const Message& message);

  // The same to and from the root, which is no worker; in one step.
  void scatter(Step& step, TensorRole what, int groups);
  void gather(Step& step, int groups, const HeadRange& heads);

  [[nodiscard]] HeadRange all_heads() const { return {0, plan.problem.shape.q_heads}; }

 private:
  [[nodiscard]] Transfer transfer(const Message& message, int peer) const;
};

// Tokens dealt to workers: which groups each holds, ascending. A plan's groups are filled in
// beside.
struct Shards {
  std::vector<std::vector<int>> q;   // of each worker
  std::vector<std::vector<int>> kv;  // of each worker
  std::int64_t kv_room = 0;          // tokens that a message of anyone's keys has room for
};

// One contiguous group a worker (Ring Attention).
[[nodiscard]] Shards deal_contiguous(Plan& plan, int workers);
// Token t to worker t mod W (Striped Attention).
[[nodiscard]] Shards deal_striped(Plan& plan, int workers);
// 2W chunks, worker i holds chunks i and 2W - 1 - i: of the new tokens, and likewise of the cached
// ones before them (Context Parallelism, arXiv 2411.01783, section 3.4). Each packed sequence is
// dealt by itself. Without a causal mask or cached tokens the layout is the same.
[[nodiscard]] Shards deal_zigzag(Plan& plan, int workers);

// Throws Unsupported where the problem packs several sequences: for strategies whose groups would
// straddle them.
void require_one_sequence(const Problem& problem, std::string_view algorithm);

// Rings that pass keys and values: in step i worker j computes with the shard of worker (j - i) mod
// W and passes it on meanwhile.
[[nodiscard]] Plan pass_kv_ring(const Problem& problem, std::string algorithm, int workers,
                                Shards (*deal)(Plan&, int));

}  // namespace qb
