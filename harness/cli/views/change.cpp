// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/publish.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/schema/older_runs.h"
#include "harness/experiment/audit/compare.h"

namespace qb {
namespace {

std::string change_words(const RunComparison::Row& row) {
  std::vector<std::string> words;
  if (row.verdict == RunComparison::Verdict::slow || row.verdict == RunComparison::Verdict::fast)
    words.emplace_back(word(row.verdict));
  using Change = RunComparison::Change;
  if (row.memory != Change::same)
    words.emplace_back(row.memory == Change::worse ? "more memory" : "less memory");
  if (row.status != Change::same) words.push_back(fmt::format("{} before", word(row.a.status)));
  return fmt::format("{}", fmt::join(words, ", "));
}

Report::Section section_of(const RunComparison& comparison, const Manifest& before,
                           double threshold) {
  Table table{.name = "change",
              .title = "Cases that changed",
              .header = {"case", "before (ms)", "now (ms)", "now/before", "change"}};
  std::size_t same = 0;
  std::size_t ambiguous = 0;
  for (const RunComparison::Row& row : comparison.cases) {
    if (const std::string change = change_words(row); !change.empty())
      table.rows.push_back({row.label, significant(row.a.time.median_s * kMilli),
                            significant(row.b.time.median_s * kMilli), significant(row.ratio),
                            change});
    else if (row.verdict == RunComparison::Verdict::same)
      ++same;
    else if (row.verdict == RunComparison::Verdict::ambiguous)
      ++ambiguous;
  }
  Report::Section section{
      .title = "Change since the previous run",
      .paragraphs = {fmt::format(
          "The previous run of this spec on this machine is {} of {}{}. Of {} in both runs {} "
          "changed, {} stayed within {:g} %, and of {} the intervals decide nothing.",
          before.run_id, before.started_at.substr(0, 10),
          before.commit.empty() ? "" : " at commit " + before.commit,
          counted(comparison.cases.size(), "case"), table.rows.size(), same, kPercent * threshold,
          ambiguous)}};
  if (!table.rows.empty()) section.tables.push_back(std::move(table));
  return section;
}

}  // namespace

std::optional<Report::Section> change_section(const std::string& folder) {
  const std::filesystem::path run = std::filesystem::canonical(folder);
  Manifest own;
  try {
    own = read_manifest(run.string());
  } catch (const UsageError&) {
    return std::nullopt;  // another program wrote the manifest
  }
  if (own.spec_hash.empty()) return std::nullopt;
  const std::vector<Manifest> runs = list_runs(run.parent_path().string());
  const auto before = std::ranges::find_if(runs, [&](const Manifest& other) {
    return other.run_id != own.run_id && other.spec_hash == own.spec_hash &&
           other.device_fingerprint == own.device_fingerprint &&
           is_readable_schema(other.schema_version) && !other.finished_at.empty() &&
           other.started_at < own.started_at;
  });
  if (before == runs.end()) return std::nullopt;
  try {
    const CompareOptions options;
    const RunComparison comparison =
        compare_runs(read_run_folder(before->folder), read_run_folder(run.string()), options);
    return section_of(comparison, *before, options.threshold);
  } catch (const UsageError&) {
    return std::nullopt;  // a table of one of the two runs cannot be read
  } catch (const ExitError&) {
    return std::nullopt;  // they have no case in common
  }
}

}  // namespace qb
