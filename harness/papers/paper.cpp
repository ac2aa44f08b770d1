// SPDX-License-Identifier: Apache-2.0
#include "harness/papers/paper.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/status.h"

namespace qb {

std::string_view sentence(Need need) {
  using enum Need;
  constexpr std::pair<Need, std::string_view> kSentences[] = {
      {training, "training steps"},
      {recursion, "recursive quorums that stream from the host"},
      {peer_kernels, "other projects' kernels"},
      {one_gpu, "a GPU"},
      {many_gpus, "eight GPUs or more"},
      {helper_schedule, "a schedule in which idle workers help"},
      {hybrid_schemes, "a layout or degrees of a hybrid that are not here"},
      {pipeline_memory, "a memory model of pipeline parallelism"},
      {split_passes, "a split of the kernel's two passes"}};
  static_assert(std::size(kSentences) == kWords<Need>.rows.size());
  return std::ranges::find(kSentences, need, &std::pair<Need, std::string_view>::first)->second;
}

const PublishedColumn& PublishedTable::column(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, &PublishedColumn::name);
  if (found == columns.end()) throw UsageError(fmt::format("{} has no column '{}'", file, name));
  return *found;
}

std::vector<std::string> PublishedTable::keys() const {
  std::vector<std::string> names;
  for (const PublishedColumn& column : columns)
    if (column.role == ColumnRole::key) names.push_back(column.name);
  return names;
}

bool PublishedTable::is_headline(std::string_view column) const {
  return std::ranges::find(headline, column) != headline.end();
}

bool PublishedTable::is_of_headline(const Claim& claim) const {
  bool reads = false;
  bool others = false;
  for (const CellReference& reference : claim.published->references()) {
    if (!reference.source.empty()) others = true;
    if (!reference.source.empty() || !cells.has(reference.column)) continue;
    if (is_headline(reference.column) && !reference.selects)
      reads = true;
    else if (reference.selects || column(reference.column).role != ColumnRole::key)
      others = true;
  }
  return reads && (!others || claim.kind == ClaimKind::shape);
}

}  // namespace qb
