#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "plots/frame/palette.h"
#include "plots/frame/pattern_names.h"

namespace qb {
namespace {

constexpr const char* kTitle = "Query-key pairs in each round";
constexpr std::size_t kMostPanels = 6;

struct PanelKey {
  std::int64_t n_tokens = 0;
  std::int64_t workers = 0;
  std::string mask{};
  std::int64_t kv_len = 0;
  auto operator<=>(const PanelKey&) const = default;
};

// Unmasked pairs per head of one round.
struct Round {
  double busiest = 0.0;
  double least = 0.0;
  friend bool operator==(const Round&, const Round&) = default;
};
using Profile = std::map<std::int64_t, Round>;  // by round

struct Line {
  std::size_t row = 0;  // of cases: the first that has this profile
  Profile rounds{};
  std::string name{};
};

// A worker without a row in a round does nothing in it.
Profile read_profile(const CsvTable& steps, const std::vector<std::size_t>& rows,
                     std::int64_t workers) {
  std::map<std::int64_t, std::int64_t> seen;
  Profile rounds;
  for (const std::size_t row : rows) {
    const auto step = static_cast<std::int64_t>(steps.number(row, "step"));
    const double pairs = steps.number(row, "unmasked_pairs");
    if (!(pairs >= 0.0)) continue;
    Round& round = rounds[step];
    round.least = seen[step]++ == 0 ? pairs : std::min(round.least, pairs);
    round.busiest = std::max(round.busiest, pairs);
  }
  for (auto& [step, round] : rounds)
    if (seen[step] < workers) round.least = 0.0;
  return rounds;
}

double critical_path(const Profile& rounds) {
  double sum = 0.0;
  for (const auto& [step, round] : rounds) sum += round.busiest;
  return sum;
}

// Named by algorithm, and by what else changes the counts where one has several lines.
void name_lines(const CsvTable& cases, std::vector<Line>& lines) {
  std::vector<std::size_t> rows;
  rows.reserve(lines.size());
  for (const Line& line : lines) rows.push_back(line.row);
  const std::vector<std::string> others =
      splitting_columns(cases, rows, {"n_tokens", "workers", "mask", "kv_len", "algorithm"});
  for (Line& line : lines)
    line.name = name_with(cases.text(line.row, "algorithm"), cases, line.row, others);
}

// Panels in which a line has more than one round.
std::map<PanelKey, std::vector<Line>> read_panels(const CsvTable& cases, const CsvTable& steps) {
  const auto rows_of = rows_of_cases(steps);
  std::map<PanelKey, std::vector<Line>> panels;
  for (const std::size_t row : standing_rows(cases)) {
    const auto found = rows_of.find(cases.text(row, "case_id"));
    const auto workers = static_cast<std::int64_t>(cases.number(row, "workers"));
    if (found == rows_of.end() || workers < 2) continue;
    const PanelKey key{static_cast<std::int64_t>(cases.number(row, "n_tokens")), workers,
                       cases.text(row, "mask"),
                       static_cast<std::int64_t>(cases.number(row, "kv_len"))};
    Profile rounds = read_profile(steps, found->second, workers);
    if (rounds.empty()) continue;
    std::vector<Line>& lines = panels[key];
    const bool known = std::any_of(lines.begin(), lines.end(), [&](const Line& line) {
      return line.rounds == rounds &&
             cases.text(line.row, "algorithm") == cases.text(row, "algorithm");
    });
    if (!known) lines.push_back({.row = row, .rounds = std::move(rounds)});
  }
  std::erase_if(panels, [](const auto& panel) {
    return std::none_of(panel.second.begin(), panel.second.end(),
                        [](const Line& line) { return line.rounds.size() > 1; });
  });
  for (auto& [key, lines] : panels) name_lines(cases, lines);
  return panels;
}

using MaskNames = std::map<std::string, std::string>;

std::string panel_name(const PanelKey& key, const MaskNames& masks) {
  std::string name = fmt::format("N = {}", format_grouped(key.n_tokens));
  if (key.kv_len != key.n_tokens) name += fmt::format(", {} keys", format_grouped(key.kv_len));
  return name + fmt::format(", W = {}, {} mask", key.workers, masks.at(key.mask));
}

// Lines on top of each other have different dashes, so that the lower one is seen: striped and
// zigzag differ by half a row of pairs.
int dash_over(const std::vector<Line>& lines, const Line& line) {
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

Panel draw_panel(const CsvTable& cases, std::string title, const std::vector<Line>& lines) {
  Panel panel{.title = std::move(title)};
  std::map<std::string, int> variants;
  std::vector<Series> least;
  for (const Line& line : lines) {
    const std::string& algorithm = cases.text(line.row, "algorithm");
    Series busy{.name = line.name, .style = algorithm_style(algorithm, variants[algorithm]++)};
    busy.style.dash = dash_over(lines, line);
    Series idle = busy;
    idle.name += ", least busy worker";
    idle.thin = true;
    idle.in_legend = false;
    for (const auto& [step, round] : line.rounds) {
      busy.points.push_back({.x = static_cast<double>(step), .y = round.busiest});
      idle.points.push_back({.x = static_cast<double>(step), .y = round.least});
    }
    panel.series.push_back(std::move(busy));
    least.push_back(std::move(idle));
  }
  // Behind the lines of the busiest.
  panel.series.insert(panel.series.begin(), least.begin(), least.end());
  panel.x = {.label = "round", .column = "round", .whole = true};
  panel.y = {.label = "unmasked pairs a head", .column = "unmasked_pairs", .from_zero = true};
  return panel;
}

// `ring 243 M in 8 rounds, striped 134 M in 8 rounds (0.553 of ring)`.
std::string sums(const std::vector<Line>& lines) {
  const Line* most = &lines.front();
  for (const Line& line : lines)
    if (critical_path(line.rounds) > critical_path(most->rounds)) most = &line;
  std::string out;
  for (const Line& line : lines) {
    const double sum = critical_path(line.rounds);
    out += fmt::format("{}{} {} in {} round{}", out.empty() ? "" : ", ", line.name, format_si(sum),
                       line.rounds.size(), line.rounds.size() == 1 ? "" : "s");
    if (&line != most && critical_path(most->rounds) > 0.0)
      out += fmt::format(" ({:.3f} of {})", sum / critical_path(most->rounds), most->name);
  }
  return out;
}

}  // namespace

Figure work_per_round_figure(const CsvTable& cases, const CsvTable& steps,
                             const FigureContext& context) {
  const auto panels = read_panels(cases, steps);
  Figure figure{.name = "work_per_round", .title = kTitle, .subtitle = context.subtitle};
  if (panels.empty())
    return empty_figure(figure.name, kTitle,
                        "no case has several workers, and pairs of several rounds in steps.csv");
  figure.notes = {
      "Of each round the busiest worker and, thin and hollow, the least busy one, from the plans; "
      "a round ends when its busiest worker has ended."};
  std::set<std::string> masks;
  for (const auto& [key, lines] : panels) masks.insert(key.mask);
  const MaskNames names = mask_names(masks);
  std::size_t left_out = 0;
  for (const auto& [key, lines] : panels) {
    if (figure.panels.size() == kMostPanels) {
      ++left_out;
      continue;
    }
    figure.panels.push_back(draw_panel(cases, panel_name(key, names), lines));
    figure.notes.push_back(
        fmt::format("{}: sum over rounds of the busiest (critical path), pairs "
                    "a head: {}.",
                    panel_name(key, names), sums(lines)));
  }
  if (left_out > 0)
    figure.notes.push_back(fmt::format(
        "The first {} panels by N, W and mask are drawn; left out: {}.", kMostPanels, left_out));
  arrange_panels(figure);
  return figure;
}

}  // namespace qb
