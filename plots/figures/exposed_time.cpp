// SPDX-License-Identifier: Apache-2.0
// Communication that compute does not hide, against the bandwidth of the link: it shows where a
// scheme begins to pay for what it sends. Serial cases are left out: their workers took turns.
#include "plots/figures/figures.h"

namespace qb {
namespace {

constexpr const char* kBandwidth = "link_bandwidth_byte_per_s";

// Gives GB/s; NaN if there is no limit.
double bandwidth(const Row& row) { return row.number(kBandwidth) / 1e9; }

// Gives seconds; NaN if the row has no such time.
Point exposed(const Row& row) { return timed(row, "exposed_communication", 1.0); }

bool has_interval(const Row& row) { return !std::isnan(exposed(row).low); }

// Says what the error bars are; a run of before schema 10 has none.
std::string bars_note(const Rows& rows) {
  const Rows measured = where(rows, std::not_fn(modelled));
  if (measured.empty()) return {};
  return std::ranges::all_of(measured, has_interval)
             ? interval_note(measured)
             : "No bars: the run keeps no interval of this time.";
}

double link_seconds(const Row& row) {
  return row.number("device_sent_bytes") / row.number(kBandwidth);
}

// Says why a case is not drawn; empty for one that is.
std::string reason_left_out(const Row& row) {
  if (!ran(row)) return row.text("status");
  if (row.number("workers") < 2.0) return "one worker";
  if (row.is("ranks", "serial")) return "serial ranks, whose workers took turns";
  if (has_root(row)) return "a root, whose scatter and gather have no such time";
  if (std::isnan(exposed(row).y)) return "no communication times";
  if (!(bandwidth(row) > 0.0)) return "no limit of its link";
  return exposed(row).y > 0.0 ? "" : "nothing exposed";
}

std::string left_out_note(const Rows& all) {
  std::map<std::string, std::size_t> reasons;
  for (const Row& row : all) ++reasons[reason_left_out(row)];
  reasons.erase("");
  std::vector<Omission> omissions;
  for (const auto& [reason, number] : reasons)
    omissions.push_back({.number = number, .what = "case", .reason = reason, .of = all.size()});
  return not_drawn(omissions);
}

// Behind each line it draws the time that the bytes alone take on the link; a model's is dashed.
Groups drawn_lines(const Group& panel) {
  Groups lines;
  if (panel.rows.empty()) return lines;
  for (Group& line : scheme_lines(panel, {"n_tokens", "workers", "ranks", kBandwidth})) {
    line.rows = order(line.rows, bandwidth);
    line.style.dash = modelled(line.rows.front()) ? 1 : 0;
    lines.push_back(line);
    lines.push_back(behind(line, "bytes / bandwidth", 2,
                           [](const Row& row) { return Point{.y = link_seconds(row)}; }));
  }
  return lines;
}

// Counts the cases that expose less than their bytes take on the link, by the upper ends of their
// intervals where they have any; a plain title without cases.
std::string hidden_title(const Rows& rows) {
  const bool bars = std::ranges::any_of(rows, has_interval);
  const std::size_t hidden = count(rows, [](const Row& row) {
    return (has_interval(row) ? exposed(row).high : exposed(row).y) < link_seconds(row);
  });
  return rows.empty()
             ? "Communication that computing does not hide"
             : fmt::format(
                   "In {} of {} computing hides a part of what the bytes take on the link{}",
                   hidden, counted(rows.size(), "case"), bars ? ", with the whole error bar" : "");
}

}  // namespace

Figure exposed_time_figure(const PlottedRun& run) {
  const Rows cases = standing_rows(run.cases);
  const Rows rows = where(cases, [](const Row& row) { return reason_left_out(row).empty(); });
  const Groups all = panels_by(rows, {"n_tokens", "workers", "ranks"});
  const Groups panels = spread(all, kMostPanels);  // the largest N and W are among them
  return line_figure(
      {.title = hidden_title(rows),
       .nothing = "no case of two workers or more that are not serial has a link.bandwidth and "
                  "exposed communication",
       .y = {{.y = {.label = "exposed communication (s)",
                    .column = "exposed_communication_s",
                    .log = true},
              .value = exposed,
              .lines = drawn_lines}},
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
           bars_note(rows),
           not_drawn({{.number = all.size() - panels.size(),
                       .what = "panel",
                       .reason = fmt::format("beyond {} spread over N, W and ranks", kMostPanels),
                       .of = all.size()}}),
           left_out_note(cases)}});
}

}  // namespace qb
