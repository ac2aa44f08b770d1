// Query-key pairs of the busiest worker in each round, which make up a ring's critical path. They
// are counts of the plans alone, not times. Cases whose counts are the same (other kernels, element
// types, ranks) are one line.
#include <list>

#include "base/numbers.h"
#include "plots/figures/figures.h"
#include "plots/frame/sparse_cases.h"

namespace qb {
namespace {

constexpr std::size_t kMostPanels = 6;

// Gives the rounds of a case: columns round, busiest, least, which are unmasked pairs per head. A
// worker without a row in a round does nothing in it.
CsvTable rounds_of(const Row& row, const Rows& steps) {
  CsvTable rounds({"round", "busiest", "least"});
  const Rows computing =
      where(steps, [](const Row& step) { return step.number("unmasked_pairs") >= 0.0; });
  for (const Group& round : group(computing, Columns{"step"})) {
    std::vector<double> pairs;
    for (const Row& step : round.rows) pairs.push_back(step.number("unmasked_pairs"));
    const auto [least, most] = std::ranges::minmax(pairs);
    const bool all = std::ssize(pairs) >= row.integer("workers");
    rounds.append({round.key[0], to_text(most), to_text(all ? least : 0.0)});
  }
  return rounds;
}

double critical_path(const Group& line) {
  double sum = 0.0;
  for (const Row& round : line.rows) sum += round.number("busiest");
  return sum;
}

// Counts the lines below one that it nearly covers: striped and zigzag differ by half a row of
// pairs.
int covered(const Group& line, std::span<const Group> below) {
  constexpr double kNear = 0.03;
  return static_cast<int>(std::ranges::count_if(below, [&](const Group& other) {
    const std::map<double, Row> others = by_number(other.rows, "round");
    return std::ranges::all_of(line.rows, [&](const Row& round) {
      const auto found = others.find(round.number("round"));
      const double pairs = round.number("busiest");
      return found != others.end() &&
             std::abs(found->second.number("busiest") - pairs) <= kNear * pairs;
    });
  }));
}

// Makes lines of rounds, which `tables` keeps, named by algorithm and by what else changes the
// counts if one has several lines.
Groups lines_of(const Group& panel, const std::map<std::string, Rows>& steps,
                std::list<CsvTable>& tables) {
  Groups lines;
  Rows rows;
  for (const Row& row : panel.rows) {
    const CsvTable rounds = rounds_of(row, steps.at(row.text("case_id")));
    const bool known = std::ranges::any_of(lines, [&](const Group& other) {
      return other.rows.front().table->to_string() == rounds.to_string() &&
             other.name == row.text("algorithm");
    });
    if (known || rounds.size() == 0) continue;
    lines.push_back({.rows = all_rows(tables.emplace_back(rounds)),
                     .name = row.text("algorithm"),
                     .value = shows("busiest")});
    rows.push_back(row);
  }
  style_by_algorithm(lines, [](const Group& line) { return line.name; });
  const Columns others =
      splitting_columns(rows, {"n_tokens", "workers", "mask", "kv_len", "algorithm"});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].name = name_with(lines[i].name, rows[i], others);
    // Lines on top of each other have different dashes, so that the lower one can be seen.
    lines[i].style.dash = covered(lines[i], std::span(lines).first(i)) % kDashes;
  }
  return lines;
}

std::string panel_name(const Row& row, const std::map<std::string, std::string>& masks) {
  return listed({"N = " + grouped(row.number("n_tokens")),
                 own_value(row, "kv_len") == "=" ? "" : grouped(row.number("kv_len")) + " keys",
                 fmt::format("W = {}, {} mask", row.text("workers"), masks.at(row.text("mask")))});
}

std::string sums(const Groups& lines) {
  const Group& most = *std::ranges::max_element(lines, {}, critical_path);
  std::vector<std::string> out;
  for (const Group& line : lines) {
    out.push_back(fmt::format("{} {} in {}", line.name, format_si(critical_path(line)),
                              counted(line.rows.size(), "round")));
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
  std::list<CsvTable> tables;
  std::map<std::vector<std::string>, Groups> lines;  // by panel
  Groups panels = group(rows, Columns{"n_tokens", "workers", "mask", "kv_len"});
  for (const Group& panel : panels) lines[panel.key] = lines_of(panel, steps, tables);
  std::erase_if(panels, [&](const Group& panel) {
    return std::ranges::none_of(lines[panel.key],
                                [](const Group& line) { return line.rows.size() > 1; });
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
             .lines =
                 [&](const Group& panel) {
                   Groups drawn;
                   for (const Group& busy : lines[panel.key])
                     drawn.push_back(
                         behind(busy, "least busy worker", busy.style.dash, shows("least")));
                   std::ranges::copy(lines[panel.key], std::back_inserter(drawn));
                   return drawn;
                 }}},
       .panels = panels,
       .x = number_in("round"),
       .x_axis = fixed({.label = "round", .column = "round", .whole = true}),
       .notes = notes});
}

}  // namespace qb
