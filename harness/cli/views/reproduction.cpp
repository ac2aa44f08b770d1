#include "harness/cli/views/reproduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <set>

#include "base/numbers.h"
#include "base/schema/row.h"
#include "base/statistics.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/work/work.h"
#include "interest_sets/sets/known_sets.h"

namespace qb {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
// The published times of the whole sequence jump here, 28.7-fold for 1.27 times the scores.
constexpr std::int64_t kPublishedJump = 45'000;
// The notebook's interest sets are not printed; another minimum set holds a token or two more.
constexpr std::int64_t kSubsequenceSlack = 2;

Plan cqs_plan(std::int64_t n_tokens, int workers, std::optional<InterestSet> set) {
  const Problem problem =
      make_problem({1, 1, 1, n_tokens, n_tokens, 1, 1}, MaskKind::full, DType::f32, 0);
  return make_plan("cqs", problem, {workers, std::move(set)});
}

std::vector<std::int64_t> subsequences(const Plan& plan) {
  std::vector<std::int64_t> tokens;
  for (const WorkerWork& worker : model_work(plan, Kernel::reference).workers)
    tokens.push_back(worker.q_tokens);
  return tokens;
}

Reproduced exact(std::string what, double published, double ours, double slack) {
  return {std::move(what), to_text(published), to_text(ours), ours / published,
          judge_within(ours, published, slack, fmt::format("{:g} tokens", slack))};
}

std::int64_t integer(const CsvTable& table, std::size_t row, std::string_view column) {
  return static_cast<std::int64_t>(table.number(row, column));
}

// (workers, n_tokens) -> value of `column`; absent if the field is empty.
using Cells = std::map<std::pair<std::int64_t, std::int64_t>, double>;
Cells cells(const CsvTable& table, std::string_view column) {
  Cells values;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const double value = table.number(row, column);
    if (!std::isnan(value))
      values[{integer(table, row, "workers"), integer(table, row, "n_tokens")}] = value;
  }
  return values;
}

std::set<std::int64_t> workers_of(const Cells& values) {
  std::set<std::int64_t> workers;
  for (const auto& [key, value] : values)
    if (key.first > 1) workers.insert(key.first);
  return workers;
}

// t(W = 1) / t(W) at one N; NaN if either is missing.
double speed_up(const Cells& wholes, const Cells& parts, std::int64_t workers,
                std::int64_t n_tokens) {
  const auto whole = wholes.find({1, n_tokens});
  const auto part = parts.find({workers, n_tokens});
  return whole == wholes.end() || part == parts.end() ? kNone : whole->second / part->second;
}

// Crossings of S = 1 may lie this far apart: N was chosen in steps of about two.
constexpr double kCrossingFactor = 2.0;

// A quotient of two medians, each of which another run may give otherwise.
constexpr double kQuotientBetweenRuns = std::numbers::sqrt2 * kBetweenRuns;

// What disturbed a case of these; empty if nothing did.
std::string disturbance_of(const CsvTable& cases, std::initializer_list<std::int64_t> workers,
                           std::int64_t n_tokens) {
  if (cases.has("disturbed_by"))
    for (std::size_t row = 0; row < cases.size(); ++row)
      if (integer(cases, row, "n_tokens") == n_tokens &&
          std::ranges::count(workers, integer(cases, row, "workers")) > 0)
        if (const std::string& by = Row{&cases, row}.text("disturbed_by"); !by.empty()) return by;
  return {};
}

// A row of S over x, with the ratio of its last point.
Reproduced curve_row(std::string what, const std::vector<ShapePoint>& points, Verdict verdict) {
  std::string theirs;
  std::string ours;
  double ratio = kNone;
  for (const ShapePoint& point : points) {
    const char* const comma = theirs.empty() ? "" : " ";
    theirs += fmt::format("{}{:.2f}", comma, point.published);
    ours += std::isnan(point.ours) ? fmt::format("{}-", comma)
                                   : fmt::format("{}{:.2f}", comma, point.ours);
    ratio = point.ours / point.published;
  }
  return {std::move(what), theirs, ours, ratio, std::move(verdict), false};
}

// The same, judged by its shape; disturbed_by: what disturbed the run, empty if nothing did.
Reproduced shape_row(std::string what, const std::vector<ShapePoint>& points,
                     const std::string& disturbed_by) {
  return curve_row(std::move(what), points,
                   disturbed_by.empty() ? judge_shape(points, 1.0, kCrossingFactor)
                                        : Verdict{Answer::disturbed, disturbed_by});
}

// Says how the published time of the whole sequence leaps at the cliff, if it grows there by more
// than kCrossingFactor beyond its scores.
std::optional<std::string> leap_of_the_whole(const Cells& theirs) {
  const auto beyond = theirs.find({1, kPublishedJump});
  if (beyond == theirs.end() || beyond == theirs.begin()) return std::nullopt;
  const auto before = std::prev(beyond);
  const auto n_tokens = [](const Cells::const_iterator& cell) {
    return static_cast<double>(cell->first.second);
  };
  const double growth = beyond->second / before->second;
  const double scores = std::pow(n_tokens(beyond) / n_tokens(before), 2.0);
  if (before->first.first != 1 || growth < kCrossingFactor * scores) return std::nullopt;
  return fmt::format(
      "from N = {} to {} the published time of the whole sequence grows {:.3g} times, its scores "
      "{:.3g} times",
      n_tokens(before), n_tokens(beyond), growth, scores);
}

}  // namespace

Reproduced compare_case_study_1() {
  const auto ours = subsequences(cqs_plan(10, 7, parse_interest_set("0,1,3", 7)));
  const std::string published = "3 4 4 5 5 5 4";
  const std::string text = fmt::format("{}", fmt::join(ours, " "));
  const bool agrees = text == published;
  return {"case study 1: tokens held by workers 0..6", published, text, agrees ? 1.0 : kNone,
          Verdict{agrees ? Answer::agrees : Answer::contradicts}};
}

std::vector<Reproduced> compare_interest_sets() {
  const std::vector<PublishedComparison> rows = compare_with_published();
  const auto covers = std::ranges::count_if(
      rows, [](const PublishedComparison& row) { return !first_uncovered_difference(row.set); });
  const auto agree = std::ranges::count(
      rows, Answer::agrees, [](const PublishedComparison& row) { return row.verdict.answer; });
  const bool contradict = std::ranges::any_of(rows, &PublishedComparison::contradicts);
  const auto count = static_cast<double>(rows.size());
  Reproduced ratios = exact("asymptotic responsibility ratios, to the printed digit", count,
                            static_cast<double>(agree), 0.0);
  if (ratios.verdict.answer == Answer::contradicts && !contradict)
    ratios.verdict = {Answer::within, "one unit of the last digit"};
  return {exact("interest sets W = 3..111 that cover", count, static_cast<double>(covers), 0.0),
          ratios};
}

std::vector<Reproduced> compare_subsequences(const CsvTable& published) {
  const Cells lengths = cells(published, "longest_subsequence_tokens");
  std::vector<Reproduced> rows;
  for (std::int64_t workers : workers_of(lengths)) {
    Reproduced worst;
    std::int64_t worst_gap = -1;
    for (const auto& [key, length] : lengths) {
      if (key.first != workers) continue;
      const auto tokens = subsequences(cqs_plan(key.second, static_cast<int>(workers), {}));
      const std::int64_t ours = *std::ranges::max_element(tokens);
      const std::int64_t gap = std::abs(ours - static_cast<std::int64_t>(length));
      if (gap <= worst_gap) continue;
      worst_gap = gap;
      worst = exact(fmt::format("longest subsequence, W = {}, N = {}", workers, key.second), length,
                    static_cast<double>(ours), static_cast<double>(kSubsequenceSlack));
    }
    rows.push_back(worst);
  }
  return rows;
}

namespace {

struct SpeedUpCurve {
  std::vector<ShapePoint> points;
  std::string disturbed_by;
  void add(const ShapePoint& point, const std::string& disturbed) {
    points.push_back(point);
    if (!disturbed.empty()) disturbed_by = disturbed;
  }
};

}  // namespace

std::vector<Reproduced> compare_speed_ups(const CsvTable& published, const CsvTable& cases,
                                          int scale) {
  const Cells theirs = cells(published, "published_mean_ms");
  const Cells ours = cells(cases, "longest_subsequence_median_s");
  const Cells low = cells(cases, "longest_subsequence_low95_s");
  const Cells high = cells(cases, "longest_subsequence_high95_s");
  std::vector<Reproduced> rows;
  std::map<std::int64_t, SpeedUpCurve> over_workers;  // by the paper's N
  for (std::int64_t workers : workers_of(theirs)) {
    SpeedUpCurve over_n;
    for (const auto& [key, value] : theirs) {
      const auto [of_workers, n_tokens] = key;
      const std::int64_t n = n_tokens / scale;
      const double our_s = speed_up(ours, ours, workers, n);
      if (of_workers != workers || n_tokens >= kPublishedJump || std::isnan(our_s)) continue;
      const std::string disturbed = disturbance_of(cases, {1, workers}, n);
      ShapePoint point{static_cast<double>(n_tokens), speed_up(theirs, theirs, workers, n_tokens),
                       our_s, speed_up(low, high, workers, n) * (1.0 - kQuotientBetweenRuns),
                       speed_up(high, low, workers, n) * (1.0 + kQuotientBetweenRuns)};
      over_n.add(point, disturbed);
      point.x = static_cast<double>(workers);
      over_workers[n_tokens].add(point, disturbed);
    }
    if (!over_n.points.empty())
      rows.push_back(shape_row(fmt::format("speed-up S over N, W = {}", workers), over_n.points,
                               over_n.disturbed_by));
  }
  if (!over_workers.empty()) {
    const auto& [n_tokens, curve] = *over_workers.rbegin();
    rows.push_back(shape_row(fmt::format("speed-up S over W, N = {}{}", n_tokens,
                                         scale == 1 ? "" : fmt::format(" / {}", scale)),
                             curve.points, curve.disturbed_by));
  }
  return rows;
}

std::vector<Reproduced> compare_disputed(const CsvTable& published, const CsvTable& cases,
                                         int scale) {
  const Cells theirs = cells(published, "published_mean_ms");
  const Cells ours = cells(cases, "longest_subsequence_median_s");
  const auto leap = leap_of_the_whole(theirs);
  if (!leap) return {};
  std::map<std::int64_t, std::vector<ShapePoint>> curves;  // by W
  for (const auto& [key, value] : theirs)
    if (const auto [workers, n_tokens] = key; workers > 1 && n_tokens >= kPublishedJump)
      curves[workers].push_back({static_cast<double>(n_tokens),
                                 speed_up(theirs, theirs, workers, n_tokens),
                                 speed_up(ours, ours, workers, n_tokens / scale)});
  std::vector<Reproduced> rows;
  for (const auto& [workers, points] : curves)
    rows.insert(rows.begin(), curve_row(fmt::format("disputed: S at N = {} to {}, W = {}",
                                                    points.front().x, points.back().x, workers),
                                        points, {Answer::contradicts, *leap}));
  return rows;
}

std::vector<Reproduced> compare_memory(const CsvTable& cases) {
  std::int64_t n_tokens = 0;
  std::int64_t most_workers = 0;
  for (std::size_t row = 0; row < cases.size(); ++row) {
    n_tokens = std::max(n_tokens, integer(cases, row, "n_tokens"));
    most_workers = std::max(most_workers, integer(cases, row, "workers"));
  }
  std::map<std::int64_t, std::size_t> rows;
  for (std::size_t row = 0; row < cases.size(); ++row)
    if (integer(cases, row, "n_tokens") == n_tokens) rows[integer(cases, row, "workers")] = row;
  if (!rows.contains(1) || !rows.contains(most_workers) || most_workers == 1) return {};
  const auto describe = [&](std::size_t row) {
    const double bytes = Row{&cases, row}.number("active_memory_peak_bytes");
    const std::string& status = Row{&cases, row}.text("status");
    return std::isnan(bytes) ? status : fmt::format("{} ({})", status, format_bytes(bytes));
  };
  const double whole = cases.number(rows[1], "active_memory_peak_bytes");
  const double part = cases.number(rows[most_workers], "active_memory_peak_bytes");
  const bool whole_ran_out = cases.text(rows[1], "status").starts_with("oom");
  const bool part_fits = cases.text(rows[most_workers], "status") == "ok";
  Verdict verdict{Answer::not_comparable, "this machine's memory holds both"};
  if (whole_ran_out)
    verdict = part_fits ? Verdict{Answer::agrees} : Verdict{Answer::contradicts, "neither fits"};
  return {{fmt::format("memory at N = {}: W = 1 against W = {}", n_tokens, most_workers),
           "whole needs far more",
           fmt::format("{} | {}", describe(rows[1]), describe(rows[most_workers])), whole / part,
           verdict, false}};
}

}  // namespace qb
