// The rows of one head in the merge of two partials, at the speed of memory.
#pragma once

#include <cstdint>

namespace qb::cpu {

// Rows of a partial: row i of O is `dim` floats from out + i * out_stride, its LSE lse[i *
// lse_stride].
struct PartialRows {
  float* out;
  std::int64_t out_stride;
  float* lse;
  std::int64_t lse_stride;
};

// acc := merge(acc, part) for `count` rows. Nothing is read of the O of a row whose LSE is -inf.
void merge_rows(const PartialRows& acc, const PartialRows& part, std::int64_t count,
                std::int64_t dim);

}  // namespace qb::cpu
