// SPDX-License-Identifier: Apache-2.0
// Kernels under the roofline of the machine that ran them: FLOP/s against the FLOP for each byte
// that a kernel must move. The ceilings are those that microbench.csv has beside each repeat:
// products beside flash and materialized, memory beside decode. A kernel must read Q, K and V and
// write O once; a decoding one must read K and V, and what it reads from a cache lies above the
// slope.
#include "base/statistics.h"
#include "plots/figures/figures.h"

namespace qb {
namespace {

// Kernels of the roofline, of which each problem is a mark.
constexpr std::string_view kKernels[] = {"flash", "materialized", "decode"};

double element_bytes(const Row& row) { return row.at("dtype") == "f32" ? 4.0 : 2.0; }

// FLOP for each byte: 4 N² d for 4 N d elements of a head; 4 N d for 2 N d of a decoding one.
double intensity(const Row& row) {
  if (row.at("benchmark") == "decode") return 2.0 / element_bytes(row);
  return row.number_at("n_tokens") / element_bytes(row);
}

double flop(const Row& row) {
  return row.at("benchmark") == "decode" ? row.number_at("bytes") * intensity(row)
                                         : row.number_at("flop");
}

const Columns kMarkColumns = {"n_tokens"};

// The median of what repeats of a kernel could have reached, of the group that could reach most.
double ceiling(const Rows& rows, bool decode, const Columns& groups) {
  double most = kNaN;
  for (const Group& one : group(
           where(rows, [=](const Row& row) { return (row.at("benchmark") == "decode") == decode; }),
           groups))
    most = std::fmax(
        most,
        median(numbers_of(one.rows, [](const Row& row) { return row.number_at("peak_per_s"); })) /
            kGiga);
  return most;
}

// A mark for the largest problem of each length: the median of its repeats.
Series marks_of(const Group& kernel) {
  const std::string& name = kernel.key[0];
  Series marks{.name = listed({name, kernel.key[1]}),
               .draw = Draw::points,
               .style = {dtype_style(kernel.key[1]).colour, kernel_style(name).mark},
               .thin = name == "materialized"};
  for (const Group& one : group(kernel.rows, Columns{"n_tokens"})) {
    const Rows rows = of_largest(one.rows, flop);
    const Summary rate = summarise(numbers_of(
        rows, [](const Row& row) { return flop(row) / row.number_at("wall_time_s") / kGiga; }));
    marks.points.push_back({.x = intensity(rows.front()),
                            .y = rate.median,
                            .low = rate.low95,
                            .high = rate.high95,
                            .disturbed = std::ranges::all_of(rows, disturbed),
                            .more = values_of(rows.front(), kMarkColumns)});
  }
  std::ranges::sort(marks.points, {}, [](const Point& one) { return std::pair(one.x, one.y); });
  return marks;
}

struct Roof {
  double gflop_per_s;
  double gbyte_per_s;
  [[nodiscard]] double at(double x) const { return std::fmin(gflop_per_s, x * gbyte_per_s); }
  [[nodiscard]] double ridge() const { return gflop_per_s / gbyte_per_s; }
};

Series roof_line(const Roof& roof, const Rows& rows) {
  Series line{.name = "measured ceilings", .draw = Draw::line, .style = {kGrey, 0, 1}};
  const auto [from, to] = std::ranges::minmax(numbers_of(rows, intensity));
  for (const double x : {std::fmin(from, roof.ridge()), roof.ridge(), std::fmax(to, roof.ridge())})
    line.points.push_back({.x = x, .y = roof.at(x)});
  return line;
}

// Says how near each kernel comes to its ceiling at its longest sequence, with the type that comes
// nearest.
std::string shares_title(const Rows& rows, const Roof& roof) {
  std::vector<std::string> said;
  for (const Group& kernel : group(rows, Columns{"benchmark"})) {
    double share = 0.0;
    for (const Group& type :
         group(of_largest(kernel.rows, number_in("n_tokens")), Columns{"benchmark", "dtype"}))
      for (const Point& point : marks_of(type).points)
        share = std::fmax(share, point.y / roof.at(point.x));
    said.push_back(fmt::format("{} {:.0f} %", kernel.key[0], kPercent * share));
  }
  return "Of the measured ceiling kernels reach at their longest N: " + listed(said);
}

}  // namespace

Figure roofline_figure(const PlottedRun& run) {
  constexpr const char* kTitle = "Kernels under the measured ceilings";
  if (!run.microbench) return empty_figure(kTitle, "the run folder has no microbench.csv");
  const CsvTable& table = *run.microbench;
  const auto is_drawn = [](const Row& row) {
    return std::ranges::count(kKernels, row.at("benchmark")) > 0 && row.is("warmup", "0") &&
           row.at("mask") == "full" && flop(row) > 0.0 && row.number_at("peak_per_s") > 0.0;
  };
  const Rows rows = of_largest(where(all_rows(table), is_drawn), number_in("threads"));
  const Roof roof{ceiling(rows, false, {"dtype"}), ceiling(rows, true, {})};
  if (!(roof.gflop_per_s > 0.0 && roof.gbyte_per_s > 0.0) || rows.empty())
    return empty_figure(kTitle, "microbench.csv has no flash and decode beside measured ceilings");
  std::vector<Series> marks;
  for (const Group& kernel : group(rows, Columns{"benchmark", "dtype"}))
    marks.push_back(marks_of(kernel));
  marks.push_back(roof_line(roof, rows));
  Figure figure = line_figure(
      {.title = shares_title(rows, roof),
       .y = {{.y = {.label = "GFLOP/s", .column = "gflop_per_s", .log = true},
              .reference = [&](const Group&) { return marks; }}},
       .x_axis = fixed(
           {.label = "FLOP for each byte that must move", .column = "flop_per_byte", .log = true}),
       .notes = {fmt::format("Full mask, {:.0f} threads. Ceilings, measured beside each repeat: "
                             "products {:.0f} GFLOP/s in the fastest type, memory {:.1f} GB/s.",
                             rows.front().number("threads"), roof.gflop_per_s, roof.gbyte_per_s)}});
  figure.more_columns = kMarkColumns;
  return figure;
}

}  // namespace qb
