// What one parameter of a pattern costs: time and pairs kept against window, random fraction and
// number of global tokens, beside the ideal.
//
// There are two panels per parameter of which the run has two values or more with all else of the
// pattern equal, and a line for each pattern, N, kernel and device. The ideal is the dense time at
// the same N times the share of pairs kept.
#include <fmt/format.h>

#include "base/numbers.h"
#include "plots/figures/figures.h"
#include "plots/frame/pattern_names.h"
#include "plots/frame/sparse_cases.h"
#include "plots/published/published.h"

namespace qb {
namespace {

// Says which arguments of a kind of pattern hold a parameter (two sides and the token itself are a
// window).
struct Carrier {
  std::string_view kind;
  std::string_view argument;
  std::string_view second{};
};

// A parameter that patterns of several kinds can have.
struct Parameter {
  const char* label;
  const char* column;
  const char* published;  // its name in the report's table
  std::vector<Carrier> carriers;
};
const Parameter kParameters[] = {
    {"window (tokens)",
     "window_tokens",
     "window_size",
     {{"block_local", "block"}, {"sliding_window", "left", "right"}}},
    {"fraction of random keys", "random_fraction", "random_fraction", {{"random", "fraction"}}},
    {"random blocks a block row", "random_blocks", "", {{"random", "blocks"}}},
    {"global tokens", "global_tokens", "global_indices", {{"global", "tokens"}}},
    {"dilation", "dilation", "", {{"dilated_window", "dilation"}}}};

std::optional<double> value_of(const Carrier& carrier,
                               const std::map<std::string, std::string>& arguments) {
  const auto read = [&](std::string_view name) -> std::optional<double> {
    const auto found = arguments.find(std::string(name));
    return found == arguments.end() ? std::nullopt : parse_real(found->second);
  };
  const std::optional<double> first = read(carrier.argument);
  if (carrier.second.empty() || !first) return first;
  const std::optional<double> second = read(carrier.second);
  if (!second || *first < 0.0 || *second < 0.0) return std::nullopt;  // it has no end
  return *first + *second + 1.0;
}

// Writes `block: 64`: the arguments besides those of the parameter.
std::string other_arguments(const Carrier& carrier,
                            const std::map<std::string, std::string>& arguments) {
  std::vector<std::string> out;
  for (const auto& [name, value] : arguments)
    if (name != carrier.argument && name != carrier.second) out.push_back(name + ": " + value);
  return listed(out);
}

// Cases of one N that differ in the parameter alone and have two values or more.
struct Family {
  std::string kind{};
  std::string others{};
  std::int64_t n_tokens = 0;
  Group line{};
  std::map<double, Row> rows{};  // by the parameter's value
};

std::vector<Family> families_of(const SparseCases& cases, const Parameter& parameter) {
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::int64_t>, Family>
      families;
  for (const Group& line : cases.lines())
    for (const Carrier& carrier : parameter.carriers) {
      const std::string kind = pattern_kind(line.key[0]);
      const auto arguments = pattern_arguments(line.key[0]);
      const std::optional<double> value =
          carrier.kind == kind ? value_of(carrier, arguments) : std::nullopt;
      if (!value) continue;
      const std::string others = other_arguments(carrier, arguments);
      for (const Row& row : line.rows) {
        const std::int64_t n = row.integer("n_tokens");
        Family& family = families[{kind, others, line.key[1], line.key[2], n}];
        if (family.rows.empty()) family = {kind, others, n, line, {}};
        family.rows[*value] = row;
      }
    }
  std::vector<Family> out;
  for (auto& [key, family] : families)
    if (family.rows.size() > 1) out.push_back(std::move(family));
  return out;
}

// Colours tell patterns apart, marks tell lengths apart.
Style style_of(const Family& family, const std::vector<Family>& families) {
  std::set<std::string> others;
  std::set<std::int64_t> lengths;
  for (const Family& one : families) {
    lengths.insert(one.n_tokens);
    if (one.kind == family.kind) others.insert(one.others);
  }
  const auto at = [](const auto& set, const auto& value) {
    return static_cast<int>(std::distance(set.begin(), set.find(value)));
  };
  Style style = pattern_style(family.kind);
  if (const int other = at(others, family.others); other > 0) style.colour = spare_colour(other);
  style.mark = (at(lengths, family.n_tokens) + 2 * at(others, family.others)) % kMarks;
  return style;
}

void add_family(Panel& times, Panel& pairs, const SparseCases& cases, const Family& family,
                const Series& look) {
  Series time = look;
  Series kept = look;
  Series ideal = behind(look, "ideal", 1);
  Series executed = behind(look, "executed", 1);
  for (const auto& [value, row] : family.rows) {
    const double share = kPercent * kept_share(row);
    const double pairs_kept = row.number("unmasked_pairs");
    time.points.push_back(timed(row, "wall_time", kMilli, value));
    ideal.points.push_back({.x = value, .y = kMilli * cases.ideal_time_s(row)});
    kept.points.push_back({.x = value, .y = share});
    executed.points.push_back({.x = value, .y = share * row.number("executed_pairs") / pairs_kept});
  }
  for (auto& [panel, series] : {std::pair{&times, &time}, std::pair{&times, &ideal},
                                std::pair{&pairs, &kept}, std::pair{&pairs, &executed}})
    if (std::ranges::any_of(series->points, [](const Point& at) { return std::isfinite(at.y); }))
      panel->series.push_back(std::move(*series));
}

// Gives table 2 of the report, which has one N, 1024.
Series published_series(const Parameter& parameter) {
  Series series{.name = fmt::format("15-618 {}, N = 1,024", parameter.published),
                .style = {kGrey, 5},
                .published = true};
  for (const Row& row : all_rows(published_table("sparse_attention_15618_table_2_ablation")))
    if (row.is("hyperparameter", parameter.published))
      series.points.push_back(
          {.x = row.number("hyperparameter_value"), .y = row.number("total_us") / kMilli});
  return series;
}

// Makes the panels of time and of pairs; none if no family has the parameter.
std::vector<Panel> panels_of(const SparseCases& cases, const Parameter& parameter,
                             bool with_published) {
  const std::vector<Family> families = families_of(cases, parameter);
  if (families.empty()) return {};
  std::set<std::string> kernels;
  for (const Family& family : families) kernels.insert(family.line.key[1]);
  Panel times{.title = fmt::format("time against {}", parameter.label),
              .x = {.label = parameter.label, .column = parameter.column},
              .y = {.label = "time (ms)", .column = "time_ms", .log = true}};
  Panel pairs{.title = fmt::format("pairs kept against {}", parameter.label),
              .y = {.label = "share of all pairs (%)", .column = "pairs_percent", .log = true}};
  for (const Family& family : families) {
    Group named = family.line;
    named.name = listed(
        {family.kind, family.others, kernels.size() > 1 ? family.line.key[1] : std::string()});
    add_family(
        times, pairs, cases, family,
        {.name = fmt::format("{}, N = {}", cases.full_name(named), format_grouped(family.n_tokens)),
         .style = style_of(family, families)});
  }
  if (with_published) add(times, published_series(parameter));
  times.x.log = spans_powers(all_x(times));
  pairs.x = times.x;
  return {times, pairs};
}

}  // namespace

Figure sparse_ablation_figure(const PlottedRun& run, const FigureContext& context) {
  const SparseCases cases(run.cases);
  Figure figure{.title = "One parameter of a pattern at a time",
                .subtitle = context.subtitle,
                .notes = joined_notes(
                    {case_notes(run.cases),
                     {"Dashed, left: the ideal, the time of dense flash at the same N × the share "
                      "of pairs kept. Dashed, right: the share of pairs that the kernel executes, "
                      "tiles being all or nothing."}})};
  for (const Parameter& parameter : kParameters)
    for (Panel& panel : panels_of(cases, parameter, of_published_sparse_shape(run.cases))) {
      if (panel.series.back().published) figure.published_legend = kPublishedSparseLegend;
      figure.panels.push_back(std::move(panel));
    }
  if (figure.panels.empty())
    return empty_figure(figure.title,
                        "no pattern ran with two values of one parameter and all else equal");
  arrange_panels(figure);
  if (!figure.published_legend.empty()) figure.notes.push_back(published_sparse_note());
  return figure;
}

}  // namespace qb
