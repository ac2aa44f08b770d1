// Query-key pairs of the busiest worker in each round, which make up a ring's critical path. They
// are counts of the plans alone, not times.
//
// There is a line per algorithm and a thin one for the least busy worker, and a panel per N, W and
// mask with at least two workers and two rounds. Cases whose counts are the same (other kernels,
// element types, ranks) are one line.
#include <fmt/format.h>

#include "base/numbers.h"
#include "plots/figures/figures.h"
#include "plots/frame/lines.h"
#include "plots/frame/pattern_names.h"

namespace qb {
namespace {

constexpr std::size_t kMostPanels = 6;

// Unmasked pairs per head of one round.
struct Round {
  double busiest = 0.0;
  double least = 0.0;
  friend bool operator==(const Round&, const Round&) = default;
};
using Profile = std::map<std::int64_t, Round>;  // by round

struct Line {
  Row row{};  // the first case that has this profile
  Profile rounds{};
  std::string name{};
};
using Lines = std::vector<Line>;

// A worker without a row in a round does nothing in it.
Profile read_profile(const Rows& steps, std::int64_t workers) {
  std::map<std::int64_t, std::int64_t> seen;
  Profile rounds;
  for (const Row& row : steps) {
    const std::int64_t step = row.integer("step");
    const double pairs = row.number("unmasked_pairs");
    if (!(pairs >= 0.0)) continue;
    Round& round = rounds[step];
    round.least = seen[step]++ == 0 ? pairs : std::min(round.least, pairs);
    round.busiest = std::max(round.busiest, pairs);
  }
  for (auto& [step, round] : rounds)
    if (seen[step] < workers) round.least = 0.0;
  return rounds;
}

double critical_path(const Line& line) {
  double sum = 0.0;
  for (const auto& [step, round] : line.rounds) sum += round.busiest;
  return sum;
}

// Names lines by algorithm, and by what else changes the counts if one has several lines.
Lines lines_of(const Group& panel, const std::map<std::string, Rows>& steps) {
  Lines lines;
  for (const Row& row : panel.rows) {
    Profile rounds = read_profile(steps.at(row.text("case_id")), row.integer("workers"));
    const bool known = std::any_of(lines.begin(), lines.end(), [&](const Line& line) {
      return line.rounds == rounds && line.row.text("algorithm") == row.text("algorithm");
    });
    if (!known && !rounds.empty()) lines.push_back({.row = row, .rounds = std::move(rounds)});
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
    return std::all_of(line.rounds.begin(), line.rounds.end(), [&](const auto& entry) {
      const auto found = other.rounds.find(entry.first);
      return found != other.rounds.end() &&
             std::abs(found->second.busiest - entry.second.busiest) <= kNear * entry.second.busiest;
    });
  };
  return static_cast<int>(std::count_if(lines.begin(), lines.end(), below)) % kDashes;
}

Panel draw_panel(std::string title, const Lines& lines) {
  Panel panel{
      .title = std::move(title),
      .x = {.label = "round", .column = "round", .whole = true},
      .y = {.label = "unmasked pairs a head", .column = "unmasked_pairs", .from_zero = true}};
  std::map<std::string, int> variants;
  std::vector<Series> busiest;
  for (const Line& line : lines) {
    const std::string& algorithm = line.row.text("algorithm");
    Series busy{.name = line.name, .style = algorithm_style(algorithm, variants[algorithm]++)};
    busy.style.dash = dash_over(lines, line);
    Series least = behind(busy, "least busy worker", busy.style.dash);
    for (const auto& [step, round] : line.rounds) {
      busy.points.push_back({.x = static_cast<double>(step), .y = round.busiest});
      least.points.push_back({.x = static_cast<double>(step), .y = round.least});
    }
    busiest.push_back(std::move(busy));
    add(panel, least);
  }
  add(panel, busiest);
  return panel;
}

// Writes `ring 243 M in 8 rounds, striped 134 M in 8 rounds (0.553 of ring)`.
std::string sums(const Lines& lines) {
  const Line& most = *std::max_element(
      lines.begin(), lines.end(),
      [](const Line& a, const Line& b) { return critical_path(a) < critical_path(b); });
  std::vector<std::string> out;
  for (const Line& line : lines) {
    const double sum = critical_path(line);
    out.push_back(fmt::format("{} {} in {} round{}", line.name, format_si(sum), line.rounds.size(),
                              line.rounds.size() == 1 ? "" : "s"));
    if (&line != &most && critical_path(most) > 0.0)
      out.back() += fmt::format(" ({:.3f} of {})", sum / critical_path(most), most.name);
  }
  return listed(out);
}

}  // namespace

Figure work_per_round_figure(const PlottedRun& run, const FigureContext& context) {
  Figure figure{.title = "Query-key pairs in each round", .subtitle = context.subtitle};
  if (!run.steps) return empty_figure(figure.title, "the run folder has no steps.csv");
  const std::map<std::string, Rows> steps = rows_by_case(*run.steps);
  const Rows rows = where(standing_rows(run.cases), [&](const Row& row) {
    return row.integer("workers") >= 2 && steps.contains(row.text("case_id"));
  });
  figure.notes = {
      "Of each round the busiest worker and, thin and hollow, the least busy one, from the plans; "
      "a round ends when its busiest worker has ended."};
  std::vector<std::pair<Row, Lines>> panels;  // panels in which a line has more than one round
  std::set<std::string> masks;
  for (const Group& panel : group(rows, Columns{"n_tokens", "workers", "mask", "kv_len"}))
    if (Lines lines = lines_of(panel, steps); std::any_of(
            lines.begin(), lines.end(), [](const Line& line) { return line.rounds.size() > 1; })) {
      masks.insert(panel.key[2]);
      panels.emplace_back(panel.rows.front(), std::move(lines));
    }
  if (panels.empty())
    return empty_figure(figure.title,
                        "no case has several workers, and pairs of several rounds in steps.csv");
  for (const auto& [row, lines] : panels) {
    if (figure.panels.size() == kMostPanels) break;
    const std::string name = panel_name(row, mask_names(masks));
    figure.panels.push_back(draw_panel(name, lines));
    figure.notes.push_back(
        fmt::format("{}: sum over rounds of the busiest (critical path), pairs a head: {}.", name,
                    sums(lines)));
  }
  if (panels.size() > kMostPanels)
    figure.notes.push_back(
        fmt::format("The first {} panels by N, W and mask are drawn; left out: {}.", kMostPanels,
                    panels.size() - kMostPanels));
  arrange_panels(figure);
  return figure;
}

}  // namespace qb
