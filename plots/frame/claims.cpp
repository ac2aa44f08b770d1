// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/claims.h"

#include "base/schema/column_fields.h"
#include "base/schema/older_runs.h"
#include "base/statistics.h"

namespace qb {
namespace {

double seconds(const Row& row) { return timed(row, clock_of(row), 1.0).y; }

}  // namespace

bool counts(const Row& row, int cores) {
  return ran(row) && !disturbed(row) && !oversubscribed(row, cores);
}

double pairs_allow(const Row& row) {
  return row.number("unmasked_pairs") / row.number("critical_path_pairs");
}

bool same_plan(const Row& a, const Row& b) {
  return std::ranges::all_of(kResultFields, [&](const Field& field) {
    return field.group != FieldGroup::prediction || a.at(field.column) == b.at(field.column);
  });
}

bool told_apart(const Row& a, const Row& b, const ModelGrade& grade) {
  if (modelled(a) != modelled(b)) return false;
  if (modelled(a)) {
    const double error =
        std::fmax(grade.error(a.text("algorithm")), grade.error(b.text("algorithm")));
    return std::fmax(seconds(a), seconds(b)) > error * std::fmin(seconds(a), seconds(b));
  }
  const Point x = timed(a, clock_of(a), 1.0);
  const Point y = timed(b, clock_of(b), 1.0);
  const auto has_interval = [](const Row& row) { return row.number("n_samples") > 1.0; };
  return has_interval(a) && has_interval(b) && (x.high < y.low || y.high < x.low);
}

std::optional<int> side_of(const Row& a, const Row& b, int cores, const ModelGrade& grade) {
  if (!counts(a, cores) || !counts(b, cores)) return std::nullopt;
  return !told_apart(a, b, grade) ? 0 : seconds(a) < seconds(b) ? -1 : 1;
}

double Ranking::lead() const { return seconds(rows.at(1)) / seconds(rows.at(0)); }

Ranking ranking_of(const Rows& rows, int cores, const ModelGrade& grade) {
  Ranking ranking;
  const Rows ordered =
      order(where(rows,
                  [=](const Row& row) {
                    return counts(row, cores) && row.number("workers") > 1.0 && seconds(row) > 0.0;
                  }),
            [](const Row& row) { return std::pair(seconds(row), row.text("algorithm")); });
  std::set<std::string> seen;  // the fastest of several cases of a scheme counts
  for (const Row& row : ordered) {
    if (!seen.insert(row.text("algorithm")).second) continue;
    const auto same = std::ranges::find_if(
        ranking.rows, [&](const Row& faster) { return same_plan(row, faster); });
    if (same != ranking.rows.end()) {
      ranking.names[static_cast<std::size_t>(same - ranking.rows.begin())] +=
          " = " + row.text("algorithm");
      continue;
    }
    ranking.rows.push_back(row);
    ranking.names.push_back(row.text("algorithm"));
  }
  ranking.level = count(ranking.rows, [&](const Row& row) {
    return row == ranking.rows.front() || !told_apart(row, ranking.rows.front(), grade);
  });
  return ranking;
}

std::string range_text(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  const std::string low = fmt::format("{:.3g}", least);
  const std::string high = fmt::format("{:.3g}", most);
  return low == high ? low : fmt::format("{} to {}", low, high);
}

std::string modelled_first(const Rows& rows, const std::string& title) {
  return (std::ranges::all_of(rows, modelled) ? "Modelled: " : "") + title;
}

std::string bias_text(const std::vector<double>& values, double of) {
  const auto [least, most] = std::ranges::minmax(values);
  if (least <= of && most >= of) return {};
  return fmt::format("all {} {:.3g}, the median at {:.3g}", least > of ? "above" : "below", of,
                     median(values));
}

}  // namespace qb
