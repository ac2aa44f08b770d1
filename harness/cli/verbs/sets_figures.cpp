// SPDX-License-Identifier: Apache-2.0
// qb sets figures: draws the figures and tables of interest sets, from stored and recomputed data.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/files.h"
#include "base/numbers.h"
#include "base/print.h"
#include "harness/cli/options.h"
#include "harness/cli/views/sets_view.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/work/work.h"
#include "interest_sets/search/minimum_sets.h"
#include "interest_sets/sets/known_sets.h"
#include "interest_sets/split/distillation.h"
#include "plots/draw/draw.h"
#include "plots/figures/figures.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

constexpr std::int64_t kProductRows = 4096;  // and as many columns

// The number of minimum sets of every W of which they are all known.
std::map<int, std::int64_t> counts() {
  std::map<int, std::int64_t> all;
  for (const SearchRecord& list : stored_minimum_lists()) all[list.modulus] = list.sets;
  for (const SearchRecord& record : stored_searches())
    if (record.sets > 0 && record.size == proved_lower_bound(record.modulus))
      all[record.modulus] = record.sets;
  return all;
}

// How many groups of rows there are: half or a quarter of the workers, or one.
CsvTable product_splits_csv() {
  CsvTable table({"workers", "split", "largest_speed_up", "workers_without_block"});
  for (const auto& [split, part] : {std::pair{"W1 = W/2", 2}, {"W1 = W/4", 4}, {"W1 = 1", 64}})
    for (int workers = 4; workers <= 64; ++workers) {
      const int row_groups = std::max(1, workers / part);
      const auto blocks = product_blocks(default_interest_set(workers), row_groups);
      std::int64_t most = 0;  // elements of C
      for (const std::vector<GroupPair>& of_worker : blocks) {
        std::int64_t elements = 0;
        for (const GroupPair& block : of_worker)
          elements += group_tokens(kProductRows, row_groups, block.first) *
                      group_tokens(kProductRows, workers - row_groups, block.second - row_groups);
        most = std::max(most, elements);
      }
      const auto all = static_cast<double>(kProductRows * kProductRows);
      table.append({fmt::to_string(workers), split, to_text(all / static_cast<double>(most)),
                    fmt::to_string(std::ranges::count(blocks, std::vector<GroupPair>{}))});
    }
  return table;
}

// Adds to the published table, for the paper's readers, what it does not say.
Table paper_table(const std::vector<DistillationRow>& rows) {
  const auto counted = counts();
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
    const auto count = counted.find(workers);
    table.rows.push_back({fmt::to_string(workers), fmt::to_string(row.set.residues.size()),
                          to_string(row.set), count == counted.end() ? "-" : to_text(count->second),
                          fmt::format("{:.4f}", row.published), fmt::format("{:.4f}", row.balanced),
                          fmt::format("{:.4f}", row.balanced / workers)});
  }
  return table;
}

// Ten tokens, seven workers and {0, 1, 3}: the paper's worked example.
Figure worked_example() {
  const Problem problem = make_problem({1, 1, 1, 10, 10, 1, 1}, MaskKind::full, DType::f32, 0);
  const Plan plan = make_plan("cqs", problem, {7, parse_interest_set("0,1,3", 7)});
  Figure figure = partition_of(plan, model_work(plan, Kernel::flash), "Case study 1");
  figure.name = "case_study_1_partition";
  figure.finding = "Which worker computes each pair of ten queries and keys.";
  figure.subtitle += ", interest set {0, 1, 3}";
  return figure;
}

void draw(const std::string& directory) {
  ensure_directory(directory);
  const auto rows = compare_distillations();
  for (const std::string& path : write_table(paper_table(rows), directory))
    print_answer("{}\n", path);
  const CsvTable balance = CsvTable::parse(balance_table(rows, TableFormat::csv), "distillation");
  const std::vector<Figure> figures = {distillation_figure(balance),
                                       cqs_product_figure(product_splits_csv()), worked_example()};
  for (const std::vector<std::string>& paths : write_figures(figures, directory))
    print_answer("{}\n", paths.front());
}

}  // namespace

void add_sets_figures(Verb sets) {
  auto [verb, directory] = add_verb<std::string>(
      sets, "figures", "Draws the balance of interest sets, and writes a LaTeX table.", draw,
      R"(The exit code is 3 without matplotlib.

Examples:
  qb sets figures --out figures)");
  directory = "results/interest_sets";
  verb.add_option("-o,--out", directory, "Writes into this folder.").show_default();
}

}  // namespace qb
