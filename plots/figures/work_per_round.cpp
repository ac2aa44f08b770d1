// Query-key pairs of the busiest worker in each round, which make up a ring's critical path. They
// are counts of the plans alone, not times. Cases whose counts are the same (other kernels, element
// types, ranks) are one line.
#include "base/numbers.h"
#include "plots/figures/figures.h"
#include "plots/frame/sparse_cases.h"

namespace qb {
namespace {

constexpr std::size_t kMostPanels = 6;

// Gives the rounds of a case: y is the unmasked pairs per head of the busiest worker, low those of
// the least busy one. A worker without a row in a round does nothing in it.
std::vector<Point> rounds_of(const Row& row, const Rows& steps) {
  std::vector<Point> rounds;
  const Rows computing =
      where(steps, [](const Row& step) { return step.number("unmasked_pairs") >= 0.0; });
  for (const Group& round : group(computing, Columns{"step"})) {
    const auto [least, most] =
        std::ranges::minmax(numbers_of(round.rows, number_in("unmasked_pairs")));
    const bool all = std::ssize(round.rows) >= row.integer("workers");
    rounds.push_back({.x = round.rows.front().number("step"), .y = most, .low = all ? least : 0.0});
  }
  return rounds;
}

double critical_path(const Series& line) {
  double sum = 0.0;
  for (const Point& round : line.points) sum += round.y;
  return sum;
}

// Counts the lines below one that it nearly covers: striped and zigzag differ by half a row of
// pairs.
int covered(const Series& line, std::span<const Series> below) {
  constexpr double kNear = 0.03;
  return static_cast<int>(std::ranges::count_if(below, [&](const Series& other) {
    return std::ranges::all_of(line.points, [&](const Point& round) {
      const auto found = std::ranges::find(other.points, round.x, &Point::x);
      return found != other.points.end() && std::abs(found->y - round.y) <= kNear * round.y;
    });
  }));
}

// Makes lines of rounds, named by algorithm and by what else changes the counts if one has several
// lines.
std::vector<Series> lines_of(const Group& panel, const std::map<std::string, Rows>& steps) {
  const auto counts = [](const Point& round) { return std::tuple(round.x, round.y, round.low); };
  std::vector<Series> lines;
  std::map<std::string, int> variants;
  Rows rows;
  for (const Row& row : panel.rows) {
    const std::string& algorithm = row.text("algorithm");
    const std::vector<Point> rounds = rounds_of(row, steps.at(row.text("case_id")));
    const bool known = std::ranges::any_of(lines, [&](const Series& other) {
      return other.name == algorithm &&
             std::ranges::equal(other.points, rounds, {}, counts, counts);
    });
    if (known || rounds.empty()) continue;
    lines.push_back({.name = algorithm,
                     .style = algorithm_style(algorithm, variants[algorithm]++),
                     .points = rounds});
    rows.push_back(row);
  }
  const Columns others =
      splitting_columns(rows, {"n_tokens", "workers", "mask", "kv_len", "algorithm"});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].name = name_with(lines[i].name, rows[i], others);
    // Lines on top of each other have different dashes, so that the lower one can be seen.
    lines[i].style.dash = covered(lines[i], std::span(lines).first(i)) % kDashes;
  }
  return lines;
}

// Draws the least busy workers behind the busiest.
std::vector<Series> drawn(const std::vector<Series>& lines) {
  std::vector<Series> all;
  for (const bool least : {true, false})
    for (Series line : lines) {
      if (least) line.name += ", least busy worker";
      line.thin = least;
      line.in_legend = !least;
      for (Point& round : line.points) round = {.x = round.x, .y = least ? round.low : round.y};
      all.push_back(std::move(line));
    }
  return all;
}

std::string panel_name(const Row& row, const std::map<std::string, std::string>& masks) {
  return listed({"N = " + grouped(row.number("n_tokens")),
                 own_value(row, "kv_len") == "=" ? "" : grouped(row.number("kv_len")) + " keys",
                 fmt::format("W = {}, {} mask", row.text("workers"), masks.at(row.text("mask")))});
}

std::string sums(const std::vector<Series>& lines) {
  const Series& most = *std::ranges::max_element(lines, {}, critical_path);
  std::vector<std::string> out;
  for (const Series& line : lines) {
    out.push_back(fmt::format("{} {} in {}", line.name, format_si(critical_path(line)),
                              counted(line.points.size(), "round")));
    if (&line != &most && critical_path(most) > 0.0)
      out.back() +=
          fmt::format(" ({:.3f} of {})", critical_path(line) / critical_path(most), most.name);
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
  std::map<std::vector<std::string>, std::vector<Series>> lines;  // by panel
  Groups panels = group(rows, Columns{"n_tokens", "workers", "mask", "kv_len"});
  for (const Group& panel : panels) lines[panel.key] = lines_of(panel, steps);
  std::erase_if(panels, [&](const Group& panel) {
    return std::ranges::none_of(lines[panel.key],
                                [](const Series& line) { return line.points.size() > 1; });
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
             .reference = [&](const Group& panel) { return drawn(lines[panel.key]); }}},
       .panels = panels,
       .x = number_in("round"),
       .x_axis = fixed({.label = "round", .column = "round", .whole = true}),
       .notes = notes});
}

}  // namespace qb
