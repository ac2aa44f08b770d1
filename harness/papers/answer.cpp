// SPDX-License-Identifier: Apache-2.0
#include "harness/papers/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/status.h"
#include "harness/papers/rules.h"
#include "harness/papers/scope.h"

namespace qb {
namespace {

Interval with_one_more_half_unit(const Interval& printed) {
  return {2.0 * printed.low - printed.value, printed.value, 2.0 * printed.high - printed.value};
}

std::string within_text(const Tolerance& tolerance) {
  return tolerance.because.empty() ? tolerance.text
                                   : fmt::format("{} ({})", tolerance.text, tolerance.because);
}

class Answering {
 public:
  Answering(const PublishedTable& table, RowScope& scope, const Measurements& measurements)
      : table_(table), scope_(scope), measurements_(measurements) {}

  std::vector<PublishedAnswer> all() {
    for (const Claim& claim : table_.claims) {
      scope_.set_claim(claim);
      std::vector<PublishedAnswer> answers;
      for (std::size_t row = 0; row < table_.cells.size(); ++row) {
        scope_.go_to(row);
        if (claim.where && !scope_.holds(*claim.where)) continue;
        if (auto answer = answer_of(claim, row)) answers.push_back(std::move(*answer));
      }
      if (claim.kind == ClaimKind::shape) judge_shapes(claim, answers);
      std::ranges::move(answers, std::back_inserter(answers_));
    }
    return std::move(answers_);
  }

 private:
  // What keeps the claim from being evaluated; empty if nothing does.
  std::optional<Verdict> obstacle(const Claim& claim) const {
    if (!claim.ours) {
      std::string wanted;
      for (const Need need : claim.needs) {
        wanted += fmt::format("{}{}", wanted.empty() ? "" : ", ", sentence(need));
        if (need == Need::one_gpu) wanted += fmt::format(" like theirs ({})", table_.hardware);
      }
      return Verdict{Answer::not_measured, wanted};
    }
    if (!claim.run.empty() && measurements_.run(claim.run) == nullptr)
      return Verdict{Answer::not_measured, fmt::format("a run of {}", claim.run)};
    if (!claim.device.empty() && !measurements_.has_device(claim.device))
      return Verdict{Answer::not_measured, fmt::format("data/devices/{}.csv", claim.device)};
    const auto is_input = [&](const PublishedTable::InputOf& input) {
      return input.device == claim.device && (!input.where || scope_.holds(*input.where));
    };
    if (std::ranges::any_of(table_.input_of, is_input))
      return Verdict{Answer::not_comparable,
                     fmt::format("the model's {} was made from it", claim.device)};
    return std::nullopt;
  }

  std::optional<PublishedAnswer> answer_of(const Claim& claim, std::size_t row) {
    PublishedAnswer answer{.table = &table_,
                           .row = row,
                           .claim = claim.name,
                           .kind = claim.kind,
                           .headline = table_.is_of_headline(claim),
                           .fitted = !claim.fitted.empty(),
                           .published = scope_.evaluate(*claim.published),
                           .ours = as_printed(""),
                           .verdict = {},
                           .why = claim.what,
                           .needs = claim.needs};
    if (!answer.published.known()) return std::nullopt;
    if (auto because = obstacle(claim)) {
      answer.verdict = std::move(*because);
      return answer;
    }
    try {
      answer.ours = scope_.evaluate(*claim.ours);
    } catch (const CaseError& no_case) {
      answer.verdict = {Answer::not_comparable, no_case.what()};
      return answer;
    }
    if (answer.ours.known()) answer.predicted = predicted_case(claim);
    const std::string disturbed_by = scope_.take_disturbance();
    if (!answer.ours.known())
      answer.verdict = {Answer::not_measured, claim.run.empty()
                                                  ? std::string("a cell that is empty")
                                                  : fmt::format("such a case in {}", claim.run)};
    else if (!disturbed_by.empty())
      answer.verdict = {Answer::disturbed, disturbed_by};
    else
      answer.verdict = judged(claim, answer);
    return answer;
  }

  // The case behind a prediction of a time, or of a rate or speed-up as it was printed: of those
  // the quotient says how much slower the published one was.
  std::optional<PredictedCase> predicted_case(const Claim& claim) const {
    auto parameters = scope_.take_parameters();
    if (claim.device.empty() || parameters.empty()) return std::nullopt;
    for (const CellReference& reference : claim.published->references())
      if (reference.source.empty() && table_.cells.has(reference.column))
        if (const ColumnRole role = table_.column(reference.column).role; role != ColumnRole::key) {
          const bool is_time = role == ColumnRole::time;
          if (!is_time && !claim.published->is_word()) return std::nullopt;
          return PredictedCase{claim.device, std::move(parameters), is_time};
        }
    return std::nullopt;
  }

  static Verdict judged(const Claim& claim, const PublishedAnswer& answer) {
    Verdict verdict = judge_cell(answer.ours, answer.published, claim.tolerance);
    if (claim.kind == ClaimKind::modelled && verdict.answer != Answer::contradicts)
      verdict = {Answer::modelled, within_text(claim.tolerance)};
    return verdict;
  }

  // Gives the points of each curve the verdict of the curve, where they have a value.
  void judge_shapes(const Claim& claim, std::vector<PublishedAnswer>& answers) {
    std::map<std::string, std::vector<PublishedAnswer*>> curves;
    for (PublishedAnswer& answer : answers) {
      if (!answer.ours.known()) continue;
      std::string curve;
      for (const std::string& key : claim.series)
        curve += table_.cells.text(answer.row, key) + ", ";
      curves[curve].push_back(&answer);
    }
    for (auto& [name, points] : curves) {
      std::vector<ShapePoint> shape;
      const PublishedAnswer* disturbed = nullptr;
      for (const PublishedAnswer* point : points) {
        scope_.go_to(point->row);
        if (point->verdict.answer == Answer::disturbed) disturbed = point;
        shape.push_back({scope_.evaluate(*claim.x).value, point->published.value, point->ours.value,
                         point->ours.low, point->ours.high});
      }
      const Verdict verdict =
          disturbed != nullptr ? disturbed->verdict : shape_verdict(claim, shape);
      for (PublishedAnswer* point : points) point->verdict = verdict;
    }
  }

  static Verdict shape_verdict(const Claim& claim, std::span<const ShapePoint> points) {
    switch (claim.rule) {
      case ShapeRule::order:
        return judge_shape(points, claim.level, claim.tolerance.factor);
      case ShapeRule::crossover:
        return judge_crossover(points, claim.level, claim.tolerance.factor);
      case ShapeRule::exponent:
        return judge_exponent(points, claim.tolerance.factor);
    }
    return {};
  }

  const PublishedTable& table_;
  RowScope& scope_;
  const Measurements& measurements_;
  std::vector<PublishedAnswer> answers_;
};

}  // namespace

Verdict judge_cell(const Interval& ours, const Interval& published, const Tolerance& tolerance) {
  if (ours.overlaps(published)) return {Answer::agrees};
  if (ours.overlaps(with_one_more_half_unit(published)))
    return {Answer::within, "one unit of the last digit"};
  const double ratio = ours.value / published.value;
  if (ratio <= tolerance.factor && ratio * tolerance.factor >= 1.0)
    return {Answer::within, within_text(tolerance)};
  return {Answer::contradicts,
          fmt::format("{:.4g} published, {:.4g} follows", published.value, ours.value)};
}

std::vector<PublishedAnswer> answers_to(const Library& library, const Paper& paper,
                                        const PublishedTable& table,
                                        const Measurements& measurements) {
  RowScope scope(library, paper, table, measurements);
  std::vector<PublishedAnswer> answers = try_rules(table, scope);
  std::ranges::move(Answering(table, scope, measurements).all(), std::back_inserter(answers));
  std::ranges::stable_sort(answers, {}, &PublishedAnswer::row);
  return answers;
}

}  // namespace qb
