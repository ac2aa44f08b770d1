// pass_kv against pass_q by miss rate: T = n_tokens new tokens attend to kv_len = P + T keys, of
// which P were cached; the miss rate is T / (P + T).
#include "plots/figures/figures.h"
#include "plots/published/published.h"

namespace qb {
namespace {

constexpr const char* kRatio = "pass_q / pass_kv";

Rows pass_rows(const CsvTable& cases) {
  return where(standing_rows(cases), "algorithm", {"pass_kv", "pass_q"});
}

double miss_rate(const Row& row) {
  return kPercent * row.number("n_tokens") / row.number("kv_len");
}

// Groups the cases that ran and differ in algorithm and miss rate alone, in ascending miss rate.
// Cases of a group have the same P + T, unless the run has no two miss rates of one P + T.
Groups pass_groups(const CsvTable& cases) {
  const Rows rows = pass_rows(cases);
  const Columns place = joined({"workers"}, kPlaceColumns);
  Columns told_by = joined(place, kShapeColumns);
  Columns shown = joined(place, differing_columns(rows, kShapeColumns));
  if (group(rows, Columns{"kv_len"}).size() < group(rows, Columns{"kv_len", "n_tokens"}).size()) {
    told_by.emplace_back("kv_len");
    shown.emplace_back("kv_len");
  }
  Groups groups = group(order(where(rows, ran), miss_rate), told_by);
  // A case that did not run may be the first of its group, but has the same name.
  for (Group& one : groups) one.name = named_values(one.rows.front(), shown);
  return groups;
}

Rows of_algorithm(const Group& from, std::string_view algorithm) {
  return where(from.rows, "algorithm", {algorithm});
}

Groups time_lines(const Group& panel) {
  Groups lines;
  for (const char* algorithm : {"pass_kv", "pass_q"})
    lines.push_back({.rows = of_algorithm(panel, algorithm),
                     .name = algorithm,
                     .style = algorithm_style(algorithm),
                     .even_empty = true});
  return lines;
}

Groups ratio_lines(const Group& panel) {
  const auto ratio = [keys = by_number(of_algorithm(panel, "pass_kv"), miss_rate)](const Row& row) {
    const auto found = keys.find(miss_rate(row));
    return found == keys.end() ? Point{} : time_ratio(row, found->second, clock_of(row));
  };
  const auto published = [](const Row& row) {
    return Point{.x = row.number("miss_rate_percent"),
                 .y = row.number("pass_q_ttft_ms") / row.number("pass_kv_ttft_ms")};
  };
  return {{.rows = of_algorithm(panel, "pass_q"),
           .name = kRatio,
           .style = {kBlack, 0},
           .even_empty = true,
           .value = ratio},
          {.rows = all_rows(published_table("context_parallel_table_4_pass_kv_vs_pass_q")),
           .name = kRatio,
           .style = {kGrey, 1},
           .published = true,
           .value = published}};
}

// Makes tics at 1, 2, 5 of each power of ten from below the least rate to 100 %.
Axis rate_axis(const std::vector<double>& rates) {
  Axis axis{.label = "miss rate T / (P + T) (%)", .column = "miss_rate_percent", .log = true};
  const double least = *std::min_element(rates.begin(), rates.end());
  for (double power = 1e-4; power <= 100.0; power *= 10.0)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double next = digit == 5.0 ? 10.0 * power : digit == 2.0 ? 5.0 * power : 2.0 * power;
      if (next > least && digit * power <= 100.0 * 1.0000001)
        axis.tics.push_back({digit * power, fmt::format("{:g}", digit * power)});
    }
  return axis;
}

std::string crossing_text(const std::vector<Point>& curve) {
  if (curve.empty()) return "no pair of times";
  std::vector<std::string> found;
  for (const double rate : crossings_of_one(curve)) found.push_back(fmt::format("{:.2g} %", rate));
  if (!found.empty()) return listed(found, " and ");
  return curve.front().y < 1.0 ? "pass_q is the faster throughout"
                               : "pass_kv is the faster throughout";
}

// These are the sides of a bar, in miss rates (which are 1 apart), and of the field below it that
// names the algorithm, in %.
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

struct Bar {
  double rate = 0.0;  // miss rate, in %
  std::string algorithm{};
  std::vector<Part> parts{};
  std::string text{};  // below the algorithm's name

  [[nodiscard]] double total() const {
    double sum = 0.0;
    for (const Part& part : parts)
      if (std::isfinite(part.value)) sum += part.value;
    return sum;
  }
  // Bars for keys and values are on the left, for queries on the right.
  [[nodiscard]] Point side(double place, double low, double high) const {
    const double sign = algorithm == "pass_q" ? 1.0 : -1.0;
    const auto [left, right] = std::minmax({place + sign * kFromMiddle, place + sign * kOuterSide});
    return box(left, right, low, high);
  }
};

// Keeps the last of several cases of one algorithm and miss rate.
std::vector<Bar> bars_of(const Group& from) {
  std::map<std::pair<double, std::string>, Bar> found;
  for (const Row& row : from.rows) {
    Bar bar{.rate = miss_rate(row), .algorithm = row.text("algorithm")};
    bar.parts = {{"compute", kComputeColour, row.number("compute_median_s")},
                 {"exposed communication", kCommunicationColour,
                  row.number("exposed_communication_median_s")},
                 {"idle", kIdleColour, row.number("idle_median_s")}};
    const double ms = timed(row, clock_of(row), kMilli).y;
    bar.text = fmt::format("{:.{}f}", ms, ms >= 100.0 ? 0 : ms >= 10.0 ? 1 : 2);
    if (bar.total() > 0.0) found[{bar.rate, bar.algorithm}] = std::move(bar);
  }
  std::vector<Bar> bars;
  for (auto& [key, bar] : found) bars.push_back(std::move(bar));
  return bars;
}

std::vector<Bar> published_bars() {
  std::vector<Bar> bars;
  for (const Row& row : all_rows(published_table("context_parallel_table_5_time_breakdown")))
    bars.push_back({.rate = row.number("miss_rate_percent"),
                    .algorithm = row.is("ring_variant", "pass-Q") ? "pass_q" : "pass_kv",
                    .parts = {{"attn", kComputeColour, row.number("attn_us")},
                              {"sendrecv", kCommunicationColour, row.number("sendrecv_us")},
                              {"all2all", kExchange, row.number("all2all_us")}}});
  return bars;
}

void stack(Panel& panel, const Bar& bar, double place, bool published) {
  double low = 0.0;
  for (const Part& part : bar.parts) {
    if (!(part.value > 0.0)) continue;
    const double high = low + kPercent * part.value / bar.total();
    const Point slice = bar.side(place, low, high);
    low = high;
    if (!published)
      add_slice(panel, {.name = part.name, .style = {part.colour}}, slice);
    else  // A published bar is wide enough for each part to name itself.
      panel.series.push_back(
          {.name = fmt::format("{} of {}, {:g} %", part.name, bar.algorithm, bar.rate),
           .draw = Draw::rectangles,
           .style = {lightened(part.colour)},
           .published = true,
           .in_legend = false,
           .text = fmt::format("{} {:.0f} µs", part.name, part.value),
           .points = {slice}});
  }
}

void add_field(Panel& panel, const Bar& bar, double place, bool timed) {
  const std::string side = bar.algorithm == "pass_q" ? "Q" : "KV";
  panel.series.push_back({.name = fmt::format("{} at {:.6g} %", bar.algorithm, bar.rate),
                          .draw = Draw::rectangles,
                          .style = {lightened(algorithm_style(bar.algorithm).colour)},
                          .thin = true,
                          .in_legend = false,
                          .text = timed && !bar.text.empty() ? side + '\n' + bar.text : side,
                          .points = {bar.side(place, kFieldBottom, kFieldTop)}});
}

Panel split_panel(const std::vector<Bar>& bars, std::string title, bool published) {
  Panel panel{.title = std::move(title)};
  panel.x = {.label = "miss rate T / (P + T) (%)", .column = "miss_rate_index"};
  std::map<double, double> places;
  for (const Bar& bar : bars) places[bar.rate] = 0.0;
  for (auto& [rate, place] : places) {
    place = static_cast<double>(panel.x.tics.size());
    panel.x.tics.push_back({place, fmt::format("{:.3g}", rate)});
  }
  for (const Bar& bar : bars) stack(panel, bar, places.at(bar.rate), published);
  for (const Bar& bar : bars)
    add_field(panel, bar, places.at(bar.rate), places.size() <= kMostTimed);
  panel.y = {.label = "share of the parts (%)",
             .column = "share_percent",
             .tight = true,
             .tics = whole_tics({0, 25, 50, 75, 100})};
  return panel;
}

}  // namespace

std::vector<double> crossings_of_one(const std::vector<Point>& curve) {
  std::vector<double> found;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const double a = std::log(curve[i - 1].y);
    const double b = std::log(curve[i].y);
    if ((a < 0.0) == (b < 0.0)) continue;
    const double from = std::log(curve[i - 1].x);
    found.push_back(std::exp(from + (std::log(curve[i].x) - from) * a / (a - b)));
  }
  return found;
}

Figure ttft_miss_rate_figure(const PlottedRun& run) {
  Figure figure =
      line_figure({.title = "Passing keys and values, or queries, by miss rate",
                   .nothing = "no case of pass_kv or pass_q ran",
                   .y = {{.y = {.label = "wall clock (ms)", .column = "wall_time_ms"},
                          .value = [](const Row& row) { return timed(row, clock_of(row), kMilli); },
                          .lines = time_lines,
                          .fit = powers_or_zero,
                          .alike = true},
                         {.y = {.label = kRatio, .column = "pass_q_over_pass_kv_ratio"},
                          .lines = ratio_lines,
                          .reference = always(limit_line("equally fast", 1.0)),
                          .fit =
                              [](Axis axis, const std::vector<double>& y) {
                                axis.log = spans_powers(y);
                                return axis;
                              }}},
                   .panels = pass_groups(run.cases),
                   .by_panel = true,
                   .x = miss_rate,
                   .x_axis = rate_axis,
                   .last_of_x = true,
                   .panel_height = 230,
                   .published_legend = "published, TTFT"});
  std::vector<std::string> crossed;
  for (std::size_t p = 1; p < figure.panels.size(); p += 2)
    crossed.push_back(fmt::format("{} ({})", crossing_text(figure.panels[p].series[0].points),
                                  figure.panels[p - 1].title));
  if (!figure.panels.empty())
    crossed.push_back(
        fmt::format("{} (published)", crossing_text(figure.panels[1].series[1].points)));
  figure.notes = joined_notes(
      {{"T new tokens attend to P cached ones and to themselves. Ratio below 1: pass_q, which "
        "sends queries around and partial outputs home, is the faster; above 1: pass_kv. Its bars: "
        "quotients of the ends of the two intervals.",
        "Equally fast at: " + listed(crossed, "; ") +
            ". A selector between the two must switch there."},
       timing_notes(pass_rows(run.cases)),
       {fmt::format(
           "Published: {}; Table 4, 4 ranks, P + T = 128,000. It is the time to first token of the "
           "whole model of 126 layers: what attention does not take pulls its ratio towards 1, so "
           "only the side of 1 compares, and no time of it is drawn.",
           kContextParallelOrigin)}});
  return figure;
}

// Draws a stacked bar per case, of compute, exposed communication and waiting; the published
// breakdown is below it.
Figure exposed_split_figure(const PlottedRun& run) {
  Figure figure{.title = "Where the time of pass_kv and pass_q goes, by miss rate",
                .panel_height = 220};
  for (const Group& from : pass_groups(run.cases))
    if (const std::vector<Bar> bars = bars_of(from); !bars.empty())
      figure.panels.push_back(split_panel(bars, from.name, false));
  if (figure.panels.empty())
    return empty_figure(figure.title,
                        "no case of pass_kv or pass_q has compute, exposed communication and idle "
                        "times");
  figure.panels.push_back(
      split_panel(published_bars(), "published: 4 ranks, P + T = 128,000", true));
  for (const char* algorithm : {"pass_kv", "pass_q"})
    figure.panels.front().series.push_back(
        legend_key(algorithm, {lightened(algorithm_style(algorithm).colour)}, Draw::rectangles));
  figure.notes = {
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
  return figure;
}

}  // namespace qb
