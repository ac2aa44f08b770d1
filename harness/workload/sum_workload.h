// SPDX-License-Identifier: Apache-2.0
// A case that is several others, one after another, each with tensors of its own: its times, bytes
// and FLOP are their sums, as often as each counts, and its memory is that of the largest.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/workload/workload.h"

namespace qb {

struct CasePart {
  std::string name;  // a row of parts.csv
  Case of;           // resolved
  int count = 1;     // it runs once
};

// Plans the parts as plan_workload() does.
[[nodiscard]] std::unique_ptr<Workload> sum_of(const Case& c, std::vector<CasePart> parts);

// The kinds of layers of a case of workload stack, whose layout is not `best`, with the changes of
// layout into and out of them. Throws UsageError as read_stack() does.
[[nodiscard]] std::vector<CasePart> stack_parts(const Case& c);

}  // namespace qb
