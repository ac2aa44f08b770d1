// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/known_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "base/statistics.h"
#include "base/verdict.h"
#include "harness/papers/interval.h"
#include "harness/plan/check/check.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/work/work.h"
#include "interest_sets/sets/constructions.h"
#include "interest_sets/sets/interest_set.h"
#include "kernels/reference.h"
#include "kernels/reference_gradients.h"

namespace qb {
namespace {

using Add = std::function<void(std::string_view question, double expected, double computed)>;

void add_interval(const Add& add, std::string_view question, const Interval& expected,
                  const Interval& computed) {
  add(question, expected.low, computed.low);
  add(question, expected.value, computed.value);
  add(question, expected.high, computed.high);
}

void add_intervals(const Add& add) {
  const Interval positive{1.0, 2.0, 3.0};
  const Interval mixed{-2.0, 1.0, 4.0};
  add_interval(add, "[1, 2, 3] * [1, 2, 3]", {1.0, 4.0, 9.0}, positive * positive);
  add_interval(add, "[1, 2, 3] * [-2, 1, 4]", {-6.0, 2.0, 12.0}, positive * mixed);
  add_interval(add, "[-2, 1, 4] / [1, 2, 3]", {-2.0, 0.5, 4.0}, mixed / positive);
  add_interval(add, "[1, 2, 3] - [-2, 1, 4]", {-3.0, 1.0, 5.0}, positive - mixed);
  add_interval(add, "1.40 as printed", {1.395, 1.4, 1.405}, as_printed("1.40"));
}

void add_verdicts(const Add& add) {
  const auto add_answer = [&](std::string_view question, Answer expected, const Verdict& verdict) {
    add(question, static_cast<double>(expected), static_cast<double>(verdict.answer));
  };
  const std::array<ShapePoint, 3> rising{{{1, 1, 3}, {2, 2, 5}, {4, 3, 9}}};
  const std::array<ShapePoint, 3> falling{{{1, 1, 9}, {2, 2, 5}, {4, 3, 3}}};
  add_answer("1.404 judged by 1.40", Answer::agrees, judge(1.404, parse_printed("1.40")));
  add_answer("1.43 judged by 1.40", Answer::contradicts, judge(1.43, parse_printed("1.40")));
  add_answer("a rising curve judged by a rising one", Answer::shape_agrees,
             judge_shape(rising, 0.5, 2.0));
  add_answer("a falling curve judged by a rising one", Answer::contradicts,
             judge_shape(falling, 0.5, 2.0));
}

void add_statistics(const Add& add) {
  const std::array<double, 7> sample{5.0, 1.0, 4.0, 2.0, 7.0, 3.0, 6.0};
  const std::array<double, 3> x{1.0, 2.0, 3.0};
  const std::array<double, 3> y{3.0, 12.0, 27.0};
  const Summary summary = summarise(sample);
  add("the median of 1 to 7", 4.0, summary.median);
  add("the low end of the median's interval, 1 to 7", 1.0, summary.low95);
  add("the coverage of 7 values", 1.0 - std::ldexp(1.0, -6), summary.coverage);
  add("the power of (1, 3), (2, 12), (3, 27)", 2.0, fit_power(x, y));
}

void add_plans(const Add& add) {
  const auto work_of = [&](std::string_view algorithm, int workers, std::int64_t n_tokens,
                           MaskKind mask) {
    const Shape shape{1, 1, 1, n_tokens, n_tokens, 8, 8};
    const Plan plan = make_plan(algorithm, make_problem(shape, mask, DType::f32, 0), {workers});
    add("faults that the checker finds in a plan", 0.0, check(plan) ? 1.0 : 0.0);
    return model_work(plan, Kernel::reference);
  };
  const Work ring = work_of("ring", 4, 64, MaskKind::full);
  add("pairs of 64 tokens", 4096.0, static_cast<double>(ring.unmasked_pairs));
  // K and V of 16 tokens, 8 floats each, three times.
  add("bytes that a worker of a ring sends", 3072.0, static_cast<double>(ring.sent_bytes_max));
  const Work zigzag = work_of("zigzag", 4, 64, MaskKind::causal);
  add("causal pairs of 64 tokens", 2080.0, static_cast<double>(zigzag.unmasked_pairs));
  add("causal pairs of the slowest of 4 zigzag workers", 520.0,
      static_cast<double>(zigzag.critical_path_pairs));
  const Work cqs = work_of("cqs", 7, 10'000, MaskKind::full);
  add("the longest subsequence, W = 7, N = 10000", 4287.0,
      static_cast<double>(cqs.longest_subsequence));
}

void add_interest_sets(const Add& add) {
  add("the first difference that {0, 1, 2} mod 7 lacks", 3.0,
      first_uncovered_difference({7, {0, 1, 2}}).value_or(0));
  add("differences that {0, 1, 3} mod 7 lacks", 0.0,
      first_uncovered_difference({7, {0, 1, 3}}).value_or(0));
  add("residues of Singer's set mod 31", 6.0, static_cast<double>(singer_set(31).residues.size()));
}

// One query 1 and the keys 0 and ln 3 with values 0 and 1: weights 1/4 and 3/4.
void add_attention(const Add& add) {
  std::array<double, 1> q{1.0};
  std::array<double, 2> k{0.0, std::log(3.0)};
  std::array<double, 2> v{0.0, 1.0};
  std::array<double, 1> d_out{1.0};
  const auto view = [](auto& values) {
    return contiguous_view(values.data(), DType::f64,
                           {1, 1, static_cast<std::int64_t>(values.size()), 1});
  };
  const std::array<std::int64_t, 1> rows{0};
  const ReferenceRows out = reference_rows(view(q), view(k), view(v), Mask::full(), 1.0, rows);
  add("float64 attention", 0.75, out.out.at(0));
  add("its log-sum-exp", std::log(4.0), out.lse.at(0));
  const ReferenceGradients gradients =
      reference_gradients({view(q), view(k), view(v), view(d_out), Mask::full(), 1.0});
  add("its dQ", 0.1875 * std::log(3.0), gradients.d_q.at(0));
  add("its dK of the first key", -0.1875, gradients.d_k.at(0));
  add("its dK of the second key", 0.1875, gradients.d_k.at(1));
  add("its dV of the first key", 0.25, gradients.d_v.at(0));
  add("its dV of the second key", 0.75, gradients.d_v.at(1));
}

}  // namespace

std::vector<KnownAnswer> known_answers() {
  std::vector<KnownAnswer> all;
  const auto add = [&](std::string_view question, double expected, double computed) {
    all.push_back({question, expected, computed});
  };
  for (const auto ask :
       {add_intervals, add_verdicts, add_statistics, add_plans, add_interest_sets, add_attention}) {
    try {
      ask(add);
    } catch (const std::exception&) {
      add("a calculation that must not fail", 0.0, kNoNumber);
    }
  }
  return all;
}

bool is_wrong(const KnownAnswer& answer) {
  constexpr double kRounding = 1e-12;
  return !(std::abs(answer.computed - answer.expected) <=
           kRounding * std::max(1.0, std::abs(answer.expected)));
}

std::string known_answers_text(std::span<const KnownAnswer> answers) {
  const auto wrong = std::ranges::count_if(answers, is_wrong);
  if (wrong == 0) return fmt::format("all {} right", answers.size());
  std::string text = fmt::format("{} of {} WRONG", wrong, answers.size());
  for (const KnownAnswer& answer : answers)
    if (is_wrong(answer))
      text += fmt::format("{} {} is {}, not {}", text.ends_with("WRONG") ? ":" : ";",
                          answer.question, answer.expected, answer.computed);
  return text;
}

}  // namespace qb
