// Where the time of pass_kv and pass_q goes by miss rate: a stacked bar per case, of compute,
// exposed communication and waiting; the published breakdown is below it.
#include <fmt/format.h>

#include "plots/figures/figures.h"
#include "plots/published/published.h"

namespace qb {
namespace {

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

// One stacked bar.
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

// Draws the parts of a bar as shares of their sum, each on top of the one before.
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
