// SPDX-License-Identifier: Apache-2.0
// Closed forms of the most that a worker's device holds in a pass, beside sent_bytes.h, which has
// those of what it sends. They plan and play nothing; a test in harness/execute compares them to
// the byte with plan_memory(), which plays every worker over addresses. A form is a sum: what the
// worker that holds most holds at its fullest moment, by kind of tensor. It is exact for unequal
// shards and for fewer tokens than workers, too.
//
// c queries and m keys of a shard, r queries and t keys that the worker gathers or whose results it
// sends back, b rows of a kernel call, s query heads and k key-value heads of a share, NH and NKV
// where heads are not shared; d, e, o and p as in sent_bytes.h. A message has a header of h = 64
// bytes and for each tensor a place of |x| bytes: x rounded up to 64. Those of a ring have room for
// the longest shard. Where a formula lists several, the fullest moment has some of them. w is what
// a call of the kernel takes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/schema/kernels.h"
#include "harness/plan/pass.h"
#include "harness/plan/problem.h"
#include "harness/plan/worker_group.h"

namespace qb {

struct HeldTensors {
  std::string what;  // `Q, K, V of its shard`, …
  std::string formula;
  std::int64_t bytes = 0;
};

// Returns why there is no form for the scheme and the problem, or an empty text.
[[nodiscard]] std::string why_no_peak_form(std::string_view scheme, const Problem& problem);

// Returns the form where there is one and the scheme has a plan of the problem, whose P = kv_len -
// q_len is 0 or more. Where one worker computes in place, the caller's tensors count; the root of
// cqs is apart. grid: for grid, usp and mesh. kernel: one of which every call takes as much on one
// thread, as flash, or nothing, as cudnn. Throws Unsupported where it has no backward pass.
[[nodiscard]] std::vector<HeldTensors> peak_memory(std::string_view scheme, const Problem& problem,
                                                   int workers, Pass pass, const GridShape& grid,
                                                   Kernel kernel);

}  // namespace qb
