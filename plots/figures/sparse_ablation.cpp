// What one parameter of a pattern costs: time and pairs kept against window, random fraction and
// number of global tokens, beside the ideal, which is the dense time at the same N times the share
// of pairs kept.
#include "base/numbers.h"
#include "plots/figures/figures.h"
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
using Families = std::vector<Family>;

Families families_of(const SparseCases& cases, const Parameter& parameter) {
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
  Families out;
  for (auto& [key, family] : families)
    if (family.rows.size() > 1) out.push_back(std::move(family));
  return out;
}

// Colours tell patterns apart, marks tell lengths apart.
Style style_of(const Family& family, const Families& families) {
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

// Makes a line for each family and a dashed one behind it, which is named by `what`.
template <class Number, class Behind>
Groups lines_of(const SparseCases& cases, const Families& families, Number number, const char* what,
                Behind number_behind) {
  std::set<std::string> kernels;
  for (const Family& family : families) kernels.insert(family.line.key[1]);
  Groups lines;
  for (const Family& family : families) {
    Group line = family.line;
    line.name = listed(
        {family.kind, family.others, kernels.size() > 1 ? family.line.key[1] : std::string()});
    line.name = fmt::format("{}, N = {}", cases.full_name(line), format_grouped(family.n_tokens));
    line.style = style_of(family, families);
    line.rows.clear();
    for (const auto& [value, row] : family.rows) line.rows.push_back(row);
    const auto at_parameter = [&](auto shown) {
      return [shown, rows = family.rows](const Row& row) {
        Point point = shown(row);
        point.x = std::ranges::find(rows, row, [](const auto& one) { return one.second; })->first;
        return point;
      };
    };
    line.value = at_parameter(number);
    lines.insert(lines.end(), {line, behind(line, what, 1, at_parameter(number_behind))});
  }
  return lines;
}

// Gives table 2 of the report, which has one N, 1024.
Group published_line(const Parameter& parameter) {
  return {.rows = where(all_rows(published_table("sparse_attention_15618_table_2_ablation")),
                        "hyperparameter", {parameter.published}),
          .name = fmt::format("15-618 {}, N = 1,024", parameter.published),
          .style = {kGrey, 5},
          .published = true,
          .value = [](const Row& row) {
            return Point{.x = row.number("hyperparameter_value"),
                         .y = row.number("total_us") / kMilli};
          }};
}

void add_quantities(std::vector<LineFigure::Quantity>& shown, const SparseCases& cases,
                    const Parameter& parameter, bool with_published) {
  const Families families = families_of(cases, parameter);
  if (families.empty()) return;
  Groups times = lines_of(
      cases, families, [](const Row& row) { return timed(row, "wall_time", kMilli); }, "ideal",
      [&cases](const Row& row) { return Point{.y = kMilli * cases.ideal_time_s(row)}; });
  if (with_published) times.push_back(published_line(parameter));
  std::vector<double> values;
  for (const Group& line : times)
    for (const Row& row : line.rows) values.push_back(line.value(row).x);
  const auto x_axis = [&parameter, log = spans_powers(values)](const std::vector<double>&) {
    return Axis{.label = parameter.label, .column = parameter.column, .log = log};
  };
  shown.push_back({.title = fmt::format("time against {}", parameter.label),
                   .y = {.label = "time (ms)", .column = "time_ms", .log = true},
                   .lines = [=](const Group&) { return times; },
                   .x_axis = x_axis});
  const Groups pairs = lines_of(
      cases, families, [](const Row& row) { return Point{.y = kPercent * kept_share(row)}; },
      "executed",
      [](const Row& row) {
        return Point{.y = kPercent * kept_share(row) * row.number("executed_pairs") /
                          row.number("unmasked_pairs")};
      });
  shown.push_back({.title = fmt::format("pairs kept against {}", parameter.label),
                   .y = {.label = "share of all pairs (%)", .column = "pairs_percent", .log = true},
                   .lines = [=](const Group&) { return pairs; },
                   .x_axis = x_axis});
}

}  // namespace

Figure sparse_ablation_figure(const PlottedRun& run) {
  const SparseCases cases(run.cases);
  const bool with_published = of_published_sparse_shape(run.cases);
  std::vector<LineFigure::Quantity> shown;
  for (const Parameter& parameter : kParameters)
    add_quantities(shown, cases, parameter, with_published);
  return line_figure(
      {.title = "One parameter of a pattern at a time",
       .nothing = "no pattern ran with two values of one parameter and all else equal",
       .y = shown,
       .published_legend = with_published ? kPublishedSparseLegend : "",
       .notes = joined_notes(
           {case_notes(run.cases),
            {"Dashed, left: the ideal, the time of dense flash at the same N × the share of pairs "
             "kept. Dashed, right: the share of pairs that the kernel executes, tiles being all or "
             "nothing.",
             with_published ? published_sparse_note() : ""}})});
}

}  // namespace qb
