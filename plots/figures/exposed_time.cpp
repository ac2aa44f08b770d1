// SPDX-License-Identifier: Apache-2.0
// Communication that compute does not hide, against the bandwidth of the link: it shows where a
// scheme begins to pay for what it sends. Serial cases are left out: their workers took turns.
#include "plots/figures/figures.h"

namespace qb {
namespace {

constexpr const char* kBandwidth = "link_bandwidth_byte_per_s";
constexpr const char* kExposed = "exposed_communication_median_s";
constexpr const char* kExposedLow = "exposed_communication_low95_s";
constexpr const char* kExposedHigh = "exposed_communication_high95_s";
const Columns kPanelKey = {"n_tokens", "workers", "ranks"};

bool of_model(const Row& row) { return modelled(row) || row.is("provenance", "model"); }

// Gives GB/s; NaN if there is no limit.
double bandwidth(const Row& row) { return row.number(kBandwidth) / 1e9; }

// Gives seconds; NaN if the row has no such time.
Point exposed(const Row& row) { return timed(row, "exposed_communication", 1.0); }

bool has_interval(const Row& row) { return !std::isnan(row.number(kExposedLow)); }

// Says what the error bars are; a run of before schema 10 has none.
std::string bars_note(const Rows& rows) {
  const Rows measured = where(rows, [](const Row& row) { return !of_model(row); });
  if (measured.empty()) return {};
  return count(measured, has_interval) == measured.size()
             ? interval_note(measured)
             : "No bars: the run keeps no interval of this time.";
}

double link_seconds(const Row& row) {
  return row.number("device_sent_bytes") / row.number(kBandwidth);
}

// What a root scatters and gathers is communication that these times leave out.
bool has_root(const Row& row) { return row.number("root_sent_bytes") > 0.0; }

Rows rows_with_a_limit(const CsvTable& cases) {
  return where(standing_rows(cases), [](const Row& row) {
    return ran(row) && row.number("workers") >= 2.0 && !row.is("ranks", "serial") &&
           bandwidth(row) > 0.0 && exposed(row).y > 0.0 && !has_root(row);
  });
}

// Says why a case is not among the rows of a figure.
std::string reason_left_out(const Row& row) {
  if (!ran(row)) return row.text("status");
  if (row.number("workers") < 2.0) return "one worker";
  if (row.is("ranks", "serial")) return "serial ranks, whose workers took turns";
  if (has_root(row)) return "a root, whose scatter and gather have no such time";
  if (std::isnan(exposed(row).y)) return "no communication times";
  return bandwidth(row) > 0.0 ? "nothing exposed" : "no limit of its link";
}

std::string left_out_note(const CsvTable& cases, const Rows& drawn) {
  const Rows all = standing_rows(cases);
  std::map<std::string, std::size_t> reasons;
  for (const Row& row : all)
    if (std::ranges::find(drawn, row) == drawn.end()) ++reasons[reason_left_out(row)];
  std::vector<Omission> omissions;
  for (const auto& [reason, number] : reasons)
    omissions.push_back({.number = number, .what = "case", .reason = reason, .of = all.size()});
  return not_drawn(omissions);
}

// Groups the rows of each panel. Model rows are in each measured panel of their N and W, or in a
// panel of their own if there is none.
Groups exposed_panels(const Rows& rows) {
  Groups panels = panels_by(where(rows, [](const Row& row) { return !of_model(row); }), kPanelKey);
  const std::size_t measured = panels.size();
  for (Group& own : panels_by(where(rows, of_model), kPanelKey)) {
    bool beside = false;
    for (std::size_t p = 0; p < measured; ++p)
      if (panels[p].key[0] == own.key[0] && panels[p].key[1] == own.key[1]) {
        panels[p].rows.insert(panels[p].rows.end(), own.rows.begin(), own.rows.end());
        beside = true;
      }
    if (!beside) panels.push_back(std::move(own));
  }
  std::stable_sort(panels.begin(), panels.end(),
                   [](const Group& a, const Group& b) { return key_less(a.key, b.key); });
  return panels;
}

// Names the lines of a panel; those of the model are thin if measured ones are beside them.
Groups named_lines(const Group& panel, const Columns& others) {
  std::map<std::string, Group> lines;
  for (const Row& row : panel.rows) {
    const bool thin = of_model(row) && panel.key[2] != "model";
    const std::string& algorithm = row.text("algorithm");
    const std::string name = name_with(algorithm, row, others) + (thin ? ", model" : "");
    const auto [at, first] = lines.try_emplace(name, Group{.name = name, .thin = thin});
    if (first) {
      at->second.style = algorithm_style(algorithm);
      if (thin) at->second.style.dash = 1;
    }
    at->second.rows.push_back(row);
  }
  Groups out;
  for (auto& [name, line] : lines) out.push_back(std::move(line));
  shade_equal_looks(out);
  return out;
}

// Keeps at most kMostPanels panels, evenly from the first to the last, so that the largest N
// and W are among them; says how many are left out.
std::string keep_some(Groups& panels) {
  const std::size_t all = panels.size();
  if (all <= kMostPanels) return {};
  Groups kept;
  for (std::size_t i = 0; i < kMostPanels; ++i)
    kept.push_back(std::move(panels[i * (all - 1) / (kMostPanels - 1)]));
  panels = std::move(kept);
  return not_drawn({{.number = all - kMostPanels,
                     .what = "panel",
                     .reason = fmt::format("beyond {} spread over N, W and ranks", kMostPanels),
                     .of = all}});
}

// Behind each measured line it draws the time that the bytes alone take on the link.
Groups drawn_lines(const Group& panel, const Columns& others) {
  if (panel.rows.empty()) return {};
  const auto by_bandwidth = [](Group line) {
    line.rows = order(line.rows, bandwidth);
    line.even_empty = true;
    return line;
  };
  Groups lines;
  for (const Group& line : named_lines(panel, others)) lines.push_back(by_bandwidth(line));
  Group own = panel;
  if (panel.key[2] != "model")
    own.rows = where(panel.rows, [](const Row& row) { return !of_model(row); });
  for (const Group& line : named_lines(own, others))
    lines.push_back(behind(by_bandwidth(line), "bytes / bandwidth", 2,
                           [](const Row& row) { return Point{.y = link_seconds(row)}; }));
  return lines;
}

// Names the lines whose exposed time grows with the bandwidth, which the link does not explain.
std::string upturn_note(const Rows& rows) {
  constexpr double kMore = 1.1;
  std::vector<std::string> found;
  const Rows measured = where(rows, [](const Row& row) { return !of_model(row); });
  const Columns told_by = joined({"algorithm", "n_tokens"},
                                 splitting_columns(rows, {"algorithm", "n_tokens", kBandwidth}));
  for (const Group& line : group(order(measured, bandwidth), told_by))
    for (std::size_t i = 1; i < line.rows.size(); ++i) {
      const Row& before = line.rows[i - 1];
      const Row& after = line.rows[i];
      const bool within_intervals = has_interval(before) && has_interval(after) &&
                                    after.number(kExposedLow) <= before.number(kExposedHigh);
      if (after.number(kExposed) > kMore * before.number(kExposed) && !within_intervals)
        found.push_back(fmt::format("{} from {:g} to {:g} GB/s", line.key[0], bandwidth(before),
                                    bandwidth(after)));
    }
  if (found.empty()) return {};
  return fmt::format("More exposed over a faster link: {}{}.", listed(found),
                     count(measured, has_interval) == measured.size()
                         ? ", and the intervals lie apart"
                         : ", perhaps by noise");
}

// Counts the cases that expose less than their bytes take on the link; a plain title without any.
std::string hidden_title(const Rows& rows) {
  const std::size_t hidden =
      count(rows, [](const Row& row) { return exposed(row).y < link_seconds(row); });
  return rows.empty()
             ? "Communication that computing does not hide"
             : fmt::format("In {} of {} computing hides a part of what the bytes take on the link",
                           hidden, counted(rows.size(), "case"));
}

}  // namespace

Figure exposed_time_figure(const PlottedRun& run) {
  const Rows rows = rows_with_a_limit(run.cases);
  const Columns others =
      splitting_columns(rows, {"algorithm", "n_tokens", "workers", "ranks", kBandwidth});
  Groups panels = exposed_panels(rows);
  const std::string left_out = keep_some(panels);
  return line_figure(
      {.title = hidden_title(rows),
       .nothing = "no case of two workers or more that are not serial has a link.bandwidth and "
                  "exposed communication",
       .y = {{.y = {.label = "exposed communication (s)",
                    .column = "exposed_communication_s",
                    .log = true},
              .value = exposed,
              .lines = [&](const Group& panel) { return drawn_lines(panel, others); }}},
       .panels = panels,
       .x = bandwidth,
       .x_axis = fixed(
           {.label = "link bandwidth (GB/s)", .column = "link_bandwidth_gb_per_s", .log = true}),
       .shared_axes = true,
       .keys = {legend_key("bytes / bandwidth", {.colour = kGrey, .dash = 2}, Draw::line_points,
                           true)},
       .notes = {
           "Waiting for data on its way, of the worker that ends last. Thin: its bytes over the "
           "bandwidth, exposed if nothing were hidden.",
           bars_note(rows), upturn_note(rows), left_out, left_out_note(run.cases, rows)}});
}

}  // namespace qb
