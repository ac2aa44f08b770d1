// SPDX-License-Identifier: Apache-2.0
// pass_kv against pass_q by miss rate: T = n_tokens new tokens attend to kv_len = P + T keys, of
// which P were cached; the miss rate is T / (P + T).
#include "base/statistics.h"
#include "plots/figures/figures.h"
#include "plots/frame/bars.h"
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
  return panels_by(order(where(rows, ran), miss_rate), told_by, shown);
}

constexpr const char* kPasses[] = {"pass_kv", "pass_q"};

Groups pass_ratio_lines(const Group& panel) {
  const auto ratio =
      [keys = by_number(where(panel.rows, "algorithm", {"pass_kv"}), miss_rate)](const Row& row) {
        const auto found = keys.find(miss_rate(row));
        return found == keys.end() ? Point{} : time_ratio(row, found->second, clock_of(row));
      };
  const auto published = [](const Row& row) {
    return Point{.x = row.number_at("miss_rate_percent"),
                 .y = row.number_at("pass_q_ttft_ms") / row.number_at("pass_kv_ttft_ms")};
  };
  return {{.rows = where(panel.rows, "algorithm", {"pass_q"}),
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
  for (double power = 1e-4; power <= 100.0; power *= 10.0)
    for (const auto& [digit, next] : {std::pair(1.0, 2.0), {2.0, 5.0}, {5.0, 10.0}})
      if (next * power > std::ranges::min(rates) && digit * power <= 100.0 * 1.0000001)
        axis.tics.push_back({digit * power, fmt::format("{:g}", digit * power)});
  return axis;
}

std::string faster(const Point& ratio) { return ratio.y < 1.0 ? "pass_q" : "pass_kv"; }

// Says where published ratios, which have no intervals, pass through 1.
std::string crossing_of_values(const std::vector<Point>& curve) {
  std::vector<double> rates;
  std::vector<double> logs;
  for (const Point& point : curve) {
    rates.push_back(point.x);
    logs.push_back(std::log(point.y));
  }
  std::vector<std::string> found;
  for (const double rate : crossings(rates, logs, 0.0))
    found.push_back(fmt::format("{:.2g} %", rate));
  return found.empty() ? faster(curve.front()) + " is the faster throughout"
                       : listed(found, " and ");
}

// Says between which miss rates a curve of ratios passes through 1. Only those whose interval
// excludes 1 decide.
std::string crossing_text(const std::vector<Point>& curve) {
  if (curve.empty()) return "no pair of times";
  std::vector<int> sides;
  for (const Point& point : curve) sides.push_back(point.high < 1.0 ? -1 : point.low > 1.0 ? 1 : 0);
  const auto first = std::ranges::find_if(sides, [](int side) { return side != 0; });
  if (first == sides.end())
    return fmt::format("not decided, since every interval of {} includes 1",
                       counted(curve.size(), "miss rate"));
  std::vector<std::string> found;
  for (const auto& [before, after] : sign_changes(sides))
    found.push_back(fmt::format("between {:.3g} % and {:.3g} %", curve[before].x, curve[after].x));
  if (!found.empty()) return listed(found, " and ");
  const std::string winner = faster(curve[static_cast<std::size_t>(first - sides.begin())]);
  const auto undecided = static_cast<std::size_t>(std::ranges::count(sides, 0));
  if (undecided == 0) return winner + " is the faster throughout";
  return fmt::format("{} is the faster at {} of {}, the other intervals include 1", winner,
                     curve.size() - undecided, counted(curve.size(), "miss rate"));
}

// With more miss rates the fields under the bars are too narrow for a time.
constexpr std::size_t kMostTimed = 9;
constexpr std::uint32_t kExchange = 0xC97B2B;

using Parts = std::vector<BarFigure::Part>;

// Gives the end of a step; NaN without start times.
double step_end(const Row& step) {
  return step.number("start_s") + std::fmax(0.0, step.number("exposed_communication_s")) +
         std::fmax(0.0, step.number("idle_s")) + step.number("compute_s");
}

// Bars for keys and values are on the left of a miss rate, for queries on the right.
BarFigure::Bar split_bar(double rate, const std::string& algorithm, Parts parts,
                         const std::string& time = {}) {
  const bool queries = algorithm == "pass_q";
  return {.x = rate,
          .at = fmt::format(" of {}, {:g} %", algorithm, rate),
          .left = queries ? 0.01 : -0.43,
          .right = queries ? 0.43 : -0.01,
          .parts = std::move(parts),
          .foot = {.name = fmt::format("{} at {:.6g} %", algorithm, rate),
                   .colour = lightened(algorithm_style(algorithm).colour),
                   .text = listed({queries ? "Q" : "KV", time}, "\n")}};
}

// What the worker that ends last did until it ended, in seconds; so its parts add up.
Parts last_worker_parts(const Rows& steps) {
  Rows last;
  double longest = 0.0;
  for (const Group& worker : group(steps, Columns{"worker"})) {
    double end = 0.0;
    for (const Row& step : worker.rows) end = std::fmax(end, step_end(step));
    if (end > longest) {
      longest = end;
      last = worker.rows;
    }
  }
  const auto sum = [&](RealColumn column) {
    double total = 0.0;
    for (const Row& step : last) total += std::fmax(0.0, step.number(column));
    return total;
  };
  const double compute = sum("compute_s");
  const double exposed = sum("exposed_communication_s");
  const double idle = sum("idle_s");
  return {{"compute", kComputeColour, compute},
          {"exposed communication", kCommunicationColour, exposed},
          {"idle", kIdleColour, idle},
          {"waiting between steps", kBetweenColour, longest - compute - exposed - idle}};
}

// Keeps the last of several cases of one algorithm and miss rate.
BarFigure::BarPanel split_of(const Group& from, const std::map<std::string, Rows>& steps) {
  std::map<std::pair<double, std::string>, Row> bars;
  std::set<double> rates;
  for (const Row& row : from.rows)
    if (const auto own = steps.find(row.text("case_id"));
        own != steps.end() &&
        std::ranges::any_of(own->second, [](const Row& step) { return step_end(step) > 0.0; }))
      bars[{*rates.insert(miss_rate(row)).first, row.text("algorithm")}] = row;
  BarFigure::BarPanel panel{.title = from.name};
  for (const auto& [key, row] : bars) {
    const double ms = time_ms(row).y;
    const int decimals = ms >= 100.0 ? 0 : ms >= 10.0 ? 1 : 2;
    panel.bars.push_back(
        split_bar(key.first, key.second, last_worker_parts(steps.at(row.text("case_id"))),
                  rates.size() <= kMostTimed ? fmt::format("{:.{}f}", ms, decimals) : ""));
  }
  return panel;
}

// A published bar is wide enough for each part to name itself. Sending runs beside the attention of
// an iteration, so that only what it takes longer is a part.
BarFigure::BarPanel published_split() {
  constexpr double kRanks = 4.0;  // iterations; each but the last sends
  BarFigure::BarPanel panel{.title = "published: 4 ranks, P + T = 128,000"};
  for (const Row& row : all_rows(published_table("context_parallel_table_5_time_breakdown"))) {
    const double attention = row.number_at("attn_us");
    const double beyond = std::fmax(0.0, row.number_at("sendrecv_us") - attention);
    Parts parts = {{"attn", kComputeColour, kRanks * attention},
                   {"sendrecv beyond attn", kCommunicationColour, (kRanks - 1.0) * beyond},
                   {"all2all", kExchange, row.number_at("all2all_us")}};
    parts[0].text = fmt::format("attn 4 × {:.0f} µs", attention);
    parts[1].text = fmt::format("sendrecv beyond attn\n3 × {:.0f} µs", beyond);
    parts[2].text = fmt::format("all2all {:.0f} µs", parts[2].value);
    panel.bars.push_back(split_bar(row.number_at("miss_rate_percent"),
                                   row.at("ring_variant") == "pass-Q" ? "pass_q" : "pass_kv",
                                   std::move(parts)));
    panel.bars.back().published = panel.bars.back().apart = true;
  }
  return panel;
}

// Panels of times and of ratios alternate; the ratios of the first have the published ones too.
std::string equally_fast(const std::vector<Panel>& panels) {
  std::vector<std::string> crossed;
  for (std::size_t p = 1; p < panels.size(); p += 2)
    crossed.push_back(
        fmt::format("{} ({})", crossing_text(panels[p].series[0].points), panels[p - 1].title));
  if (!panels.empty())
    crossed.push_back(fmt::format("{} (published, without intervals)",
                                  crossing_of_values(panels[1].series[1].points)));
  return listed(crossed, "; ");
}

}  // namespace

Figure ttft_miss_rate_figure(const PlottedRun& run) {
  const auto time_lines = [](const Group& panel) {
    Groups lines = algorithm_lines(panel.rows, kPasses);
    for (Group& line : lines) line.even_empty = true;
    return lines;
  };
  const Groups groups = pass_groups(run.cases);
  const std::vector<double> times =
      numbers_of(where(pass_rows(run.cases), ran), [](const Row& row) { return time_ms(row).y; });
  Figure figure = line_figure(
      {.title = "Passing keys and values, or queries, by miss rate",
       .nothing = "no case of pass_kv or pass_q ran",
       .y = {{.y = powers_or_zero({.label = "wall clock (ms)", .column = "wall_time_ms"}, times),
              .value = time_ms,
              .lines = time_lines},
             {.y = {.label = kRatio, .column = "pass_q_over_pass_kv_ratio"},
              .lines = pass_ratio_lines,
              .reference = always(limit_line("equally fast", 1.0)),
              .fit = powers_or_linear}},
       .panels = groups,
       .by_panel = true,
       .x = miss_rate,
       .x_axis = rate_axis,
       .last_of_x = true,
       .panel_height = 230,
       .published_legend = "published, TTFT"});
  figure.notes = joined_notes(
      {{"T new tokens attend to P cached ones and to themselves. Ratio below 1: pass_q, which "
        "sends queries around and partial outputs home, is the faster; above 1: pass_kv. Its error "
        "bars: quotients of the ends of the two intervals.",
        "Where the two are equally fast: " + equally_fast(figure.panels) + "."},
       timing_notes(pass_rows(run.cases)),
       {fmt::format(
           "Published: {}; Table 4, 4 ranks, P + T = 128,000. It is the time to first token of the "
           "whole model of 126 layers: what attention does not take pulls its ratio towards 1, so "
           "only the side of 1 compares, and no time of it is drawn.",
           kContextParallelOrigin)}});
  return figure;
}

// Draws a stacked bar per case: what its worker that ends last did until then. The published
// breakdown is below it.
Figure exposed_split_figure(const PlottedRun& run) {
  BarFigure declared{
      .title = "Where the time of pass_kv and pass_q goes, by miss rate",
      .nothing = "no case of pass_kv or pass_q has start times in steps.csv",
      .x = {.label = "miss rate T / (P + T) (%)", .column = "miss_rate_index"},
      .y = percent_axis("share of the time (%)"),
      .tic = [](double rate) { return fmt::format("{:.3g}", rate); },
      .columns = 1,
      .panel_height = 220,
      .notes = {
          "A bar: what the worker that ends last, which decides the critical path, does until it "
          "ends, in the repeat of steps.csv. Between steps it sends or has no processor. Under it: "
          "KV is pass_kv, Q is pass_q, and where there is room the median wall clock in ms.",
          fmt::format(
              "Published: {}; Table 5, 4 ranks, P + T = 128,000. attn and sendrecv are printed for "
              "one iteration of the ring, of which there are 4 and 3, and run beside each other: "
              "drawn is what sendrecv takes beyond attn, computed here; all2all comes once.",
              kContextParallelOrigin)}};
  const std::map<std::string, Rows> steps =
      run.steps ? rows_by_case(*run.steps) : std::map<std::string, Rows>{};
  for (const Group& from : pass_groups(run.cases)) declared.panels.push_back(split_of(from, steps));
  declared.panels.push_back(published_split());
  for (const char* algorithm : kPasses)
    declared.keys.push_back(
        legend_key(algorithm, {lightened(algorithm_style(algorithm).colour)}, Draw::rectangles));
  return bar_figure(declared);
}

}  // namespace qb
