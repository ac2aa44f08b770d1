// SPDX-License-Identifier: Apache-2.0
// Speed of kernels on one worker as marks with intervals, a panel per head dim, mask and pass, all
// with one row of N and one range of y. Where another program ran the same cases, it is our speed
// over its; else FLOP/s, those of a GPU beside published ones.
#include "plots/figures/figures.h"
#include "plots/frame/claims.h"
#include "plots/published/published.h"

namespace qb {
namespace {

constexpr double kMarkStep = 0.2;  // between the marks of one length; lengths are 1 apart
constexpr std::size_t kMostKernelPanels = 6;
constexpr const char* kKernelTitle = "Speed of kernels";
constexpr const char* kNewest = "published: FlashAttention-3";

// Keeps the cases of one worker with the most threads; 0 are all cores.
Rows one_worker_rows(const CsvTable& cases) {
  const Rows rows = where(standing_rows(cases), [](const Row& row) {
    return ran(row) && row.number("workers") == 1.0 && row.number("achieved_flop_per_s") > 0.0 &&
           (row.is("mask", "full") || row.is("mask", "causal"));
  });
  const double most = count(rows, [](const Row& row) { return row.is("threads", "0"); }) > 0
                          ? 0.0
                          : largest(rows, number_in("threads"));
  return where(rows, [&](const Row& row) { return row.number("threads") == most; });
}

// The cases of another program that differ from ours in the kernel alone, by the place of ours.
using Rivals = std::map<std::size_t, Row>;
Rivals rivals_of(const Rows& all) {
  const auto is_ours = [](const Row& row) {
    return kernel_name(row.text("kernel")) == row.text("kernel");
  };
  Rivals rivals;
  for (const Group& one :
       group(all, joined({"n_tokens"}, without(without(kShapeColumns, "kernel"), "cpu_isa"))))
    for (const Row& theirs : one.rows)
      for (const Row& ours : one.rows)
        if (is_ours(ours) && !is_ours(theirs)) rivals[ours.index] = theirs;
  return rivals;
}

// Makes marks for each kernel and type.
std::vector<Series> kernel_marks(const Rows& rows, const PointOf& value, bool one_kernel) {
  std::vector<Series> marks;
  for (Group& line : group(order(rows, number_in("n_tokens")), Columns{"kernel", "dtype"})) {
    line.name = listed({kernel_name(line.key[0]), line.key[1]});
    line.style = dtype_style(line.key[1]);
    if (!one_kernel) line.style.colour = kernel_style(line.key[0]).colour;
    line.draw = Draw::points;
    marks.push_back(line_series(line, line.rows, [&](const Row& row) {
      Point point = value(row);
      point.x = row.number("n_tokens");
      point.disturbed = point.disturbed || !counts(row);
      return point;
    }));
  }
  return marks;
}

// Reads a length as published figures label it: `512`, `16k`.
double labelled_length(const std::string& label) {
  return std::stod(label) * (label.ends_with('k') ? 1024.0 : 1.0);
}

// Gives the published kernels of a panel, at all their lengths. Of a backward pass alone none is in
// data/published.
std::vector<Series> published_lines(const Row& any) {
  constexpr std::tuple<const char*, const char*, std::uint32_t> kKernels[] = {
      {"flash_attention_2", "published: FlashAttention-2", 0xA0A0A0},
      {"flash_attention_3", kNewest, 0x505050}};
  if (any.is("pass", "backward")) return {};
  const Rows rows =
      where(all_rows(published_table(is_forward(any) ? "flash_attention_3_h100_fwd_fp16"
                                                     : "flash_attention_2_h100_fwd_bwd")),
            [&](const Row& row) {
              return row.at("head_dim") == any.text("head_dim") &&
                     row.at("causal") == (any.is("mask", "causal") ? "yes" : "no");
            });
  std::vector<Series> lines;
  for (const auto& [word, name, grey] : kKernels) {
    const Rows own =
        where(rows, [kernel = word](const Row& row) { return row.at("implementation") == kernel; });
    const Series line{.name = name, .style = {grey}, .published = true};
    lines.push_back(line_series(line, own, [](const Row& row) {
      return Point{.x = labelled_length(row.at("sequence_length_label")),
                   .y = row.number_at("speed_tflop_per_s")};
    }));
  }
  return lines;
}

// Puts our marks of one length side by side around its place.
void set_apart(Figure& figure) {
  std::map<double, double> places;  // of lengths
  for (const double length : numbers_at(figure.panels, &Point::x))
    if (std::isfinite(length)) places[length];
  Axis x{.label = "sequence length N (tokens)", .column = "n_tokens_index"};
  for (auto& [length, place] : places) place = add_tic(x, grouped(length));
  for (Panel& panel : figure.panels) {
    panel.x = x;
    const auto is_ours = [](const Series& series) { return series.draw == Draw::points; };
    const auto ours = static_cast<double>(std::ranges::count_if(panel.series, is_ours));
    const double step = std::fmin(kMarkStep, 0.8 / ours);
    double shift = 0.5 * step * (1.0 - ours);
    for (Series& series : panel.series) {
      for (Point& point : series.points)
        if (std::isfinite(point.x)) {
          point.more = {fmt::format("{:.0f}", point.x)};
          point.x = places.at(point.x) + (is_ours(series) ? shift : 0.0);
        }
      if (is_ours(series)) shift += step;
    }
  }
  figure.more_columns = {"n_tokens"};
}

// Says how fast each kernel is beside another program, where both cases count.
std::string rival_title(const Rows& paired, const Rivals& rivals, const PointOf& ratio) {
  std::vector<std::string> said;
  for (const Group& kernel : group(paired, Columns{"kernel"})) {
    std::vector<double> ratios;
    std::map<int, std::size_t> sides;
    for (const Row& row : kernel.rows)
      if (const auto side = side_of(row, rivals.at(row.index))) {
        ratios.push_back(ratio(row).y);
        ++sides[*side];
      }
    if (!ratios.empty())
      said.push_back(fmt::format(
          "{} runs at {} times the speed of {}: faster in {} of {}, slower in {}", kernel.key[0],
          range_text(ratios), kernel_name(rivals.begin()->second.text("kernel")), sides[-1],
          counted(ratios.size(), "pair"), sides[1]));
  }
  return listed(said, "; ");
}

// Says what the undisturbed marks of each kernel reach.
std::string reached_title(const Figure& figure) {
  std::map<std::string, std::vector<double>> speeds;
  for (const Panel& panel : figure.panels)
    for (const Series& series : panel.series)
      for (const Point& point : series.points)
        if (!series.published && !point.disturbed) speeds[series.name].push_back(point.y);
  std::vector<std::string> said;
  for (const auto& [name, values] : speeds)
    said.push_back(fmt::format("{} ({})", range_text(values), name));
  return said.empty()
             ? kKernelTitle
             : fmt::format("Kernels reach {} {}", listed(said), figure.panels.front().y.label);
}

// Says how fast our flash kernel in f16 is on a GPU beside the newest published one, by marks of
// one length and panel; empty without such.
std::string published_title(const Figure& figure, const std::string& gpu) {
  std::vector<double> ratios;
  for (const Panel& panel : figure.panels) {
    std::map<std::string, std::map<std::string, double>> speeds;  // by name and length
    for (const Series& series : panel.series)
      for (const Point& point : series.points)
        if (!point.disturbed) speeds[series.name][point.more.at(0)] = point.y;
    for (const auto& [length, ours] : speeds["flash, f16"])
      if (speeds[kNewest].contains(length)) ratios.push_back(ours / speeds[kNewest][length]);
  }
  return ratios.empty() ? ""
                        : fmt::format(
                              "flash (f16, {}) reaches {} times the speed published for "
                              "FlashAttention-3 on an H100",
                              gpu, range_text(ratios));
}

// Names the case that is the slowest beside another program, and what products reached beside it:
// a host that runs two cores as one for a while slows both.
std::string slowest_note(const Rows& paired, const PointOf& ratio) {
  const Row row =
      *std::ranges::min_element(paired, {}, [&](const Row& one) { return ratio(one).y; });
  const double share =
      row.number("peak_flop_per_s") /
      largest(where(paired, "dtype", {row.text("dtype")}), number_in("peak_flop_per_s"));
  return fmt::format(
      "Lowest: {:.3g} at {}{}.", ratio(row).y,
      named_values(row, {"kernel", "dtype", "n_tokens", "head_dim", "mask", "pass"}),
      share > 0.0 ? fmt::format(", where products ran at {:.0f} % of their peak", kPercent * share)
                  : "");
}

// Says with how many threads the marks were measured, where the run has other cases too.
std::string threads_note(const CsvTable& cases, const Rows& rows) {
  const bool others = count(standing_rows(cases), [&](const Row& row) {
                        return ran(row) && row.text("threads") != rows.front().text("threads");
                      }) > 0;
  return others ? fmt::format("Drawn: {}.", named_values(rows.front(), {"threads"})) : "";
}

}  // namespace

Figure kernel_bars_figure(const PlottedRun& run) {
  const Rows all = one_worker_rows(run.cases);
  if (all.empty()) return empty_figure(kKernelTitle, "no case of one worker has a speed");
  const Rivals rivals = rivals_of(all);
  const Rows paired = where(all, [&](const Row& row) { return rivals.contains(row.index); });
  const bool beside = !paired.empty();
  const bool of_gpu = where(all, "device", {"cuda"}).size() == all.size();
  const bool published = run.published && of_gpu && !beside;
  const bool one_kernel = group(beside ? paired : all, Columns{"kernel"}).size() < 2;
  const double unit = of_gpu ? 1e12 : kGiga;
  const std::string unit_name = of_gpu ? "TFLOP/s" : "GFLOP/s";
  Axis axis{.label = unit_name,
            .column = of_gpu ? "speed_tflop_per_s" : "speed_gflop_per_s",
            .from_zero = true};
  PointOf speed = [=](const Row& row) { return flop_rate(row, 1.0 / unit); };
  const double peak = largest(all, number_in("peak_flop_per_s")) / unit;
  std::string meaning = fmt::format(
      "Useful FLOP/s of one {}{}.", of_gpu ? all.front().text("gpu") : "CPU",
      peak > 0.0 ? fmt::format(", whose matrix products reach {:.0f} {}", peak, unit_name) : "");
  const std::string rival = beside ? kernel_name(rivals.begin()->second.text("kernel")) : "";
  if (beside) {
    axis = {.label = "speed / speed of " + rival, .column = "speed_ratio"};
    speed = [&](const Row& row) { return time_ratio(rivals.at(row.index), row, clock_of(row)); };
    meaning = slowest_note(paired, speed);
  }
  Groups groups = panels_by(beside ? paired : all, {"head_dim", "mask", "pass"});
  const std::string left_out = keep_first(groups, kMostKernelPanels, "head dim, mask and pass");
  Figure figure{.shared_axes = true};
  for (const Group& one : groups) {
    Panel panel{.title = one.name, .y = axis};
    add(panel, kernel_marks(one.rows, speed, one_kernel));
    if (published) add(panel, published_lines(one.rows.front()));
    if (beside) panel.series.push_back(limit_line("as fast as " + rival, 1.0));
    figure.panels.push_back(std::move(panel));
  }
  arrange_panels(figure, 2);
  figure.notes = joined_notes(
      {{meaning, threads_note(run.cases, all),
        published ? "Published: an H100; forward passes in f16, both passes in f16 or bf16." : ""},
       case_notes(run.cases),
       {left_out, disturbed_note(figure)}});
  join_not_drawn(figure.notes);
  std::erase(figure.notes, "");
  set_apart(figure);
  figure.title = beside ? rival_title(paired, rivals, speed)
                        : published_title(figure, all.front().text("gpu"));
  if (figure.title.empty()) figure.title = beside ? kKernelTitle : reached_title(figure);
  return figure;
}

}  // namespace qb
