// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/counted_calls.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace qb {
namespace {

constexpr std::size_t kMostOrders = 4;  // of different pairs of columns in one step

}  // namespace

std::optional<CountedCalls> CountedCalls::of(const Rotation& rotation, Pass pass) {
  CountedCalls counted(rotation, pass);
  if (!counted.prepare()) return std::nullopt;
  return counted;
}

std::int64_t CountedCalls::Side::all_rows() const {
  return std::accumulate(rows.begin(), rows.end(), std::int64_t{0});
}

// The groups of one index of all shards follow each other in a block.
std::int64_t CountedCalls::Side::position(std::size_t group, int rank, int places) const {
  std::int64_t before = 0;
  for (std::size_t g = 0; g < group; ++g) before += rows[g];
  return before * places + rows[group] * (ascends[group] ? rank : places - 1 - rank);
}

bool CountedCalls::prepare() {
  if (!add_side(true) || !add_side(false)) return false;
  const Rotation& r = *rotation_;
  const int last = r.workers() - 1;
  for (const auto& [order, q, kv] : {std::array{0, 0, last}, {1, 0, 0}, {2, last, 0}}) {
    const auto at = static_cast<std::size_t>(order);
    if (at != kSame && last == 0) continue;
    r.add_tasks(r.q_shard(q), r.kv_shard(kv), r.heads_of(0), left_[at]);
    const auto index_in = [](const std::vector<int>& shard, int group) {
      return static_cast<std::size_t>(std::ranges::find(shard, group) - shard.begin());
    };
    for (const PairTask& task : left_[at])
      touched_[at].push_back(
          {index_in(r.q_shard(q), task.q_group), index_in(r.kv_shard(kv), task.kv_group)});
  }
  return follow_steps();
}

bool CountedCalls::add_side(bool queries) {
  const Rotation& r = *rotation_;
  Side& side = queries ? q_ : kv_;
  const auto shard = [&](int place) -> const std::vector<int>& {
    return queries ? r.q_shard(place) : r.kv_shard(place);
  };
  const std::vector<TokenGroup>& groups = queries ? r.q_groups : r.kv_groups;
  std::vector<int>& places = queries ? q_place_ : kv_place_;
  places.resize(groups.size());
  const int last = r.workers() - 1;
  int behind = -1;  // the last group so far
  for (std::size_t g = 0; g < shard(0).size(); ++g) {
    side.rows.push_back(group_at(groups, shard(0)[g]).count);
    side.ascends.push_back(shard(0)[g] <= shard(last)[g]);
    int most = behind;
    for (int place = 0; place <= last; ++place) {
      const int group = shard(place)[g];
      if (group <= behind || (place > 0 && (shard(place - 1)[g] < group) != side.ascends.back()))
        return false;
      most = std::max(most, group);
      places[static_cast<std::size_t>(group)] = place;
    }
    behind = most;
  }
  return side.all_rows() > 0;
}

// Neighbours: an axis is spanned only together with those that vary faster.
bool CountedCalls::is_interval(const PlaceSet& set) const {
  bool fixed = false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (rotation_->group.size(axis) == 1) continue;
    const bool spans = rotation_->group.spans(set.axes, axis);
    if (spans && fixed) return false;
    fixed = fixed || !spans;
  }
  return true;
}

CountedCalls::Interval CountedCalls::interval(const PlaceSet& set, int worker) const {
  PlaceSet all = set;
  all.others = false;
  const int size = rotation_->group.count(all);
  const int begin = rotation_->group.plus(set.at, worker) / size * size;
  return {begin, begin + size, set.others ? worker : -1};
}

CountedCalls::Counts CountedCalls::counts(const Rotation::Task& task, int worker) const {
  const Interval q = interval(task.q, worker);
  const Interval kv = interval(task.kv, worker);
  const std::int64_t n_kv = kv.end - kv.begin;
  const auto count = [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t behind = causal_pairs(end - begin, n_kv, begin - kv.begin - 1);
    const std::int64_t same = std::max<std::int64_t>(
        0, std::min<std::int64_t>(end, kv.end) - std::max<std::int64_t>(begin, kv.begin));
    return Counts{(end - begin) * n_kv - behind - same, same, behind};
  };
  Counts all = count(q.begin, q.end);
  if (q.without < 0) return all;
  const Counts own = count(q.without, q.without + 1);
  for (std::size_t order = 0; order < kOrders; ++order) all[order] -= own[order];
  return all;
}

// Every worker has something left of the task: of two shards that are the same if any are, else of
// two in any order.
bool CountedCalls::is_sure(const Rotation::Task& task) const {
  if (!left_[kSame].empty() && counts(task, 0)[kSame] > 0) return true;
  return !left_[kBefore].empty() && !left_[kSame].empty() && !left_[kBehind].empty();
}

std::optional<PlaceSet> CountedCalls::set_of(const Block& block) const {
  const std::vector<int>& place_of = block.of_queries ? q_place_ : kv_place_;
  std::vector<int> places;
  for (const int group : block.groups) places.push_back(place_of[static_cast<std::size_t>(group)]);
  std::ranges::sort(places);
  const auto repeated = std::ranges::unique(places);
  places.erase(repeated.begin(), repeated.end());
  const WorkerGroup& group = rotation_->group;
  for (const unsigned axes : {0U, 1U, 3U, 7U})
    for (const bool others : {false, true}) {
      WorkerGroup::Digits at = group.digits(others ? 0 : places[0]);
      for (std::size_t axis = 0; axis < 3; ++axis)
        if (group.spans(axes, axis)) at[axis] = 0;
      const PlaceSet set{group.place(at), axes, others};
      if (group.count(set) == std::ssize(places) && group.places(set) == places) return set;
    }
  return std::nullopt;
}

bool CountedCalls::add_shape(const BlockTracker& blocks, const Rotation::Task& task,
                             std::vector<CallShape>& shapes) const {
  const Rotation& r = *rotation_;
  const auto block_of = [&](const PlaceSet& set, bool queries) -> const Block& {
    const int place = r.group.places(set)[0];
    return blocks.block_of(queries, (queries ? r.q_shard(place) : r.kv_shard(place))[0]);
  };
  if (!is_interval(task.q) || !is_interval(task.kv) || task.kv.others) return false;
  const Block& q = block_of(task.q, true);
  const Block& kv = block_of(task.kv, false);
  auto shape = std::ranges::find_if(
      shapes, [&](const CallShape& s) { return s.q_id == q.id && s.kv_id == kv.id; });
  if (shape == shapes.end()) {
    const auto q_set = set_of(q);
    const auto kv_set = set_of(kv);
    if (!q_set || !kv_set) return false;
    const bool is_whole = pass_ == Pass::forward && q.heads == r.heads_of(0);
    shapes.push_back({q.id, kv.id, *q_set, *kv_set, is_whole, {}});
    shape = shapes.end() - 1;
  }
  shape->tasks.push_back(task);
  // All shards of the task are in these blocks.
  const auto are_in = [&](const PlaceSet& set, const Block& block, bool queries) {
    return std::ranges::all_of(r.group.places(set), [&](int place) {
      return blocks.block_of(queries, (queries ? r.q_shard(place) : r.kv_shard(place))[0]).id ==
             block.id;
    });
  };
  return are_in(task.q, q, true) && are_in(task.kv, kv, false) &&
         (!task.q.others || shape->q_block == task.q ||
          r.group.places(shape->q_block) == r.group.places(task.q));
}

bool CountedCalls::add_dependence(const CallShape& shape, Dependence& on) const {
  const WorkerGroup& group = rotation_->group;
  for (const Rotation::Task& task : shape.tasks) {
    const WorkerGroup::Digits q = group.digits(task.q.at);
    const WorkerGroup::Digits kv = group.digits(task.kv.at);
    for (std::size_t axis = 3; axis-- > 0;) {
      const bool q_spans = group.spans(task.q.axes, axis);
      const bool kv_spans = group.spans(task.kv.axes, axis);
      if (group.size(axis) == 1 || (q_spans && kv_spans)) continue;
      if (q_spans || kv_spans) {
        on.digit[axis] = true;
      } else if (q[axis] != kv[axis]) {
        if (axis < 2) on.digit[axis] = true;
        const std::array pair{q[2], kv[2]};
        if (axis == 2 && std::ranges::count(on.columns, pair) == 0) on.columns.push_back(pair);
        break;  // the slower axis decides
      }
    }
  }
  return on.columns.size() <= kMostOrders;
}

// Walks through worker 0's steps, to see which blocks its tasks are in.
bool CountedCalls::follow_steps() {
  const Rotation& r = *rotation_;
  Plan plan;
  plan.problem = r.problem;
  plan.pass = pass_;
  plan.q_groups = r.q_groups;
  plan.kv_groups = r.kv_groups;
  plan.group_lists = r.group_lists;
  Worker worker = r.worker(0, Workers::Parts::share);
  for (std::size_t s = 0; s < r.steps.size(); ++s) worker.steps.push_back(r.step(s, 0, false));
  BlockTracker blocks(plan, worker);
  std::vector<int> begun;
  for (const Rotation::StepOfZero& step : r.steps) {
    blocks.enter_step();
    std::vector<CallShape>& shapes = shapes_.emplace_back();
    for (const Rotation::Task& task : step.tasks)
      if (!add_shape(blocks, task, shapes)) return false;
    Dependence& on = depends_.emplace_back();
    for (CallShape& shape : shapes) {
      if (!add_dependence(shape, on)) return false;
      const bool is_begun = std::ranges::count(begun, shape.q_id) > 0;
      if (!is_begun) begun.push_back(shape.q_id);
      shape.first = shape.first && !is_begun;
      // A call that some workers do not make must not decide what a later one is.
      if (shape.first && std::ranges::none_of(shape.tasks, [&](const Rotation::Task& task) {
            return is_sure(task);
          }))
        return false;
    }
    (void)blocks.leave_step();
  }
  return true;
}

std::size_t CountedCalls::n_classes(std::size_t step) const {
  const Dependence& on = depends_[step];
  std::size_t n = std::size_t{1} << (on.digit[2] ? 0 : on.columns.size());
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (on.digit[axis]) n *= static_cast<std::size_t>(rotation_->group.size(axis));
  return n;
}

std::size_t CountedCalls::class_of(int worker, std::size_t step) const {
  const Dependence& on = depends_[step];
  const WorkerGroup& group = rotation_->group;
  const bool is_ring = group.size(2) == group.size();
  const WorkerGroup::Digits digits =
      is_ring ? WorkerGroup::Digits{0, 0, worker} : group.digits(worker);
  std::size_t found = 0;
  if (!on.digit[2])
    for (const auto& [q, kv] : on.columns) {
      const auto at = [&](int column) {
        const int sum = column + digits[2];
        return sum < group.size(2) ? sum : sum - group.size(2);
      };
      found = 2 * found + (at(q) < at(kv) ? 1 : 0);
    }
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (on.digit[axis])
      found = found * static_cast<std::size_t>(group.size(axis)) +
              static_cast<std::size_t>(digits[axis]);
  return found;
}

// The places of an interval that are first or last of those before, in, or behind another one.
std::vector<int> CountedCalls::ends(const Interval& of, const Interval& other, int own) const {
  std::vector<int> places;
  for (const int at : {of.begin, of.end - 1, other.begin, other.end - 1, own})
    for (int place = at - 2; place <= at + 2; ++place)
      if (of.holds(place)) places.push_back(place);
  std::ranges::sort(places);
  const auto repeated = std::ranges::unique(places);
  places.erase(repeated.begin(), repeated.end());
  return places;
}

// Sets the rows and keys from the first to the last that the tasks touch.
void CountedCalls::touch(const CallShape& shape, int worker, KernelCall& call) const {
  const Interval q_block = interval(shape.q_block, worker);
  const Interval kv_block = interval(shape.kv_block, worker);
  call.q_begin = std::exchange(call.q_end, 0);
  call.k_begin = std::exchange(call.k_end, 0);
  for (const Rotation::Task& task : shape.tasks) {
    const Interval q = interval(task.q, worker);
    const Interval kv = interval(task.kv, worker);
    const std::vector<int> keys = ends(kv, q, worker);
    for (const int one : ends(q, kv, worker))
      for (const int other : keys) {
        const Order order = one < other ? kBefore : one > other ? kBehind : kSame;
        for (const auto& [g, k] : touched_[order]) {
          const std::int64_t row = q_.position(g, q_block.rank(one), q_block.size());
          const std::int64_t key = kv_.position(k, kv_block.rank(other), kv_block.size());
          call.q_begin = std::min(call.q_begin, row);
          call.q_end = std::max(call.q_end, row + q_.rows[g]);
          call.k_begin = std::min(call.k_begin, key);
          call.k_end = std::max(call.k_end, key + kv_.rows[k]);
        }
      }
  }
}

std::vector<KernelCall> CountedCalls::calls(int worker, std::size_t step) const {
  std::vector<KernelCall> all;
  for (const CallShape& shape : shapes_[step]) {
    KernelCall call;
    Counts times{};
    for (const Rotation::Task& task : shape.tasks) {
      const Counts more = counts(task, worker);
      for (std::size_t order = 0; order < kOrders; ++order) times[order] += more[order];
    }
    call.heads = rotation_->heads_of(worker);
    for (std::size_t order = 0; order < kOrders; ++order)
      for (PairTask task : left_[order])
        if (times[order] > 0) {
          task.heads = call.heads;
          call.tasks.push_back(task);
          call.times.push_back(times[order]);
        }
    if (call.tasks.empty()) continue;
    call.first = shape.first;
    call.q_end = q_.all_rows() * interval(shape.q_block, worker).size();
    call.k_end = kv_.all_rows() * interval(shape.kv_block, worker).size();
    if (!call.first) touch(shape, worker, call);
    all.push_back(std::move(call));
  }
  return all;
}

Worker CountedCalls::sketch(int index) const {
  const Rotation& r = *rotation_;
  Worker worker = r.worker(index, Workers::Parts::share);
  for (std::size_t s = 0; s < r.steps.size(); ++s) {
    Step& step = worker.steps.emplace_back(r.step(s, index, false));
    for (const Rotation::Task& task : r.steps[s].tasks) {
      const Interval q = interval(task.q, index);
      const Interval kv = interval(task.kv, index);
      const std::vector<int> keys = ends(kv, q, index);
      for (const int one : ends(q, kv, index))
        for (const int other : keys)
          r.add_tasks(r.q_shard(one), r.kv_shard(other), r.heads_of(index), step.tasks);
    }
  }
  return worker;
}

}  // namespace qb
