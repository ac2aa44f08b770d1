#include "plots/microbench_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "harness/base/statistics.h"
#include "plots/case_series.h"

namespace qb {
namespace {

// head_dim, mask, workers, dtype, threads, isa
using CurveKey =
    std::tuple<std::int64_t, std::string, std::int64_t, std::string, std::int64_t, std::string>;
using Repeats = std::map<double, std::vector<double>>;  // by n_tokens

std::map<CurveKey, Repeats> read_repeats(const CsvTable& microbench, std::string_view benchmark,
                                         std::string_view column) {
  std::map<CurveKey, Repeats> repeats;
  for (std::size_t row = 0; row < microbench.size(); ++row) {
    if (microbench.text(row, "benchmark") != benchmark) continue;
    if (microbench.number(row, "warmup") != 0.0) continue;
    const double value = microbench.number(row, column);
    if (std::isnan(value)) continue;
    const auto whole = [&](const char* name) {
      return static_cast<std::int64_t>(microbench.number(row, name));
    };
    const CurveKey key = {whole("head_dim"), microbench.text(row, "mask"),
                          whole("workers"),  microbench.text(row, "dtype"),
                          whole("threads"),  microbench.text(row, "isa")};
    repeats[key][microbench.number(row, "n_tokens")].push_back(value);
  }
  return repeats;
}

template <class Member>
bool differs(const std::vector<BenchmarkCurve>& curves, Member member) {
  return std::any_of(curves.begin(), curves.end(), [&](const BenchmarkCurve& curve) {
    return curve.*member != curves.front().*member;
  });
}

}  // namespace

std::vector<BenchmarkCurve> benchmark_curves(const CsvTable& microbench, std::string_view benchmark,
                                             std::string_view column) {
  std::vector<BenchmarkCurve> curves;
  for (const auto& [key, repeats] : read_repeats(microbench, benchmark, column)) {
    BenchmarkCurve curve;
    std::tie(curve.head_dim, curve.mask, curve.workers, curve.dtype, curve.threads, curve.isa) =
        key;
    for (const auto& [n_tokens, values] : repeats) {
      const Summary summary = summarise(values);
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
  std::map<std::string, std::set<std::string, std::greater<>>> sets;  // by name; avx512 before avx2
  for (const DrawnCurve& drawn : curves) sets[drawn.series.name].insert(drawn.curve.isa);
  std::map<std::pair<std::int64_t, std::string>, Panel> panels;
  for (const auto& [curve, look] : curves) {
    Panel& panel = panels[{curve.head_dim, curve.mask}];
    panel.title = panel_title(curve.head_dim, curve.mask);
    Series series = look;
    if (const auto& known = sets[look.name]; known.size() > 1) {
      series.name += ", " + curve.isa;
      if (curve.isa != *known.begin()) series.style.colour = lightened(series.style.colour);
    }
    series.points = curve.points;
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
