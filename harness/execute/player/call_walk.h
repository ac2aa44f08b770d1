// The kernel calls of a worker's steps, as BlockTracker finds them, without the blocks behind them:
// what a call computes in total instead of its tasks, in arrays instead of maps. A ring of 4096
// workers has 16.8 million steps.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/execute/player/message_reader.h"
#include "harness/plan/plan.h"

namespace qb {

// See KernelCall; rows of the two blocks.
struct CallTotals {
  int q_block = 0;
  int kv_block = 0;
  HeadRange heads;
  bool first = false;
  std::int64_t q_begin = 0;
  std::int64_t q_end = 0;
  std::int64_t k_begin = 0;
  std::int64_t k_end = 0;
  std::int64_t pairs = 0;  // per head, over its tasks
};

// A block that came in this step.
struct ArrivedBlock {
  bool of_queries = true;
  HeadRange heads;
  std::int64_t rows = 0;
  int n_messages = 0;
  int message_peer = 0;  // one of them
};

class CallWalk {
 public:
  // pairs_of: the pairs per head of one task. The plan must outlive the walk.
  CallWalk(const Plan& plan, std::function<std::int64_t(const PairTask&)> pairs_of);

  void begin_worker(int index);
  // The worker's next step. What is returned is valid until the next call.
  const std::vector<CallTotals>& enter_step(const std::vector<MessageView>& receives);
  [[nodiscard]] const std::vector<ArrivedBlock>& arrived() const { return arrived_; }
  void leave_step();

 private:
  struct LightBlock {
    HeadRange heads;
    std::int64_t rows = 0;
    bool begun = false;
  };
  struct Place {
    int block = -1;
    std::int64_t row = 0;
  };
  // Of Q, or of K and V.
  struct Side {
    const std::vector<TokenGroup>* groups = nullptr;
    std::vector<Place> resident;  // by group
    std::vector<Place> newest;    // by group
    std::vector<int> one_step;    // groups that are gone when the step ends
    std::vector<int> touched;     // groups to forget when the worker changes
  };

  int add_block(Side& side, const std::vector<int>& groups, const HeadRange& heads);
  void reset(Side& side, const std::vector<int>& resident, const HeadRange& heads);
  void arrive(bool of_queries, const std::vector<MessageView>& receives);
  void take_task(const PairTask& task);
  void complete(CallTotals& call);

  const Plan& plan_;
  const std::function<std::int64_t(const PairTask&)> pairs_of_;
  Side q_;
  Side kv_;
  std::vector<LightBlock> blocks_;
  std::vector<ArrivedBlock> arrived_;
  std::vector<CallTotals> calls_;
  std::vector<int> arriving_;
  const Worker* worker_ = nullptr;
  std::size_t step_ = 0;
};

}  // namespace qb
