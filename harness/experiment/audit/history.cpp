// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/audit/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "base/csv.h"
#include "base/files.h"
#include "base/numbers.h"
#include "base/schema/older_runs.h"
#include "base/statistics.h"
#include "base/text_table.h"
#include "harness/experiment/audit/matching.h"

namespace qb {
namespace {

using Point = CaseHistory::Point;
using Verdict = RunComparison::Verdict;

constexpr std::size_t kLeastEarlier = 4;
constexpr double kMostDeviations = 3.5;

std::vector<double> logarithms(std::span<const Point> points) {
  std::vector<double> values;
  for (const Point& point : points) values.push_back(std::log(point.median_s));
  return values;
}

// The manifests under `results`, oldest first.
std::vector<Manifest> manifests(const std::string& results) {
  std::vector<Manifest> found;
  for (const std::filesystem::path& experiment : paths_in(results))
    for (Manifest& manifest : list_runs(experiment.string())) found.push_back(std::move(manifest));
  std::ranges::stable_sort(found, {}, &Manifest::started_at);
  return found;
}

std::vector<RunFolder> read_runs(const std::string& results, const HistoryOptions& options,
                                 History& history) {
  std::vector<Manifest> found = manifests(results);
  std::erase_if(found, [&](const Manifest& manifest) {
    return !is_readable_schema(manifest.schema_version) ||
           (!options.experiment.empty() && manifest.experiment != options.experiment);
  });
  if (found.empty())
    throw UsageError(fmt::format(
        "{}: no run of this schema{}; `qb run` writes them, --results names another folder",
        results, options.experiment.empty() ? "" : fmt::format(" of {}", options.experiment)));
  history.device = options.device.empty() ? found.back().device_fingerprint : options.device;
  std::vector<RunFolder> runs;
  for (const Manifest& manifest : found) {
    if (manifest.device_fingerprint != history.device) continue;
    try {
      runs.push_back(read_run_folder(manifest.folder));
    } catch (const UsageError& error) {
      history.left_out.emplace_back(error.what());
    }
  }
  if (runs.empty())
    throw UsageError(fmt::format("{}: no run of the machine '{}'", results, history.device));
  return runs;
}

// What the runs of one commit have of a case.
struct Gathered {
  std::string started_at;
  std::vector<double> undisturbed_s;
  std::vector<double> disturbed_s;
  std::string disturbed_by;
};

// The points of every case of one experiment.
std::vector<CaseHistory> cases_of(std::span<const RunFolder* const> runs, const History& history,
                                  const std::string& metric) {
  const std::vector<std::string> identity = identity_without({});
  const std::vector<std::string> columns = label_columns(runs, identity);
  std::map<std::vector<std::string>, std::pair<std::string, std::map<std::string, Gathered>>,
           decltype(&key_before)>
      cases(key_before);
  for (const RunFolder* run : runs)
    for (const auto& [key, row] : rows_by_case(*run, identity, {})) {
      const RunComparison::Timing time = timing_of(run->cases, row, metric);
      if (!(time.median_s > 0.0)) continue;
      auto& [label, by_commit] = cases[key];
      label = label_of(*run, row, columns);
      Gathered& gathered = by_commit[run->manifest.commit];
      if (gathered.started_at.empty()) gathered.started_at = run->manifest.started_at;
      if (!time.disturbed_by.empty()) gathered.disturbed_by = time.disturbed_by;
      (time.disturbed_by.empty() ? gathered.undisturbed_s : gathered.disturbed_s)
          .push_back(time.median_s);
    }
  std::vector<CaseHistory> histories;
  for (auto& [key, named] : cases) {
    CaseHistory& one = histories.emplace_back();
    one.experiment = runs.front()->manifest.experiment;
    one.label = named.first;
    for (const std::string& commit : history.commits)
      if (const auto at = named.second.find(commit); at != named.second.end()) {
        const Gathered& gathered = at->second;
        const bool disturbed = gathered.undisturbed_s.empty();
        one.points.push_back(
            {.commit = commit,
             .started_at = gathered.started_at,
             .n_runs = gathered.undisturbed_s.size() + gathered.disturbed_s.size(),
             .median_s = median(disturbed ? gathered.disturbed_s : gathered.undisturbed_s),
             .disturbed_by = disturbed ? gathered.disturbed_by : ""});
      }
  }
  return histories;
}

// `abc1234567 +12 %, def1234567 -5 %`
std::string changes_text(const CaseHistory& one) {
  std::string text;
  for (std::size_t i = 1; i < one.points.size(); ++i)
    if (const Point& point = one.points[i]; point.is_change)
      text += fmt::format("{}{} {:+.0f} %", text.empty() ? "" : ", ", point.commit,
                          100.0 * (point.level_s / one.points[i - 1].level_s - 1.0));
  return text.empty() ? "-" : text;
}

bool is_shown(const CaseHistory& one) {
  return one.verdict == Verdict::slow || one.verdict == Verdict::fast ||
         one.verdict == Verdict::ambiguous || std::ranges::any_of(one.points, &Point::is_change);
}

}  // namespace

void judge_history(CaseHistory& one, double threshold) {
  std::vector<Point>& points = one.points;
  const std::vector<std::size_t> changes = change_points(logarithms(points), std::log1p(threshold));
  std::size_t begin = 0;
  for (std::size_t next = 0; next <= changes.size(); ++next) {
    const std::size_t end = next < changes.size() ? changes[next] : points.size();
    const std::span<Point> level(points.data() + begin, end - begin);
    const double level_s = std::exp(median(logarithms(level)));
    for (Point& point : level) point.level_s = level_s;
    if (begin > 0) points[begin].is_change = true;
    if (end < points.size()) begin = end;
  }
  const std::span<const Point> earlier(points.data() + begin, points.size() - begin - 1);
  if (earlier.size() < kLeastEarlier) return;
  const Point& newest = points.back();
  const std::vector<double> before = logarithms(earlier);
  one.ratio = newest.median_s / std::exp(median(before));
  one.z = modified_z_score(std::log(newest.median_s), before);
  const bool slower = one.ratio > 1.0 + threshold;
  const bool faster = one.ratio < 1.0 - threshold;
  if (!slower && !faster)
    one.verdict = Verdict::same;
  else if (!newest.disturbed_by.empty() || std::abs(one.z) <= kMostDeviations)
    one.verdict = Verdict::ambiguous;
  else
    one.verdict = slower ? Verdict::slow : Verdict::fast;
}

std::size_t History::regressions() const {
  return static_cast<std::size_t>(std::ranges::count(cases, Verdict::slow, &CaseHistory::verdict));
}

History read_history(const std::string& results, const HistoryOptions& options) {
  History history;
  const std::vector<RunFolder> runs = read_runs(results, options, history);
  history.n_runs = runs.size();
  std::map<std::string, std::vector<const RunFolder*>> experiments;
  for (const RunFolder& run : runs) {
    if (std::ranges::count(history.commits, run.manifest.commit) == 0)
      history.commits.push_back(run.manifest.commit);
    experiments[run.manifest.experiment].push_back(&run);
  }
  for (const auto& [experiment, its_runs] : experiments)
    for (CaseHistory& one : cases_of(its_runs, history, options.metric)) {
      judge_history(one, options.threshold);
      history.cases.push_back(std::move(one));
    }
  return history;
}

std::string history_text(const History& history) {
  TextTable table({"experiment", "case", "commits", "newest", "ratio", "z", "verdict", "changes"});
  std::map<Verdict, int> counts;
  for (const CaseHistory& one : history.cases) {
    ++counts[one.verdict];
    if (!is_shown(one)) continue;
    const bool judged = one.verdict != Verdict::untimed;
    table.add({one.experiment, one.label, std::to_string(one.points.size()),
               format_seconds(one.points.back().median_s),
               judged ? fmt::format("{:.3f}", one.ratio) : "-",
               judged ? fmt::format("{:+.1f}", one.z) : "-", std::string(word(one.verdict)),
               changes_text(one)});
  }
  std::string text = fmt::format("{}\n{} runs at {} commits\n", history.device, history.n_runs,
                                 history.commits.size());
  if (std::ranges::any_of(history.cases, is_shown)) text += '\n' + table.terminal();
  text += fmt::format("\n{} cases:", history.cases.size());
  for (const auto& [verdict, count] : counts)
    text +=
        verdict == Verdict::untimed
            ? fmt::format(" {} with fewer than {} commits of one level;", count, kLeastEarlier + 1)
            : fmt::format(" {} {};", count, word(verdict));
  text.back() = '\n';
  for (const std::string& why : history.left_out) text += fmt::format("left out: {}\n", why);
  return text;
}

std::string history_csv(const History& history) {
  CsvTable table({"experiment", "case", "commit", "commit_index", "started_at", "runs",
                  "time_median_s", "level_s", "disturbed_by", "change", "verdict"});
  for (const CaseHistory& one : history.cases)
    for (const Point& point : one.points) {
      const auto index = std::ranges::find(history.commits, point.commit);
      table.append({one.experiment, one.label, point.commit,
                    to_text(static_cast<std::int64_t>(index - history.commits.begin())),
                    point.started_at, to_text(static_cast<std::int64_t>(point.n_runs)),
                    to_text(point.median_s), to_text(point.level_s), point.disturbed_by,
                    point.is_change ? "1" : "0",
                    &point == &one.points.back() ? std::string(word(one.verdict)) : ""});
    }
  return table.to_string();
}

}  // namespace qb
