// SPDX-License-Identifier: Apache-2.0
// What each worker computes where workers differ by rotation and all shards are alike, without a
// list of its tasks. What the mask leaves of two shards then depends only on whether the one comes
// before the other, behind it, or is the same. So the workers do the same but for the calls of
// kernels, and a call follows from how many pairs of shards it has in each order and from the rows
// and keys that these touch: both are closed forms, since the shards of a call are neighbours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/plan/blocks.h"
#include "harness/plan/plan.h"
#include "harness/plan/rotation.h"

namespace qb {

class CountedCalls {
 public:
  // Returns nullopt if the rule does not have this form. `rotation` must outlive it; its shards
  // must be alike, and the mask must treat pairs of the same order the same way.
  [[nodiscard]] static std::optional<CountedCalls> of(const Rotation& rotation, Pass pass);

  // Workers of one class make the same calls in the step.
  [[nodiscard]] std::size_t n_classes(std::size_t step) const;
  [[nodiscard]] std::size_t class_of(int worker, std::size_t step) const;
  // Calls visit(worker, class) with one worker of each class.
  template <class Visit>
  void for_each_class(std::size_t step, const Visit& visit) const {
    std::vector<bool> is_known(n_classes(step));
    std::size_t n_known = 0;
    const int last = rotation_->workers() - 1;
    // The first and the last worker, since few are then of many steps.
    for (int i = 0; i <= last && n_known < is_known.size(); ++i) {
      const int worker = i == 1 ? last : i == 0 ? 0 : i - 1;
      const std::size_t which = class_of(worker, step);
      if (is_known[which]) continue;
      is_known[which] = true;
      ++n_known;
      visit(worker, which);
    }
  }
  // Their tasks are few, with times.
  [[nodiscard]] std::vector<KernelCall> calls(int worker, std::size_t step) const;

  // Returns worker `index` with few tasks: those that touch the first and the last rows and keys
  // of each call. It receives, holds, calls and sends what the worker does.
  [[nodiscard]] Worker sketch(int index) const;

 private:
  enum Order : std::size_t { kBefore, kSame, kBehind, kOrders };
  // The shards of queries, or of keys: by group of a shard, its tokens and whether these groups
  // ascend with the place of the shard.
  struct Side {
    std::vector<std::int64_t> rows;
    std::vector<bool> ascends;
    [[nodiscard]] std::int64_t all_rows() const;
    [[nodiscard]] std::int64_t position(std::size_t group, int rank, int places) const;
  };
  struct Interval {
    int begin = 0;
    int end = 0;
    int without = -1;  // a place in it that is left out
    [[nodiscard]] bool holds(int place) const {
      return place >= begin && place < end && place != without;
    }
    [[nodiscard]] int rank(int place) const {
      return place - begin - (without >= begin && without < place ? 1 : 0);
    }
    [[nodiscard]] int size() const { return end - begin - (without >= 0 ? 1 : 0); }
  };
  struct CallShape {
    int q_id = 0;
    int kv_id = 0;
    PlaceSet q_block;
    PlaceSet kv_block;
    bool first = false;
    std::vector<Rotation::Task> tasks;
  };
  // On which digits of the worker its calls in a step depend.
  struct Dependence {
    std::array<bool, 3> digit{};              // by axis
    std::vector<std::array<int, 2>> columns;  // of queries and keys: the order of the two
  };
  using Counts = std::array<std::int64_t, kOrders>;

  CountedCalls(const Rotation& rotation, Pass pass) : rotation_(&rotation), pass_(pass) {}
  [[nodiscard]] bool prepare();
  [[nodiscard]] bool add_side(bool queries);
  [[nodiscard]] bool follow_steps();
  [[nodiscard]] bool add_shape(const BlockTracker& blocks, const Rotation::Task& task,
                               std::vector<CallShape>& shapes) const;
  [[nodiscard]] bool add_dependence(const CallShape& shape, Dependence& on) const;
  [[nodiscard]] std::optional<PlaceSet> set_of(const Block& block) const;
  [[nodiscard]] bool is_interval(const PlaceSet& set) const;
  [[nodiscard]] Interval interval(const PlaceSet& set, int worker) const;
  [[nodiscard]] Counts counts(const Rotation::Task& task, int worker) const;
  [[nodiscard]] bool is_sure(const Rotation::Task& task) const;
  [[nodiscard]] std::vector<int> ends(const Interval& of, const Interval& other, int own) const;
  void touch(const CallShape& shape, int worker, KernelCall& call) const;

  const Rotation* rotation_;
  Pass pass_;
  Side q_;
  Side kv_;
  std::array<std::vector<PairTask>, kOrders> left_;  // what the mask leaves of two shards
  // The same by the index of a group in its shard.
  std::array<std::vector<std::array<std::size_t, 2>>, kOrders> touched_;
  std::vector<int> q_place_;  // by group: its shard
  std::vector<int> kv_place_;
  std::vector<std::vector<CallShape>> shapes_;  // by step
  std::vector<Dependence> depends_;             // by step
};

}  // namespace qb
