// SPDX-License-Identifier: Apache-2.0
// qb sets: lists and shows interest sets, and what balance they give.
#include "base/print.h"
#include "harness/cli/options.h"
#include "harness/cli/views/sets_view.h"

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
  add_sets_figures(sets);
}

}  // namespace qb
