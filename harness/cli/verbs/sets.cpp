// SPDX-License-Identifier: Apache-2.0
// qb sets: lists, shows and draws interest sets, and what balance they give.
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

void add_sets_table(Verb sets) {
  auto [verb, form] = add_verb<TableFormat>(
      sets, "table", "Lists the 109 published sets, with asym-RR by both distillations.",
      [](TableFormat said) {
        const auto rows = compare_distillations();
        print_table(said == TableFormat::csv ? distillation_csv(rows).to_string()
                                             : printed(distillation_table(rows), said),
                    balance_summary(rows), said);
      },
      R"(asym-RR is recomputed; `qb papers cqs_attention` compares it with what is printed.

Examples:
  qb sets table
  qb sets table --csv > interest_sets.csv)");
  add_table_form(verb, form);
}

void add_show(Verb sets) {
  auto [verb, workers] = add_verb<int>(
      sets, "show", "Shows the set that W workers use by default, and its quorums.",
      [](int said) { print_answer(show_set(said)); },
      R"(Up to W = 111 it is the published set, to 1024 the best known one, above it Singer's where
W = q^2 + q + 1 with a prime power q, else a ruler.

Examples:
  qb sets show --workers 7
  qb sets show --workers 1057)");
  add_integer(verb, "--workers", workers, "Sets W, 3 or more.").required();
}

struct ResponsibilityWords {
  int workers = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;
  bool csv = false;
};

void print_responsibility(const ResponsibilityWords& words) {
  if (words.csv)
    responsibility_csv(words.workers, words.from, words.to,
                       [](std::string_view piece) { print_answer(piece); });
  else
    print_answer(responsibility_table(words.workers, words.from, words.to));
}

void add_responsibility(Verb sets) {
  auto [verb, words] = add_verb<ResponsibilityWords>(
      sets, "responsibility",
      "Computes the responsibility ratio against N, for every minimum-size set of W.",
      print_responsibility,
      R"(RR = N^2 / (largest responsibility of a worker), at every whole N of the range.

Examples:
  qb sets responsibility --workers 8 --from 320 --to 327
  qb sets responsibility --workers 31 --from 31 --to 1300 --csv > rr_31.csv)");
  add_integer(verb, "--workers", words.workers, "Sets W, 3 to 65 (the sets are searched).")
      .required();
  add_integer(verb, "--from", words.from, "Sets the first N, at least W.").required();
  add_integer(verb, "--to", words.to, "Sets the last N.").required();
  verb.add_flag("--csv", words.csv, "Prints a row for each set and N instead of a summary.");
}

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

void add_figures(Verb sets) {
  auto [verb, directory] = add_verb<std::string>(
      sets, "figures", "Draws the balance of interest sets, and writes a LaTeX table.", draw,
      R"(The exit code is 3 without matplotlib.

Examples:
  qb sets figures --out figures)");
  directory = "results/interest_sets";
  verb.add_option("-o,--out", directory, "Writes into this folder.").show_default();
}

}  // namespace

void add_sets(Verb app) {
  const Verb sets = app.add_verb("sets", "Lists, searches and draws interest sets.", R"(Examples:
  qb sets table
  qb sets show --workers 7
  qb sets search --workers 52
  qb sets SUBCOMMAND --help)");
  sets.require_verb();
  add_sets_table(sets);
  add_show(sets);
  add_responsibility(sets);
  add_sets_search(sets);
  add_figures(sets);
}

}  // namespace qb
