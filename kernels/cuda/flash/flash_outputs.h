// Who writes which rows of the output, and what is merged, for the lowering of flash calls. Private
// to it.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "kernels/cuda/flash/flash_groups.h"
#include "kernels/cuda/flash/flash_work.h"

namespace qb::cuda {

// A group of query tokens, whichever workers compute it.
struct OutputGroup {
  RowGroup rows;
  std::int64_t heads_covered = 0;  // over its workers
  std::vector<bool> head_seen;
  bool direct = true;
  struct Source {
    std::int64_t begin = 0;  // rows of the group
    std::int64_t end = 0;
    MergeSource source;  // its row belongs to `begin`
  };
  std::vector<Source> sources;
};

class OutputMap {
 public:
  // Throws std::invalid_argument on query groups that overlap.
  explicit OutputMap(const GroupedCall& call);

  [[nodiscard]] OutputGroup& of(const RowGroup& rows) { return groups_[index(ids_.at(key(rows)))]; }

  // The first of `count` new rows.
  [[nodiscard]] std::int64_t add_partial_rows(std::int64_t count);
  [[nodiscard]] std::int64_t n_partial_rows() const { return n_partial_rows_; }

  void list_merges(WorkLists& lists) const;

 private:
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  static Key key(const RowGroup& rows) { return {rows.first, rows.count, rows.stride}; }

  void add(const GroupedWorker& worker, const RowGroup& rows);

  const GroupedCall& call_;
  std::int64_t heads_;
  std::map<Key, std::int32_t> ids_;
  std::vector<OutputGroup> groups_;
  std::vector<std::int32_t> owner_;  // of each token; -1: no group
  std::int64_t n_partial_rows_ = 0;
};

}  // namespace qb::cuda
