// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/integers.h"
#include "interest_sets/split/distillation.h"

namespace qb {
std::vector<TokenGroup> contiguous_groups(std::int64_t n, int parts, std::int64_t first) {
  std::vector<TokenGroup> groups;
  groups.reserve(static_cast<std::size_t>(parts));
  for (int part = 0; part < parts; ++part) {
    groups.push_back({first, group_tokens(n, parts, part), 1});
    first += groups.back().count;
  }
  return groups;
}

std::vector<int> every_group(const std::vector<TokenGroup>& groups) {
  return integers_below(static_cast<int>(groups.size()));
}

std::vector<TokenGroup> striped_groups(std::int64_t n, int parts, std::int64_t first) {
  std::vector<TokenGroup> groups;
  groups.reserve(static_cast<std::size_t>(parts));
  for (std::int64_t part = 0; part < parts; ++part)
    groups.push_back({first + part, std::max<std::int64_t>(0, ceil_div(n - part, parts)), parts});
  return groups;
}

std::vector<std::vector<int>> cut_at_ends(const std::vector<Segment>& sequences,
                                          std::int64_t Segment::*end,
                                          std::vector<TokenGroup>& groups) {
  std::vector<std::vector<int>> pieces(groups.size());
  std::vector<TokenGroup> cut;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const TokenGroup& group = groups[g];
    const auto add = [&](std::int64_t from, std::int64_t count) {
      pieces[g].push_back(static_cast<int>(cut.size()));
      cut.push_back({group.token(from), count, group.stride});
    };
    std::int64_t taken = 0;
    for (const Segment& sequence : sequences) {
      // The first token of the group that lies behind this sequence.
      const std::int64_t ahead = std::max<std::int64_t>(sequence.*end - group.first, 0);
      const std::int64_t next = std::min(group.count, ceil_div(ahead, group.stride));
      if (next > taken) add(taken, next - taken);
      taken = next;
    }
    if (group.count == 0) add(0, 0);
  }
  groups = std::move(cut);
  return pieces;
}

Left left_by_mask(const Problem& problem, const TokenGroup& q, const TokenGroup& k) {
  if (q.count == 0 || k.count == 0) return {};
  const Segment* segment = problem.mask.segment_of(q.first);
  if (segment != nullptr && (k.first < segment->k_begin || k.first >= segment->k_end)) return {};
  const Left all{.any = true};
  if (problem.mask.kind == MaskKind::full) return all;
  if (problem.mask.kind == MaskKind::pattern) {
    const Coverage coverage =
        problem.mask.coverage({q.first, q.count, q.stride}, {k.first, k.count, k.stride});
    if (coverage == Coverage::none) return {};
    return coverage == Coverage::partial ? Left{0, Allowed::pattern, true} : all;
  }
  const std::int64_t offset = problem.mask.offset_of(q.first);
  const std::int64_t last_seen_by_first = q.first + offset;
  const std::int64_t last_seen_by_last = q.token(q.count - 1) + offset;
  if (k.first > last_seen_by_last) return {};
  if (k.token(k.count - 1) <= last_seen_by_first) return all;
  if (q.stride != k.stride && q.count > 1 && k.count > 1)
    throw std::logic_error(fmt::format("groups of strides {} and {} have no single causal offset",
                                       q.stride, k.stride));
  // first_k + j * stride <= first_q + i * stride + mask offset.
  return {floor_divide(last_seen_by_first - k.first, q.count > 1 ? q.stride : k.stride),
          Allowed::causal, true};
}

std::optional<PairTask> pair_task(const Problem& problem, const std::vector<TokenGroup>& q_groups,
                                  const std::vector<TokenGroup>& kv_groups, int q_group,
                                  int kv_group) {
  const Left left =
      left_by_mask(problem, group_at(q_groups, q_group), group_at(kv_groups, kv_group));
  if (!left.any) return std::nullopt;
  return PairTask{q_group, kv_group, {0, problem.shape.q_heads}, left.allowed, left.offset};
}

}  // namespace qb
