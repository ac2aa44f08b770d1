#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plots/frame/pass_cases.h"
#include "plots/frame/scheme_cases.h"
#include "plots/published/published_context_parallel.h"

namespace qb {
namespace {

constexpr const char* kTitle = "Where the time of pass_kv and pass_q goes, by miss rate";
constexpr double kMilliseconds = 1e3;
constexpr double kPercent = 100.0;

// Sides of a bar, in miss rates (which stand 1 apart), and of the field under it that names the
// algorithm, in %.
constexpr double kFromMiddle = 0.01;
constexpr double kOuterSide = 0.43;
constexpr double kFieldTop = -2.0;
constexpr double kFieldBottom = -19.0;
// With more miss rates the fields are too narrow for a time.
constexpr std::size_t kMostTimed = 9;

constexpr std::uint32_t kExchange = 0xC97B2B;

struct Part {
  std::string name;
  std::uint32_t colour = kBlack;
  double value = kNaN;
};

// One stacked bar.
struct Bar {
  double rate = 0.0;  // miss rate, in %
  std::string algorithm{};
  std::vector<Part> parts{};
  std::string text{};  // under the algorithm's name
};

std::string three_digits(double value) {
  return fmt::format("{:.{}f}", value, value >= 100.0 ? 0 : value >= 10.0 ? 1 : 2);
}

double total(const Bar& bar) {
  double sum = 0.0;
  for (const Part& part : bar.parts)
    if (std::isfinite(part.value)) sum += part.value;
  return sum;
}

// Of several cases of one algorithm and miss rate the last stands.
std::vector<Bar> bars_of(const CsvTable& cases, const PassGroup& group) {
  std::map<std::pair<double, std::string>, Bar> found;
  for (const std::size_t row : group.rows) {
    if (!ran(cases, row)) continue;
    Bar bar{.rate = miss_rate_percent(cases, row), .algorithm = cases.text(row, "algorithm")};
    bar.parts = {{"compute", kComputeColour, cases.number(row, "compute_median_s")},
                 {"exposed communication", kCommunicationColour,
                  cases.number(row, "exposed_communication_median_s")},
                 {"idle", kIdleColour, cases.number(row, "idle_median_s")}};
    bar.text = three_digits(case_seconds(cases, row, "median") * kMilliseconds);
    if (total(bar) > 0.0) found[{bar.rate, bar.algorithm}] = std::move(bar);
  }
  std::vector<Bar> bars;
  bars.reserve(found.size());
  for (auto& [key, bar] : found) bars.push_back(std::move(bar));
  return bars;
}

std::vector<Bar> published_bars() {
  const CsvTable& table = published_time_breakdown();
  std::vector<Bar> bars;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const bool queries = table.text(row, "ring_variant") == "pass-Q";
    bars.push_back({.rate = table.number(row, "miss_rate_percent"),
                    .algorithm = queries ? "pass_q" : "pass_kv",
                    .parts = {{"attn", kComputeColour, table.number(row, "attn_us")},
                              {"sendrecv", kCommunicationColour, table.number(row, "sendrecv_us")},
                              {"all2all", kExchange, table.number(row, "all2all_us")}}});
  }
  return bars;
}

std::map<double, double> places_of(const std::vector<Bar>& bars) {
  std::map<double, double> places;
  for (const Bar& bar : bars) places[bar.rate] = 0.0;
  double place = 0.0;
  for (auto& [rate, at] : places) at = place++;
  return places;
}

// Left for keys and values, right for queries.
Point side_of(const Bar& bar, double place, double low, double high) {
  const double sign = bar.algorithm == "pass_q" ? 1.0 : -1.0;
  const double inner = place + sign * kFromMiddle;
  const double outer = place + sign * kOuterSide;
  return {.x = (inner + outer) / 2,
          .y = (low + high) / 2,
          .low = low,
          .high = high,
          .x_low = std::min(inner, outer),
          .x_high = std::max(inner, outer)};
}

Series& series_of(Panel& panel, const Part& part) {
  for (Series& series : panel.series)
    if (series.name == part.name) return series;
  panel.series.push_back(
      {.name = part.name, .draw = Draw::rectangles, .style = {part.colour}, .thin = true});
  return panel.series.back();
}

// The parts of a bar as shares of their sum, each on the one before it.
void stack(Panel& panel, const Bar& bar, double place, bool published) {
  const double sum = total(bar);
  double low = 0.0;
  for (const Part& part : bar.parts) {
    if (!(part.value > 0.0)) continue;
    const double high = low + kPercent * part.value / sum;
    const Point point = side_of(bar, place, low, high);
    low = high;
    if (!published) {
      series_of(panel, part).points.push_back(point);
      continue;
    }
    // As wide as it is, a published part says itself what it is.
    panel.series.push_back(
        {.name = fmt::format("{} of {}, {:g} %", part.name, bar.algorithm, bar.rate),
         .draw = Draw::rectangles,
         .style = {lightened(part.colour)},
         .published = true,
         .in_legend = false,
         .text = fmt::format("{} {:.0f} µs", part.name, part.value),
         .points = {point}});
  }
}

void add_field(Panel& panel, const Bar& bar, double place, bool timed) {
  const std::string side = bar.algorithm == "pass_q" ? "Q" : "KV";
  const std::uint32_t colour = lightened(algorithm_style(bar.algorithm).colour);
  panel.series.push_back({.name = fmt::format("{} at {:.6g} %", bar.algorithm, bar.rate),
                          .draw = Draw::rectangles,
                          .style = {colour},
                          .thin = true,
                          .in_legend = false,
                          .text = timed && !bar.text.empty() ? side + '\n' + bar.text : side,
                          .points = {side_of(bar, place, kFieldBottom, kFieldTop)}});
}

Panel panel_of(const std::vector<Bar>& bars, std::string title, bool published) {
  const std::map<double, double> places = places_of(bars);
  Panel panel{.title = std::move(title)};
  for (const Bar& bar : bars) stack(panel, bar, places.at(bar.rate), published);
  for (const Bar& bar : bars)
    add_field(panel, bar, places.at(bar.rate), places.size() <= kMostTimed);
  panel.x = {.label = "miss rate T / (P + T) (%)", .column = "miss_rate_index"};
  for (const auto& [rate, place] : places)
    panel.x.tics.push_back({place, fmt::format("{:.3g}", rate)});
  panel.y = {.label = "share of the parts (%)", .column = "share_percent", .tight = true};
  for (const double tic : {0.0, 25.0, 50.0, 75.0, 100.0})
    panel.y.tics.push_back({tic, fmt::format("{:.0f}", tic)});
  return panel;
}

std::vector<std::string> notes_of() {
  return {
      "A bar: medians of computing, of exposed communication and of idle time, each of the worker "
      "where it is largest and summed over its steps, as shares of their sum; they need not add up "
      "to the wall clock. Under it: KV is pass_kv, Q is pass_q, and where there is room the wall "
      "clock in ms.",
      fmt::format(
          "Published: {}; Table 5, 4 ranks, P + T = 128,000. attn and sendrecv are of one "
          "iteration of the ring, of which there are 4 and 3, and run beside each other, so that "
          "only what sendrecv takes beyond attn is exposed; all2all comes once and is exposed. "
          "Their shares are drawn as printed.",
          kContextParallelOrigin)};
}

}  // namespace

Figure exposed_split_figure(const CsvTable& cases, const FigureContext& context) {
  Figure figure{
      .name = "exposed_split", .title = kTitle, .subtitle = context.subtitle, .panel_height = 220};
  for (const PassGroup& group : pass_groups(cases))
    if (const std::vector<Bar> bars = bars_of(cases, group); !bars.empty())
      figure.panels.push_back(panel_of(bars, group.name, false));
  if (figure.panels.empty())
    return empty_figure(figure.name, kTitle,
                        "no case of pass_kv or pass_q has compute, exposed communication and idle "
                        "times");
  figure.panels.push_back(panel_of(published_bars(), "published: 4 ranks, P + T = 128,000", true));
  for (const char* algorithm : {"pass_kv", "pass_q"})
    figure.panels.front().series.push_back(
        legend_key(algorithm, {lightened(algorithm_style(algorithm).colour)}, Draw::rectangles));
  figure.notes = notes_of();
  return figure;
}

}  // namespace qb
