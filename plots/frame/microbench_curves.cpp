#include "plots/frame/microbench_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "base/statistics.h"
#include "plots/frame/case_series.h"

namespace qb {
namespace {

// head_dim, mask, workers, dtype, threads, isa
using CurveKey =
    std::tuple<std::int64_t, std::string, std::int64_t, std::string, std::int64_t, std::string>;
// Repeats of the largest problem that was measured at a length.
struct Repeats {
  double flop = 0.0;
  std::vector<double> values{};
};
using RepeatsByLength = std::map<double, Repeats>;

// Of a length measured with several head counts, which are no column, the largest problem stands.
void add_value(Repeats& repeats, double flop, double value) {
  if (flop < repeats.flop) return;
  if (flop > repeats.flop) repeats = {flop, {}};
  repeats.values.push_back(value);
}

std::map<CurveKey, RepeatsByLength> read_repeats(const CsvTable& microbench,
                                                 std::string_view benchmark,
                                                 std::string_view column) {
  std::map<CurveKey, RepeatsByLength> repeats;
  for (std::size_t row = 0; row < microbench.size(); ++row) {
    if (microbench.text(row, "benchmark") != benchmark) continue;
    if (microbench.number(row, "warmup") != 0.0) continue;
    const double value = microbench.number(row, column);
    if (std::isnan(value)) continue;
    // `workers` is empty where there is no plan, `flop` where nothing counts it.
    const auto number = [&](const char* name) {
      const double found = microbench.number(row, name);
      return std::isnan(found) ? 0.0 : found;
    };
    const auto whole = [&](const char* name) { return static_cast<std::int64_t>(number(name)); };
    const CurveKey key = {whole("head_dim"), microbench.text(row, "mask"),
                          whole("workers"),  microbench.text(row, "dtype"),
                          whole("threads"),  microbench.text(row, "isa")};
    add_value(repeats[key][number("n_tokens")], number("flop"), value);
  }
  return repeats;
}

template <class Member>
bool differs(const std::vector<BenchmarkCurve>& curves, Member member) {
  return std::any_of(curves.begin(), curves.end(), [&](const BenchmarkCurve& curve) {
    return curve.*member != curves.front().*member;
  });
}

// The instruction sets behind each name, that with most points, the machine's own, first.
std::map<std::string, std::vector<std::string>> sets_by_name(
    const std::vector<DrawnCurve>& curves) {
  std::map<std::string, std::map<std::string, std::size_t>> points;
  for (const DrawnCurve& drawn : curves)
    points[drawn.series.name][drawn.curve.isa] += drawn.curve.points.size();
  std::map<std::string, std::vector<std::string>> sets;
  for (const auto& [name, counts] : points) {
    for (const auto& [isa, count] : counts) sets[name].push_back(isa);
    std::stable_sort(
        sets[name].begin(), sets[name].end(),
        [&](const std::string& a, const std::string& b) { return counts.at(a) > counts.at(b); });
  }
  return sets;
}

}  // namespace

std::vector<BenchmarkCurve> benchmark_curves(const CsvTable& microbench, std::string_view benchmark,
                                             std::string_view column) {
  std::vector<BenchmarkCurve> curves;
  for (const auto& [key, repeats] : read_repeats(microbench, benchmark, column)) {
    BenchmarkCurve curve;
    std::tie(curve.head_dim, curve.mask, curve.workers, curve.dtype, curve.threads, curve.isa) =
        key;
    for (const auto& [n_tokens, largest] : repeats) {
      const Summary summary = summarise(largest.values);
      curve.points.push_back(
          {.x = n_tokens, .y = summary.median, .low = summary.low95, .high = summary.high95});
      if (summary.coverage < curve.coverage) {
        curve.coverage = summary.coverage;
        curve.samples = static_cast<double>(summary.n);
      }
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

NamedParts differing_parts(const std::vector<BenchmarkCurve>& curves) {
  return {.dtype = differs(curves, &BenchmarkCurve::dtype),
          .threads = differs(curves, &BenchmarkCurve::threads),
          .workers = differs(curves, &BenchmarkCurve::workers)};
}

std::string curve_name(const BenchmarkCurve& curve, const NamedParts& parts) {
  std::string name;
  const auto add = [&](const std::string& part) { name += (name.empty() ? "" : ", ") + part; };
  if (parts.workers) add(named_value("workers", fmt::to_string(curve.workers)));
  if (parts.dtype) add(curve.dtype);
  if (parts.threads) add(named_value("threads", fmt::to_string(curve.threads)));
  return name;
}

std::vector<Panel> curve_panels(const std::vector<DrawnCurve>& curves) {
  const auto sets = sets_by_name(curves);
  std::map<std::pair<std::int64_t, std::string>, Panel> panels;
  for (const auto& [curve, look] : curves) {
    Panel& panel = panels[{curve.head_dim, curve.mask}];
    panel.title = panel_title(curve.head_dim, curve.mask);
    Series series = look;
    series.points = curve.points;
    if (const auto& known = sets.at(look.name); known.size() > 1) {
      series.name += ", " + curve.isa;
      const auto rank =
          std::distance(known.begin(), std::find(known.begin(), known.end(), curve.isa));
      if (rank > 0) series.style.colour = lightened(series.style.colour);
      series.style.mark = (series.style.mark + static_cast<int>(rank)) % kMarks;
    }
    panel.series.push_back(std::move(series));
  }
  std::vector<Panel> out;
  for (auto& [where, panel] : panels) out.push_back(std::move(panel));
  return out;
}

std::string curves_note(const std::vector<DrawnCurve>& curves) {
  double coverage = 1.0;
  double samples = kNaN;
  for (const DrawnCurve& drawn : curves)
    if (drawn.curve.coverage < coverage) {
      coverage = drawn.curve.coverage;
      samples = drawn.curve.samples;
    }
  return interval_note(coverage, samples);
}

}  // namespace qb
