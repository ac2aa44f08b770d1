// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/claims.h"

#include "base/schema/column_fields.h"
#include "base/schema/run_tables.h"
#include "base/statistics.h"

namespace qb {
namespace {

double seconds(const Row& row) { return timed(row, clock_of(row), 1.0).y; }

}  // namespace

const ModelGrade::Errors& ModelGrade::of(const Row& row) const {
  return is_forward(row) ? forward : both;
}

double ModelGrade::error(const Row& row) const {
  const auto of_scheme = of(row).schemes.find(row.text("algorithm"));
  return of_scheme == of(row).schemes.end() ? of(row).p90 : of_scheme->second;
}

bool counts(const Row& row) { return ran(row) && !disturbed(row) && !oversubscribed(row); }

double pairs_allow(const Row& row) {
  return row.number("unmasked_pairs") / row.number("critical_path_pairs");
}

bool comparable(const Row& a, const Row& b) {
  const auto same = [&](std::string_view column) { return a.at(column) == b.at(column); };
  return (a.is("workers", "1") || b.is("workers", "1") || same("workers") || same("algorithm")) &&
         std::ranges::all_of(kParameterFields, [&](const Field& field) {
           return says_how_split(field) || same(field.column);
         });
}

const std::string& scheme_of(const Row& row) {
  return row.is("workload", "stack") ? row.text("stack_layout") : row.text("algorithm");
}

bool same_plan(const Row& a, const Row& b) {
  return std::ranges::all_of(kResultFields, [&](const Field& field) {
    return field.group != FieldGroup::prediction || a.at(field.column) == b.at(field.column);
  });
}

bool told_apart(const Row& a, const Row& b, const ModelGrade& grade) {
  if (modelled(a) != modelled(b)) return false;
  if (modelled(a)) {
    const double error = std::fmax(grade.error(a), grade.error(b));
    return std::fmax(seconds(a), seconds(b)) > error * std::fmin(seconds(a), seconds(b));
  }
  const Point x = timed(a, clock_of(a), 1.0);
  const Point y = timed(b, clock_of(b), 1.0);
  const auto has_interval = [](const Row& row) { return row.number("n_samples") > 1.0; };
  return has_interval(a) && has_interval(b) && (x.high < y.low || y.high < x.low);
}

std::optional<int> side_of(const Row& a, const Row& b, const ModelGrade& grade) {
  if (!counts(a) || !counts(b)) return std::nullopt;
  return !told_apart(a, b, grade) ? 0 : seconds(a) < seconds(b) ? -1 : 1;
}

double Ranking::lead() const { return seconds(rows.at(1)) / seconds(rows.at(0)); }

Ranking ranking_of(const Rows& rows, const ModelGrade& grade) {
  Ranking ranking;
  const Rows ordered =
      order(where(rows,
                  [=](const Row& row) {
                    return counts(row) && row.number("workers") > 1.0 && seconds(row) > 0.0;
                  }),
            [](const Row& row) { return std::pair(seconds(row), scheme_of(row)); });
  std::set<std::string> seen;  // the fastest of several cases of a scheme counts
  for (const Row& row : ordered) {
    if (!seen.insert(scheme_of(row)).second) continue;
    const auto same = std::ranges::find_if(
        ranking.rows, [&](const Row& faster) { return same_plan(row, faster); });
    if (same != ranking.rows.end()) {
      ranking.names[static_cast<std::size_t>(same - ranking.rows.begin())] +=
          " = " + scheme_of(row);
      continue;
    }
    ranking.rows.push_back(row);
    ranking.names.push_back(scheme_of(row));
  }
  // Those that are not told apart from the first one come next to it: an error is its scheme's own.
  Ranking sorted;
  for (const bool apart : {false, true})
    for (std::size_t i = 0; i < ranking.rows.size(); ++i)
      if ((i > 0 && told_apart(ranking.rows[i], ranking.rows[0], grade)) == apart) {
        sorted.rows.push_back(ranking.rows[i]);
        sorted.names.push_back(ranking.names[i]);
        sorted.level += apart ? 0 : 1;
      }
  return sorted;
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
