// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/sets_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/numbers.h"
#include "base/status.h"
#include "base/text_table.h"
#include "interest_sets/search/minimum_sets.h"
#include "interest_sets/sets/constructions.h"
#include "interest_sets/split/distillation.h"

namespace qb {
namespace {

std::string describe_ratio(const InterestSet& set) {
  const double ours = asymptotic_responsibility_ratio(set);
  const double balanced = asymptotic_responsibility_ratio(set, Distillation::balanced);
  return fmt::format("{:.4f}, balanced {:.4f} (perfect balance: {})", ours, balanced, set.modulus);
}

// Calls visit(row) for every N in [from, to], holding a piece of the rows at a time.
template <class Visit>
void for_each_row(const InterestSet& set, std::int64_t from, std::int64_t to, Visit&& visit) {
  constexpr std::int64_t kPiece = 65536;
  if (from <= to) (void)responsibility_ratio(set, to);  // refuses an impossible end at once
  for (std::int64_t begin = from; begin == from || begin <= to; begin += kPiece) {
    const std::int64_t end = to - begin < kPiece ? to : begin + kPiece - 1;
    for (const ResponsibilityRow& row : responsibility_rows(set, begin, end)) visit(row);
  }
}

}  // namespace

std::string braces(std::span<const int> residues) {
  return fmt::format("{{{}}}", fmt::join(residues, ","));
}

std::string csv_residues(const InterestSet& set) {
  return fmt::format("{}", fmt::join(set.residues, " "));
}

std::vector<DistillationRow> compare_distillations() {
  std::vector<DistillationRow> rows;
  for (const ListedSet& listed : published_interest_sets()) {
    DistillationRow row{listed.set, 0.0, 0.0, 0, 0, false};
    row.published = asymptotic_responsibility_ratio(row.set, Distillation::published);
    row.balanced = asymptotic_responsibility_ratio(row.set, Distillation::balanced);
    const auto published = longest_subsequences(row.set, Distillation::published);
    const auto balanced = longest_subsequences(row.set, Distillation::balanced);
    row.published_longest = published.back();
    row.balanced_longest = balanced.back();
    for (std::size_t i = 0; i < published.size(); ++i)
      row.more_tokens |= balanced[i] > published[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

Table distillation_table(std::span<const DistillationRow> rows) {
  std::map<int, std::int64_t> counts;  // of minimum sets, of every W of which all are known
  for (const SearchRecord& list : stored_minimum_lists()) counts[list.modulus] = list.sets;
  for (const SearchRecord& record : stored_searches())
    if (record.sets > 0 && record.size == proved_lower_bound(record.modulus))
      counts[record.modulus] = record.sets;
  Table table{
      .name = "interest_sets",
      .title =
          "Interest sets of the published table: minimality, number of minimum sets, "
          "and asym-RR under both distillations",
      .header = {"W", "m", "interest set", "minimum sets", "published", "balanced", "balanced / W"},
      .notes = {"Every m is the least: proved by exhaustive search of m - 1 or by counting.",
                "Minimum sets: those with 0 and 1; - where they were not counted."}};
  for (const DistillationRow& row : rows) {
    const int workers = row.set.modulus;
    table.rows.push_back({fmt::to_string(workers), fmt::to_string(row.set.residues.size()),
                          to_string(row.set),
                          counts.contains(workers) ? to_text(counts[workers]) : "-",
                          fmt::format("{:.4f}", row.published), fmt::format("{:.4f}", row.balanced),
                          fmt::format("{:.4f}", row.balanced / workers)});
  }
  return table;
}

CsvTable distillation_csv(std::span<const DistillationRow> rows) {
  CsvTable table({"workers", "quorum_size", "interest_set",
                  "published_asymptotic_responsibility_ratio",
                  "balanced_asymptotic_responsibility_ratio", "published_longest_tokens",
                  "balanced_longest_tokens"});
  for (const DistillationRow& row : rows)
    table.append({fmt::to_string(row.set.modulus), fmt::to_string(row.set.residues.size()),
                  csv_residues(row.set), to_text(row.published), to_text(row.balanced),
                  to_text(row.published_longest), to_text(row.balanced_longest)});
  return table;
}

std::string balance_summary(std::span<const DistillationRow> rows) {
  double published = 1.0;
  double balanced = 1.0;
  int worse = 0;
  int more_tokens = 0;
  for (const DistillationRow& row : rows) {
    published = std::min(published, row.published / row.set.modulus);
    balanced = std::min(balanced, row.balanced / row.set.modulus);
    worse += row.balanced < row.published ? 1 : 0;
    more_tokens += row.more_tokens ? 1 : 0;
  }
  return fmt::format(
      "asym-RR / W is {:.4f} or more published, {:.4f} or more balanced; balanced is below "
      "published "
      "for {} of {} W and holds more local tokens for {}.\n",
      published, balanced, worse, rows.size(), more_tokens);
}

std::string source_of(int workers) {
  if (published_interest_set(workers)) return "published table, supplement of CQS-Attention";
  if (singer_order(workers)) return "line of a projective plane (Singer)";
  if (workers <= stored_best_sets().back().set.modulus) return "best known, stored";
  return "ruler (Wichmann)";
}

std::string show_set(int workers) {
  const KnownSet known = known_interest_set(workers);
  const InterestSet& set = known.set;
  std::string text;
  const auto line = [&](std::string_view what, const std::string& value) {
    text += fmt::format("{:<14}{}\n", what, value);
  };
  line("workers", fmt::to_string(workers));
  line("interest set", to_string(set));
  line("size", fmt::format("{} ({}; no set can have fewer than {})", set.residues.size(),
                           word(known.standing), known.lower_bound));
  line("source", source_of(workers));
  line("asym-RR", describe_ratio(set));
  const auto kept = kept_residue_pairs(set);
  TextTable table({"worker", "quorum", "kept pairs"});
  for (int worker = 0; worker < workers; ++worker)
    table.add({fmt::to_string(worker), braces(quorum(set, worker)),
               fmt::to_string(distill(workers, kept, worker, Distillation::published).size())});
  return text + "\n" + table.terminal();
}

void responsibility_csv(int workers, std::int64_t from, std::int64_t to, const Sink& write) {
  bool with_header = true;
  for (const InterestSet& set : minimum_interest_sets(workers)) {
    const std::string prefix = fmt::format("{},{},", workers, csv_residues(set));
    std::string piece;
    for_each_row(set, from, to, [&](const ResponsibilityRow& row) {
      if (std::exchange(with_header, false))
        piece += "workers,interest_set,n_tokens,responsibility_ratio\n";
      piece += fmt::format("{}{},{}\n", prefix, row.n_tokens, to_text(row.ratio));
      if (piece.size() < std::size_t{1} << 16) return;
      write(piece);
      piece.clear();
    });
    write(piece);
  }
}

std::string responsibility_table(int workers, std::int64_t from, std::int64_t to) {
  TextTable table({"interest set", "asym-RR", "mean RR", "least RR", "greatest RR"});
  for (const InterestSet& set : minimum_interest_sets(workers)) {
    double sum = 0.0;
    double least = std::numeric_limits<double>::infinity();
    double greatest = 0.0;
    for_each_row(set, from, to, [&](const ResponsibilityRow& row) {
      sum += row.ratio;
      least = std::min(least, row.ratio);
      greatest = std::max(greatest, row.ratio);
    });
    table.add({braces(set.residues), fmt::format("{:.4f}", asymptotic_responsibility_ratio(set)),
               fmt::format("{:.4f}", sum / static_cast<double>(to - from + 1)),
               fmt::format("{:.4f}", least), fmt::format("{:.4f}", greatest)});
  }
  return table.terminal();
}

std::string progress_line(const SearchState& state, int size, double seconds) {
  const auto& [tasks, played, found] = state.sizes.at(size);
  const double left_s = seconds * static_cast<double>(tasks - played) / static_cast<double>(played);
  return fmt::format("m = {}: {} of {} tasks, {} orbits, {}, about {} to go", size, played, tasks,
                     found.size(), format_seconds(seconds), format_seconds(left_s));
}

}  // namespace qb
