// SPDX-License-Identifier: Apache-2.0
// What plans count that a device sends against W, forward and backward.
#include "plots/figures/figures.h"
#include "plots/figures/scheme_settings.h"

namespace qb {
namespace {

constexpr const char* kBytesTitle = "Bytes that a device sends against W";

Groups pass_lines(const Group& panel, const Unit& unit) {
  const auto sent_in = [&](NumberColumn column) {
    return [=](const Row& row) {
      return Point{.x = row.number("workers"), .y = row.number(column) * unit.factor};
    };
  };
  Groups lines;
  for (Group& line : compared_lines(where(panel.rows, ran))) {
    line.value = sent_in("device_sent_bytes");
    lines.push_back(line);
    if (std::ranges::none_of(line.rows, has_root)) continue;
    line.name += ", its root";
    line.style.dash = 1;
    line.value = sent_in("root_sent_bytes");
    lines.push_back(std::move(line));
  }
  return lines;
}

// The least W from which on a worker of sharded CQS sends less than one of a ring at all W that
// both have; 0 if it does not at the most.
double less_from(const Rows& rows) {
  const auto sent_by = [&](const char* scheme) {
    return by_number(where(rows, "algorithm", {scheme}), number_in("workers"));
  };
  const std::map<double, Row> rings = sent_by("ring");
  double from = 0.0;
  for (const auto& [workers, cqs] : sent_by("cqs_sharded")) {
    const auto ring = rings.find(workers);
    if (ring == rings.end()) continue;
    const bool less = cqs.number("device_sent_bytes") < ring->second.number("device_sent_bytes");
    from = !less ? 0.0 : from > 0.0 ? from : workers;
  }
  return from;
}

// Says for each pass from which W on sharded CQS sends less than a ring, else which schemes send
// least in the first pass.
std::string bytes_title(const Groups& panels) {
  std::vector<std::string> from;
  const auto of_pass = [&](const Group& panel) {
    return panels.size() > 1 ? fmt::format(" ({})", panel.name) : "";
  };
  for (const Group& panel : panels)
    if (const double workers = less_from(panel.rows); workers > 0.0)
      from.push_back(fmt::format("W = {:.0f} on{}", workers, of_pass(panel)));
  const bool rooted = std::ranges::any_of(
      panels, [](const Group& panel) { return count(panel.rows, has_root) > 0; });
  if (!from.empty())
    return fmt::format("Sharded CQS sends less than a ring from {}{}", listed(from, " and "),
                       rooted ? "; CQS moves the bytes to a root" : "");
  const std::string least = least_of(panels.front().rows, "sends", busiest_sent_bytes);
  return least.empty() ? kBytesTitle : least + of_pass(panels.front());
}

}  // namespace

Figure bytes_by_workers_figure(const PlottedRun& run) {
  const Groups all = scheme_settings(run.cases);
  if (all.empty() || count_schemes(all.front().rows) < 2)
    return empty_figure(kBytesTitle, "no two schemes ran at one length, mask and link with W > 1");
  Rows rows = where(rows_like(run.cases, all.front().rows.front(), {"pass"}), [](const Row& row) {
    return is_compared_scheme(row) && row.number("workers") >= 2 && !row.is("pass", "both");
  });
  // A grid is drawn in the shape that sends least: keys that are left open mean that one.
  if (const Rows open = where(where(rows, "grid_heads", {"0"}), "grid_rows", {"0"});
      count_schemes(open) == count_schemes(rows))
    rows = open;
  if (rows.empty()) return empty_figure(kBytesTitle, "only cases of both passes ran");
  const Unit unit = byte_unit(largest(rows, busiest_sent_bytes));
  Groups panels = panels_by(rows, {"pass"});
  for (Group& panel : panels)
    if (panel.name.empty()) panel.name = "forward";
  std::ranges::stable_sort(panels, {},
                           [](const Group& one) { return !is_forward(one.rows.front()); });
  Axis y = axis_in(unit, "sent by a device", "device_sent");
  y.log = true;
  return line_figure(
      {.title = bytes_title(panels),
       .nothing = "no case has bytes that its plan counts",
       .y = {{.y = y,
              .lines = [=](const Group& panel) { return pass_lines(panel, unit); },
              .timed = false}},
       .panels = panels,
       .x = number_in("workers"),
       .x_axis = workers_axis,
       .shared_axes = true,
       .last_of_x = true,
       .notes = {count(rows, has_root) > 0 ? "Dashed: what the root of CQS scatters." : "",
                 "Counted in plans, " + named_values(rows.front(), {"n_tokens"}) +
                     ". Of a device, the one that sends most."}});
}

}  // namespace qb
