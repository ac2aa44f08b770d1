#include "kernels/cuda/flash/flash_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace qb::cuda {

std::vector<LocalGroup> local_groups(const std::vector<RowGroup>& groups, bool join) {
  std::vector<LocalGroup> result;
  std::int64_t begin = 0;
  for (const RowGroup& group : groups) {
    if (group.count == 0) continue;
    if (join && !result.empty()) {
      RowGroup& last = result.back().rows;
      const bool goes_on = last.first + last.count * last.stride == group.first &&
                           (last.stride == group.stride || group.count == 1);
      if (goes_on) {
        last.count += group.count;
        begin += group.count;
        continue;
      }
    }
    result.push_back({begin, group});
    begin += group.count;
  }
  return result;
}

void check_groups(const char* what, const std::vector<RowGroup>& groups, std::int64_t n_local,
                  std::int64_t n_tokens) {
  std::int64_t rows = 0;
  for (const RowGroup& group : groups) {
    const std::int64_t last = group.first + (group.count - 1) * group.stride;
    if (group.count < 0 || group.stride < 1 ||
        (group.count > 0 && (group.first < 0 || last >= n_tokens)))
      throw std::invalid_argument(
          fmt::format("flash: {} group of {} tokens from {} on, stride {}, is outside [0, {})",
                      what, group.count, group.first, group.stride, n_tokens));
    rows += group.count;
  }
  if (rows != n_local)
    throw std::invalid_argument(
        fmt::format("flash: {} groups of {} tokens, a schedule of {}", what, rows, n_local));
}

std::int64_t common_stride(const GroupedCall& call, std::vector<RowGroup> GroupedWorker::*groups) {
  std::int64_t stride = 0;
  for (const GroupedWorker& worker : call.workers)
    for (const RowGroup& group : worker.*groups) {
      if (group.count < 2 || group.stride == stride) continue;
      if (stride != 0) return 0;
      stride = group.stride;
    }
  return std::max<std::int64_t>(stride, 1);
}

}  // namespace qb::cuda
