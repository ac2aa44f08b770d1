// The schemes side by side in one setting (length, mask and link), against the worker count: the
// setting with the most schemes, then the most tokens, then the most measured cases.
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
constexpr double kLeastRatioSpan = 0.2;

// Counts the schemes that ran in a setting.
std::size_t count_schemes(const Group& setting) {
  return group(where(setting.rows, ran), Columns{"algorithm"}).size();
}

Groups settings(const CsvTable& cases) {
  const Rows rows = where(standing_rows(cases), [](const Row& row) {
    return std::ranges::count(kSchemes, row.text("algorithm")) > 0 && row.number("workers") >= 2;
  });
  const Columns shape = joined(without(kShapeColumns, "threads"), {"sequences"});
  const Columns link = {"link_bandwidth_byte_per_s", "link_latency_s"};
  // The subtitle already says what all cases share.
  const Columns shown =
      joined(differing_columns(standing_rows(cases), joined({"n_tokens"}, shape)), link);
  Groups found = panels_by(rows, joined({"n_tokens", "kv_len"}, joined(shape, link)), shown);
  std::ranges::stable_sort(found, std::greater{}, [](const Group& one) {
    const auto measured = [](const Row& row) { return ran(row) && !modelled(row); };
    return std::tuple(count_schemes(one), one.rows.front().number("n_tokens"),
                      count(one.rows, measured));
  });
  return found;
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
  return row.number(pairs) / row.number("unmasked_pairs");
}

std::vector<LineFigure::Quantity> compared_quantities(const Group& setting, const Groups& kinds) {
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
      bytes_quantity("sent by the busiest worker", "sent", "worker_sent", setting.rows,
                     number_in("worker_sent_bytes")),
      bytes_quantity("memory of the fullest worker", "peak memory", "worker_active_peak",
                     setting.rows, worker_peak_bytes),
      {"exposed communication, longest",
       {.label = "exposed (ms)", .column = "exposed_communication_ms"},
       [](const Row& row) { return timed(row, "exposed_communication", kMilli); }},
      {"wall clock", {.label = "wall clock (ms)", .column = "wall_time_ms"}, time_ms}};
  for (std::size_t i = 0; i < shown.size(); ++i) {
    shown[i].timed = i > 3;
    shown[i].lines = [lines = i < 3 ? plan_lines(setting.rows) : kind_lines(kinds)](const Group&) {
      return lines;
    };
    if (shown[i].y.least_span > 0.0)  // 1 is the least possible ratio
      shown[i].reference = always(limit_line("1", 1.0, false));
    shown[i].fit = [](Axis axis, const std::vector<double>& y) {
      axis.log = spans_powers(y) && std::ranges::none_of(y, [](double at) { return at <= 0.0; });
      axis.from_zero = !axis.log && !(axis.least_span > 0.0);
      return axis;
    };
  }
  shown.back().reference = [&setting](const Group&) { return crosses(setting.rows); };
  return shown;
}

// Says which setting is drawn, and in one sentence what is not.
std::vector<std::string> choice_notes(const CsvTable& cases, const Groups& all, const Groups& kinds,
                                      const Rows& other_kinds) {
  std::vector<Omission> left_out;
  for (std::size_t i = 1; i < std::min(all.size(), kMostNamedSettings + 1); ++i)
    left_out.push_back({.number = count_schemes(all[i]), .what = "scheme", .reason = all[i].name});
  if (all.size() > kMostNamedSettings + 1)
    left_out.push_back({.number = all.size() - kMostNamedSettings - 1,
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
  return {fmt::format("Drawn: {}.", listed({all.front().name, kind})), not_drawn(left_out)};
}

}  // namespace

Figure scheme_comparison_figure(const PlottedRun& run) {
  constexpr const char* kTitle = "Schemes of splitting exact attention at one length";
  const Groups all = settings(run.cases);
  if (all.empty() || count_schemes(all.front()) < 2)
    return empty_figure(kTitle, "no two schemes ran at one length, mask and link with W > 1");
  const Group& setting = all.front();
  Groups kinds = kinds_of(setting.rows);
  const Rows other_kinds = keep_one_measured(kinds);
  std::vector<Series> keys;
  if (kinds.size() > 1)
    for (const Group& kind : kinds)
      keys.push_back(legend_key(kind.name, kind.style, Draw::line_points, kind.thin));
  Figure figure = line_figure(
      {.title = kTitle,
       .y = compared_quantities(setting, kinds),
       .x = number_in("workers"),
       .x_axis = workers_axis,
       .last_of_x = true,
       .keys = keys,
       .panel_height = 200,
       .notes = joined_notes(
           {choice_notes(run.cases, all, kinds, other_kinds),
            {"Slowest worker: query-key pairs of the slowest worker of each round, summed over "
             "rounds, over unmasked pairs / W; 1 is perfect balance and no pair in vain. cqs "
             "scatters from one root and gathers there; cqs_sharded begins and ends sharded, as "
             "the others do.",
             "Pairs and bytes follow from the plan. Memory is measured where a case measured it, "
             "else predicted."},
            timing_notes(setting.rows)})});
  figure.subtitle = setting.name;
  std::erase_if(figure.panels, [](const Panel& panel) {
    return std::ranges::none_of(all_x({panel}), [](double x) { return std::isfinite(x); });
  });
  return figure;
}

}  // namespace qb
