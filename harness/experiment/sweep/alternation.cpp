// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/sweep/alternation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/csv.h"
#include "base/hash.h"
#include "base/numbers.h"
#include "base/text_table.h"
#include "harness/experiment/sweep/case_order.h"

namespace qb {
namespace {

using Pair = AlternatedCase::Pair;
using Turn = AlternatedCase::Turn;
using Verdict = RunComparison::Verdict;

double ratio_of(const Pair& pair) { return pair.b.time_s / pair.a.time_s; }

std::size_t undisturbed(const AlternatedCase& c) {
  return c.pairs.size() -
         static_cast<std::size_t>(std::ranges::count_if(c.pairs, &Pair::disturbed));
}

void conclude(AlternatedCase& c, const AlternationOptions& options) {
  if (!c.failure.empty()) return;
  c.disturbed = std::cmp_less(undisturbed(c), options.pairs) && undisturbed(c) < c.pairs.size();
  std::vector<double> ratios;
  for (const Pair& pair : c.pairs)
    if (c.disturbed || !pair.disturbed()) ratios.push_back(ratio_of(pair));
  c.ratio = summarise(ratios);
  c.verdict = ratio_verdict(c.ratio.median, c.ratio.low95, c.ratio.high95, options.threshold);
  if (c.verdict != Verdict::untimed && (c.disturbed || c.ratio.coverage < 0.95))
    c.verdict = Verdict::ambiguous;
}

// The median time of one of the two, over the pairs that count.
double median_of(const AlternatedCase& c, Turn Pair::*turn) {
  std::vector<double> times_s;
  for (const Pair& pair : c.pairs)
    if (c.disturbed || !pair.disturbed()) times_s.push_back((pair.*turn).time_s);
  return median(times_s);
}

}  // namespace

std::vector<AlternatedCase> take_turns(std::size_t n_cases, const AlternationOptions& options,
                                       const std::function<Turn(AbSide, std::size_t)>& measure,
                                       const std::function<bool()>& stop) {
  std::vector<AlternatedCase> cases(n_cases);
  SplitMix64 random(options.seed);
  const auto take_pair = [&](std::size_t index) {
    Pair pair;
    pair.a_first = random() % 2 == 0;
    for (const bool of_a : {pair.a_first, !pair.a_first}) {
      Turn& turn = of_a ? pair.a : pair.b;
      turn = measure(of_a ? AbSide::a : AbSide::b, index);
      if (stop()) return;
      if (!turn.failure.empty()) {
        cases[index].failure = fmt::format("{}: {}", of_a ? 'A' : 'B', turn.failure);
        return;
      }
    }
    cases[index].pairs.push_back(pair);
  };
  const int rounds = options.pairs + options.retakes;
  for (int round = 0; round < rounds && !stop(); ++round)
    for (const std::size_t index : seeded_order(n_cases, random())) {
      const AlternatedCase& c = cases[index];
      if (stop()) break;
      if (c.failure.empty() && std::cmp_less(undisturbed(c), options.pairs)) take_pair(index);
    }
  for (AlternatedCase& c : cases) conclude(c, options);
  return cases;
}

std::string alternation_text(const std::vector<std::string>& labels,
                             const std::vector<AlternatedCase>& cases,
                             const AlternationOptions& options) {
  TextTable table({"case", "A", "B", "B/A [interval]", "pairs (coverage)", "verdict"});
  std::string failures;
  double sum = 0.0;
  std::size_t n = 0;
  std::map<Verdict, int> counts;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const AlternatedCase& c = cases[i];
    if (!c.failure.empty()) {
      failures += fmt::format("{}: {}\n", labels[i], c.failure);
      continue;
    }
    if (c.ratio.n == 0) continue;
    const auto n_disturbed = static_cast<double>(c.pairs.size() - undisturbed(c));
    table.add(
        {labels[i], format_seconds(median_of(c, &Pair::a)), format_seconds(median_of(c, &Pair::b)),
         fmt::format("{:.3f} [{:.3f}, {:.3f}]", c.ratio.median, c.ratio.low95, c.ratio.high95),
         repeats_text(static_cast<double>(c.ratio.n), c.ratio.coverage, n_disturbed, ""),
         std::string(word(c.verdict)) + (c.disturbed ? ", disturbed" : "")});
    sum += std::log(c.ratio.median);
    ++n;
    ++counts[c.verdict];
  }
  std::string text = table.terminal();
  if (n > 0) {
    text += fmt::format("\nB/A, geometric mean of {} cases: {:.3f}; threshold {:g} %;", n,
                        std::exp(sum / static_cast<double>(n)), 100.0 * options.threshold);
    for (const auto& [verdict, count] : counts) text += fmt::format(" {} {}", count, word(verdict));
    text += '\n';
  }
  return text + failures;
}

std::string itself_text(const std::string& label, const AlternatedCase& itself) {
  if (itself.ratio.n == 0) return {};
  return fmt::format(
      "Noise check: A against itself in {} differs by a factor {:.3f} [{:.3f}, {:.3f}]\n", label,
      itself.ratio.median, itself.ratio.low95, itself.ratio.high95);
}

std::string alternation_csv(const std::vector<std::string>& labels,
                            const std::vector<AlternatedCase>& cases) {
  CsvTable table({"case", "pair", "first", "a_time_s", "b_time_s", "ratio", "a_disturbed_by",
                  "b_disturbed_by", "counted"});
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (std::size_t p = 0; p < cases[i].pairs.size(); ++p) {
      const Pair& pair = cases[i].pairs[p];
      table.append({labels[i], to_text(static_cast<std::int64_t>(p)), pair.a_first ? "a" : "b",
                    to_text(pair.a.time_s), to_text(pair.b.time_s), to_text(ratio_of(pair)),
                    pair.a.disturbed_by, pair.b.disturbed_by,
                    cases[i].disturbed || !pair.disturbed() ? "1" : "0"});
    }
  return table.to_string();
}

}  // namespace qb
