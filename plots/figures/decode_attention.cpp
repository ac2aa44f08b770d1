// SPDX-License-Identifier: Apache-2.0
// Attention of a decode step by worker count: what the worker that ends last does in it, as bars
// below that of their base, a case of one worker. In a case n_tokens decode steps in a row end at
// kv_len keys.
#include <array>

#include "plots/figures/figures.h"
#include "plots/frame/claims.h"

namespace qb {
namespace {

constexpr std::size_t kMostDecodePanels = 2;
constexpr std::array kDecodeAlgorithms = {"dense", "decode", "flash_decoding", "tree_decode",
                                          "helix"};

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
  const Columns more = joined(joined({"batch"}, kPlaceColumns), shape);
  Groups groups =
      panels_by(rows, joined({"kv_len"}, more), joined({"kv_len"}, differing_columns(rows, more)));
  std::erase_if(groups, [](const Group& one) {
    return where(one.rows, "algorithm", {"dense"}).size() == one.rows.size();
  });
  return groups;
}

// Finds the case of one worker that a step is compared with: of its own algorithm, or else dense.
std::optional<Row> base_of(const Row& row, const Rows& rows) {
  std::optional<Row> base;
  for (const Row& one : where(rows, "workers", {"1"}))
    if (one.at("n_tokens") == row.at("n_tokens") &&
        (one.is("algorithm", row.text("algorithm")) || (!base && one.is("algorithm", "dense"))))
      base = one;
  return base;
}

Point over_base(const Row& row, const Row& base) { return time_ratio(row, base, clock_of(row)); }

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
void add_step_bar(Panel& panel, const Row& row, double place, const std::string& remark) {
  panel.y.tics.push_back(
      {place, fmt::format("{}, W = {}", row.text("algorithm"), row.text("workers"))});
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
  total.text = fmt::format("{:.1f}{}", wall.y, remark);
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
  double place = 0.0;
  for (const Group& of_base : group(of.rows, [&](const Row& row) -> std::vector<std::string> {
         const auto base = base_of(row, of.rows);
         return base ? values_of(*base, {"algorithm", "n_tokens"}) : Columns{};
       })) {
    for (const Group& line : algorithm_lines(of_base.rows, kDecodeAlgorithms))
      for (const auto& [workers, row] : by_number(line.rows, number_in("workers"))) {
        const auto base = base_of(row, of.rows);
        const std::string ratio = !base ? ""
                                  : row == *base
                                      ? " (base)"
                                      : fmt::format(" (×{:.2f})", over_base(row, *base).y);
        add_step_bar(panel, row, place++, (counts(row) ? "" : "*") + ratio);
      }
    ++place;  // between bars of two bases
  }
  std::erase_if(panel.series, [](const Series& series) { return series.points.empty(); });
  return panel;
}

// Says how a step compares with its base at the most workers that count, where the interval of the
// ratio excludes 1, and how many do not.
std::string step_title(const Groups& panels, const ModelGrade& grade) {
  Rows firsts;
  for (const Group& panel : panels) firsts.push_back(panel.rows.front());
  const Columns told_by = differing_columns(firsts, {"kv_len", "batch"});
  std::map<double, std::multimap<double, std::string>> apart;  // by workers and ratio
  std::map<double, std::size_t> all;
  for (const Group& panel : panels)
    for (const Row& row : panel.rows) {
      const auto base = base_of(row, panel.rows);
      const auto side = base ? side_of(row, *base, grade) : std::nullopt;
      if (!side || row.number("workers") < 2.0) continue;
      ++all[row.number("workers")];
      if (*side != 0)
        apart[row.number("workers")].emplace(
            over_base(row, *base).y, listed({row.text("algorithm"), named_values(row, told_by)}));
    }
  if (all.empty()) return "Attention of a decode step by workers";
  const auto [workers, pairs] = *all.rbegin();
  std::vector<std::string> said;
  for (const auto& [ratio, name] : apart[workers])
    said.push_back(fmt::format("{:.3g} ({})", ratio, name));
  if (said.empty())
    return fmt::format("No decode step of W = {} differs from its base of W = 1", workers);
  const std::size_t level = pairs - said.size();
  return fmt::format("A decode step of W = {} takes {} times that of W = 1{}", workers,
                     listed(said),
                     level == 0 ? "" : fmt::format("; {} of {} are not told apart", level, pairs));
}

}  // namespace

Figure decode_attention_figure(const PlottedRun& run) {
  Groups panels = decode_panels(run.cases);
  const std::string left_out = keep_first(panels, kMostDecodePanels, "keys and batch");
  Figure figure{
      .title = step_title(panels, run.model_grade()),
      .notes = joined_notes({{"In brackets: over the base above. Parts are scaled medians. *: "
                              "disturbed, or W above the cores."},
                             timing_notes(decode_rows(run.cases)),
                             {left_out}})};
  if (panels.empty())
    return empty_figure(figure.title,
                        "no case of decode, flash_decoding, tree_decode or helix ran");
  for (const Group& panel : panels) figure.panels.push_back(step_bars(panel));
  arrange_panels(figure, 2);
  return figure;
}

}  // namespace qb
