// Groups of tokens as a worker's local rows, for the lowering of flash calls. Private to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cuda/cuda_kernels.h"

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

// Groups without rows are left out. With `join`, a group that goes on where the one before ended
// becomes one with it.
[[nodiscard]] std::vector<LocalGroup> local_groups(const std::vector<RowGroup>& groups, bool join);

// That groups of `what` are inside the tokens and as many rows as the schedule has.
void check_groups(const char* what, const std::vector<RowGroup>& groups, std::int64_t n_local,
                  std::int64_t n_tokens);

// The stride of all groups of more than one token, as the copy engine needs it: 0 where they
// differ.
[[nodiscard]] std::int64_t common_stride(const GroupedCall& call,
                                         std::vector<RowGroup> GroupedWorker::*groups);

}  // namespace qb::cuda
