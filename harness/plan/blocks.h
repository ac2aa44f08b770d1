// SPDX-License-Identifier: Apache-2.0
// The tensors that a worker holds while it runs its steps, as kernels read them. A block is rows
// of Q, or of K and V, in one piece: the resident shard, all that arrived in one step to be held
// until the same one, or all tokens of the heads that the forward pass left here. In a
// backward pass dO, LSE and D lie as Q does. The work model and all executors walk through the same
// blocks, so that predicted and measured memory agree.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "harness/plan/messages.h"
#include "harness/plan/plan.h"

namespace qb {

struct Block {
  int id = 0;
  bool of_queries = true;  // Q; false: K and V
  bool resident = true;
  int until = kToTheEnd;  // it is dropped when this step ends
  Range heads;            // query heads
  std::vector<int> groups;
  std::vector<std::int64_t> begins;  // row of each group's first token
  std::int64_t rows = 0;
  std::vector<std::size_t> messages;  // receives that bring it; a single one keeps its data

  // Row of the group's first token. Throws std::logic_error where the block does not hold it.
  [[nodiscard]] std::int64_t begin_of(int group) const;
  [[nodiscard]] bool holds(int group) const;
};

inline constexpr int kResidentQueries = 0;
inline constexpr int kResidentKeys = 1;
// These hold all tokens, if the worker has Worker::saved.
inline constexpr int kSavedQueries = 2;
inline constexpr int kSavedKeys = 3;

// One call of a kernel: it has tasks over one block of queries and one of keys, for the same heads.
struct KernelCall {
  int q_block = 0;
  int kv_block = 0;
  Range heads;
  std::vector<PairTask> tasks;
  std::vector<std::int64_t> times;  // how many tasks each one stands for; empty: itself
  // The first call on a block of queries computes all its rows and writes the partial; a later one
  // takes the rows and keys that its tasks touch, and its result is merged. A backward pass has
  // only such calls: its gradients begin at zero, and every result is added.
  bool first = false;
  std::int64_t q_begin = 0;
  std::int64_t q_end = 0;
  std::int64_t k_begin = 0;
  std::int64_t k_end = 0;
};

class BlockTracker {
 public:
  BlockTracker(const Plan& plan, const Worker& worker);

  // Goes to the worker's next step (step 0 at first) and takes in what it receives.
  void enter_step();
  // Returns this step's calls and marks their blocks of queries as begun; call it once a step.
  [[nodiscard]] std::vector<KernelCall> take_calls();
  // Drops what is held until the present step, and returns the ids.
  std::vector<int> leave_step();

  [[nodiscard]] const Step& step() const { return worker_.steps[step_]; }
  [[nodiscard]] const std::vector<Message>& received() const { return received_; }
  [[nodiscard]] const std::vector<Block>& arrived() const { return arrived_; }  // in this step
  [[nodiscard]] const Block& block(int id) const { return live_.at(id); }
  // Returns the newest block that holds the group.
  [[nodiscard]] const Block& block_of(bool of_queries, int group) const {
    return live_.at(find(of_queries, group));
  }

  // Returns the received message that a send of this step can pass on unchanged.
  [[nodiscard]] std::optional<std::size_t> passed_on(const Message& send) const;
  // Returns the block of queries, computed here or resident, whose partial the transfer sends. It
  // may be gone, since a partial stays until it is sent. nullptr: the mask left nothing to compute.
  [[nodiscard]] const Block* computed(const Transfer& part) const;

 private:
  void add(Block block);
  void arrive(bool of_queries);
  [[nodiscard]] int find(bool of_queries, int group) const;
  void complete(KernelCall& call);

  const Plan& plan_;
  const Worker& worker_;
  std::size_t step_ = 0;
  bool entered_ = false;
  int next_id_ = 0;
  std::unordered_map<int, Block> live_;
  std::vector<Block> arrived_;
  std::vector<Message> received_;
  std::vector<int> block_of_q_;              // group -> newest block, or -1
  std::vector<int> block_of_kv_;             // likewise
  std::unordered_map<int, Block> begun_;     // blocks of queries with a partial
  std::unordered_map<int, int> begun_of_q_;  // group -> newest of them that is not resident
};

}  // namespace qb
