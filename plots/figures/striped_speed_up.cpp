// SPDX-License-Identifier: Apache-2.0
// Time of a ring over contiguous blocks divided by that of a striped (or zigzag) one of the same
// causal case, against tokens per worker: what balancing the rounds gains, beside what it can gain.
// Serial cases count by their critical path, others by the wall clock; of both passes either is
// their sum, as in a step of training. There is a panel per worker count.
#include "plots/figures/figures.h"
#include "plots/frame/claims.h"
#include "plots/published/published.h"

namespace qb {
namespace {

// Is empty for an algorithm that is not a balanced ring. pass_kv is another paper's zigzag.
std::string ring_kind(const Row& row) {
  const std::string& algorithm = row.text("algorithm");
  return algorithm == "striped"                            ? "striped"
         : algorithm == "zigzag" || algorithm == "pass_kv" ? "zigzag"
                                                           : "";
}

bool balanced_causal(const Row& row) {
  return ran(row) && !ring_kind(row).empty() && row.is("mask", "causal") &&
         row.number("workers") >= 2.0 && row.text("kv_len") == row.text("n_tokens");
}

double tokens_a_worker(const Row& row) { return row.number("n_tokens") / row.number("workers"); }

// Finds the last ring case with the same parameters, algorithm aside, if it ran.
std::optional<Row> ring_case(const Row& row) {
  const auto ring = case_like(
      row,
      [](const Field& field) {
        return field.column == "algorithm" || field.column == "interest_set";
      },
      [&](const Row& other) {
        return other.is("algorithm", "ring") && other.text("provenance") == row.text("provenance");
      });
  return ring && ran(*ring) ? ring : std::nullopt;
}

// Makes the lines of a worker count, by name.
Groups ring_lines(const Group& of_count, const Columns& others) {
  Groups lines = group(order(of_count.rows, tokens_a_worker), [&](const Row& row) {
    return std::vector{name_with(ring_kind(row), row, others), ring_kind(row)};
  });
  std::ranges::stable_sort(lines, {}, &Group::key);
  for (Group& line : lines) line.name = line.key[0];
  style_by_algorithm(lines, [](const Group& line) { return line.key[1]; });
  return lines;
}

// What balancing the rounds gains by pairs: it goes to 2 - 1/W with the tokens of a worker.
double pairs_gain(const Row& row) { return pairs_allow(row) / pairs_allow(*ring_case(row)); }

// Draws what is published of a worker count, if it is to stand beside the run, and what balancing
// gains by the count of pairs.
std::vector<Series> reference_of(const Group& panel, bool published) {
  if (panel.rows.empty()) return {};  // there is nothing to draw
  std::vector<Series> out;
  if (published)
    for (const Group& line : published_striped_speed_ups(workers_of(panel)))
      out.push_back(line_series(line, line.value));
  if (const double most = largest(panel.rows, pairs_gain); most > 0.0)
    out.push_back(limit_line("what balanced pairs allow", most));
  return out;
}

Point over_ring(const Row& row) { return time_ratio(*ring_case(row), row, clock_of(row)); }

// Says how much longer a contiguous ring takes; a plain title without rows.
std::string gains_title(const Rows& rows) {
  std::vector<std::string> gains;
  for (const Group& kind :
       group(rows, [](const Row& row) { return std::vector{ring_kind(row)}; })) {
    gains.push_back(fmt::format(
        "{} times as long as a {} one",
        range_text(numbers_of(kind.rows, [](const Row& row) { return over_ring(row).y; })),
        kind.key[0]));
  }
  return gains.empty()
             ? "Speed-up of striped and zigzag over contiguous rings"
             : modelled_first(rows, fmt::format("A contiguous ring takes {}", listed(gains)));
}

// Says how many cases gain more than balancing the pairs explains, measured ones with their whole
// intervals; empty without rows.
std::string gains_finding(const Rows& rows) {
  if (rows.empty()) return {};
  const bool bars = !std::ranges::all_of(rows, modelled);
  const std::size_t above = count(rows, [=](const Row& row) {
    return (bars ? over_ring(row).low : over_ring(row).y) > pairs_gain(row);
  });
  return fmt::format("{} of {} gain more than balanced pairs allow{}.", above,
                     counted(rows.size(), "case"), bars ? ", with the whole error bar" : "");
}

}  // namespace

Figure striped_speed_up_figure(const PlottedRun& run) {
  const Rows all = where(standing_rows(run.cases), balanced_causal);
  const Rows matched = where(all, [](const Row& row) { return ring_case(row).has_value(); });
  const Rows unlimited =
      where(matched, [](const Row& row) { return row.is("link_bandwidth_byte_per_s", ""); });
  const Rows& rows = unlimited.empty() ? matched : unlimited;
  const Rows told =
      where(rows, [](const Row& row) { return counts(row) && counts(*ring_case(row)); });
  const Columns others = splitting_columns(rows, {"algorithm", "workers", "n_tokens"});
  const Groups panels = panels_by(rows, {"workers", "model_device"});
  const std::size_t alone = all.size() - matched.size();
  const std::size_t limited = matched.size() - rows.size();
  return line_figure(
      {.title = gains_title(told),
       .finding = gains_finding(told),
       .nothing = "no causal striped or zigzag case ran beside a ring case of the same parameters",
       .y = {{.y = {.label = "ring time / time", .column = "speed_up_ratio"},
              .value = over_ring,
              .lines = [&](const Group& panel) { return ring_lines(panel, others); },
              .reference = [&](const Group& panel) { return reference_of(panel, run.published); }}},
       .panels = panels,
       .x = tokens_a_worker,
       .x_axis =
           fixed({.label = "tokens a worker N/W", .column = "tokens_per_worker", .log = true}),
       .shared_axes = true,
       .published_legend = "published",
       .notes = {
           std::ranges::all_of(rows, modelled)
               ? kModelNote
               : "Serial cases by critical paths, others by wall clocks; of both passes their sum.",
           "Dashed: what balanced pairs allow.",
           run.published ? "Published: steps with feed-forward layers; grey: TPU v4; circle 1B, "
                           "square 3B, triangle 7B parameters."
                         : "",
           not_drawn({{.number = alone,
                       .what = "striped or zigzag case",
                       .reason = "no ring case of the same parameters has a time"},
                      {.number = limited,
                       .what = "case",
                       .reason = "over a link of limited bandwidth, beside those without"}})}});
}

}  // namespace qb
