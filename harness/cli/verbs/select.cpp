// `qb select RUN`: would a selector have taken the faster of pass-KV and pass-Q?
#include <fmt/format.h>

#include <string>

#include "base/files.h"
#include "harness/cli/options.h"
#include "harness/cli/verb.h"
#include "harness/cli/views/select_view.h"

namespace qb {
namespace {

constexpr const char* kFooter =
    R"(It reads RUN/cases.csv. Rows of pass_kv and pass_q with equal parameters make a pair (T = n_tokens,
P + T = kv_len); the one with the smaller wall_time_median_s is the right choice. For each selector it
prints the accuracy, the regret (time of the choice divided by the best time, minus 1), and four
counts, by what was best and what was chosen. Algorithms 1 and 5 and Appendix D are those of Context Parallelism (arXiv
2411.01783); Appendix D is fitted to the pairs of this run, and judged a second time on pairs left
out of the fit.

C and B come from --compute and --bandwidth, or else from peak_flop_per_s and link_bandwidth_byte_per_s
of the rows.

Exit codes: 0, 2 usage (no such run, C or B unknown), 5 no pair to choose from.

Examples:
  qb select results/pass_kv_or_q/latest
  qb select results/pass_kv_or_q/latest --compute 800e12 --bandwidth 50e9 --csv selectors.csv)";

struct SelectWords {
  std::string run;
  double compute_flop_per_s = 0.0;
  double link_byte_per_s = 0.0;
  std::string csv;
};

void select(const SelectWords& words) {
  const auto given = [](double value) { return value > 0.0 ? std::optional(value) : std::nullopt; };
  const std::string path = words.run + "/cases.csv";
  const RingVariantPairs pairs =
      pair_ring_variants(CsvTable::parse(read_file(path), path), path,
                         given(words.compute_flop_per_s), given(words.link_byte_per_s));
  if (pairs.samples.empty())
    throw ExitError(
        ExitCode::not_comparable,
        fmt::format("{} has no pass_kv row and pass_q row, both ok, of the same parameters", path));
  const auto scores = score_selectors(pairs.samples);
  fmt::print("{}\n{}", selector_table(scores, TableForm::terminal),
             selector_summary(pairs, scores));
  if (!words.csv.empty()) write_file_atomically(words.csv, selector_table(scores, TableForm::csv));
}

}  // namespace

void add_select(Verb app) {
  Verb verb =
      app.add_verb("select", "Score selectors of pass-KV or pass-Q on a run's cases", kFooter);
  auto& words = verb.runs<SelectWords>(select);
  verb.option("RUN", words.run, "Run folder, results/NAME/RUN_ID").required();
  add_positive(verb, "--compute", words.compute_flop_per_s, "C, peak FLOP/s of one worker");
  add_positive(verb, "--bandwidth", words.link_byte_per_s, "B, bytes/s that one worker sends");
  verb.option("--csv", words.csv, "Write the table as CSV to this file too").type_name("FILE");
}

}  // namespace qb
