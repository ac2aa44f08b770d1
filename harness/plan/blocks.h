// What a worker holds while it plays its steps, as the tensors that a kernel reads.
//
// A block is rows of Q, or of K and V, in one piece: the resident shard, a message that a neighbour
// sent, or all that a collective brought in one step, put together. The work model and the
// executors walk through the same blocks, so that predicted and measured memory agree.
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
  bool of_queries = true;  // Q; else K and V
  bool resident = true;
  bool one_step = false;  // gone when its step ends
  HeadRange heads;        // query heads
  std::vector<int> groups;
  std::vector<std::int64_t> begins;  // row of each group's first token
  std::int64_t rows = 0;
  std::vector<std::size_t> messages;  // the step's receives that bring it; one: it stays in there

  // Row of the group's first token. Throws std::logic_error where the block does not hold it.
  [[nodiscard]] std::int64_t begin_of(int group) const;
  [[nodiscard]] bool holds(int group) const;
};

inline constexpr int kResidentQueries = 0;
inline constexpr int kResidentKeys = 1;

// One call of a kernel: tasks over one block of queries and one of keys, for the same heads.
struct KernelCall {
  int q_block = 0;
  int kv_block = 0;
  HeadRange heads;
  std::vector<PairTask> tasks;
  // The first call on a block of queries computes all its rows and writes the partial; a later one
  // takes the rows and keys that its tasks touch, and its result is merged.
  bool first = false;
  std::int64_t q_begin = 0;
  std::int64_t q_end = 0;
  std::int64_t k_begin = 0;
  std::int64_t k_end = 0;
};

class BlockTracker {
 public:
  BlockTracker(const Plan& plan, const Worker& worker);

  // The worker's next step (0 at first): takes up what it receives.
  void enter_step();
  // The kernel calls of the present step. Marks their blocks of queries as begun, so to be asked
  // once a step.
  [[nodiscard]] std::vector<KernelCall> take_calls();
  // Forgets what is held for the present step only; gives the ids.
  std::vector<int> leave_step();

  [[nodiscard]] const Step& step() const { return worker_.steps[step_]; }
  [[nodiscard]] const std::vector<Message>& received() const { return received_; }
  [[nodiscard]] const std::vector<Block>& arrived() const { return arrived_; }  // in this step
  [[nodiscard]] const Block& block(int id) const { return live_.at(id); }
  // The newest block that holds the group.
  [[nodiscard]] const Block& block_of(bool of_queries, int group) const {
    return live_.at(find(of_queries, group));
  }

  // The received message that a send of this step can pass on as it is.
  [[nodiscard]] std::optional<std::size_t> passed_on(const Message& send) const;
  // The block of queries whose partial holds what the transfer sends: computed here, or resident.
  // It may be gone itself, since a partial stays until it is sent. nullptr: the mask left nothing
  // to compute, and the partial is empty.
  [[nodiscard]] const Block* computed(const Transfer& part) const;

 private:
  void add(Block block);
  void arrive(bool of_queries, bool& collective);
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
  std::unordered_map<int, int> block_of_q_;   // group -> newest block
  std::unordered_map<int, int> block_of_kv_;  // group -> newest block
  std::unordered_map<int, Block> begun_;      // blocks of queries with a partial
  std::unordered_map<int, int> begun_of_q_;   // group -> newest of them that is not resident
};

}  // namespace qb
