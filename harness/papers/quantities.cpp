// SPDX-License-Identifier: Apache-2.0
#include "harness/papers/quantities.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "base/status.h"
#include "base/words.h"
#include "harness/plan/exchange/exchange_plan.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/theory/speed_up_bound.h"
#include "harness/plan/work/work.h"
#include "interest_sets/split/distillation.h"

namespace qb {
namespace {

using Arguments = std::span<const FormulaValue>;

double number(const FormulaValue& argument) {
  if (argument.text || argument.numbers.size() != 1)
    throw UsageError("a closed form takes one number for each argument");
  return argument.numbers[0].value;
}

const std::string& text(const FormulaValue& argument) {
  if (!argument.text) throw UsageError("a text is needed here");
  return *argument.text;
}

int workers_of(const FormulaValue& argument) { return static_cast<int>(number(argument)); }

std::int64_t count_of(const FormulaValue& argument) {
  const double count = number(argument);
  if (!(std::abs(count) < 9e15)) throw UsageError(fmt::format("{} is not a count", count));
  return std::llround(count);
}

Work work_of_cqs(const FormulaValue& workers, const FormulaValue& tokens,
                 std::optional<InterestSet> interest_set) {
  const std::int64_t n_tokens = count_of(tokens);
  const Problem problem =
      make_problem({1, 1, 1, n_tokens, n_tokens, 1, 1}, MaskKind::full, DType::f32, 0);
  return model_work(make_plan("cqs", problem, {workers_of(workers), std::move(interest_set)}),
                    Kernel::reference);
}

double longest_subsequence(Arguments words) {
  return static_cast<double>(work_of_cqs(words[0], words[1], std::nullopt).longest_subsequence);
}

double held_tokens(Arguments words) {
  const Work work =
      work_of_cqs(words[0], words[1], parse_interest_set(text(words[2]), workers_of(words[0])));
  const auto worker = static_cast<std::size_t>(count_of(words[3]));
  if (worker >= work.workers.size())
    throw UsageError(fmt::format("there is no worker {} of {}", worker, work.workers.size()));
  return static_cast<double>(work.workers[worker].q_tokens);
}

double max_speed_up_of(Arguments words, bool with_vocabulary) {
  const double vocabulary = number(words[3]);
  const RingStep step{.d_model = number(words[0]),
                      .d_ff = number(words[1]),
                      .layers = number(words[2]),
                      .vocabulary = with_vocabulary ? vocabulary : 0.0,
                      .workers = workers_of(words[4]),
                      .tokens_per_worker = number(words[5]),
                      .attention_slowdown = number(words[6])};
  return max_speed_up(step, with_vocabulary ? kWeightWithVocabulary : kWeightOfLayers);
}

template <class Word>
Word word_of(const FormulaValue& argument) {
  const std::string& name = text(argument);
  if (const auto word = parse_word<Word>(name)) return *word;
  throw UsageError(unknown_word(kWords<Word>.what, name, all_words<Word>()));
}

double scan_sent_states(Arguments words) {
  const int workers = workers_of(words[1]);
  if (workers < 1) throw UsageError(fmt::format("a scan has 1 worker or more, not {}", workers));
  const ExchangePlan plan =
      plan_scan(word_of<ScanKind>(words[0]), owners_of(TokenLayout::contiguous, workers), 1, true);
  std::vector<double> sent(static_cast<std::size_t>(workers), 0.0);
  for (const ExchangeMessage& m : plan.messages) sent[static_cast<std::size_t>(m.from)] += 1.0;
  return std::ranges::max(sent);
}

constexpr Quantity kQuantities[] = {
    {"asymptotic_responsibility_ratio", "workers, interest_set",
     "cells of the whole sequence over those of the worker with most, for long sequences", 2,
     [](Arguments words) {
       return asymptotic_responsibility_ratio(
           parse_interest_set(text(words[1]), workers_of(words[0])));
     }},
    {"covers", "workers, interest_set", "1 if each difference mod W occurs, else 0", 2,
     [](Arguments words) {
       return first_uncovered_difference(parse_interest_set(text(words[1]), workers_of(words[0])))
                  ? 0.0
                  : 1.0;
     }},
    {"held_tokens", "workers, n_tokens, interest_set, worker", "tokens that this worker holds", 4,
     held_tokens},
    {"longest_subsequence", "workers, n_tokens", "tokens that the worker with most holds", 2,
     longest_subsequence},
    {"max_speed_up", "d_model, d_ff, layers, vocabulary, workers, tokens_per_worker, slowdown",
     "the theoretical bound on striped over ring, by the products of the layers", 7,
     [](Arguments words) { return max_speed_up_of(words, false); }},
    {"max_speed_up_with_vocabulary",
     "d_model, d_ff, layers, vocabulary, workers, tokens_per_worker, slowdown",
     "the same with the projection to the vocabulary", 7,
     [](Arguments words) { return max_speed_up_of(words, true); }},
    {"min_block_tokens", "flop_per_s, byte_per_s",
     "the fewest tokens a worker that hide a ring's transfers, in 2-byte types", 2,
     [](Arguments words) {
       return min_block_tokens(number(words[0]), number(words[1]), 2, 1, 1, false);
     }},
    {"scan_sent_states", "scan, workers",
     "states that the worker with most sends in a pass over a causal sequence", 2,
     scan_sent_states}};

}  // namespace

std::span<const Quantity> quantities() { return kQuantities; }

double quantity(std::string_view name, Arguments arguments) {
  const auto found = std::ranges::find(kQuantities, name, &Quantity::name);
  if (found == std::end(kQuantities)) {
    std::vector<std::string_view> names(std::begin(kFunctions), std::end(kFunctions));
    for (const Quantity& known : kQuantities) names.push_back(known.name);
    throw UsageError(unknown_word("function", name, names));
  }
  if (arguments.size() != found->count)
    throw UsageError(fmt::format("{}({}) takes {} arguments, not {}", name, found->arguments,
                                 found->count, arguments.size()));
  return found->value(arguments);
}

double tokens_of_label(std::string_view label) {
  double unit = 1.0;
  if (label.ends_with('k') || label.ends_with('K')) unit = 1024.0;
  if (label.ends_with('M')) unit = 1024.0 * 1024.0;
  const auto count = parse_real(unit == 1.0 ? label : label.substr(0, label.size() - 1));
  if (!count) throw UsageError(fmt::format("'{}' is not a sequence length", label));
  return *count * unit;
}

}  // namespace qb
