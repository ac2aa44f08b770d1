// SPDX-License-Identifier: Apache-2.0
// Kernels under the roofline of the machine that ran them: FLOP/s against the FLOP for each byte
// that a kernel must move, and the share of the ceiling against N. The ceilings are those that
// microbench.csv has beside each repeat: products beside flash and materialized, memory beside
// decode. A kernel must read Q, K and V and write O once; a decoding one must read K and V, and
// what it reads from a cache lies above the slope.
#include "base/statistics.h"
#include "plots/figures/figures.h"
#include "plots/frame/claims.h"

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
               .style = {dtype_style(kernel.key[1]).colour, kernel_style(name).mark}};
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

Series roof_line(const std::string& name, int dash, const Roof& roof, const Rows& rows) {
  Series line{.name = name, .draw = Draw::line, .style = {kGrey, 0, dash}};
  const auto [from, to] = std::ranges::minmax(numbers_of(rows, intensity));
  for (const double x : {std::fmin(from, roof.ridge()), roof.ridge(), std::fmax(to, roof.ridge())})
    line.points.push_back({.x = x, .y = roof.at(x)});
  return line;
}

// What a level of cache lets through with that many threads, in GB/s; NaN where it was not
// measured.
double cache_gbyte_per_s(const CsvTable& table, int level, double threads) {
  const auto of_level = [&](const Row& row) {
    return row.at("benchmark") == fmt::format("read_l{}", level) && row.is("warmup", "0") &&
           row.number("threads") == threads;
  };
  return median(numbers_of(where(all_rows(table), of_level), [](const Row& row) {
    return row.number_at("bytes") / row.number_at("wall_time_s") / kGiga;
  }));
}

// The same marks against N, as percents of the ceiling.
Series shares_of(Series marks, const Roof& roof) {
  for (Point& mark : marks.points) {
    Point share = scaled(mark, kPercent / roof.at(mark.x));
    share.x = std::stod(mark.more.front());
    share.more = std::move(mark.more);
    mark = std::move(share);
  }
  std::ranges::sort(marks.points, {}, &Point::x);
  marks.draw = Draw::line_points;
  return marks;
}

// Says what share of the ceiling each kernel reaches at its longest sequence, over its types.
std::string shares_title(const std::vector<Series>& shares) {
  std::map<std::string, std::map<double, std::vector<double>>> kernels;  // by N
  for (const Series& marks : shares)
    for (const Point& share : marks.points)
      if (!share.disturbed)
        kernels[marks.name.substr(0, marks.name.find(','))][share.x].push_back(share.y);
  std::vector<std::string> said;
  for (const auto& [kernel, lengths] : kernels)
    said.push_back(fmt::format("{} {} %", kernel, range_text(lengths.rbegin()->second)));
  return said.empty() ? "Kernels under the measured ceilings"
                      : "Of the measured ceiling kernels reach at their longest N: " + listed(said);
}

// Counts the marks above memory's ceiling, and says what the caches let through.
std::string above_note(const std::vector<Series>& kernels, const Roof& roof,
                       const std::map<int, double>& caches) {
  std::vector<double> above;
  for (const Series& marks : kernels)
    for (const Point& mark : marks.points)
      if (mark.x < roof.ridge() && mark.y > roof.at(mark.x))
        above.push_back(kPercent * mark.y / roof.at(mark.x));
  if (above.empty()) return "";
  std::vector<std::string> measured;
  for (const auto& [level, gbyte_per_s] : caches)
    measured.push_back(fmt::format("L{} {:.1f} GB/s", level, gbyte_per_s));
  return fmt::format("{} above memory's ceiling, to {:.0f} %, served by caches{}.",
                     counted(above.size(), "mark"), std::ranges::max(above),
                     measured.empty() ? ", whose ceilings were not measured"
                                      : fmt::format(" ({})", listed(measured)));
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
  std::vector<Series> shares;
  for (const Group& kernel : group(rows, Columns{"benchmark", "dtype"})) {
    marks.push_back(marks_of(kernel));
    shares.push_back(shares_of(marks.back(), roof));
  }
  const std::string title = shares_title(shares);
  std::map<int, double> caches;
  for (const int level : {2, 3})
    if (const double rate = cache_gbyte_per_s(table, level, rows.front().number("threads"));
        rate > 0.0)
      caches[level] = rate;
  const std::string above = above_note(marks, roof, caches);
  marks.push_back(roof_line("measured ceilings", 1, roof, rows));
  for (const auto& [level, rate] : caches)
    marks.push_back(roof_line(fmt::format("keys in L{}", level), level == 2 ? 0 : 2,
                              {roof.gflop_per_s, rate}, rows));
  shares.push_back(limit_line("measured ceiling", kPercent, false));
  Figure figure{.title = title,
                .panels = {{.title = "Speed",
                            .x = {.label = "FLOP for each byte that must move",
                                  .column = "flop_per_byte",
                                  .log = true},
                            .y = {.label = "GFLOP/s", .column = "gflop_per_s", .log = true},
                            .series = marks},
                           {.title = "Share of the ceiling",
                            .y = {.label = "% of the measured ceiling",
                                  .column = "ceiling_percent",
                                  .from_zero = true},
                            .series = shares}},
                .columns = 2,
                .more_columns = kMarkColumns};
  Panel& share = figure.panels.back();
  share.x = tokens_axis(numbers_at({share}, &Point::x));
  figure.notes = joined_notes(
      {{fmt::format("Full mask, {:.0f} threads. Ceilings, measured beside each repeat: "
                    "products {:.0f} GFLOP/s in the fastest type, memory {:.1f} GB/s.",
                    rows.front().number("threads"), roof.gflop_per_s, roof.gbyte_per_s),
        above, disturbed_note(figure)}});
  return figure;
}

}  // namespace qb
