#include "harness/plan/representatives.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "harness/plan/layout.h"
#include "harness/plan/rotation.h"

namespace qb {
namespace {

// The position of the shard of queries relative to that of keys in the sequence of shards.
enum Order { kBefore, kSame, kBehind, kOrders };

using Slot = std::vector<int>;  // groups with the same position in their shards

// Returns the slots of all shards; nullopt if shards are cut differently.
std::optional<std::vector<Slot>> slots_of(const Rotation& rotation, bool of_queries) {
  const std::vector<TokenGroup>& groups = of_queries ? rotation.q_groups : rotation.kv_groups;
  std::vector<Slot> slots;
  for (int place = 0; place < rotation.workers; ++place) {
    const std::vector<int>& shard = of_queries ? rotation.q_shard(place) : rotation.kv_shard(place);
    if (place == 0) slots.resize(shard.size());
    if (shard.size() != slots.size()) return std::nullopt;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      slots[i].push_back(shard[i]);
      const TokenGroup& first = groups[static_cast<std::size_t>(slots[i][0])];
      const TokenGroup& group = groups[static_cast<std::size_t>(shard[i])];
      if (group.count != first.count || group.stride != first.stride) return std::nullopt;
    }
  }
  return slots;
}

// The least and the greatest distance by which the first token of queries is behind that of keys,
// and the pairs of groups at these distances.
struct Extremes {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  std::array<int, 2> at_least{};
  std::array<int, 2> at_most{};
};

// What the mask allows of two groups of equal size and stride depends only on their distance and
// grows with it: from nothing over causal blocks of rising offset to everything. So it is the same
// for all distances if it is the same for the least and the greatest.
class SlotPair {
 public:
  SlotPair(const Rotation& rotation, const Slot& q, const Slot& kv)
      : rotation_(rotation), q_(q), kv_(kv) {
    const int n = rotation.workers;
    int first = 0;  // among the keys so far, those that come first and last in the sequence
    int last = 0;
    for (int i = 0; i < n; ++i) {
      take(kSame, i, i);
      if (i > 0) {
        take(kBehind, i, first);
        take(kBehind, i, last);
      }
      if (i == 0 || begin_of_keys(i) < begin_of_keys(first)) first = i;
      if (i == 0 || begin_of_keys(i) > begin_of_keys(last)) last = i;
    }
    first = last = n - 1;
    for (int i = n - 2; i >= 0; --i) {
      if (begin_of_keys(i + 1) < begin_of_keys(first)) first = i + 1;
      if (begin_of_keys(i + 1) > begin_of_keys(last)) last = i + 1;
      take(kBefore, i, first);
      take(kBefore, i, last);
    }
  }

  // What the mask allows of every pair in this order; the outer value is empty if pairs differ.
  [[nodiscard]] std::optional<std::optional<PairTask>> left(Order order) const {
    const Extremes& range = ranges_[order];
    if (range.least > range.most) return std::optional<PairTask>();  // there is only one shard
    const auto least = task(range.at_least);
    const auto most = task(range.at_most);
    if (least.has_value() != most.has_value()) return std::nullopt;
    if (least && (least->allowed != most->allowed || least->offset != most->offset))
      return std::nullopt;
    return least;
  }

 private:
  [[nodiscard]] std::int64_t begin_of_keys(int place) const {
    const int group = kv_[static_cast<std::size_t>(place)];
    return rotation_.kv_groups[static_cast<std::size_t>(group)].first;
  }
  [[nodiscard]] std::optional<PairTask> task(const std::array<int, 2>& pair) const {
    return pair_task(rotation_.problem, rotation_.q_groups, rotation_.kv_groups, pair[0], pair[1]);
  }
  void take(Order order, int q_place, int kv_place) {
    const std::array<int, 2> pair = {q_[static_cast<std::size_t>(q_place)],
                                     kv_[static_cast<std::size_t>(kv_place)]};
    const std::int64_t distance =
        rotation_.q_groups[static_cast<std::size_t>(pair[0])].first - begin_of_keys(kv_place);
    Extremes& range = ranges_[order];
    if (distance < range.least) range.at_least = pair;
    if (distance > range.most) range.at_most = pair;
    range.least = std::min(range.least, distance);
    range.most = std::max(range.most, distance);
  }

  const Rotation& rotation_;
  const Slot& q_;
  const Slot& kv_;
  std::array<Extremes, kOrders> ranges_;
};

// What the mask allows of two shards, by their order.
struct ShardBlocks {
  bool even = true;  // the order makes no difference
  std::array<std::vector<PairTask>, kOrders> tasks;
};

std::optional<ShardBlocks> shard_blocks(const Rotation& rotation) {
  const Mask& mask = rotation.problem.mask;
  const bool plain = mask.kind != MaskKind::pattern && mask.segments.empty();
  const auto q_slots = slots_of(rotation, true);
  const auto kv_slots = slots_of(rotation, false);
  if (!plain || !q_slots || !kv_slots) return std::nullopt;
  ShardBlocks blocks;
  for (const Slot& q : *q_slots)
    for (const Slot& kv : *kv_slots) {
      const SlotPair pair(rotation, q, kv);
      for (const Order order : {kBefore, kSame, kBehind}) {
        const auto left = pair.left(order);
        if (!left) return std::nullopt;
        if (*left) blocks.tasks[order].push_back(**left);
        blocks.even = blocks.even && *left && (*left)->allowed == Allowed::all;
      }
    }
  return blocks;
}

struct StepKinds {
  int turn = 0;  // the first worker whose step is like the last worker's and not like worker 0's
  bool counts = false;
};

// Returns nullopt if two kinds of steps are not enough. own_begun: every worker has made a call on
// its own queries before; the cost of a call depends on that.
std::optional<StepKinds> kinds_of(const Rotation& rotation, const ShardBlocks& blocks,
                                  const Rotation::StepOfZero& step, bool& own_begun) {
  StepKinds kinds{rotation.workers, false};
  for (const Rotation::Task& task : step.tasks) {
    if (task.q == kEveryShard || task.kv == kEveryShard) {
      // The first call on a block computes all its rows, so its tasks do not matter.
      const bool first = step.tasks.size() == 1 && !own_begun && task.kv == kEveryShard &&
                         (task.q == kEveryShard || task.q == 0) && !blocks.tasks[kSame].empty();
      if (!first) return std::nullopt;
      own_begun = kinds.counts = true;
      continue;
    }
    const bool same = task.q == task.kv;
    const bool maybe_empty = same ? blocks.tasks[kSame].empty()
                                  : blocks.tasks[kBefore].empty() || blocks.tasks[kBehind].empty();
    if (maybe_empty && !(task.q == 0 && own_begun)) return std::nullopt;
    own_begun = own_begun || (task.q == 0 && !maybe_empty);
    if (same || blocks.even) continue;
    if (std::min(task.q, task.kv) != 0 || kinds.turn != rotation.workers) return std::nullopt;
    kinds.turn = rotation.workers - std::max(task.q, task.kv);
  }
  return kinds;
}

}  // namespace

Representatives::Representatives(const Plan& plan) {
  const Rotation* rotation = plan.workers.rotation();
  if (rotation == nullptr || !rotation->fits(plan)) return;
  auto blocks = shard_blocks(*rotation);
  if (!blocks) return;
  bool own_begun = false;
  for (const Rotation::StepOfZero& step : rotation->steps) {
    const auto kinds = kinds_of(*rotation, *blocks, step, own_begun);
    if (!kinds) return;
    turns_at_.push_back(kinds->turn);
    counts_.push_back(kinds->counts);
  }
  rotation_ = rotation;
  tasks_ = std::move(blocks->tasks);
  workers_ = {0};
  if (rotation->workers > 1) workers_.push_back(rotation->workers - 1);
}

Worker Representatives::worker(std::size_t which) const {
  const int index = workers_[which];
  Worker worker = rotation_->worker(index, false);
  for (std::size_t s = 0; s < rotation_->steps.size(); ++s)
    worker.steps.push_back(rotation_->step(s, index, counts_[s]));
  return worker;
}

Representatives::CountedTasks Representatives::counted_tasks(int worker, std::size_t step) const {
  const std::int64_t n = rotation_->workers;
  // Pairs of shards in each order: the worker's own shard with all, or all with all.
  std::array<std::int64_t, kOrders> times{n - 1 - worker, 1, worker};
  if (rotation_->steps[step].tasks[0].q == kEveryShard)
    times = {n * (n - 1) / 2, n, n * (n - 1) / 2};
  CountedTasks counted;
  for (const Order order : {kBefore, kSame, kBehind})
    for (PairTask task : tasks_[order]) {
      task.heads = rotation_->heads_of(worker);
      counted.emplace_back(task, times[order]);
    }
  return counted;
}

}  // namespace qb
