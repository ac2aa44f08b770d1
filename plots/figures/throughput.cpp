// SPDX-License-Identifier: Apache-2.0
// Achieved FLOP/s against sequence length: a line per kernel and element type, a panel per head
// dimension and mask. The cases of the runs beside it, of this program or another, are in the same
// panels. The rate is unmasked FLOP over the wall clock of the whole call.
#include "base/statistics.h"
#include "plots/figures/figures.h"
#include "plots/frame/claims.h"

namespace qb {
namespace {

constexpr const char* kPeak = "peak_flop_per_s";

// Draws the median of the measured peaks for each element type and number of threads.
std::vector<Series> peaks_of(const Rows& rows) {
  std::vector<Series> peaks;
  const Rows compared = where(rows, [](const Row& row) { return row.number(kPeak) > 0.0; });
  for (const Group& of_type : group(compared, Columns{"dtype"})) {
    const Groups threads = group(of_type.rows, Columns{"threads"});
    for (std::size_t i = 0; i < threads.size(); ++i) {
      peaks.push_back(
          limit_line(listed({"measured peak", of_type.key[0],
                             threads.size() > 1 ? named_value("threads", threads[i].key[0]) : ""}),
                     median(numbers_of(threads[i].rows, number_in(kPeak))) / kGiga));
      peaks.back().style.colour = shade(dtype_style(of_type.key[0]).colour, static_cast<int>(i),
                                        static_cast<int>(threads.size()));
    }
  }
  return peaks;
}

// Cases that differ in n_tokens, head_dim and mask alone are one line in every panel. The lines of
// the figure's own run come first. A run is named only if two of them have a line of one name. The
// colour tells the element type, the mark what computed, the lightness what else differs.
Groups throughput_lines(const Rows& rows) {
  const Columns known = {"head_dim", "mask", "kernel", "dtype", "run", "kv_len", "pass"};
  // The pass is named even where it follows from the run, since each pass counts FLOP of its own.
  const Columns others = joined(splitting_columns(rows, known), differing_columns(rows, {"pass"}));
  std::map<std::string, std::size_t> runs;  // by the index of their first row
  for (const Row& row : rows) runs.emplace(row.at("run"), row.index);
  Groups lines = group(order(rows, number_in("n_tokens")), [&](const Row& row) {
    std::vector<std::string> key = {fmt::to_string(runs.at(row.at("run"))), row.text("kernel"),
                                    row.text("dtype")};
    for (const std::string& column : others) key.push_back(named_value(column, row.at(column)));
    key.push_back(own_value(row, "kv_len") == "=" ? "" : row.text("kv_len") + " keys");
    return key;
  });
  std::ranges::stable_sort(lines, {}, [&](const Group& line) {
    return std::pair(runs.at(line.rows[0].at("run")), line.key);
  });
  std::map<std::string, int> lines_of_name;
  for (Group& line : lines) {
    line.name = listed({line.key.begin() + 3, line.key.end()});
    line.name = listed({kernel_name(line.key[1]) + ' ' + line.key[2], line.name});
    line.style = {dtype_style(line.key[2]).colour, kernel_style(line.key[1]).mark};
    ++lines_of_name[line.name];
  }
  for (Group& line : lines)
    if (lines_of_name[line.name] > 1) line.name += ", " + line.rows.front().at("run");
  shade_equal_looks(lines);
  return lines;
}

Point rate(const Row& row) { return flop_rate(row, 1.0 / kGiga); }

// Says what lines reach, over all lengths and panels.
std::string rates_title(const Groups& lines) {
  std::map<double, std::string> rates;
  for (const Group& line : lines)
    for (const Row& row : line.rows)
      if (counts(row) && rate(row).y > 0.0) rates[rate(row).y] = line.name;
  if (rates.empty()) return "Throughput against sequence length";
  const auto& [least, slowest] = *rates.begin();
  const auto& [most, fastest] = *rates.rbegin();
  return slowest == fastest
             ? fmt::format("{} reaches {} GFLOP/s", slowest, range_text({least, most}))
             : fmt::format("Lines reach {:.3g} ({}) to {:.3g} GFLOP/s ({})", least, slowest, most,
                           fastest);
}

// Says which share of their speed cases have that something disturbed, where another run has the
// same cases undisturbed; empty without such.
std::string disturbed_title(const Rows& rows) {
  std::vector<double> shares;
  std::set<std::string> names;
  std::set<std::string> by;
  for (const Row& row : where(rows, disturbed))
    if (const auto same = case_like(
            row, [](const Field&) { return false; },
            [&](const Row& other) { return counts(other); })) {
      shares.push_back(kPercent * rate(row).y / rate(*same).y);
      names.insert(kernel_name(row.text("kernel")) + ' ' + row.text("dtype"));
      by.insert(row.text("disturbed_by"));
    }
  return shares.empty()
             ? ""
             : fmt::format("Disturbed by {}, {} reaches {} % of its speed", fmt::join(by, ", "),
                           fmt::join(names, ", "), range_text(shares));
}

}  // namespace

Figure throughput_figure(const PlottedRun& run) {
  const Rows rows = standing_rows(run.cases);
  const Groups lines = throughput_lines(rows);
  const std::string disturbance = disturbed_title(rows);
  return line_figure(
      {.title = disturbance.empty() ? rates_title(lines) : disturbance,
       .nothing = "no case has a rate",
       .lines = lines,
       .y = {{.y = {.label = "achieved GFLOP/s", .column = "achieved_gflop_per_s"},
              .value = rate,
              .reference = [peaks = peaks_of(rows)](const Group&) { return peaks; },
              .fit = powers_or_zero}},
       .panels = panels_by(rows, {"head_dim", "mask"}),
       .shared_axes = true,
       .breaks = true,
       .notes = joined_notes(
           {case_notes(run.cases),
            {"FLOP: 4 × unmasked query-key pairs × heads × d, over the wall clock of the whole "
             "call; what a kernel computes beyond the mask counts for nothing.",
             count(rows, is_forward) == rows.size()
                 ? ""
                 : "A backward pass has 10 in place of 4, and both passes have 14.",
             not_drawn({{.number = count(rows, out_of_memory),
                         .what = "case",
                         .reason = "out of memory",
                         .of = rows.size()}})}})});
}

}  // namespace qb
