// Query-key pairs of the busiest worker in each round, which make up a ring's critical path. They
// are counts of the plans alone, not times. Cases whose counts are the same (other kernels, element
// types, ranks) are one line.
#include "base/numbers.h"
#include "plots/figures/figures.h"
#include "plots/frame/sparse_cases.h"

namespace qb {
namespace {

constexpr std::size_t kMostPanels = 6;

// The rounds of a case (columns round, busiest, least: unmasked pairs per head), under its name.
struct Line {
  Row row{};  // the first case that has these rounds
  CsvTable rounds{};
  std::string name{};
  double critical_path = 0.0;
};
using Lines = std::vector<Line>;

// A worker without a row in a round does nothing in it.
Line read_line(const Row& row, const Rows& steps) {
  Line line{.row = row, .rounds = CsvTable({"round", "busiest", "least"})};
  const Rows computing =
      where(steps, [](const Row& step) { return step.number("unmasked_pairs") >= 0.0; });
  for (const Group& round : group(computing, Columns{"step"})) {
    std::vector<double> pairs;
    for (const Row& step : round.rows) pairs.push_back(step.number("unmasked_pairs"));
    const auto [least, most] = std::ranges::minmax(pairs);
    const bool all = std::ssize(pairs) >= row.integer("workers");
    line.rounds.append({round.key[0], to_text(most), to_text(all ? least : 0.0)});
    line.critical_path += most;
  }
  return line;
}

// Names lines by algorithm, and by what else changes the counts if one has several lines.
Lines lines_of(const Group& panel, const std::map<std::string, Rows>& steps) {
  Lines lines;
  for (const Row& row : panel.rows) {
    Line line = read_line(row, steps.at(row.text("case_id")));
    const bool known = std::ranges::any_of(lines, [&](const Line& other) {
      return other.rounds.to_string() == line.rounds.to_string() &&
             other.row.text("algorithm") == row.text("algorithm");
    });
    if (!known && line.rounds.size() > 0) lines.push_back(std::move(line));
  }
  Rows rows;
  for (const Line& line : lines) rows.push_back(line.row);
  const Columns others =
      splitting_columns(rows, {"n_tokens", "workers", "mask", "kv_len", "algorithm"});
  for (Line& line : lines) line.name = name_with(line.row.text("algorithm"), line.row, others);
  return lines;
}

std::string panel_name(const Row& row, const std::map<std::string, std::string>& masks) {
  return listed({"N = " + grouped(row.number("n_tokens")),
                 own_value(row, "kv_len") == "=" ? "" : grouped(row.number("kv_len")) + " keys",
                 fmt::format("W = {}, {} mask", row.text("workers"), masks.at(row.text("mask")))});
}

// Lines on top of each other have different dashes, so that the lower one can be seen: striped and
// zigzag differ by half a row of pairs.
int dash_over(const Lines& lines, const Line& line) {
  constexpr double kNear = 0.03;
  const auto below = [&](const Line& other) {
    if (&other >= &line) return false;
    const std::map<double, Row> others = by_number(all_rows(other.rounds), "round");
    return std::ranges::all_of(all_rows(line.rounds), [&](const Row& round) {
      const auto found = others.find(round.number("round"));
      const double pairs = round.number("busiest");
      return found != others.end() &&
             std::abs(found->second.number("busiest") - pairs) <= kNear * pairs;
    });
  };
  return static_cast<int>(std::ranges::count_if(lines, below)) % kDashes;
}

Groups drawn_lines(const Lines& lines) {
  std::map<std::string, int> variants;
  Groups busiest;
  Groups drawn;
  for (const Line& line : lines) {
    const std::string& algorithm = line.row.text("algorithm");
    Group busy{.rows = all_rows(line.rounds),
               .name = line.name,
               .style = algorithm_style(algorithm, variants[algorithm]++),
               .value = shows("busiest")};
    busy.style.dash = dash_over(lines, line);
    drawn.push_back(behind(busy, "least busy worker", busy.style.dash, shows("least")));
    busiest.push_back(std::move(busy));
  }
  drawn.insert(drawn.end(), busiest.begin(), busiest.end());
  return drawn;
}

std::string sums(const Lines& lines) {
  const Line& most = *std::ranges::max_element(lines, {}, &Line::critical_path);
  std::vector<std::string> out;
  for (const Line& line : lines) {
    out.push_back(fmt::format("{} {} in {} round{}", line.name, format_si(line.critical_path),
                              line.rounds.size(), line.rounds.size() == 1 ? "" : "s"));
    if (&line != &most && most.critical_path > 0.0)
      out.back() +=
          fmt::format(" ({:.3f} of {})", line.critical_path / most.critical_path, most.name);
  }
  return listed(out);
}

}  // namespace

Figure work_per_round_figure(const PlottedRun& run) {
  constexpr const char* kTitle = "Query-key pairs in each round";
  if (!run.steps) return empty_figure(kTitle, "the run folder has no steps.csv");
  const std::map<std::string, Rows> steps = rows_by_case(*run.steps);
  const Rows rows = where(standing_rows(run.cases), [&](const Row& row) {
    return row.integer("workers") >= 2 && steps.contains(row.text("case_id"));
  });
  std::map<std::vector<std::string>, Lines> lines;  // by panel
  Groups panels = group(rows, Columns{"n_tokens", "workers", "mask", "kv_len"});
  for (const Group& panel : panels) lines[panel.key] = lines_of(panel, steps);
  std::erase_if(panels, [&](const Group& panel) {
    return std::ranges::none_of(lines[panel.key],
                                [](const Line& line) { return line.rounds.size() > 1; });
  });
  std::set<std::string> masks;
  for (const Group& panel : panels) masks.insert(panel.key[2]);
  const std::string left_out = keep_first(panels, kMostPanels, "N, W and mask");
  std::vector<std::string> notes = {
      "Of each round the busiest worker and, thin and hollow, the least busy one, from the plans; "
      "a round ends when its busiest worker has ended."};
  for (Group& panel : panels) {
    panel.name = panel_name(panel.rows.front(), mask_names(masks));
    notes.push_back(
        fmt::format("{}: sum over rounds of the busiest (critical path), pairs a head: {}.",
                    panel.name, sums(lines[panel.key])));
  }
  notes.push_back(left_out);
  return line_figure(
      {.title = kTitle,
       .nothing = "no case has several workers, and pairs of several rounds in steps.csv",
       .y =
           {{.y = {.label = "unmasked pairs a head", .column = "unmasked_pairs", .from_zero = true},
             .lines = [&](const Group& panel) { return drawn_lines(lines[panel.key]); }}},
       .panels = panels,
       .x = number_in("round"),
       .x_axis = fixed({.label = "round", .column = "round", .whole = true}),
       .notes = notes});
}

}  // namespace qb
