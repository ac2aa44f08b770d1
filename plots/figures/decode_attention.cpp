// SPDX-License-Identifier: Apache-2.0
// Attention of a decode step by worker count: what the worker that ends last does in it, as bars,
// and the time relative to one worker beside the published tables. In a case n_tokens decode steps
// in a row end at kv_len keys.
#include <array>

#include "base/schema/older_runs.h"
#include "plots/figures/figures.h"
#include "plots/published/published.h"

namespace qb {
namespace {

constexpr std::size_t kMostDecodeGroups = 2;  // each has two panels
// dense has a single mark, which is drawn over the others.
constexpr std::array kDecodeAlgorithms = {"decode", "flash_decoding", "tree_decode", "dense"};

// Keeps rows of decode steps; a dense case of the whole sequence is not one.
Rows decode_rows(const CsvTable& cases) {
  return where(standing_rows(cases), [](const Row& row) {
    const bool of_step =
        row.number("workers") == 1.0 && row.number("n_tokens") < row.number("kv_len");
    return std::ranges::count(kDecodeAlgorithms, row.text("algorithm")) > 0 &&
           (of_step || !row.is("algorithm", "dense"));
  });
}

// Groups what was measured at one place for one number of keys; a group needs more than dense.
Groups decode_panels(const CsvTable& cases) {
  const Rows rows = where(decode_rows(cases), ran);
  const Columns shape = without(kShapeColumns, "batch");
  const Columns first = joined({"kv_len", "batch"}, kPlaceColumns);
  Groups groups =
      panels_by(rows, joined(first, shape), joined(first, differing_columns(rows, shape)));
  std::erase_if(groups, [](const Group& one) {
    return where(one.rows, "algorithm", {"dense"}).size() == one.rows.size();
  });
  return groups;
}

// What a worker's time is of; the three add up to the wall clock of a repeat.
struct StepPart {
  const char* name;
  RealColumn seconds;
  std::uint32_t colour;
};
constexpr StepPart kStepParts[] = {
    {"compute and merge", "compute_median_s", kComputeColour},
    {"exposed communication", "exposed_communication_median_s", kCommunicationColour},
    {"idle", "idle_median_s", kIdleColour}};
constexpr double kHalfStepBar = 0.4;

// Adds a bar of parts, with its wall clock behind it. The medians of the parts do not add up, so
// that they divide the median of the wall clock in their ratio.
void add_step_bar(Panel& panel, const Row& row, const std::string& name) {
  const auto place = static_cast<double>(panel.y.tics.size());
  panel.y.tics.push_back({place, fmt::format("{}, W = {}", name, row.text("workers"))});
  const Point wall = timed(row, clock_of(row), kMilli / row.number("n_tokens"));
  const auto seconds = [&](const StepPart& part) {
    return std::fmax(0.0, row.number(part.seconds));
  };
  double sum = 0.0;
  for (const StepPart& part : kStepParts) sum += seconds(part);
  double end = 0.0;
  for (std::size_t i = 0; i < std::size(kStepParts); ++i) {
    const double width = wall.y * seconds(kStepParts[i]) / sum;
    if (!(width > 0.0)) continue;
    Point part = box(end, end + width, place - kHalfStepBar, place + kHalfStepBar);
    part.x = width;
    panel.series[i].points.push_back(std::move(part));
    end += width;
  }
  for (const double x : {wall.low, wall.high, kNaN}) panel.series[3].points.push_back({x, place});
  const double right = std::fmax(wall.y, wall.high);
  Point total = box(right, right, place - kHalfStepBar, place + kHalfStepBar);
  total.x = wall.y;
  total.text = fmt::format("{:.1f}", wall.y);
  panel.series[4].points.push_back(std::move(total));
}

Panel step_bars(const Group& of) {
  Panel panel{.title = of.name,
              .x = {.label = "time of a decode step (ms)", .column = "step_ms", .from_zero = true},
              .y = {.column = "bar_index", .reversed = true}};
  for (const StepPart& part : kStepParts)
    panel.series.push_back(rectangles(part.name, part.colour));
  panel.series.push_back({.name = "interval", .draw = Draw::line, .in_legend = false});
  panel.series.push_back(
      {.name = "wall clock", .draw = Draw::rectangles, .style = {kWhite}, .in_legend = false});
  for (const Group& line : algorithm_lines(of.rows, kDecodeAlgorithms))
    for (const auto& [workers, row] : by_number(line.rows, number_in("workers")))
      add_step_bar(panel, row, line.name);
  std::erase_if(panel.series, [](const Series& series) { return series.points.empty(); });
  return panel;
}

// Gives the published times that compare with a panel: those of its batch size, relative to one
// rank. They are of the attention op alone and of the whole of pass-Q.
Groups published_decode_lines(const Group& panel) {
  const std::string& batch = panel.rows.front().text("batch");
  const Rows rows = where(all_rows(published_table("context_parallel_table_8_decode_attention")),
                          [&](const Row& row) { return row.at("batch_size") == batch; });
  Groups lines;
  for (const Group& context : group(rows, Columns{"context_length_kilotokens"}))
    for (const bool whole : {false, true}) {
      const char* column = whole ? "whole_pass_q_us" : "individual_attention_op_us";
      Group line{.rows = context.rows,
                 .name = whole ? "published: pass-Q" : "published: attention op",
                 .style = {whole ? kBlack : kGrey, whole ? 1 : 0},
                 .published = true};
      line.value = [column, one = line.rows.front()](const Row& row) {
        // `TP8` means one rank, `CP2+TP8` two.
        const std::string& ranks = row.at("parallelization");
        return Point{.x = ranks.starts_with("CP") ? ranks[2] - '0' : 1.0,
                     .y = row.number_at(column) / one.number_at(column)};
      };
      lines.push_back(std::move(line));
    }
  return lines;
}

// Divides by the algorithm's own case of one worker, or by dense if there is none.
Groups relative_lines(const Group& panel, bool published) {
  Groups lines = algorithm_lines(panel.rows, kDecodeAlgorithms);
  const Rows dense = lines.back().rows;
  lines.pop_back();
  for (Group& line : lines) {
    Rows ones = where(line.rows, "workers", {"1"});
    if (ones.empty()) ones = where(dense, "workers", {"1"});
    if (ones.empty()) line.rows.clear();
    line.value = [ones](const Row& row) {
      const Row& one = ones.back();
      const Point point = scaled(time_ratio(row, one, clock_of(row)),
                                 one.number("n_tokens") / row.number("n_tokens"));
      return row == one ? Point{.y = point.y} : point;
    };
  }
  if (published)
    for (Group& line : published_decode_lines(panel)) lines.push_back(std::move(line));
  return lines;
}

// Says how a step compares with one worker at the most workers that have cores of their own, where
// the interval of the ratio excludes 1, and how many do not.
std::string step_title(const Groups& panels, int cores) {
  Rows firsts;
  for (const Group& panel : panels) firsts.push_back(panel.rows.front());
  const Columns told_by = differing_columns(firsts, {"kv_len", "batch"});
  std::map<double, std::vector<std::pair<Point, std::string>>> ratios;  // by workers
  for (const Group& panel : panels)
    for (const Group& line : relative_lines(panel, false))
      for (const Row& row : line.rows) {
        if (row.integer("workers") < 2 || oversubscribed(row, cores)) continue;
        const std::string where_it_is =
            told_by.empty() ? "" : fmt::format(" ({})", named_values(row, told_by));
        ratios[row.number("workers")].emplace_back(line.value(row), line.name + where_it_is);
      }
  if (ratios.empty()) return "Attention of a decode step by workers";
  auto& [workers, of_count] = *ratios.rbegin();
  std::erase_if(of_count, [](const auto& one) { return !std::isfinite(one.first.y); });
  std::ranges::stable_sort(of_count, {}, [](const auto& one) { return one.first.y; });
  std::vector<std::string> said;
  for (const auto& [ratio, name] : of_count)
    if (!(ratio.low <= 1.0 && ratio.high >= 1.0))
      said.push_back(fmt::format("{:.3g} in {}", ratio.y, name));
  const std::size_t undecided = of_count.size() - said.size();
  if (said.empty())
    return fmt::format("No decode step of W = {} is told from one of W = 1: intervals include 1",
                       workers);
  return fmt::format(
      "Of the time of W = 1, a step of W = {} takes {}{}", workers, listed(said),
      undecided == 0 ? ""
                     : fmt::format("; {} of {} intervals include 1", undecided, of_count.size()));
}

}  // namespace

Figure decode_attention_figure(const PlottedRun& run) {
  Groups panels = decode_panels(run.cases);
  const std::string left_out = keep_first(panels, kMostDecodeGroups, "keys and batch");
  const bool beside_published =
      run.published && std::ranges::any_of(panels, [](const Group& panel) {
        return !published_decode_lines(panel).empty();
      });
  LineFigure ratios{
      .title = step_title(panels, run.provenance.cores),
      .nothing = "no case of decode, flash_decoding or tree_decode ran",
      .y = {{.y = {.label = "time / time at W = 1", .column = "relative_time_ratio"},
             .lines = [&](const Group& panel) { return relative_lines(panel, run.published); },
             .reference = always(limit_line("as long as W = 1", 1.0)),
             .fit = powers_or_zero}},
      .panels = panels,
      .by_panel = true,
      .x = number_in("workers"),
      .x_axis = workers_axis,
      .last_of_x = true,
      .notes = joined_notes(
          {timing_notes(decode_rows(run.cases)),
           {"Parts are scaled medians.", left_out,
            beside_published
                ? "Published: Llama 3 405B, W = 1 is 8 H100, longer caches: only shapes compare."
                : ""}})};
  Figure figure = line_figure(ratios);
  if (panels.empty()) return figure;
  if (figure.panels.empty()) figure = {.title = ratios.title, .notes = ratios.notes};
  std::vector<Panel> bars;
  for (const Group& panel : panels) bars.push_back(step_bars(panel));
  figure.panels.insert(figure.panels.begin(), bars.begin(), bars.end());
  arrange_panels(figure, 2);
  return figure;
}

}  // namespace qb
