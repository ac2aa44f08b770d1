// SPDX-License-Identifier: Apache-2.0
// qb sets figures: draws the figures and tables of interest sets, from stored and recomputed data.
#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "base/numbers.h"
#include "base/print.h"
#include "harness/cli/options.h"
#include "harness/cli/views/partition_view.h"
#include "harness/cli/views/sets_view.h"
#include "harness/plan/strategies/strategy.h"
#include "interest_sets/sets/known_sets.h"
#include "plots/draw/draw.h"
#include "plots/figures/figures.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

constexpr std::int64_t kProductRows = 4096;  // and as many columns

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

// Ten tokens, seven workers and {0, 1, 3}: the paper's worked example.
Figure worked_example() {
  const Problem problem = make_problem({1, 1, 1, 10, 10, 1, 1}, MaskKind::full, DType::f32, 0);
  const Plan plan = make_plan("cqs", problem, {7, parse_interest_set("0,1,3", 7)});
  Figure figure = partition_figure(plan, model_work(plan, Kernel::flash), "Case study 1");
  figure.name = "case_study_1_partition";
  figure.finding = "Which worker computes each pair of ten queries and keys.";
  figure.subtitle += ", interest set {0, 1, 3}";
  return figure;
}

void draw(const std::string& directory) {
  ensure_directory(directory);
  const auto rows = compare_distillations();
  for (const std::string& path : write_table(distillation_table(rows), directory))
    print_answer("{}\n", path);
  const std::vector<Figure> figures = {distillation_figure(distillation_csv(rows)),
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
