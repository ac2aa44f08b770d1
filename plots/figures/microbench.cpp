// SPDX-License-Identifier: Apache-2.0
// Single kernels: how much of the machine's measured ceiling they reach, against sequence length.
//
// microbench.csv has a row per repeat. `peak_fraction` is the rate over the ceiling that the same
// process measured beside the repeat.
#include "base/numbers.h"
#include "base/statistics.h"
#include "plots/figures/figures.h"

namespace qb {
namespace {

const Columns kCurve = {"dtype", "threads", "isa"};
const Columns kPanel = {"head_dim", "mask"};

// Keeps the repeats of the largest problem: one length may be measured with several head counts,
// which have no column.
Rows of_largest(const Rows& repeats) {
  const double flop = largest(repeats, number_in("flop"));
  return where(repeats, [&](const Row& row) { return std::fmax(0.0, row.number("flop")) == flop; });
}

// Makes a row for each length of each curve of a benchmark, over the repeats without warm-ups.
CsvTable medians(const CsvTable& microbench, const char* benchmark) {
  const char* const column = "peak_fraction";
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

Point median_percent(const Row& row) {
  return {.y = row.number_at("median") * kPercent,
          .low = row.number_at("low95") * kPercent,
          .high = row.number_at("high95") * kPercent};
}

// Lines are named by type and threads, and by their instruction sets if those of one name differ in
// them. The colour tells the element type, the mark the kernel.
Groups curves_of(const CsvTable& table, const char* kernel) {
  Groups lines = group(all_rows(table), kCurve);
  std::map<std::string, std::set<std::string>> sets;  // by name
  for (Group& line : lines) {
    line.name = named_values(line.rows.front(), {"dtype", "threads"});
    line.style = {dtype_style(line.key[0]).colour, kernel_style(kernel).mark};
    sets[line.name].insert(line.key[2]);
  }
  for (Group& line : lines)
    if (sets[line.name].size() > 1) line.name += ", " + line.key[2];
  return lines;
}

Axis log_tokens(const std::vector<double>& x) {
  Axis axis = tokens_axis(x);
  axis.log = true;
  return axis;
}

// The lightness tells threads and instruction sets.
Groups fraction_lines(const CsvTable& flash, const CsvTable& materialized) {
  Groups lines = curves_of(flash, "flash");
  for (Group& line : curves_of(materialized, "materialized")) {
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
  if (!run.microbench) return empty_figure(kTitle, "the run folder has no microbench.csv");
  const CsvTable flash = medians(*run.microbench, "flash");
  const CsvTable materialized = medians(*run.microbench, "materialized");
  const Groups lines = fraction_lines(flash, materialized);
  Rows rows = all_rows(flash);
  for (const Row& row : all_rows(materialized)) rows.push_back(row);
  // The axis reaches the ceiling, and goes beyond it for noise: a repeat may be faster than the
  // ceiling beside it.
  double highest = kPercent;
  for (const Row& row : rows) highest = std::max(highest, row.number_at("high95") * kPercent);
  std::vector<double> tics;
  for (double percent = 0.0; percent <= highest; percent += 20.0) tics.push_back(percent);
  std::vector<std::string> sets;
  for (const Group& set : group(rows, [](const Row& row) { return std::vector{row.at("isa")}; }))
    sets.push_back(set.key[0]);
  const std::string ceiling = fmt::format(
      "Ceiling: products of the type with {}, measured beside each repeat; f16 and materialized "
      "multiply in f32.",
      listed(sets));
  return line_figure({.title = kTitle,
                      .nothing = "microbench.csv has no peak_fraction of flash or materialized",
                      .lines = lines,
                      .y = {{.y = {.label = "share of the measured peak (%)",
                                   .column = "peak_fraction_percent",
                                   .from_zero = true,
                                   .tics = whole_tics(tics)},
                             .value = median_percent,
                             .reference = always(limit_line("measured peak", kPercent))}},
                      .panels = panels_by(rows, kPanel),
                      .x_axis = log_tokens,
                      .shared_axes = true,
                      .notes = {ceiling, interval_note(rows)}});
}

}  // namespace qb
