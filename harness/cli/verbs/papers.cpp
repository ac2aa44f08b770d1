// SPDX-License-Identifier: Apache-2.0
// qb papers: every published table, what answers its rows, and where tables contradict themselves.

#include <algorithm>
#include <functional>
#include <set>

#include "base/files.h"
#include "base/print.h"
#include "harness/cli/options.h"
#include "harness/cli/views/model_error.h"
#include "harness/cli/views/paper_sources.h"
#include "harness/cli/views/paper_tables.h"
#include "harness/cli/views/table_form.h"
#include "harness/papers/quantities.h"

namespace qb {
namespace {

constexpr const char* kPapersFooter =
    R"(Without a name it counts the rows of each paper by their verdicts, a row's being that of the quantity
that the paper measured, and beside them the answers. The answers come from the tables themselves, from
closed forms, from the committed runs (data/measured), or from those below --from, and from the cost
model; nothing is measured. data/papers/README.md says how a paper is added.

Without --from the standings are compared with those of data/papers/coverage.csv: a build that answers
the same data otherwise is wrong, and says so.

Exit codes: 0 also where rows are disputed, since that is an answer about the paper; 2 no such paper or
table, or a wrong index; 4 this build answers otherwise than data/papers/coverage.csv records: the same
data in any way, or changed data by a value that it calculates exactly, which is not the published one
in a table that is recorded without a contradiction.

Examples:
  qb papers
  qb papers --contradictions
  qb papers dist_flash_attn                a line a table
  qb papers dist_flash_attn --all          each row: published, ours, ratio, verdict, why
  qb papers dist_flash_attn --verdict differs
  qb papers context_parallel --claim first_token_modelled,first_token_by_tensor
  qb papers stream_cqsa stream_cqsa_readme_accuracy --format markdown
  qb papers --needs training)";

struct PapersWords {
  std::vector<std::string> names;
  std::string verdict;
  std::string claim;
  std::string needs;
  std::string from;
  std::string record;
  bool all = false;
  bool contradictions = false;
  bool model = false;
  bool functions = false;
  TableFormat format = TableFormat::text;
};

void print(const Table& table, TableFormat format) { print_answer(printed(table, format)); }

Table functions_table() {
  Table table{.name = "functions",
              .title = "Closed forms that formulas of data/papers can call",
              .header = {"function", "arguments", "value"},
              .notes = {}};
  for (const Quantity& quantity : quantities())
    table.rows.push_back({std::string(quantity.name), std::string(quantity.arguments),
                          std::string(quantity.meaning)});
  return table;
}

// The enumerator of an option's word; nullopt where it was not given.
template <class E>
std::optional<E> word_given(const std::string& option, const std::string& text) {
  const auto parsed = parse_word<E>(text);
  if (!parsed && !text.empty())
    throw UsageError(option + ": " + unknown_word(kWords<E>.what, text, all_words<E>()));
  return parsed;
}

const AnsweredPaper& paper_named(const std::vector<AnsweredPaper>& papers,
                                 const std::string& name) {
  std::vector<std::string_view> names;
  for (const AnsweredPaper& paper : papers) {
    if (paper.paper->name == name) return paper;
    names.push_back(paper.paper->name);
  }
  throw UsageError(unknown_word("paper", name, names));
}

void require_table(const AnsweredPaper& paper, const std::string& wanted) {
  std::vector<std::string_view> names;
  for (const AnsweredTable& answered : paper.tables) names.push_back(answered.table->stem());
  if (!wanted.empty() && std::ranges::find(names, wanted) == names.end())
    throw UsageError(unknown_word("table", wanted, names));
}

void require_claims(std::span<const AnsweredPaper> papers, const AnswerChoice& choice) {
  std::set<std::string_view> known;
  for (const AnsweredPaper& paper : papers)
    for (const AnsweredTable& answered : paper.tables)
      for (const PublishedAnswer& answer : answered.answers) known.insert(answer.claim);
  const std::vector<std::string_view> names(known.begin(), known.end());
  for (const std::string& claim : choice.claims)
    if (!known.contains(claim)) throw UsageError(unknown_word("claim", claim, names));
}

void print_answers(const std::vector<AnsweredPaper>& papers, const PapersWords& words) {
  AnswerChoice choice{.table = words.names.size() == 2 ? words.names[1] : "",
                      .claims = names_in(words.claim),
                      .summary = words.names.size() == 1 && words.verdict.empty() &&
                                 words.claim.empty() && !words.all};
  choice.standing = word_given<RowStanding>("--verdict", words.verdict);
  const std::span<const AnsweredPaper> wanted =
      words.names.empty() ? papers : std::span(&paper_named(papers, words.names[0]), 1);
  require_table(wanted.front(), choice.table);
  require_claims(wanted, choice);
  if (words.format != TableFormat::text)
    return print(all_answers_table(wanted, choice), words.format);
  for (const AnsweredPaper& paper : wanted)
    print_answer("{}{}", &paper == &wanted.front() ? "" : "\n", answers_text(paper, choice));
}

std::vector<FoundContradiction> all_contradictions(const std::vector<AnsweredPaper>& papers,
                                                   const Library& library,
                                                   const Measurements& measurements) {
  std::vector<FoundContradiction> all;
  for (const AnsweredPaper& paper : papers)
    std::ranges::move(contradictions_of(paper, library, measurements), std::back_inserter(all));
  return all;
}

ExitCode answer(const PapersWords& words) {
  if (words.functions) {
    print(functions_table(), words.format);
    return ExitCode::ok;
  }
  const Library library = read_library();
  std::vector<std::string> folders = committed_runs();
  if (!words.from.empty()) {
    const auto given = with_subfolders(words.from);
    folders.insert(folders.begin(), given.begin(), given.end());
  }
  const RunsAndModel measurements(folders);
  const std::vector<AnsweredPaper> papers = answer_all(library, measurements);
  if (!words.record.empty()) {
    write_file_atomically(words.record, coverage_record(papers));
    return ExitCode::ok;
  }
  const bool wrong_build = words.from.empty() && !answers_as_recorded(papers);
  if (words.names.size() > 2) throw UsageError("name one paper and at most one of its tables");
  if (!words.names.empty() && (words.contradictions || words.model || !words.needs.empty()))
    throw UsageError("--contradictions, --model and --needs are of all papers; name none");
  if (words.contradictions) {
    const auto found = all_contradictions(papers, library, measurements);
    if (words.format == TableFormat::text)
      print_answer(contradictions_text(found));
    else
      print(contradictions_table(found), words.format);
  } else if (words.model) {
    std::vector<GradedRow> rows = graded_rows(papers);
    std::ranges::move(graded_rows(papers, true), std::back_inserter(rows));
    print(model_error_table(rows), words.format);
  } else if (!words.needs.empty()) {
    print(needs_table(papers, *word_given<Need>("--needs", words.needs)), words.format);
  } else if (words.names.empty() && words.verdict.empty() && words.claim.empty()) {
    print(coverage_table(papers), words.format);
    if (words.format == TableFormat::text)
      print_answer("\n{} contradictions: qb papers --contradictions\n",
                   std::ranges::count_if(all_contradictions(papers, library, measurements),
                                         std::not_fn(is_remark)));
  } else {
    print_answers(papers, words);
  }
  return wrong_build ? ExitCode::regression : ExitCode::ok;
}

}  // namespace

void add_papers(Verb app) {
  auto [verb, words] = add_verb<PapersWords>(
      app, "papers", "Answers every published table, row by row, and lists the contradictions.",
      answer, kPapersFooter);
  verb.add_option("NAMES", words.names, "Names a paper, and maybe one of its tables.");
  verb.add_option("--verdict", words.verdict,
                  "Shows only the rows with this verdict, such as differs or predicted.");
  verb.add_option("--claim", words.claim,
                  "Shows only the answers to these claims, separated by commas.");
  verb.add_option("--needs", words.needs,
                  "Lists the rows that this would answer, such as training or one_gpu.");
  verb.add_flag("--all", words.all, "Prints every row of a paper in place of a line a table.");
  const Option from =
      verb.add_option("--from", words.from,
                      "Takes runs from this folder of run folders before the committed ones.");
  verb.add_option("--record", words.record,
                  "Writes the standings of every table into this file, and prints nothing.")
      .excludes(from);
  verb.add_flag("--contradictions", words.contradictions,
                "Lists where published tables contradict themselves, each other or the hardware.");
  verb.add_flag("--model", words.model,
                "Shows how far the cost model is from published times, by scheme, link and pass.");
  verb.add_flag("--functions", words.functions, "Lists the functions that formulas can call.");
  add_word(verb, "--format", words.format, "Prints the table in this form");
}

}  // namespace qb
