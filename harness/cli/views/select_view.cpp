#include "harness/cli/views/select_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/numbers.h"
#include "base/schema/parameter_fields.h"
#include "base/status.h"
#include "kernels/dtype.h"

namespace qb {
namespace {

struct Variants {
  std::optional<std::size_t> row[2];  // pass_kv, pass_q
};

// Gives every parameter except the algorithm, as text.
std::string rest_of_case(const CsvTable& cases, std::size_t row) {
  std::vector<std::string> fields;
  for (const Field& field : kParameterFields)
    if (field.column != "algorithm" && cases.has(field.column))
      fields.push_back(cases.text(row, field.column));
  return csv_record(fields);
}

std::int64_t integer(const CsvTable& cases, std::size_t row, std::string_view column,
                     std::string_view name) {
  const std::string& text = cases.text(row, column);
  const auto value = parse_integer(text);
  if (!value || *value < 1)
    throw UsageError(fmt::format("{}: row {}: {} '{}' is no size", name, row + 1, column, text));
  return *value;
}

// Returns `given`, or the column's value; `what` tells the user what to give.
double rate(const std::optional<double>& given, const CsvTable& cases, std::size_t row,
            std::string_view column, std::string_view name, std::string_view what) {
  if (given) return *given;
  if (cases.has(column)) {
    const double value = cases.number(row, column);
    if (value > 0.0) return value;
  }
  throw UsageError(fmt::format("{} has no {}; say {}", name, column, what));
}

Prefill prefill_of(const CsvTable& cases, std::size_t row, std::string_view name,
                   std::optional<double> compute_flop_per_s,
                   std::optional<double> link_byte_per_s) {
  const auto size = [&](std::string_view column) { return integer(cases, row, column, name); };
  const auto dtype = parse_word<DType>(cases.text(row, "dtype"));
  if (!dtype)
    throw UsageError(
        fmt::format("{}: row {}: {}", name, row + 1,
                    unknown_word("dtype", cases.text(row, "dtype"), all_words<DType>())));
  const std::int64_t new_tokens = size("n_tokens");
  const std::int64_t all_tokens = size("kv_len");
  if (all_tokens < new_tokens)
    throw UsageError(fmt::format("{}: row {}: kv_len {} is less than n_tokens {}", name, row + 1,
                                 all_tokens, new_tokens));
  return {.new_tokens = new_tokens,
          .cached_tokens = all_tokens - new_tokens,
          .workers = size("workers"),
          .q_heads = size("q_heads"),
          .kv_heads = size("kv_heads"),
          .element_bytes = size_of(*dtype),
          .compute_flop_per_s = rate(compute_flop_per_s, cases, row, "peak_flop_per_s", name,
                                     "--compute FLOP/s, the peak of one worker"),
          .link_byte_per_s = rate(link_byte_per_s, cases, row, "link_bandwidth_byte_per_s", name,
                                  "--bandwidth BYTES/s, what one worker can send")};
}

double seconds(const CsvTable& cases, std::size_t row, std::string_view name) {
  const double value = cases.number(row, "wall_time_median_s");
  if (!(value > 0.0))
    throw UsageError(
        fmt::format("{}: row {}: an ok row without wall_time_median_s", name, row + 1));
  return value;
}

std::string percent(double fraction) { return fmt::format("{:.2f} %", 100.0 * fraction); }

NamedScore always(RingVariant variant, std::span<const SelectorSample> samples) {
  return {fmt::format("always {}", word(variant)),
          score_selector(samples, [variant](const Prefill&) { return variant; }),
          {}};
}

}  // namespace

RingVariantPairs pair_ring_variants(const CsvTable& cases, std::string_view name,
                                    std::optional<double> compute_flop_per_s,
                                    std::optional<double> link_byte_per_s) {
  std::map<std::string, Variants> found;  // ordered: the answer does not depend on the run's order
  RingVariantPairs pairs;
  for (std::size_t row = 0; row < cases.size(); ++row) {
    const auto variant = parse_word<RingVariant>(cases.text(row, "algorithm"));
    if (!variant || cases.text(row, "status") != word(Status::ok)) continue;
    auto& place = found[rest_of_case(cases, row)].row[*variant == RingVariant::pass_kv ? 0 : 1];
    if (place)
      throw UsageError(
          fmt::format("{}: rows {} and {} are the same case", name, *place + 1, row + 1));
    place = row;
  }
  for (const auto& [parameters, variants] : found) {
    const auto& [kv, q] = variants.row;
    if (!kv || !q) {
      ++pairs.unpaired;
      continue;
    }
    pairs.any_serial = pairs.any_serial || cases.text(*kv, "ranks") == "serial";
    pairs.samples.push_back({prefill_of(cases, *kv, name, compute_flop_per_s, link_byte_per_s),
                             seconds(cases, *kv, name), seconds(cases, *q, name)});
  }
  return pairs;
}

std::vector<NamedScore> score_selectors(std::span<const SelectorSample> samples) {
  const LogLinearSelector fitted = fit_appendix_d(samples);
  std::vector<NamedScore> scores = {
      {"algorithm 1", score_selector(samples, choose_algorithm_1), {}},
      {"algorithm 5", score_selector(samples, choose_algorithm_5), {}},
      {"appendix D, refitted",
       score_selector(samples, [&](const Prefill& prefill) { return fitted.choose(prefill); }),
       fitted}};
  if (samples.size() > 1)
    scores.push_back({"appendix D, left out", score_appendix_d_left_out(samples), {}});
  scores.push_back(always(RingVariant::pass_kv, samples));
  scores.push_back(always(RingVariant::pass_q, samples));
  return scores;
}

std::string selector_table(std::span<const NamedScore> scores, TableForm form) {
  const auto count = [](std::size_t n) { return ViewTable::Cell(n); };
  const auto share = [](double part) { return ViewTable::Cell(to_text(part), percent(part)); };
  ViewTable table({{"selector", "selector"},
                   {"n_pairs", ""},
                   {"", "accuracy"},
                   {"", "mean regret"},
                   {"", "max regret"},
                   {"pass_kv_best_pass_kv_chosen", "KV best: KV"},
                   {"pass_kv_best_pass_q_chosen", "Q"},
                   {"pass_q_best_pass_kv_chosen", "Q best: KV"},
                   {"pass_q_best_pass_q_chosen", "Q"},
                   {"accuracy", ""},
                   {"mean_regret", ""},
                   {"max_regret", ""},
                   {"alpha", ""},
                   {"beta", ""},
                   {"gamma", ""}});
  for (const auto& [selector, score, fitted] : scores)
    table.add({selector, count(score.samples()), share(score.accuracy()), share(score.mean_regret),
               share(score.max_regret), count(score.kv_best_kv_chosen),
               count(score.kv_best_q_chosen), count(score.q_best_kv_chosen),
               count(score.q_best_q_chosen), share(score.accuracy()), share(score.mean_regret),
               share(score.max_regret), fitted ? to_text(fitted->alpha) : std::string(),
               fitted ? to_text(fitted->beta) : std::string(),
               fitted ? to_text(fitted->gamma) : std::string()});
  return table.text(form);
}

std::string selector_summary(const RingVariantPairs& pairs, std::span<const NamedScore> scores) {
  std::string text;
  for (const NamedScore& score : scores)
    if (score.fitted)
      text += fmt::format(
          "Fitted: pass-KV where {:.4g} log T {:+.4g} log m {:+.4g} > 0 (natural logarithms).\n",
          score.fitted->alpha, score.fitted->beta, score.fitted->gamma);
  const std::size_t kv_best =
      scores.front().score.kv_best_kv_chosen + scores.front().score.kv_best_q_chosen;
  text += fmt::format("{} pairs, pass_kv faster in {} of them.\n", pairs.samples.size(), kv_best);
  if (kv_best == 0 || kv_best == pairs.samples.size())
    text += "One variant is always faster: there was nothing to choose.\n";
  if (pairs.unpaired > 0)
    text += fmt::format("{} cases have no partner and are left out.\n", pairs.unpaired);
  if (pairs.any_serial)
    text +=
        "Under ranks: serial a time has no transfers in it, which is what the choice is about.\n";
  return text;
}

}  // namespace qb
