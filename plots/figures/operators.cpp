// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/operators.h"

#include "plots/frame/sparse_cases.h"

namespace qb {
namespace {

bool is_causal(const Row& row) { return row.is("mask", "causal"); }

// Says, at the longest N of exact attention, which operator is the fastest and which the nearest.
std::string beside_exact(const Rows& all) {
  const Rows exact = of_largest(where(all, is_exact), number_in("n_tokens"));
  // Of the time of exact attention with the same mask, which is NaN where it did not run.
  const auto share = [&](const Row& row) {
    for (const Row& one : exact)
      if (is_causal(one) == is_causal(row) && one.at("n_tokens") == row.at("n_tokens"))
        return time_ms(row).y / time_ms(one).y;
    return kNaN;
  };
  const Rows others =
      where(all, [&](const Row& row) { return !is_exact(row) && share(row) > 0.0; });
  if (others.empty()) return "Time, memory and distance of operators against N";
  const Row fastest = *std::ranges::min_element(others, {}, share);
  const Row nearest = *std::ranges::min_element(others, {}, distance_of);
  return fmt::format(
      "At N = {} {} takes {:.2g} % of the time of exact attention; {}, the nearest of these, is "
      "off "
      "by {:.2g}",
      grouped(fastest.number("n_tokens")), operator_name(fastest), kPercent * share(fastest),
      operator_name(nearest), distance_of(nearest));
}

std::string model_device_name(const Row& row) { return named_values(row, {"model_device"}); }
double modelled_time(const Row& row) { return time_ms(row).y; }

// Of the cases that differ in how workers share states, the fastest.
Rows fastest_scans(const Rows& rows) {
  Rows fastest;
  for (const Group& same :
       group(rows, Columns{"model_device", "mixer_operator", "mask", "workers"}))
    fastest.push_back(*std::ranges::min_element(same.rows, {}, modelled_time));
  return fastest;
}

// Says, of the last device at the most workers, what exact attention takes and what others at
// least.
std::string beside_modelled(const Rows& all) {
  const std::string device = all.back().text("model_device");
  const Rows rows = of_largest(where(all, "model_device", {device}), number_in("workers"));
  const Rows exact = where(rows, is_exact);
  const Rows others = where(rows, [](const Row& row) { return !is_exact(row); });
  if (exact.empty() || others.empty()) return "Modelled time and memory of operators against W";
  const auto [least, most] = std::ranges::minmax_element(others, {}, modelled_time);
  const auto shown = [](const Row& row) {
    return fmt::format("{:.3g} ms ({})", modelled_time(row), operator_name(row));
  };
  std::vector<std::string> of_exact;
  std::ranges::transform(exact, std::back_inserter(of_exact), shown);
  return fmt::format("On {:.0f} {}s {}; other operators at least {} to {}",
                     exact.front().number("workers"), model_device_name(exact.front()),
                     fmt::join(of_exact, " and "), shown(*least), shown(*most));
}

}  // namespace

Rows modelled_operator_rows(const CsvTable& cases) {
  return where(standing_rows(cases), [](const Row& row) {
    return ran(row) && row.is("workload", "sequence_mixer") && row.is("ranks", "model");
  });
}

Rows operator_rows(const CsvTable& cases) {
  return where(where(standing_rows(cases), "workload", {"sequence_mixer"}),
               [](const Row& row) { return ran(row) && row.is("workers", "1"); });
}

bool is_exact(const Row& row) {
  return row.is("mixer_operator", "softmax") && (is_causal(row) || row.is("mask", "full"));
}

std::string operator_name(const Row& row) {
  if (row.is("mixer_operator", "softmax") && !is_exact(row)) return pattern_kind(row.text("mask"));
  return (is_exact(row) ? "exact" : row.text("mixer_operator")) +
         (is_causal(row) ? ", causal" : "");
}

double distance_of(const Row& row) { return row.number("distance_to_exact"); }

Groups operator_lines(const Rows& rows) {
  Groups lines = group(order(rows, number_in("n_tokens")), Columns{"mixer_operator", "mask"});
  for (Group& line : lines) {
    const bool softmax = line.key[0] == "softmax";
    line.name = operator_name(line.rows.front());
    line.style = softmax ? pattern_style(pattern_kind(line.key[1])) : operator_style(line.key[0]);
  }
  if (!lines.empty()) shade_equal_looks(lines);
  return lines;
}

Figure operators_figure(const Rows& all) {
  const Rows random = where(all, "inputs", {"random"});
  const Rows& rows = random.empty() ? all : random;
  return line_figure(
      {.title = beside_exact(rows),
       .nothing = "no operator has a time",
       .lines = operator_lines(rows),
       .y = {{.title = "Time",
              .y = {.label = "time (ms)", .column = "time_ms", .log = true},
              .value = time_ms},
             bytes_quantity("Memory", "memory of a device", "device_peak", rows,
                            fullest_device_bytes),
             {.title = "Distance",
              .y = {.label = "relative L2 distance to exact", .column = "distance_to_exact"},
              .value = [](const Row& row) { return Point{.y = distance_of(row)}; },
              .fit = powers_or_zero,
              .timed = false}},
       .notes = {interval_note(rows),
                 "Distance: L2 norm of the difference from float64 attention over its own, causal "
                 "where the operator is."}});
}

Figure modelled_operators_figure(const Rows& all) {
  const Rows rows = fastest_scans(all);
  LineFigure declared{.title = beside_modelled(rows),
                      .nothing = "no operator has a time",
                      .lines = operator_lines(rows),
                      .x = number_in("workers"),
                      .x_axis = workers_axis,
                      .last_of_x = true,
                      .notes = {kModelNote,
                                "Exact attention: modelled from rates of its kernel. Dashed: lower "
                                "bounds of operators and their memory; no kernel of theirs was "
                                "measured there."}};
  for (Group& line : declared.lines)
    if (!is_exact(line.rows.front())) line.style.dash = 1;
  const Groups devices = group(rows, Columns{"model_device"});
  for (const Group& device : devices)
    declared.y.push_back(
        {.title = fmt::format("Time on {}s", model_device_name(device.rows.front())),
         .y = {.label = "time (ms)", .column = "time_ms", .log = true},
         .value = [on = device.key[0]](const Row& row) {
           return row.is("model_device", on) ? time_ms(row) : Point{.y = kNaN};
         }});
  // Devices hold the same.
  declared.y.push_back(bytes_quantity(
      "Memory", "memory of a device", "predicted_device_peak", rows, [&](const Row& row) {
        return row.is("model_device", rows.back().text("model_device"))
                   ? row.number("predicted_device_peak_bytes")
                   : kNaN;
      }));
  return line_figure(declared);
}

}  // namespace qb
