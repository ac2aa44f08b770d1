// SPDX-License-Identifier: Apache-2.0
// Single kernels: how much of the machine's measured ceiling they reach, and what splitting
// attention over the workers of CQS costs in all, against sequence length.
//
// microbench.csv has a row per repeat. `peak_fraction` is the rate over the ceiling that the same
// process measured beside the repeat. Only cqs has `overhead`: the sum of the workers' times with
// gather and merge over the time of dense, measured interleaved.
#include "base/numbers.h"
#include "base/statistics.h"
#include "plots/figures/figures.h"

namespace qb {
namespace {

// CQS is too slow if the time of all its workers over that of dense attention exceeds this.
constexpr double kOverheadLimit = 1.08;
constexpr const char* kNoMicrobench = "the run folder has no microbench.csv";
const Columns kCurve = {"workers", "dtype", "threads", "isa"};
const Columns kPanel = {"head_dim", "mask"};

// Keeps the repeats of the largest problem: one length may be measured with several head counts,
// which have no column.
Rows of_largest(const Rows& repeats) {
  const double flop = largest(repeats, number_in("flop"));
  return where(repeats, [&](const Row& row) { return std::fmax(0.0, row.number("flop")) == flop; });
}

// Makes a row for each length of each curve of a benchmark, over the repeats without warm-ups.
CsvTable medians(const CsvTable& microbench, const char* benchmark, const char* column) {
  const Columns key = joined(kPanel, joined(kCurve, {"n_tokens"}));
  CsvTable table(
      joined(key, {"median", "low95", "high95", "interval_coverage", "n_samples", "disturbed_by"}));
  const Rows repeats = where(all_rows(microbench), [&](const Row& row) {
    return row.at("benchmark") == benchmark && row.is("warmup", "0") &&
           !std::isnan(row.number_at(column));
  });
  for (const Group& length : group(repeats, key)) {
    const Rows all = of_largest(length.rows);
    const Rows quiet = where(all, [](const Row& row) { return !disturbed(row); });
    // As the targets do: a single undisturbed repeat is none.
    const bool noisy = quiet.size() < 2 && quiet.size() < all.size();
    const Rows& counted = noisy ? all : quiet;
    const Summary summary =
        summarise(numbers_of(counted, [&](const Row& row) { return row.number_at(column); }));
    std::vector<std::string> fields = length.key;
    for (const double value : {summary.median, summary.low95, summary.high95, summary.coverage,
                               static_cast<double>(summary.n)})
      fields.push_back(to_text(value));
    const auto of_noise = std::ranges::find_if(all, disturbed);
    fields.push_back(noisy ? of_noise->text("disturbed_by") : "");
    table.append(std::move(fields));
  }
  return table;
}

PointOf median_times(double factor) {
  return [=](const Row& row) {
    return Point{.y = row.number_at("median") * factor,
                 .low = row.number_at("low95") * factor,
                 .high = row.number_at("high95") * factor};
  };
}

// Lines are named by the columns that differ and those that are always named, and by their
// instruction sets if lines of one name differ in them.
template <class StyleOf>
Groups curves_of(const CsvTable& table, const Columns& always, StyleOf style_of) {
  const Rows rows = all_rows(table);
  const Columns differing = differing_columns(rows, kCurve);
  Columns named;
  for (const char* column : {"workers", "dtype", "threads"})
    if (std::ranges::count(always, column) + std::ranges::count(differing, column) > 0)
      named.emplace_back(column);
  Groups lines = group(rows, kCurve);
  std::map<std::string, std::set<std::string>> sets;  // by name
  for (Group& line : lines) {
    line.name = name_with("", line.rows.front(), named);
    line.style = style_of(line);
    sets[line.name].insert(line.key[3]);
  }
  for (Group& line : lines)
    if (sets[line.name].size() > 1) line.name += ", " + line.key[3];
  return lines;
}

Axis log_tokens(const std::vector<double>& x) {
  Axis axis = tokens_axis(x);
  axis.log = true;
  return axis;
}

Groups fraction_lines(const CsvTable& flash, const CsvTable& materialized) {
  // The colour tells the element type, the mark the kernel, the lightness threads and instruction
  // set.
  const auto style_of = [](const char* kernel) {
    return [=](const Group& line) {
      return Style{dtype_style(line.key[1]).colour, kernel_style(kernel).mark};
    };
  };
  Groups lines = curves_of(flash, {"dtype", "threads"}, style_of("flash"));
  for (Group& line : curves_of(materialized, {"dtype", "threads"}, style_of("materialized"))) {
    line.name = "materialized, " + line.name;
    line.thin = true;
    lines.push_back(std::move(line));
  }
  shade_equal_looks(lines);
  return lines;
}

}  // namespace

Figure kernel_peak_fraction_figure(const PlottedRun& run) {
  constexpr const char* kTitle = "Share of the measured peak against sequence length";
  if (!run.microbench) return empty_figure(kTitle, kNoMicrobench);
  const CsvTable flash = medians(*run.microbench, "flash", "peak_fraction");
  const CsvTable materialized = medians(*run.microbench, "materialized", "peak_fraction");
  const Groups lines = fraction_lines(flash, materialized);
  Rows rows = all_rows(flash);
  for (const Row& row : all_rows(materialized)) rows.push_back(row);
  // The axis reaches the ceiling, and goes beyond it for noise: a repeat may be faster than the
  // ceiling beside it.
  double highest = kPercent;
  for (const Row& row : rows) highest = std::max(highest, row.number_at("high95") * kPercent);
  std::vector<double> tics;
  for (double percent = 0.0; percent <= highest; percent += 20.0) tics.push_back(percent);
  std::string ceiling =
      "Ceiling: f32: FMA peak of the instruction set, bf16: of vdpbf16ps, both measured beside "
      "each repeat. f16 and materialized multiply in f32.";
  if (materialized.size() > 0)
    ceiling += " Filled diamonds: flash; thin lines with hollow squares: materialized.";
  return line_figure({.title = kTitle,
                      .nothing = "microbench.csv has no peak_fraction of flash or materialized",
                      .lines = lines,
                      .y = {{.y = {.label = "share of the measured peak (%)",
                                   .column = "peak_fraction_percent",
                                   .from_zero = true,
                                   .tics = whole_tics(tics)},
                             .value = median_times(kPercent),
                             .reference = always(limit_line("measured peak", kPercent))}},
                      .panels = panels_by(rows, kPanel),
                      .x_axis = log_tokens,
                      .shared_axes = true,
                      .notes = {ceiling, interval_note(rows)}});
}

Figure cqs_overhead_figure(const PlottedRun& run) {
  constexpr const char* kTitle = "Cost of splitting: time of all CQS workers over dense";
  if (!run.microbench) return empty_figure(kTitle, kNoMicrobench);
  const CsvTable table = medians(*run.microbench, "cqs", "overhead");
  Groups lines = curves_of(table, {"workers"}, [](const Group&) { return algorithm_style("cqs"); });
  shade_equal_looks(lines);
  return line_figure(
      {.title = kTitle,
       .nothing = "microbench.csv has no overhead of cqs",
       .lines = lines,
       .y = {{.y = {.label = "time of all workers / time of dense", .column = "overhead_ratio"},
              .value = median_times(1.0),
              .reference = always(limit_line(fmt::format("{}", kOverheadLimit), kOverheadLimit))}},
       .panels = panels_by(all_rows(table), kPanel),
       .x_axis = log_tokens,
       .shared_axes = true,
       .notes = {
           fmt::format("Time of all workers: their sum, gather and merge included, on one device; "
                       "dense attention on the same problem is measured between them, repeat by "
                       "repeat. 1: splitting costs nothing; dashed: the limit {}.",
                       kOverheadLimit),
           interval_note(all_rows(table))}});
}

}  // namespace qb
