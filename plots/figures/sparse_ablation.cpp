// SPDX-License-Identifier: Apache-2.0
// What one parameter of a pattern costs: time and pairs kept against window, random fraction and
// number of global tokens, beside the ideal, which is the dense time at the same N times the share
// of pairs kept.
#include "base/numbers.h"
#include "plots/figures/figures.h"
#include "plots/frame/sparse_cases.h"
#include "plots/published/published.h"

namespace qb {
namespace {

// A parameter, and the kinds of patterns that have it, each with the name of its argument. Two
// sides and the token itself are a window.
struct Parameter {
  const char* label;
  const char* column;
  const char* published;  // its name in the report's table
  std::map<std::string_view, std::vector<const char*>> arguments;
};
const Parameter kParameters[] = {
    {"window (tokens)",
     "window_tokens",
     "window_size",
     {{"block_local", {"block"}}, {"sliding_window", {"left", "right"}}}},
    {"fraction of random keys", "random_fraction", "random_fraction", {{"random", {"fraction"}}}},
    {"random blocks a block row", "random_blocks", "", {{"random", {"blocks"}}}},
    {"global tokens", "global_tokens", "global_indices", {{"global", {"tokens"}}}},
    {"dilation", "dilation", "", {{"dilated_window", {"dilation"}}}}};

// What the pattern of a case says of a parameter: its value, NaN if it has none or no end, and the
// other arguments, `block: 64`.
struct Reading {
  double value = kNaN;
  std::string others{};
};

Reading read(const Parameter& parameter, const Row& row) {
  Reading out;
  auto arguments = pattern_arguments(row.text("mask"));
  if (const auto own = parameter.arguments.find(pattern_kind(row.text("mask")));
      own != parameter.arguments.end()) {
    out.value = own->second.size() > 1 ? 1.0 : 0.0;
    for (const char* name : own->second) {
      const auto side = arguments.extract(name);
      const double length = side ? parse_real(side.mapped()).value_or(kNaN) : kNaN;
      out.value += own->second.size() > 1 && length < 0.0 ? kNaN : length;
    }
  }
  for (const auto& [name, value] : arguments)
    out.others = listed({out.others, name + ": " + value});
  return out;
}

// Groups cases of one N that differ in the parameter alone and have two values or more. Colours
// tell patterns apart, marks tell lengths apart.
Groups families_of(const SparseCases& cases, const Parameter& parameter) {
  const auto value = [&](const Row& row) { return read(parameter, row).value; };
  Rows rows;
  for (const Group& line : cases.lines()) std::ranges::copy(line.rows, std::back_inserter(rows));
  rows = where(rows, [&](const Row& row) { return !std::isnan(value(row)); });
  Groups families = group(rows, [&](const Row& row) {
    return std::vector{pattern_kind(row.text("mask")), read(parameter, row).others,
                       row.text("kernel"), row.text("device"), row.text("n_tokens")};
  });
  std::erase_if(families, [&](const Group& one) { return by_number(one.rows, value).size() < 2; });
  // Those without other arguments come first.
  std::ranges::stable_sort(families, {},
                           [](const Group& one) { return std::pair(one.key[0], one.key[1]); });
  std::set<std::string> kernels;
  for (const Group& one : families) kernels.insert(one.key[2]);
  for (Group& one : families) {
    Groups of_kind = families;
    std::erase_if(of_kind, [&](const Group& other) { return other.key[0] != one.key[0]; });
    const int other = place_among(one, of_kind, [](const Group& same) { return same.key[1]; });
    const auto n = [](const Group& same) { return same.rows.front().number("n_tokens"); };
    one.name = listed({one.key[0], one.key[1], kernels.size() > 1 ? one.key[2] : ""});
    one.name = fmt::format("{}, N = {}", cases.full_name(one), grouped(n(one)));
    one.style = pattern_style(one.key[0]);
    if (other > 0) one.style.colour = spare_colour(other);
    one.style.mark = (place_among(one, families, n) + 2 * other) % kMarks;
  }
  return families;
}

// Makes a line for each family and a dashed one behind it, which is named by `what`.
Groups family_lines(const Groups& families, const char* what, const PointOf& shown_behind) {
  Groups lines;
  for (const Group& line : families)
    lines.insert(lines.end(), {line, behind(line, what, 1, shown_behind)});
  return lines;
}

// Gives table 2 of the report, which has one N, 1024.
Group published_line(const Parameter& parameter) {
  return {.rows = where(
              all_rows(published_table("sparse_attention_15618_table_2_ablation")),
              [&](const Row& row) { return row.at("hyperparameter") == parameter.published; }),
          .name = fmt::format("15-618 {}, N = 1,024", parameter.published),
          .style = {kGrey, 5},
          .published = true,
          .value = [](const Row& row) {
            return Point{.x = row.number_at("hyperparameter_value"),
                         .y = row.number_at("total_us") / kMilli};
          }};
}

// Time and pairs against the parameter.
std::vector<LineFigure::Quantity> parameter_quantities(const SparseCases& cases,
                                                       const Parameter& parameter,
                                                       const Groups& families,
                                                       bool with_published) {
  const auto kept_percent = [](const Row& row) { return Point{.y = kPercent * kept_share(row)}; };
  const auto x = [&parameter](const Row& row) { return read(parameter, row).value; };
  std::vector<LineFigure::Quantity> shown;
  Groups times = family_lines(families, "ideal", [&](const Row& row) {
    return Point{.y = kMilli * cases.ideal_time_s(row)};
  });
  if (with_published) times.push_back(published_line(parameter));
  const Groups pairs = family_lines(families, "executed", [=](const Row& row) {
    return Point{.y = kept_percent(row).y * row.number("executed_pairs") /
                      row.number("unmasked_pairs")};
  });
  std::vector<double> values;
  for (const Group& line : times)
    for (const Row& row : line.rows) values.push_back(line.published ? line.value(row).x : x(row));
  const auto x_axis =
      fixed({.label = parameter.label, .column = parameter.column, .log = spans_powers(values)});
  shown.push_back({.title = fmt::format("time against {}", parameter.label),
                   .y = {.label = "time (ms)", .column = "time_ms", .log = true},
                   .value = [](const Row& row) { return timed(row, "wall_time", kMilli); },
                   .x = x,
                   .lines = [=](const Group&) { return times; },
                   .x_axis = x_axis});
  shown.push_back({.title = fmt::format("pairs kept against {}", parameter.label),
                   .y = {.label = "share of all pairs (%)", .column = "pairs_percent", .log = true},
                   .value = kept_percent,
                   .x = x,
                   .lines = [=](const Group&) { return pairs; },
                   .x_axis = x_axis});
  return shown;
}

}  // namespace

Figure sparse_ablation_figure(const PlottedRun& run) {
  constexpr const char* kIdeal = "ideal: dense time × pairs kept";
  constexpr const char* kExecuted = "pairs executed";
  const SparseCases cases(run.cases);
  const bool with_published = of_published_sparse_shape(run.cases);
  std::vector<LineFigure::Quantity> shown;
  bool has_ideal = false;
  bool has_executed = false;
  for (const Parameter& parameter : kParameters) {
    const Groups families = families_of(cases, parameter);
    if (families.empty()) continue;
    for (const Group& one : families)
      for (const Row& row : one.rows) {
        has_ideal = has_ideal || std::isfinite(cases.ideal_time_s(row));
        has_executed = has_executed || std::isfinite(executed_ratio(row));
      }
    std::ranges::move(parameter_quantities(cases, parameter, families, with_published),
                      std::back_inserter(shown));
  }
  std::vector<Series> keys;
  for (const auto& [name, drawn] : {std::pair(kIdeal, has_ideal), {kExecuted, has_executed}})
    if (drawn) keys.push_back(legend_key(name, {kGrey, 0, 1}, Draw::line_points, true));
  return line_figure(
      {.title = "One parameter of a pattern at a time",
       .nothing = "no pattern ran with two values of one parameter and all else equal",
       .y = shown,
       .last_of_x = true,
       .keys = keys,
       .published_legend = with_published ? kPublishedSparseLegend : "",
       .notes = joined_notes(
           {case_notes(run.cases),
            {has_ideal ? "Thin, left: the ideal, the time of dense flash at the same N × the "
                         "share of pairs kept."
                       : "",
             has_executed ? "Thin, right: the share of pairs that the kernel executes, tiles being "
                            "all or nothing."
                          : "",
             with_published ? published_sparse_note() : ""}})});
}

}  // namespace qb
