// SPDX-License-Identifier: Apache-2.0
#include "harness/papers/paper.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/status.h"

namespace qb {

std::string_view sentence(Need need) {
  constexpr std::string_view kSentences[] = {"training steps",  // in the order of the words
                                             "recursive quorums that stream from the host",
                                             "other projects' kernels",
                                             "a GPU",
                                             "eight GPUs or more",
                                             "a schedule in which idle workers help",
                                             "a layout or degrees of a hybrid that are not here",
                                             "a memory model of pipeline parallelism",
                                             "a split of the kernel's two passes"};
  static_assert(std::size(kSentences) == kWords<Need>.rows.size());
  return kSentences[static_cast<std::size_t>(need)];
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
