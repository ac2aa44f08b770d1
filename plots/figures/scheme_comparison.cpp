// SPDX-License-Identifier: Apache-2.0
// The schemes side by side in one setting (length, mask and link), against the worker count: the
// setting with the most schemes, then the most tokens, then the most measured cases. Its clocks
// have a panel for each link, if there are few.
#include <limits>

#include "base/schema/strategies.h"
#include "plots/figures/figures.h"

namespace qb {
namespace {

#define QB_NAME(name, ...) #name,
#define QB_NOTHING(...)
constexpr const char* kSchemes[] = {QB_SCHEMES_AND_OTHERS(QB_NAME, QB_NOTHING)};
#undef QB_NAME
#undef QB_NOTHING
constexpr std::size_t kMostNamedSettings = 6;
constexpr std::size_t kMostLinks = 3;
constexpr double kLeastRatioSpan = 0.2;

// Counts the schemes that ran in a setting.
std::size_t count_schemes(const Group& setting) {
  return group(where(setting.rows, ran), Columns{"algorithm"}).size();
}

Columns shape_columns() { return joined(without(kShapeColumns, "threads"), {"sequences"}); }

// The columns that name a setting beside its link: a subtitle already says what all cases share.
Columns naming_columns(const CsvTable& cases) {
  return differing_columns(standing_rows(cases), joined({"n_tokens"}, shape_columns()));
}

Groups settings(const CsvTable& cases) {
  const Rows rows = where(standing_rows(cases), [](const Row& row) {
    return std::ranges::count(kSchemes, row.text("algorithm")) > 0 && row.number("workers") >= 2;
  });
  Groups found =
      panels_by(rows, joined({"n_tokens", "kv_len"}, joined(shape_columns(), kLinkColumns)),
                joined(naming_columns(cases), kLinkColumns));
  std::ranges::stable_sort(found, std::greater{}, [](const Group& one) {
    const auto measured = [](const Row& row) { return ran(row) && !modelled(row); };
    return std::tuple(count_schemes(one), one.rows.front().number("n_tokens"),
                      count(one.rows, measured));
  });
  return found;
}

// Takes the first setting out of `all`, with those that have only another link if they are few, by
// ascending bandwidth.
Groups take_drawn(Groups& all) {
  const auto shape_of = [](const Group& setting) {
    return std::vector(setting.key.begin(), setting.key.end() - std::ssize(kLinkColumns));
  };
  const auto same = [&, shape = shape_of(all.front())](const Group& setting) {
    return shape_of(setting) == shape;
  };
  Groups drawn;
  if (static_cast<std::size_t>(std::ranges::count_if(all, same)) <= kMostLinks) {
    std::ranges::copy_if(all, std::back_inserter(drawn), same);
    std::erase_if(all, same);
  } else {
    drawn.push_back(all.front());
    all.erase(all.begin());
  }
  std::ranges::stable_sort(drawn, {}, [](const Group& setting) {
    const double bandwidth = setting.rows.front().number_at(kLinkColumns.front());
    return std::isnan(bandwidth) ? std::numeric_limits<double>::infinity() : bandwidth;
  });
  return drawn;
}

// Groups rows by how they were timed, and sets the look of their lines: thin beside measured ones.
Groups kinds_of(const Rows& rows) {
  const Columns shown = joined({"ranks", "model_device"}, differing_columns(rows, {"threads"}));
  Groups kinds = group(rows, Columns{"ranks", "model_device", "threads"});
  for (Group& kind : kinds) {
    const std::string& ranks = kind.key[0];
    kind.name = named_values(kind.rows.front(), shown) + (ranks == "serial" ? ", composed" : "");
    kind.thin = ranks == "serial" || ranks == "model";
    kind.style = {kGrey, 0, ranks == "model" ? 1 : 0};
  }
  if (kinds.size() == 1) kinds.front().thin = false;
  std::stable_partition(kinds.begin(), kinds.end(), [](const Group& kind) { return !kind.thin; });
  return kinds;
}

// Keeps one kind of measured cases, that of most cases that ran, so that each scheme has one line;
// of equal ones threads. Returns the others.
Rows keep_one_measured(Groups& kinds) {
  const auto worth = [](const Group& kind) {
    return std::tuple(!kind.thin, count(kind.rows, ran), kind.key[0] == "threads");
  };
  const auto kept = std::ranges::max_element(kinds, {}, worth);
  Rows others;
  if (kept == kinds.end() || kept->thin) return others;
  const std::vector<std::string> key = kept->key;
  for (const Group& kind : kinds)
    if (!kind.thin && kind.key != key)
      others.insert(others.end(), kind.rows.begin(), kind.rows.end());
  std::erase_if(kinds, [&](const Group& kind) { return !kind.thin && kind.key != key; });
  return others;
}

// Values that follow from the plan are the same wherever it ran. A scheme without a point is in the
// legend.
Groups plan_lines(const Rows& rows) {
  Groups lines = algorithm_lines(rows, kSchemes);
  std::erase_if(lines, [](const Group& line) { return line.rows.empty(); });
  for (Group& line : lines) {
    line.rows = where(line.rows, ran);
    line.even_empty = true;
  }
  return lines;
}

Groups kind_lines(const Groups& kinds) {
  Groups lines;
  for (const Group& kind : kinds)
    for (Group& line : plan_lines(kind.rows)) {
      line.name += ", " + kind.name;
      line.style.dash = kind.style.dash;
      line.thin = kind.thin;
      line.in_legend = line.even_empty = false;
      lines.push_back(std::move(line));
    }
  return lines;
}

std::vector<Series> crosses(const Rows& rows) {
  std::vector<Series> out;
  for (const Group& line : algorithm_lines(rows, kSchemes))
    std::ranges::move(out_of_memory_series(line, kNaN, number_in("workers")),
                      std::back_inserter(out));
  return out;
}

double pairs_over_mask(const Row& row, const char* pairs) {
  return row.number_at(pairs) / row.number("unmasked_pairs");
}

// A setting of one link with its kinds of cases.
struct Drawn {
  Group setting;
  Groups kinds;
  std::string link{};  // in titles; empty if no other link is drawn
};

LineFigure::Quantity clock_quantity(const Drawn& drawn, std::string title, Axis y, PointOf value) {
  if (!drawn.link.empty()) title += ", " + drawn.link;
  LineFigure::Quantity quantity{std::move(title), std::move(y), std::move(value)};
  quantity.lines = [lines = kind_lines(drawn.kinds)](const Group&) { return lines; };
  return quantity;
}

// What does not depend on a link has one panel, of all drawn rows; a clock has one for each.
std::vector<LineFigure::Quantity> compared_quantities(const std::vector<Drawn>& all,
                                                      const Rows& rows, const Groups& kinds) {
  const auto ratio_axis = [](const char* label, const char* column) {
    return Axis{.label = label, .column = column, .least_span = kLeastRatioSpan};
  };
  std::vector<LineFigure::Quantity> shown = {
      {"pairs of the slowest worker", ratio_axis("slowest / ideal", "critical_path_ratio"),
       [](const Row& row) {
         return Point{.y = pairs_over_mask(row, "critical_path_pairs") * row.number("workers")};
       }},
      {"pairs of all workers", ratio_axis("executed / unmasked", "executed_ratio"),
       [](const Row& row) { return Point{.y = pairs_over_mask(row, "executed_pairs")}; }},
      bytes_quantity("sent by the busiest device", "sent", "device_sent", rows,
                     number_in("device_sent_bytes")),
      bytes_quantity("memory of the fullest device", "peak memory", "device_peak", rows,
                     [](const Row& row) {
                       const double measured = fullest_device_bytes(row);
                       return std::isnan(measured) ? predicted_fullest_bytes(row) : measured;
                     })};
  for (LineFigure::Quantity& of_plan : shown) {
    of_plan.timed = false;
    of_plan.lines = [lines = plan_lines(rows)](const Group&) { return lines; };
    if (of_plan.y.least_span > 0.0)  // 1 is the least possible ratio
      of_plan.reference = always(limit_line("1", 1.0, false));
  }
  shown.back().lines = [lines = kind_lines(kinds)](const Group&) { return lines; };
  for (const Drawn& one : all) {
    shown.push_back(
        clock_quantity(one, "exposed communication, longest",
                       {.label = "exposed (ms)", .column = "exposed_communication_ms"},
                       [](const Row& row) { return timed(row, "exposed_communication", kMilli); }));
    shown.push_back(clock_quantity(
        one, "wall clock", {.label = "wall clock (ms)", .column = "wall_time_ms"}, time_ms));
    shown.back().reference = [&one](const Group&) { return crosses(one.setting.rows); };
  }
  for (LineFigure::Quantity& one : shown)
    one.fit = [](Axis axis, const std::vector<double>& y) {
      axis.log = spans_powers(y) && std::ranges::none_of(y, [](double at) { return at <= 0.0; });
      axis.from_zero = !axis.log && !(axis.least_span > 0.0);
      return axis;
    };
  return shown;
}

// Says what the drawn settings share, and their links.
std::string drawn_name(const CsvTable& cases, const std::vector<Drawn>& drawn) {
  if (drawn.size() == 1) return drawn.front().setting.name;
  std::vector<std::string> links;
  for (const Drawn& one : drawn) links.push_back(one.link);
  return listed({named_values(drawn.front().setting.rows.front(), naming_columns(cases)),
                 fmt::format("links of {}", listed(links, " and "))});
}

// Says which settings are drawn, and in one sentence what is not.
std::vector<std::string> choice_notes(const CsvTable& cases, const std::string& drawn,
                                      const Groups& others_of_run, const Groups& kinds,
                                      const Rows& other_kinds) {
  std::vector<Omission> left_out;
  for (std::size_t i = 0; i < std::min(others_of_run.size(), kMostNamedSettings); ++i)
    left_out.push_back({.number = count_schemes(others_of_run[i]),
                        .what = "scheme",
                        .reason = others_of_run[i].name});
  if (others_of_run.size() > kMostNamedSettings)
    left_out.push_back({.number = others_of_run.size() - kMostNamedSettings,
                        .what = "other setting",
                        .reason = "of fewer schemes or tokens"});
  for (const Group& kind : group(other_kinds, Columns{"ranks"}))
    left_out.push_back({.number = kind.rows.size(),
                        .what = "case",
                        .reason = fmt::format("{} ranks, of the same plans; --filter ranks={} "
                                              "draws them",
                                              kind.key[0], kind.key[0])});
  const Rows others = where(standing_rows(cases), [](const Row& row) {
    return std::ranges::count(kSchemes, row.text("algorithm")) == 0 && row.number("workers") >= 2;
  });
  for (const Group& algorithm : group(others, Columns{"algorithm"}))
    left_out.push_back({.number = algorithm.rows.size(),
                        .what = "case",
                        .reason = algorithm.key[0] + " is not one of the schemes compared here"});
  const std::string kind = kinds.size() == 1 ? kinds.front().name : "";
  return {fmt::format("Drawn: {}.", listed({drawn, kind})), not_drawn(left_out)};
}

std::vector<std::string> meaning_notes(bool several_links) {
  return {
      "Slowest worker: query-key pairs of the slowest worker of each round, summed over rounds, "
      "over unmasked pairs / W; 1 is perfect balance and no pair in vain. cqs scatters from one "
      "root and gathers there; cqs_sharded begins and ends sharded, as the others do.",
      "Pairs and bytes follow from the plan. Memory is measured where a case measured it, else "
      "predicted.",
      several_links ? "Pairs, bytes and memory are drawn once for all links, where they differ "
                      "those of the fastest."
                    : ""};
}

}  // namespace

Figure scheme_comparison_figure(const PlottedRun& run) {
  constexpr const char* kTitle = "Schemes of splitting exact attention at one length";
  Groups others = settings(run.cases);
  if (others.empty() || count_schemes(others.front()) < 2)
    return empty_figure(kTitle, "no two schemes ran at one length, mask and link with W > 1");
  std::vector<Drawn> drawn;
  Rows rows, other_kinds;
  for (Group& setting : take_drawn(others)) {
    Drawn& one = drawn.emplace_back(Drawn{std::move(setting), {}});
    one.kinds = kinds_of(one.setting.rows);
    std::ranges::copy(keep_one_measured(one.kinds), std::back_inserter(other_kinds));
    std::ranges::copy(one.setting.rows, std::back_inserter(rows));
  }
  if (drawn.size() > 1)
    for (Drawn& one : drawn) one.link = named_values(one.setting.rows.front(), kLinkColumns);
  Groups kinds = kinds_of(rows);
  keep_one_measured(kinds);
  const std::string name = drawn_name(run.cases, drawn);
  std::vector<Series> keys;
  if (kinds.size() > 1)
    for (const Group& kind : kinds)
      keys.push_back(legend_key(kind.name, kind.style, Draw::line_points, kind.thin));
  Figure figure =
      line_figure({.title = kTitle,
                   .y = compared_quantities(drawn, rows, kinds),
                   .x = number_in("workers"),
                   .x_axis = workers_axis,
                   .last_of_x = true,
                   .keys = keys,
                   .panel_height = 200,
                   .notes = joined_notes({choice_notes(run.cases, name, others, kinds, other_kinds),
                                          meaning_notes(drawn.size() > 1), timing_notes(rows)})});
  figure.subtitle = name;
  std::erase_if(figure.panels, [](const Panel& panel) {
    return std::ranges::none_of(all_x({panel}), [](double x) { return std::isfinite(x); });
  });
  return figure;
}

}  // namespace qb
