// SPDX-License-Identifier: Apache-2.0
// `qb select RUN`: would a selector have taken the faster of pass-KV and pass-Q?
#include <fmt/format.h>

#include <map>

#include "base/csv.h"
#include "base/files.h"
#include "base/numbers.h"
#include "base/print.h"
#include "base/schema/parameter_fields.h"
#include "base/schema/row.h"
#include "harness/cli/options.h"
#include "harness/cli/views/table_form.h"
#include "harness/plan/theory/selector.h"

namespace qb {
namespace {

constexpr const char* kSelectFooter =
    R"(It reads RUN/cases.csv. Rows of pass_kv and pass_q with equal parameters make a pair (T = n_tokens,
P + T = kv_len); the one with the smaller wall_time_median_s is the right choice. For each selector it
prints the accuracy, the regret (time of the choice divided by the best time, minus 1), and four
counts, by what was best and what was chosen. Algorithms 1 and 5 are those of Context Parallelism (arXiv
2411.01783).

C and B come from --compute and --bandwidth, or else from peak_flop_per_s and link_bandwidth_byte_per_s
of the rows.

Exit codes: 0, 2 usage (no such run, C or B unknown), 5 no pair to choose from.

Examples:
  qb select results/pass_kv_or_q/latest
  qb select results/pass_kv_or_q/latest --compute 800e12 --bandwidth 50e9 --csv)";

struct SelectWords {
  std::string run;
  double compute_flop_per_s = 0.0;
  double link_byte_per_s = 0.0;
  TableFormat form = TableFormat::text;
};

struct Pairs {
  std::vector<SelectorSample> samples;
  std::size_t unpaired = 0;  // ok rows of either variant without the other
  bool any_serial = false;   // some times leave out transfers
};

// Reads the rows of a cases.csv; its errors name the file and the row.
class CaseReader {
 public:
  explicit CaseReader(const SelectWords& words)
      : words_(words),
        name_(words.run + "/cases.csv"),
        cases_(CsvTable::parse(read_text(name_), name_)) {}

  // Pairs the ok rows of pass_kv and pass_q whose parameters are equal except for the algorithm;
  // their wall_time_median_s decides.
  [[nodiscard]] Pairs pairs() const {
    // The map is ordered, so that the answer does not depend on the order of the run.
    std::map<std::string, std::map<RingVariant, std::size_t>> found;
    for (std::size_t row = 0; row < cases_.size(); ++row) {
      const auto variant = parse_word<RingVariant>(Row{&cases_, row}.text("algorithm"));
      if (!variant || Row{&cases_, row}.text("status") != word(Status::ok)) continue;
      const auto [place, is_new] = found[rest_of_case(row)].emplace(*variant, row);
      if (!is_new)
        throw UsageError(
            fmt::format("{}: rows {} and {} are the same case", name_, place->second + 1, row + 1));
    }
    Pairs pairs;
    for (const auto& [parameters, rows] : found) {
      if (rows.size() < 2) {
        ++pairs.unpaired;
        continue;
      }
      const std::size_t kv = rows.at(RingVariant::pass_kv);
      pairs.any_serial |= Row{&cases_, kv}.text("ranks") == "serial";
      pairs.samples.push_back({prefill_of(kv), seconds(kv), seconds(rows.at(RingVariant::pass_q))});
    }
    if (pairs.samples.empty())
      throw ExitError(ExitCode::not_comparable,
                      fmt::format("{} has no pass_kv row and pass_q row that are both ok and have "
                                  "the same parameters",
                                  name_));
    return pairs;
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(std::size_t row, fmt::format_string<Args...> format,
                         Args&&... args) const {
    throw UsageError(fmt::format("{}: row {}: {}", name_, row + 1,
                                 fmt::format(format, std::forward<Args>(args)...)));
  }

  [[nodiscard]] std::string rest_of_case(std::size_t row) const {
    std::vector<std::string> fields;
    for (const Field& field : kParameterFields)
      if (field.column != "algorithm" && cases_.has(field.column))
        fields.push_back(cases_.text(row, field.column));
    return csv_record(fields);
  }

  [[nodiscard]] std::int64_t size(std::size_t row, std::string_view column) const {
    const std::string& text = cases_.text(row, column);
    const auto value = parse_integer(text);
    if (!value || *value < 1) fail(row, "{} '{}' is not a size", column, text);
    return *value;
  }

  // Returns `given`, or the column's value; `what` tells the user what to give.
  [[nodiscard]] double rate(double given, std::size_t row, std::string_view column,
                            std::string_view what) const {
    if (given > 0.0) return given;
    const double value = cases_.has(column) ? cases_.number(row, column) : 0.0;
    if (value > 0.0) return value;
    throw UsageError(fmt::format("{} has no {}; say {}", name_, column, what));
  }

  [[nodiscard]] Prefill prefill_of(std::size_t row) const {
    const auto dtype = parse_word<DType>(Row{&cases_, row}.text("dtype"));
    if (!dtype)
      fail(row, "{}", unknown_word("dtype", Row{&cases_, row}.text("dtype"), all_words<DType>()));
    const std::int64_t new_tokens = size(row, "n_tokens");
    const std::int64_t all_tokens = size(row, "kv_len");
    if (all_tokens < new_tokens)
      fail(row, "kv_len {} is less than n_tokens {}", all_tokens, new_tokens);
    return {.new_tokens = new_tokens,
            .cached_tokens = all_tokens - new_tokens,
            .workers = size(row, "workers"),
            .q_heads = size(row, "q_heads"),
            .kv_heads = size(row, "kv_heads"),
            .element_bytes = size_of(*dtype),
            .compute_flop_per_s = rate(words_.compute_flop_per_s, row, "peak_flop_per_s",
                                       "--compute FLOP/s, the peak of one worker"),
            .link_byte_per_s = rate(words_.link_byte_per_s, row, "link_bandwidth_byte_per_s",
                                    "--bandwidth BYTES/s, what one worker can send")};
  }

  [[nodiscard]] double seconds(std::size_t row) const {
    const double value = Row{&cases_, row}.number("wall_time_median_s");
    if (!(value > 0.0)) fail(row, "the row is ok, but has no wall_time_median_s");
    return value;
  }

  const SelectWords& words_;
  std::string name_;
  CsvTable cases_;
};

struct NamedScore {
  std::string selector;
  SelectorScore score;
};

std::vector<NamedScore> score_selectors(std::span<const SelectorSample> samples) {
  std::vector<NamedScore> scores = {{"algorithm 1", score_selector(samples, choose_algorithm_1)},
                                    {"algorithm 5", score_selector(samples, choose_algorithm_5)}};
  for (const auto& [variant, name] : kWords<RingVariant>.rows)
    scores.push_back(
        {fmt::format("always {}", name),
         score_selector(samples, [chosen = variant](const Prefill&) { return chosen; })});
  return scores;
}

std::string selector_table(std::span<const NamedScore> scores, TableFormat form) {
  const bool csv = form == TableFormat::csv;
  Table table;
  table.header = names_in(
      csv ? "selector,n_pairs,pass_kv_best_pass_kv_chosen,pass_kv_best_pass_q_chosen,"
            "pass_q_best_pass_kv_chosen,pass_q_best_pass_q_chosen,accuracy,mean_regret,max_regret"
          : "selector,KV best: KV,Q,Q best: KV,Q,accuracy,mean regret,max regret");
  for (const auto& [selector, score] : scores) {
    std::vector<std::string> cells = {selector};
    if (csv) cells.push_back(std::to_string(score.samples()));
    for (const std::size_t count : {score.kv_best_kv_chosen, score.kv_best_q_chosen,
                                    score.q_best_kv_chosen, score.q_best_q_chosen})
      cells.push_back(std::to_string(count));
    for (const double share : {score.accuracy(), score.mean_regret, score.max_regret})
      cells.push_back(csv ? to_text(share) : fmt::format("{:.2f} %", 100.0 * share));
    table.rows.push_back(std::move(cells));
  }
  return printed(table, form);
}

// Says how many pairs there are, and what limits them.
std::string selector_summary(const Pairs& pairs, std::span<const NamedScore> scores) {
  const std::size_t kv_best =
      scores.front().score.kv_best_kv_chosen + scores.front().score.kv_best_q_chosen;
  std::string text = fmt::format("There are {} pairs, and pass_kv is faster in {} of them.\n",
                                 pairs.samples.size(), kv_best);
  if (kv_best == 0 || kv_best == pairs.samples.size())
    text += "One variant is always faster: there was nothing to choose.\n";
  if (pairs.unpaired > 0)
    text += fmt::format("{} cases have no partner and are left out.\n", pairs.unpaired);
  if (pairs.any_serial)
    text += "Under ranks: serial a time leaves out transfers, which the choice is about.\n";
  return text;
}

void select(const SelectWords& words) {
  const Pairs pairs = CaseReader(words).pairs();
  const auto scores = score_selectors(pairs.samples);
  print_table(selector_table(scores, words.form), selector_summary(pairs, scores), words.form);
}

}  // namespace

void add_select(Verb app) {
  auto [verb, words] = add_verb<SelectWords>(
      app, "select", "Scores selectors of pass-KV or pass-Q on a run's cases.", select,
      kSelectFooter);
  verb.add_option("RUN", words.run, "Names the run folder, results/NAME/RUN_ID.").required();
  add_positive(verb, "--compute", words.compute_flop_per_s,
               "Sets C, the peak FLOP/s of one worker.");
  add_positive(verb, "--bandwidth", words.link_byte_per_s,
               "Sets B, the bytes/s that one worker can send.");
  add_table_form(verb, words.form);
}

}  // namespace qb
