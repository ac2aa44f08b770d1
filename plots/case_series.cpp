#include "plots/case_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "plots/scale.h"

namespace qb {
namespace {

// Parameters that may split a run into series, besides workers; with how a value is named.
struct Parameter {
  const char* column;
  const char* format;
};
constexpr std::array kParameters = {Parameter{"algorithm", "{}"},
                                    Parameter{"kernel", "{}"},
                                    Parameter{"device", "{}"},
                                    Parameter{"ranks", "{}"},
                                    Parameter{"dtype", "{}"},
                                    Parameter{"mask", "{} mask"},
                                    Parameter{"batch", "B = {}"},
                                    Parameter{"q_heads", "H = {}"},
                                    Parameter{"kv_heads", "G = {}"},
                                    Parameter{"head_dim", "d = {}"},
                                    Parameter{"threads", "{} threads"},
                                    Parameter{"interest_set", "I = {}"},
                                    Parameter{"scale", "scale {}"},
                                    Parameter{"seed", "seed {}"},
                                    Parameter{"memory_budget_bytes", "budget {} B"}};

std::string named(const Parameter& parameter, const std::string& value) {
  if (std::string_view(parameter.column) == "threads" && value == "0") return "all cores";
  return value.empty() ? value : fmt::format(fmt::runtime(parameter.format), value);
}

std::vector<std::size_t> standing_rows(const CsvTable& cases) {
  std::map<std::string, std::size_t> last;
  for (std::size_t row = 0; row < cases.size(); ++row) last[cases.text(row, "case_id")] = row;
  std::vector<std::size_t> rows;
  for (const auto& [id, row] : last) rows.push_back(row);
  std::sort(rows.begin(), rows.end());
  return rows;
}

using Key = std::vector<std::string>;

Key key_of(const CsvTable& cases, std::size_t row, const std::vector<Parameter>& parameters) {
  Key key = {cases.text(row, "workers")};
  for (const Parameter& parameter : parameters) key.push_back(cases.text(row, parameter.column));
  return key;
}

std::size_t distinct_keys(const CsvTable& cases, const std::vector<std::size_t>& rows,
                          const std::vector<Parameter>& parameters) {
  std::set<Key> keys;
  for (const std::size_t row : rows) keys.insert(key_of(cases, row, parameters));
  return keys.size();
}

// A parameter tells series apart only if it splits them further: an algorithm that goes with its
// worker count (dense with 1, cqs with the others) does not.
std::vector<Parameter> splitting_parameters(const CsvTable& cases,
                                            const std::vector<std::size_t>& rows) {
  std::vector<Parameter> chosen;
  for (const Parameter& parameter : kParameters) {
    if (!cases.has(parameter.column)) continue;
    std::vector<Parameter> more = chosen;
    more.push_back(parameter);
    if (distinct_keys(cases, rows, more) > distinct_keys(cases, rows, chosen))
      chosen = std::move(more);
  }
  return chosen;
}

std::vector<double> all(const Panel& panel, double Point::*member) {
  std::vector<double> values;
  for (const Series& series : panel.series)
    for (const Point& point : series.points) values.push_back(point.*member);
  return values;
}

}  // namespace

std::vector<CaseSeries> case_series(const CsvTable& cases) {
  const std::vector<std::size_t> rows = standing_rows(cases);
  const std::vector<Parameter> parameters = splitting_parameters(cases, rows);
  std::map<std::pair<std::int64_t, Key>, std::vector<std::size_t>> groups;
  for (const std::size_t row : rows) {
    const auto workers = static_cast<std::int64_t>(cases.number(row, "workers"));
    groups[{workers, key_of(cases, row, parameters)}].push_back(row);
  }
  std::map<std::int64_t, int> variants;
  std::vector<CaseSeries> series;
  for (auto& [key, members] : groups) {
    std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
      return cases.number(a, "n_tokens") < cases.number(b, "n_tokens");
    });
    CaseSeries one{.name = fmt::format("W = {}", key.first), .workers = key.first};
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (const std::string part = named(parameters[i], key.second[i + 1]); !part.empty())
        one.name += ", " + part;
    one.style = worker_style(key.first, variants[key.first]++);
    one.rows = std::move(members);
    series.push_back(std::move(one));
  }
  // One worker count and several algorithms: the colour tells the algorithm.
  if (variants.size() == 1 && groups.size() > 1) {
    std::map<std::string, int> seen;
    for (CaseSeries& one : series) {
      const std::string& algorithm = cases.text(one.rows.front(), "algorithm");
      one.style = algorithm_style(algorithm, seen[algorithm]++);
    }
  }
  return series;
}

std::string shared_parameters(const CsvTable& cases) {
  constexpr std::array shown = {Parameter{"batch", "B = {}"},      Parameter{"q_heads", "H = {}"},
                                Parameter{"head_dim", "d = {}"},   Parameter{"dtype", "{}"},
                                Parameter{"mask", "{} mask"},      Parameter{"kernel", "{} kernel"},
                                Parameter{"device", "{}"},         Parameter{"ranks", "{} ranks"},
                                Parameter{"threads", "{} threads"}};
  std::string out;
  for (const Parameter& parameter : shown) {
    if (!cases.has(parameter.column) || cases.size() == 0) continue;
    std::set<std::string> values;
    for (std::size_t row = 0; row < cases.size(); ++row)
      values.insert(cases.text(row, parameter.column));
    if (values.size() != 1 || values.begin()->empty()) continue;
    out += (out.empty() ? "" : ", ") + named(parameter, *values.begin());
  }
  return out;
}

bool ran(const CsvTable& cases, std::size_t row) { return cases.text(row, "status") == "ok"; }

bool out_of_memory(const CsvTable& cases, std::size_t row) {
  const std::string& status = cases.text(row, "status");
  return status == "oom" || status == "oom_skipped";
}

Series time_series(const CsvTable& cases, const CaseSeries& from, const std::string& prefix) {
  constexpr double kMilliseconds = 1e3;
  Series series{.name = from.name, .style = from.style};
  for (const std::size_t row : from.rows) {
    if (out_of_memory(cases, row)) continue;
    Point point{.x = cases.number(row, "n_tokens")};
    if (ran(cases, row)) {
      point.y = cases.number(row, prefix + "_median_s") * kMilliseconds;
      point.low = cases.number(row, prefix + "_low95_s") * kMilliseconds;
      point.high = cases.number(row, prefix + "_high95_s") * kMilliseconds;
    }
    series.points.push_back(point);
  }
  return series;
}

Series out_of_memory_series(const CsvTable& cases, const CaseSeries& from, double limit) {
  Series series{.name = from.name, .draw = Draw::out_of_memory, .style = from.style};
  for (const std::size_t row : from.rows)
    if (out_of_memory(cases, row))
      series.points.push_back({.x = cases.number(row, "n_tokens"), .y = limit});
  return series;
}

std::vector<std::string> case_notes(const CsvTable& cases) {
  std::map<std::string, int> missing;
  double coverage = 1.0;
  double samples = kNaN;
  const std::vector<std::size_t> rows = standing_rows(cases);
  for (const std::size_t row : rows) {
    if (!ran(cases, row) && !out_of_memory(cases, row)) ++missing[cases.text(row, "status")];
    if (const double covered = cases.number(row, "interval_coverage"); covered < coverage) {
      coverage = covered;
      samples = cases.number(row, "n_samples");
    }
  }
  std::vector<std::string> notes;
  if (coverage < 0.95)
    notes.push_back(fmt::format(
        "Marks are medians; bars span all repeats, at least {:.0f}, which holds the median with "
        "{:.1f} % confidence.",
        samples, coverage * 100.0));
  else
    notes.emplace_back("Marks are medians; bars are 95 % order-statistic intervals of the median.");
  if (!missing.empty()) {
    int count = 0;
    std::string kinds;
    for (const auto& [status, times] : missing) {
      count += times;
      kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", times, status);
    }
    notes.push_back(
        fmt::format("Without a point: {} of {} cases ({}).", count, rows.size(), kinds));
  }
  return notes;
}

std::vector<double> all_x(const Panel& panel) { return all(panel, &Point::x); }
std::vector<double> all_y(const Panel& panel) { return all(panel, &Point::y); }

Axis tokens_axis(const Panel& panel) {
  return {.label = "sequence length N (tokens)",
          .column = "n_tokens",
          .log = spans_powers(all_x(panel))};
}

}  // namespace qb
