// SPDX-License-Identifier: Apache-2.0
#include "harness/verify/diagnosis.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/interruption.h"
#include "base/status.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/verify/mistakes.h"
#include "harness/verify/verify_gradients.h"
#include "kernels/parallel.h"

namespace qb::mistakes {
namespace {

constexpr std::size_t kMostHeads = 4;   // those that are furthest off
constexpr std::size_t kMostRows = 64;   // of each of them
constexpr std::size_t kMostCells = 16;  // groups of heads that are tried
constexpr std::int64_t kMostKeys = 32;
constexpr std::int64_t kMostKeyPairs = std::int64_t{1} << 23;  // of a key head, for each mistake
constexpr std::size_t kFirstLook = 3;  // rows that most mistakes are refuted by
constexpr double kSlack = 2.0;  // the tolerance of a mistake over that of an output that is right

struct Point {
  RowPlace place;
  double off = 0.0;  // its error over its tolerance
};

// A row of a tensor as a mistake makes it, and as a plain program in the inputs' precision would.
struct Computed {
  std::vector<double> exact;
  std::vector<double> naive;
  int of_class = 0;  // rows of a class share a tolerance
};

struct Fit {
  bool agrees = true;
  double error = 0.0;
  double magnitude = 0.0;
  double relative = 0.0;    // L2
  std::vector<double> off;  // by point
};

// A tensor to explain.
struct Suspect {
  std::string name;
  TensorView found;
  bool of_keys = false;
  Tokens rows;
  Mistakes mistakes;
  std::function<std::vector<Computed>(const Mistake&, std::span<const Point>)> evaluate;
  std::function<double(const WorstError&)> tolerance;

  [[nodiscard]] Fit fit(const Mistake& mistake, std::span<const Point> points) const {
    const std::vector<Computed> computed = evaluate(mistake, points);
    Fit fit;
    RelativeL2 norm;
    std::map<int, WorstError> classes;
    std::vector<double> errors(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const RowPlace& place = points[i].place;
      const float* const values = found.row_as<float>(place.batch, place.head, place.row);
      WorstError& worst = classes[computed[i].of_class];
      for (std::size_t x = 0; x < computed[i].exact.size(); ++x) {
        const double want = computed[i].exact[x];
        const auto value = static_cast<double>(values[x]);
        if (!std::isfinite(want)) {  // LSE of a row without keys
          if (value != want) errors[i] = kInfinity;
          continue;
        }
        errors[i] =
            std::isfinite(value - want) ? std::max(errors[i], std::abs(value - want)) : kInfinity;
        worst.add(place, static_cast<Token>(x), value, computed[i].naive[x], want);
        norm.add(value, want);
        fit.magnitude = std::max(fit.magnitude, std::abs(want));
      }
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double allowed = tolerance(classes[computed[i].of_class]);
      fit.off.push_back(errors[i] == 0.0 ? 0.0 : errors[i] / allowed);
      fit.error = std::max(fit.error, errors[i]);
      fit.agrees = fit.agrees && errors[i] <= kSlack * allowed;
    }
    fit.relative = norm.error();
    return fit;
  }

  // Returns the mistake that agrees best, if one does.
  [[nodiscard]] std::optional<std::pair<Mistake, Fit>> best(const Mistakes& of,
                                                            std::span<const Point> points) const {
    std::optional<std::pair<Mistake, Fit>> best;
    for (const Mistake& mistake : of) {
      poll_interrupt();
      if (!fit(mistake, points.first(std::min(kFirstLook, points.size()))).agrees) continue;
      Fit whole = fit(mistake, points);
      if (whole.agrees && (!best || whole.relative < best->second.relative))
        best = {mistake, std::move(whole)};
    }
    return best;
  }

  // Explains each group of each head that is off by itself.
  bool explain_groups(const Plan& plan, const Mistake& asked, std::span<const Point> points,
                      Diagnosis& diagnosis) const {
    const std::vector<TokenGroup>& groups = of_keys ? plan.kv_groups : plan.q_groups;
    std::map<std::tuple<std::int64_t, std::int64_t, int>, std::vector<Point>> cells;
    for (const Point& point : points)
      for (std::size_t g = 0; g < groups.size(); ++g)
        if (const Token i = point.place.row - groups[g].first;
            i >= 0 && i % groups[g].stride == 0 && i / groups[g].stride < groups[g].count)
          cells[{point.place.batch, point.place.head, static_cast<int>(g)}].push_back(point);
    std::erase_if(cells, [](const auto& cell) { return cell.second.front().off <= 1.0; });
    while (cells.size() > kMostCells) cells.erase(std::prev(cells.end()));
    std::map<std::string, std::string> named;  // and the tokens that have them
    double error = 0.0;
    for (const auto& [cell, of_cell] : cells) {
      const int group = std::get<2>(cell);
      const auto one = best(mistakes_of_group(plan, asked, group, of_keys), of_cell);
      if (!one) return false;
      error = std::max(error, one->second.error);
      named.try_emplace(one->first.name, tokens_text(group_at(groups, group)));
    }
    if (named.empty()) return false;
    diagnosis.mistake_error = error;
    diagnosis.mistake = fmt::format("{} for {} {}", named.begin()->first,
                                    of_keys ? "keys" : "queries", named.begin()->second);
    if (named.size() > 1)
      diagnosis.mistake += fmt::format(", and {} more like this", named.size() - 1);
    return true;
  }
};

class Search {
 public:
  Search(const Plan& plan, const ExecutionArguments& of, const OtherProgram& other,
         const Verification& found)
      : plan_(plan),
        of_(of),
        other_(other),
        found_(found),
        exact_(of, plan.problem.sinks, DType::f64),
        naive_(of, plan.problem.sinks, plan.problem.dtype) {
    const Problem& problem = plan.problem;
    asked_.allows = [mask = problem.mask](Token q, Token k) { return mask.allows(q, k); };
    asked_.scale = problem.scale;
    asked_.softcap = other.softcap;
    const bool is_split = plan.workers.size() > 1;
    if (is_split) splits_.push_back(plan);
    for (const int n : {2, 3, 4, 5, 6, 7, 8, 16})
      if (!is_split && 2 * n <= std::min(problem.shape.q_len, problem.shape.kv_len))
        splits_.push_back(make_plan("ring", problem, {.workers = n}));
    mistakes_ = known_mistakes(problem, asked_, splits_);
    for_each_finite(
        of.v, [&](double value) { largest_value_ = std::max(largest_value_, std::abs(value)); });
  }

  std::vector<Diagnosis> run() {
    std::vector<Diagnosis> diagnoses;
    Mistake asked_of_lse = asked_;
    for (Suspect& suspect : suspects()) {
      const Mistake& asked = suspect.name == "LSE" ? asked_of_lse : asked_;
      magnitude_ = kInfinity;
      const std::vector<Point> points = worst_points(suspect, asked);
      if (points.empty() || points.front().off <= 1.0) continue;
      Diagnosis& diagnosis = diagnoses.emplace_back();
      const Mistake mistake = explain(suspect, asked, points, diagnosis);
      if (!mistake.name.empty()) known_ = {mistake};
      if (suspect.name == "O") asked_of_lse = mistake;
    }
    return diagnoses;
  }

 private:
  // Returns the mistake of all rows, or what was asked for.
  Mistake explain(Suspect& suspect, const Mistake& asked, const std::vector<Point>& points,
                  Diagnosis& diagnosis) {
    const Fit as_asked = suspect.fit(asked, points);
    if (as_asked.magnitude > 0.0) magnitude_ = as_asked.magnitude;
    diagnosis = {suspect.name, {}, as_asked.error, as_asked.error};
    suspect.mistakes.insert(suspect.mistakes.begin(), known_.begin(), known_.end());
    if (const auto best = suspect.best(suspect.mistakes, points)) {
      diagnosis.mistake = best->first.name;
      diagnosis.mistake_error = best->second.error;
      return best->first;
    }
    for (const Plan& split : splits_)
      if (suspect.explain_groups(split, asked, points, diagnosis)) return asked;
    const auto n = static_cast<double>(plan_.workers.size());
    for (const DType type : {DType::bf16, DType::f16})  // the finer one last, which then stands
      if (constexpr double kUnknown = 8.0;
          as_asked.error <=
          2.0 * unit_roundoff(type) * std::sqrt(n > 1.0 ? n : kUnknown) * as_asked.magnitude)
        diagnosis.mistake =
            fmt::format("the errors are as small as partials in {} make them", word(type));
    return asked;
  }

  // The rows of the heads that are furthest off, the furthest first.
  std::vector<Point> worst_points(const Suspect& suspect, const Mistake& asked) {
    std::multimap<double, std::vector<Point>, std::greater<>> heads;
    for (std::int64_t b = 0; b < suspect.found.extent.batch; ++b)
      for (std::int64_t h = 0; h < suspect.found.extent.heads; ++h) {
        std::vector<Point> points;
        for (const Token row : suspect.rows) points.push_back({{b, h, row}});
        const Fit fit = suspect.fit(asked, points);
        for (std::size_t i = 0; i < points.size(); ++i) points[i].off = fit.off[i];
        std::ranges::stable_sort(points, std::greater{}, &Point::off);
        if (points.size() > kMostRows) points.resize(kMostRows);
        exact_.forget();
        naive_.forget();
        heads.emplace(points.front().off, std::move(points));
        if (heads.size() > kMostHeads) heads.erase(std::prev(heads.end()));
      }
    std::vector<Point> all;
    for (const auto& [off, points] : heads) all.insert(all.end(), points.begin(), points.end());
    std::ranges::stable_sort(all, std::greater{}, &Point::off);
    return all;
  }

  // Evaluates each point by itself.
  template <class F>
  [[nodiscard]] auto each(F row) const {
    return [threads = of_.threads, row](const Mistake& mistake, std::span<const Point> points) {
      std::vector<Computed> rows(points.size());
      parallel_for(std::ssize(points), threads, 1, [&](std::int64_t begin, std::int64_t end, int) {
        for (Token i = begin; i < end; ++i) rows[at(i)] = row(mistake, points[at(i)].place);
      });
      return rows;
    };
  }

  // dK or dV of keys: what all rows of the query heads of their head give.
  void add_keys(const Mistake& mistake, std::span<const Point> points, bool is_d_k,
                const RowPlace& kv, std::vector<Computed>& sums) {
    const Extent& q = of_.q.extent;
    std::vector<std::int64_t> heads;
    for (std::int64_t h = 0; h < q.heads; ++h)
      if (exact_.kv_head(mistake, h) == kv.head) heads.push_back(h);
    std::mutex mutex;
    parallel_for(std::ssize(heads) * q.length, of_.threads, 64, [&](Token begin, Token end, int) {
      std::vector<std::vector<double>> part(points.size());
      std::vector<double> p;
      std::vector<double> d_s;
      for (Token i = begin; i < end; ++i) {
        const Token head = i / q.length;
        const double times = mistake.of_heads ? mistake.of_heads(head, std::ssize(heads)) : 1.0;
        const RowPlace place{kv.batch, heads[at(head)], i % q.length};
        exact_.pairs(mistake, place, p, d_s);
        const double* const row = is_d_k ? exact_.query(place) : exact_.d_out(place);
        for (std::size_t j = 0; j < points.size(); ++j) {
          if (points[j].place.batch != kv.batch || points[j].place.head != kv.head) continue;
          part[j].resize(sums[j].exact.size());
          const double weight = times * (is_d_k ? d_s : p)[at(points[j].place.row)];
          for (std::size_t x = 0; x < part[j].size(); ++x) part[j][x] += weight * row[x];
        }
      }
      const std::scoped_lock lock(mutex);
      for (std::size_t j = 0; j < points.size(); ++j)
        for (std::size_t x = 0; x < part[j].size(); ++x)
          sums[j].naive[x] = sums[j].exact[x] += part[j][x];
    });
  }

  [[nodiscard]] std::vector<Computed> of_keys(const Mistake& mistake, std::span<const Point> points,
                                              bool is_d_k) {
    const std::vector<double> zeros(at(is_d_k ? of_.q.extent.head_dim : of_.v.extent.head_dim));
    std::vector<Computed> sums(points.size(), {zeros, zeros, 0});
    std::set<std::pair<std::int64_t, std::int64_t>> heads;
    for (const Point& point : points)
      if (heads.emplace(point.place.batch, point.place.head).second)
        add_keys(mistake, points, is_d_k, point.place, sums);
    return sums;
  }

  std::vector<Suspect> suspects() {
    std::vector<Suspect> suspects;
    const Tokens rows = rows_to_verify(plan_, found_.rows);
    const double of_outputs = unit_roundoff(other_.outputs);
    const auto rows_of = [&](bool is_lse) {
      return each([=, this](const Mistake& mistake, const RowPlace& place) {
        const MistakenRow exact = exact_.out(mistake, place);
        const MistakenRow naive = naive_.out(mistake, place);
        const int of_class = class_of_row(exact.keys);
        if (!is_lse) return Computed{exact.out, naive.out, of_class};
        const auto lse = [&](double of) { return std::vector{mistake.lse ? mistake.lse(of) : of}; };
        return Computed{lse(exact.lse), lse(naive.lse), of_class};
      });
    };
    const auto out_limit = [=, this](const WorstError& worst) {
      return out_tolerance(worst, of_.v.dtype) + of_outputs * worst.magnitude +
             4.0 * unit_roundoff(DType::f32) * largest_value_;
    };
    const auto lse_limit = [=](const WorstError& worst) {
      const double roundoffs = of_outputs + 16.0 * unit_roundoff(DType::f32);
      return kNaiveFactor * worst.naive_error + roundoffs * std::max(worst.magnitude, 1.0);
    };
    if (of_.out.data != nullptr)
      suspects.push_back({"O", of_.out, false, rows, mistakes_, rows_of(false), out_limit});
    if (of_.lse.data != nullptr)
      suspects.push_back(
          {"LSE", of_.lse, false, rows, lse_mistakes(asked_), rows_of(true), lse_limit});
    for (const GradientErrors& errors : found_.gradients) {
      if (errors.correct || errors.what == TensorRole::d_sinks) continue;
      const bool is_d_q = errors.what == TensorRole::d_q;
      const bool is_d_k = errors.what == TensorRole::d_k;
      const std::int64_t heads = is_d_q ? 1 : of_.q.extent.heads / of_.k.extent.heads;
      Suspect suspect{std::string(word(errors.what)),
                      is_d_q   ? of_.d_q
                      : is_d_k ? of_.d_k
                               : of_.d_v,
                      !is_d_q,
                      is_d_q ? rows : keys_to_verify(plan_, kMostKeys),
                      gradient_mistakes(asked_, heads),
                      each([this](const Mistake& mistake, const RowPlace& place) {
                        const std::vector<double> row = exact_.d_q(mistake, place);
                        return Computed{row, row, 0};
                      }),
                      [this, &errors](const WorstError& worst) {
                        return errors.tolerance * std::max(1.0, worst.magnitude / magnitude_);
                      }};
      if (!is_d_q)
        suspect.evaluate = [this, is_d_k](const Mistake& mistake, std::span<const Point> points) {
          return of_keys(mistake, points, is_d_k);
        };
      if (is_d_q || heads * of_.q.extent.length * of_.k.extent.length <= kMostKeyPairs)
        for (const Mistake& mistake : mistakes_)
          if (is_d_q || (mistake.row.empty() && mistake.key.empty() && mistake.value.empty()))
            suspect.mistakes.push_back(mistake);
      suspects.push_back(std::move(suspect));
    }
    return suspects;
  }

  const Plan& plan_;
  const ExecutionArguments& of_;
  const OtherProgram& other_;
  const Verification& found_;
  MistakenRows<double> exact_;
  MistakenRows<float> naive_;
  Mistake asked_;
  Mistakes mistakes_;
  Mistakes known_;            // what explains the tensor before
  std::vector<Plan> splits_;  // how the other program may have split the tokens
  double largest_value_ = 0.0;
  double magnitude_ = kInfinity;  // of the tensor as it should be
};

}  // namespace
}  // namespace qb::mistakes

namespace qb {

std::string explanation(const Diagnosis& one) {
  if (one.mistake.empty()) return "no known mistake agrees";
  return fmt::format("{} (error {:.3g}; {:.3g} beside attention)", one.mistake, one.mistake_error,
                     one.error);
}

Verification verify_tensors(const Plan& plan, const ExecutionArguments& of,
                            const OtherProgram& other, std::int64_t rows) {
  const std::vector<std::int64_t> chosen = rows_to_verify(plan, rows);
  const DType inputs = plan.problem.dtype;
  const double rounding =
      unit_roundoff(other.outputs) > unit_roundoff(inputs) ? unit_roundoff(other.outputs) : 0.0;
  Verification found;
  found.correct = true;
  if (of.out.data != nullptr) {
    const auto compared = [&](bool eager) {
      return verify_output(plan.problem, of.q, of.k, of.v, of.out, of.lse, chosen, of.threads,
                           eager, false, rounding, other.softcap);
    };
    found = compared(false);
    if (!found.correct && size_of(inputs) == 2)
      if (Verification eager = compared(true); eager.correct) found = std::move(eager);
  }
  found.rows = std::ssize(chosen);
  if (of.d_q.data == nullptr) return found;
  if (other.softcap > 0.0)
    throw UsageError("softcap: gradients are compared without one; leave out dq, dk and dv");
  Verification gradients;
  verify_gradients(gradient_problem(plan.problem, of.q, of.k, of.v, of.d_out),
                   {of.d_q, of.d_k, of.d_v, of.d_sinks}, chosen, keys_to_verify(plan, rows),
                   of.threads, gradients,
                   rounding + unit_roundoff(inputs) * (std::sqrt(other.sum_roundings) - 1.0));
  found.keys = gradients.keys;
  found.gradients = std::move(gradients.gradients);
  if (found.message.empty()) found.message = std::move(gradients.message);
  found.correct = found.message.empty();
  return found;
}

std::vector<Diagnosis> diagnose(const Plan& plan, const ExecutionArguments& of,
                                const OtherProgram& other, const Verification& found) {
  if (found.correct) return {};
  return mistakes::Search(plan, of, other, found).run();
}

}  // namespace qb
