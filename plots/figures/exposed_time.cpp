// SPDX-License-Identifier: Apache-2.0
// Communication that compute does not hide over what its bytes take on the link, against the
// bandwidth: below 1 computing hides a part. Serial cases are left out: their workers took turns.
#include "plots/figures/figures.h"
#include "plots/figures/scheme_settings.h"
#include "plots/frame/claims.h"

namespace qb {
namespace {

constexpr const char* kWaitTitle = "Waiting for data over what its bytes take on the link";
constexpr const char* kBandwidth = "link_bandwidth_byte_per_s";

// Gives GB/s; NaN if there is no limit.
double bandwidth(const Row& row) { return row.number(kBandwidth) / 1e9; }

// The waiting over bytes / bandwidth; NaN if the row has no such time.
Point exposed(const Row& row) {
  const double link_s = row.number("device_sent_bytes") / row.number(kBandwidth);
  return timed(row, "exposed_communication", 1.0 / link_s);
}

// Says why a case is not drawn; empty for one that is.
std::string reason_left_out(const Row& row) {
  if (!ran(row)) return row.text("status");
  if (row.number("workers") < 2.0) return "one worker";
  if (row.is("ranks", "serial")) return "serial ranks, whose workers took turns";
  if (has_root(row)) return "a root, whose scatter and gather have no such time";
  if (!(bandwidth(row) > 0.0)) return "no limit of its link";
  return std::isfinite(exposed(row).y) ? "" : "no communication times";
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

// A line for each scheme; a model's is dashed.
Groups drawn_lines(const Group& panel) {
  if (panel.rows.empty()) return {};
  Groups lines = scheme_lines(panel, {"n_tokens", "workers", "ranks", kBandwidth});
  for (Group& line : lines) {
    line.rows = order(line.rows, bandwidth);
    line.style.dash = modelled(line.rows.front()) ? 1 : 0;
    line.value = [=](const Row& row) {
      Point point = exposed(row);
      point.disturbed = !counts(row);
      return point;
    };
  }
  return lines;
}

// Says how long the workers wait whose clocks count.
std::string waits_title(const Rows& rows, int cores) {
  const Rows told = where(rows, [](const Row& row) { return counts(row); });
  if (told.empty()) return listed({kWaitTitle, crowded_name(rows, cores)});
  return modelled_first(
      told,
      fmt::format("Workers wait {} times as long as their bytes take on the link",
                  range_text(numbers_of(told, [](const Row& row) { return exposed(row).y; }))));
}

}  // namespace

Figure exposed_time_figure(const PlottedRun& run) {
  const Rows cases = standing_rows(run.cases);
  const Rows rows = where(cases, [](const Row& row) { return reason_left_out(row).empty(); });
  const Groups all = panels_by(rows, {"n_tokens", "workers", "ranks"});
  const Rows measured = where(rows, std::not_fn(modelled));
  const Groups panels = spread(all, kMostPanels);  // the largest N and W are among them
  return line_figure(
      {.title = waits_title(rows, run.provenance.cores),
       .nothing = "no case of two workers or more that are not serial has a link.bandwidth and "
                  "exposed communication",
       .y = {{.y = {.label = "exposed communication / (bytes / bandwidth)",
                    .column = "exposed_ratio",
                    .from_zero = true},
              .lines = [&](const Group& panel) { return drawn_lines(panel); },
              .reference = always(limit_line("nothing hidden", 1.0))}},
       .panels = panels,
       .x = bandwidth,
       .x_axis = fixed(
           {.label = "link bandwidth (GB/s)", .column = "link_bandwidth_gb_per_s", .log = true}),
       .shared_axes = true,
       .notes = {
           "Waiting for data on its way, of the worker that ends last, over its bytes by the "
           "bandwidth: below the dashed line computing hides a part.",
           measured.empty() ? "" : interval_note(measured),
           not_drawn({{.number = all.size() - panels.size(),
                       .what = "panel",
                       .reason = fmt::format("beyond {} spread over N, W and ranks", kMostPanels),
                       .of = all.size()}}),
           left_out_note(cases)}});
}

}  // namespace qb
