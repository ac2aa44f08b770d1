// These are the parts of lowering a flash call (flash_work.cpp), which alone uses them: groups of
// tokens as a worker's local rows (flash_groups.cpp), tiles of query rows with the live blocks of
// keys of each (flash_tile_lists.cpp), and which tile writes which rows of the output
// (flash_outputs.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/flash/flash_work.h"

namespace qb::cuda {

[[nodiscard]] constexpr std::int32_t narrow(std::int64_t value) {
  return static_cast<std::int32_t>(value);
}
[[nodiscard]] constexpr std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

struct LocalGroup {
  std::int64_t begin = 0;  // first local row
  RowGroup rows;
  [[nodiscard]] std::int64_t end() const { return begin + rows.count; }
  [[nodiscard]] std::int64_t token(std::int64_t local) const {
    return rows.first + (local - begin) * rows.stride;
  }
};

// Leaves out groups without rows. With `join`, a group that continues the one before it is joined
// to it.
[[nodiscard]] std::vector<LocalGroup> local_groups(const std::vector<RowGroup>& groups, bool join);

// Checks that the groups of `what` lie inside the tokens and have as many rows as the schedule.
void check_groups(const char* what, const std::vector<RowGroup>& groups, std::int64_t n_local,
                  std::int64_t n_tokens);

// Returns the stride of all groups of more than one token, as the copy engine needs it; 0 where the
// strides differ.
[[nodiscard]] std::int64_t common_stride(const GroupedCall& call,
                                         std::vector<RowGroup> GroupedWorker::*groups);

// A tile before it is split has its rows and the lists of its blocks.
struct Tile {
  std::size_t worker = 0;
  std::size_t group = 0;   // index of the worker's q group
  std::int64_t begin = 0;  // local rows
  std::int64_t end = 0;
  std::vector<MaskedStep> masked;
  std::vector<FullRun> runs;
  std::int64_t n_full = 0;
  [[nodiscard]] std::int64_t n_steps() const {
    return static_cast<std::int64_t>(masked.size()) + n_full;
  }
};

// Adds all tiles of a worker: rows of the schedule's tiles, cut to `tile_tokens` and where a group
// ends; rows in no tile of the schedule get tiles without blocks, which write the identity. Words
// of masks are appended to `bits`.
void add_tiles(const GroupedWorker& worker, std::size_t worker_index, const FlashShape& shape,
               std::int64_t tile_tokens, std::vector<Tile>& tiles,
               std::vector<std::uint64_t>& bits);

// Appends steps [begin, end) of a tile to the lists, masked ones first.
void list_steps(const Tile& tile, std::int64_t begin, std::int64_t end, std::int64_t key_block,
                TileWork& work, WorkLists& lists);

class OutputMap {
 public:
  // A group of query tokens may be computed by several workers.
  struct Group {
    RowGroup rows;
    std::int64_t heads_covered = 0;  // sum over its workers
    std::vector<bool> head_seen;
    bool direct = true;
    struct Source {
      std::int64_t begin = 0;  // first row of the group
      std::int64_t end = 0;
      MergeSource source;  // its row belongs to `begin`
    };
    std::vector<Source> sources;
  };

  // Throws std::invalid_argument on query groups that overlap.
  explicit OutputMap(const GroupedCall& call);

  [[nodiscard]] Group& of(const RowGroup& rows) { return groups_[index(ids_.at(key(rows)))]; }

  // Returns the first of `count` new rows.
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
  std::vector<Group> groups_;
  std::vector<std::int32_t> owner_;  // owner of each token; -1: no group
  std::int64_t n_partial_rows_ = 0;
};

}  // namespace qb::cuda
