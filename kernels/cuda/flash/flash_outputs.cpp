#include "kernels/cuda/flash/flash_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/status.h"

namespace qb::cuda {
namespace {

constexpr std::int64_t kMergeTileRows = 32;

void list_rows(const RowGroup& rows, std::int64_t begin, std::int64_t end,
               std::int64_t first_source, std::int64_t n_sources, WorkLists& lists) {
  for (std::int64_t row = begin; row < end; row += kMergeTileRows)
    lists.merge_tiles.push_back({narrow(rows.first + row * rows.stride), narrow(rows.stride),
                                 narrow(std::min(kMergeTileRows, end - row)), narrow(row - begin),
                                 narrow(first_source), narrow(n_sources)});
}

// Between two neighbouring row boundaries the sources are the same.
void list_group(const OutputMap::Group& group, WorkLists& lists) {
  std::vector<std::int64_t> cuts{0, group.rows.count};
  for (const OutputMap::Group::Source& source : group.sources) {
    cuts.push_back(source.begin);
    cuts.push_back(source.end);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
    const std::int64_t first_source = std::ssize(lists.merge_sources);
    for (const OutputMap::Group::Source& source : group.sources)
      if (source.begin <= cuts[c] && cuts[c + 1] <= source.end) {
        MergeSource rows = source.source;
        rows.row = narrow(rows.row + cuts[c] - source.begin);
        lists.merge_sources.push_back(rows);
      }
    list_rows(group.rows, cuts[c], cuts[c + 1], first_source,
              std::ssize(lists.merge_sources) - first_source, lists);
  }
}

}  // namespace

OutputMap::OutputMap(const GroupedCall& call) : call_(call), heads_(call.q.extent.heads) {
  owner_.assign(index(call.q.extent.length), -1);
  for (const GroupedWorker& worker : call.workers)
    for (const LocalGroup& group : local_groups(worker.q_groups, false)) add(worker, group.rows);
  for (OutputMap::Group& group : groups_)
    if (call.accumulate || group.heads_covered != heads_) group.direct = false;
}

std::int64_t OutputMap::add_partial_rows(std::int64_t count) {
  const std::int64_t first = n_partial_rows_;
  n_partial_rows_ += count;
  if (n_partial_rows_ > std::numeric_limits<std::int32_t>::max())
    throw Unsupported("flash: more than 2^31 rows of partials");
  return first;
}

void OutputMap::list_merges(WorkLists& lists) const {
  for (const OutputMap::Group& group : groups_)
    if (!group.direct) list_group(group, lists);
  if (call_.accumulate) return;
  const std::int64_t n = call_.q.extent.length;
  for (std::int64_t begin = 0; begin < n;) {
    std::int64_t end = begin;
    while (end < n && owner_[index(end)] < 0) ++end;
    list_rows({begin, end - begin, 1}, 0, end - begin, 0, 0, lists);
    begin = end + 1;
  }
}

void OutputMap::add(const GroupedWorker& worker, const RowGroup& rows) {
  const auto [at, is_new] = ids_.try_emplace(key(rows), narrow(std::ssize(groups_)));
  if (is_new) {
    OutputMap::Group group;
    group.rows = rows;
    group.head_seen.assign(index(heads_), false);
    for (std::int64_t i = 0; i < rows.count; ++i) {
      std::int32_t& owner = owner_[index(rows.first + i * rows.stride)];
      if (owner >= 0)
        throw std::invalid_argument(fmt::format(
            "flash: token {} is in two query groups that differ", rows.first + i * rows.stride));
      owner = at->second;
    }
    groups_.push_back(std::move(group));
  }
  OutputMap::Group& group = groups_[index(at->second)];
  const std::int64_t head_end = worker.head_end == 0 ? heads_ : worker.head_end;
  for (std::int64_t head = worker.head_begin; head < head_end; ++head) {
    if (group.head_seen[index(head)]) group.direct = false;
    group.head_seen[index(head)] = true;
  }
  group.heads_covered = std::count(group.head_seen.begin(), group.head_seen.end(), true);
}

}  // namespace qb::cuda
