#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/numbers.h"
#include "plots/frame/pattern_names.h"
#include "plots/frame/scale.h"
#include "plots/frame/sparse_cases.h"
#include "plots/published/published_sparse.h"

namespace qb {
namespace {

constexpr const char* kTitle = "One parameter of a pattern at a time";
constexpr double kMilli = 1e3;
constexpr double kPercent = 100.0;

// A parameter that patterns of several kinds can have.
struct Parameter {
  std::string_view label;
  std::string_view column;
  std::string_view published;  // its name in the report's table
};
constexpr std::array kParameters = {
    Parameter{"window (tokens)", "window_tokens", "window_size"},
    Parameter{"fraction of random keys", "random_fraction", "random_fraction"},
    Parameter{"random blocks a block row", "random_blocks", ""},
    Parameter{"global tokens", "global_tokens", "global_indices"},
    Parameter{"dilation", "dilation", ""}};
enum ParameterIndex : std::size_t { kWindow, kFraction, kBlocks, kGlobal, kDilation };

// Where a kind has a parameter: its arguments (two sides and the token itself are a window).
struct Carrier {
  std::string_view kind;
  ParameterIndex parameter;
  std::string_view argument;
  std::string_view second{};
};
constexpr std::array kCarriers = {
    Carrier{"block_local", kWindow, "block"}, Carrier{"sliding_window", kWindow, "left", "right"},
    Carrier{"random", kFraction, "fraction"}, Carrier{"random", kBlocks, "blocks"},
    Carrier{"global", kGlobal, "tokens"},     Carrier{"dilated_window", kDilation, "dilation"}};

// Cases of one N that differ in the parameter alone.
struct Family {
  std::string kind{};
  std::string others{};  // the other arguments: `block: 64`
  std::string kernel{};
  std::string device{};
  std::int64_t n_tokens = 0;
  auto operator<=>(const Family&) const = default;
};

using Members = std::map<double, std::size_t>;  // row by the parameter's value
using Families = std::map<Family, Members>;

std::optional<double> value_of(const Carrier& carrier,
                               const std::map<std::string, std::string>& arguments) {
  const auto read = [&](std::string_view name) -> std::optional<double> {
    const auto found = arguments.find(std::string(name));
    return found == arguments.end() ? std::nullopt : parse_real(found->second);
  };
  const std::optional<double> first = read(carrier.argument);
  if (carrier.second.empty() || !first) return first;
  const std::optional<double> second = read(carrier.second);
  if (!second || *first < 0.0 || *second < 0.0) return std::nullopt;  // without an end
  return *first + *second + 1.0;
}

std::string other_arguments(const Carrier& carrier,
                            const std::map<std::string, std::string>& arguments) {
  std::string out;
  for (const auto& [name, value] : arguments)
    if (name != carrier.argument && name != carrier.second)
      out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", name, value);
  return out;
}

// Those of one parameter that have two values or more.
Families families_of(const SparseCases& cases, ParameterIndex parameter) {
  Families families;
  for (const SparseLine& line : cases.lines())
    for (const Carrier& carrier : kCarriers) {
      const std::string kind = pattern_kind(line.mask);
      if (carrier.parameter != parameter || carrier.kind != kind) continue;
      const auto arguments = pattern_arguments(line.mask);
      const std::optional<double> value = value_of(carrier, arguments);
      if (!value) continue;
      for (const std::size_t row : line.rows)
        families[{kind, other_arguments(carrier, arguments), line.kernel, line.device,
                  static_cast<std::int64_t>(cases.number(row, "n_tokens"))}][*value] = row;
    }
  std::erase_if(families, [](const auto& family) { return family.second.size() < 2; });
  return families;
}

// Colours tell patterns, marks lengths.
Style style_of(const Family& family, const Families& families) {
  std::set<std::string> others;
  std::set<std::int64_t> lengths;
  for (const auto& [one, members] : families) {
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

std::string name_of(const Family& family, const SparseCases& cases, bool several_kernels) {
  std::string name = family.kind;
  if (!family.others.empty()) name += ", " + family.others;
  if (several_kernels) name += ", " + family.kernel;
  if (cases.devices().size() > 1) name += ", " + cases.device_name(family.device);
  return fmt::format("{}, N = {}", name, format_grouped(family.n_tokens));
}

// A background line under its own: hollow, dashed, not in the legend.
Series behind(const Series& like, const char* what) {
  Series series{.name = like.name + ", " + what, .style = like.style, .thin = true};
  series.style.dash = 1;
  series.in_legend = false;
  return series;
}

struct PanelPair {
  Panel time;
  Panel pairs;
};

void add_family(PanelPair& panels, const SparseCases& cases, const Members& members, Series time) {
  Series ideal = behind(time, "ideal");
  Series kept = time;
  Series executed = behind(kept, "executed");
  for (const auto& [value, row] : members) {
    Point point = timed_point(cases, row, kMilli);
    point.x = value;
    time.points.push_back(point);
    ideal.points.push_back({.x = value, .y = kMilli * cases.ideal_time_s(row)});
    const double share = kPercent * cases.kept_share(row);
    kept.points.push_back({.x = value, .y = share});
    executed.points.push_back(
        {.x = value,
         .y = share * cases.number(row, "executed_pairs") / cases.number(row, "unmasked_pairs")});
  }
  for (auto& [panel, series] :
       {std::pair{&panels.time, &time}, std::pair{&panels.time, &ideal},
        std::pair{&panels.pairs, &kept}, std::pair{&panels.pairs, &executed}})
    if (std::any_of(series->points.begin(), series->points.end(),
                    [](const Point& point) { return std::isfinite(point.y); }))
      panel->series.push_back(std::move(*series));
}

// Table 2 of the report: one N, 1024.
void add_published(Panel& panel, const Parameter& parameter) {
  const CsvTable& table = published_sparse_ablations();
  Series series{.name = fmt::format("15-618 {}, N = 1,024", parameter.published),
                .style = {kGrey, 5},
                .published = true};
  for (std::size_t row = 0; row < table.size(); ++row)
    if (table.text(row, "hyperparameter") == parameter.published)
      series.points.push_back({.x = table.number(row, "hyperparameter_value"),
                               .y = table.number(row, "total_us") / kMilli});
  if (!series.points.empty()) panel.series.push_back(std::move(series));
}

PanelPair panels_of(const SparseCases& cases, ParameterIndex index, bool with_published) {
  const Families families = families_of(cases, index);
  PanelPair panels;
  if (families.empty()) return panels;
  const Parameter& parameter = kParameters.at(index);
  std::set<std::string> kernels;
  for (const auto& [family, members] : families) kernels.insert(family.kernel);
  for (const auto& [family, members] : families)
    add_family(
        panels, cases, members,
        {.name = name_of(family, cases, kernels.size() > 1), .style = style_of(family, families)});
  if (with_published) add_published(panels.time, parameter);
  panels.time.title = fmt::format("time against {}", parameter.label);
  panels.pairs.title = fmt::format("pairs kept against {}", parameter.label);
  panels.time.y = {.label = "time (ms)", .column = "time_ms", .log = true};
  panels.pairs.y = {.label = "share of all pairs (%)", .column = "pairs_percent", .log = true};
  for (Panel* panel : {&panels.time, &panels.pairs}) {
    panel->x = {.label = std::string(parameter.label), .column = std::string(parameter.column)};
    panel->x.log = spans_powers(all_x(panels.time));
  }
  return panels;
}

}  // namespace

Figure sparse_ablation_figure(const CsvTable& cases, const FigureContext& context) {
  const SparseCases sparse(cases);
  const bool with_published = of_published_sparse_shape(cases);
  Figure figure{.name = "sparse_ablation", .title = kTitle, .subtitle = context.subtitle};
  bool published = false;
  for (const ParameterIndex index : {kWindow, kFraction, kBlocks, kGlobal, kDilation}) {
    PanelPair panels = panels_of(sparse, index, with_published);
    if (panels.time.series.empty()) continue;
    published = published || panels.time.series.back().published;
    figure.panels.push_back(std::move(panels.time));
    figure.panels.push_back(std::move(panels.pairs));
  }
  if (figure.panels.empty())
    return empty_figure(figure.name, kTitle,
                        "no pattern ran with two values of one parameter and all else equal");
  arrange_panels(figure);
  figure.notes = case_notes(cases);
  figure.notes.emplace_back(
      "Dashed, left: the ideal, the time of dense flash at the same N × the share of pairs kept. "
      "Dashed, right: the share of pairs that the kernel executes, tiles being all or nothing.");
  if (published) {
    figure.published_legend = kPublishedSparseLegend;
    figure.notes.push_back(published_sparse_note());
  }
  return figure;
}

}  // namespace qb
