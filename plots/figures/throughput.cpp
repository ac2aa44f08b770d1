// Achieved FLOP/s against sequence length: a line per kernel and element type, a panel per head
// dimension and mask. The cases of the runs beside it, of this program or another, are in the same
// panels. The rate is unmasked FLOP over the wall clock of the whole call.
#include "plots/figures/figures.h"

namespace qb {
namespace {

constexpr double kGiga = 1e9;

// The colour tells what computed, the mark and the dash the element type. A kernel's own colour
// goes to the first line that has it; the same kernel in another run, or for another worker count,
// takes a spare one.
void style_lines(Groups& lines) {
  std::map<std::vector<std::string>, std::uint32_t> colours;  // by key without element type
  std::set<std::uint32_t> taken;
  int spare = 0;
  for (Group& line : lines) {
    std::vector<std::string> computing = line.key;
    computing[2].clear();
    if (!colours.contains(computing)) {
      std::uint32_t colour = kernel_style(line.key[1]).colour;
      while (taken.contains(colour) && spare < kSpareColours) colour = spare_colour(spare++);
      taken.insert(colour);
      colours.emplace(computing, colour);
    }
    const Style dtype = dtype_style(line.key[2]);
    line.style = {colours.at(computing), dtype.mark, dtype.dash};
  }
}

// Cases that differ in n_tokens, head_dim and mask alone are one line in every panel. The lines of
// the figure's own run come first. A run is named only if two of them have a line of one name.
Groups lines_of(const Rows& rows) {
  const Columns others =
      splitting_columns(rows, {"head_dim", "mask", "kernel", "dtype", "run", "kv_len"});
  std::map<std::string, std::size_t> runs;  // by the index of their first row
  for (const Row& row : rows) runs.emplace(row.text("run"), row.index);
  Groups lines = group(order(rows, "n_tokens"), [&](const Row& row) {
    std::vector<std::string> key = {fmt::to_string(runs.at(row.text("run"))), row.text("kernel"),
                                    row.text("dtype")};
    for (const std::string& column : others) key.push_back(named_value(column, row.text(column)));
    key.push_back(own_value(row, "kv_len") == "=" ? "" : row.text("kv_len") + " keys");
    return key;
  });
  const auto first_row = [&](const Group& line) { return runs.at(line.rows[0].text("run")); };
  std::stable_sort(lines.begin(), lines.end(), [&](const Group& a, const Group& b) {
    return std::pair(first_row(a), a.key) < std::pair(first_row(b), b.key);
  });
  std::map<std::string, int> lines_of_name;
  for (Group& line : lines) {
    line.name = listed({line.key.begin() + 3, line.key.end()});
    line.name = listed({line.key[1] + ' ' + line.key[2], line.name});
    ++lines_of_name[line.name];
  }
  for (Group& line : lines)
    if (lines_of_name[line.name] > 1) line.name += ", " + line.rows.front().text("run");
  style_lines(lines);
  return lines;
}

Point rate(const Row& row) {
  const double rate = row.number("achieved_flop_per_s");
  const Point time = timed(row, "wall_time", 1.0);
  return {.y = rate / kGiga,
          .low = rate * time.y / kGiga / time.high,
          .high = rate * time.y / kGiga / time.low};
}

}  // namespace

Figure throughput_figure(const PlottedRun& run) {
  const Rows rows = standing_rows(run.cases);
  LineFigure declared{
      .title = "Throughput against sequence length",
      .nothing = "no case has a rate",
      .lines = lines_of(rows),
      .y = {{.y = {.label = "achieved GFLOP/s", .column = "achieved_gflop_per_s"},
             .value = rate,
             .fit = powers_or_zero}},
      .panels = panels_by(rows, {"head_dim", "mask"}),
      .shared_axes = true,
      .breaks = true,
      .notes = joined_notes(
          {case_notes(run.cases),
           {"FLOP: 4 × unmasked query-key pairs × heads × d, over the wall clock of the whole "
            "call; what a kernel computes beyond the mask counts for nothing."}})};
  if (const std::size_t lost = count(rows, out_of_memory); lost > 0)
    declared.notes.push_back(
        fmt::format("Out of memory, so without a point: {} of {} cases.", lost, rows.size()));
  return line_figure(declared);
}

}  // namespace qb
