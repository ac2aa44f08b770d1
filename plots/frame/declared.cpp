// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/declared.h"

#include "base/numbers.h"
#include "base/schema/column.h"
#include "base/statistics.h"
#include "base/words.h"
#include "plots/frame/claims.h"
#include "plots/frame/patterns.h"
#include "plots/frame/table.h"
#include "plots/published/published.h"

namespace qb {
namespace {

constexpr std::size_t kMostLines = 6;     // of a panel, unless nothing tells them apart further
constexpr std::size_t kMostSettings = 4;  // panels of one value
constexpr std::size_t kMostFacets = 12;   // panels in all where lines have panels of their own
constexpr double kMostRepeats = 20.0;     // of a case whose repeats are drawn
constexpr std::uint32_t kFacetColour = 0x2572AA;

// What is on the axis of x.
struct OnX {
  std::function<double(const Row&)> at{};
  std::function<Axis(const std::vector<double>&)> axis{};
  Columns columns{};   // the parameters that it stands for
  bool words = false;  // each row of a word is a mark, and no line joins them
};

// Everything that is known of a figure before its panels.
struct Drawing {
  const DeclaredFigure& declared;
  const PlottedRun& run;
  Rows rows{};
  OnX x{};
  std::vector<ShownValue> values{};
  Columns lines{};
  Columns panels{};
  bool shapes = false;  // several rows share a line and an x
  std::vector<std::string> notes{};
};

Columns parameters_of(const Columns& words) {
  Columns columns;
  for (const std::string& word : words)
    if (word == "tokens_per_worker" || word == "miss_rate")
      columns.emplace_back("n_tokens");
    else if (word == "typical_score")
      columns.emplace_back("scale");
    else
      columns.push_back(word);
  return columns;
}

OnX on_x(const DeclaredFigure& declared, const Rows& rows) {
  const std::string& word = declared.x;
  const Field* const field = find_parameter_field(word);
  OnX x{.at = [=](const Row& row) { return number_named(row, word); },
        .axis = word == "workers" ? workers_axis : tokens_axis,
        .columns = parameters_of({word})};
  if (word == "n_tokens" || word == "workers") return x;
  if (field != nullptr && !is_number_kind(field->kind)) {
    std::map<std::string, double> places;
    Axis axis{.label = parameter_heading(word), .column = word + "_index"};
    for (const Group& one : group(rows, Columns{word}))
      axis.tics.push_back({places[one.key[0]] = static_cast<double>(axis.tics.size()),
                           name_of(one.rows.front(), word)});
    x.at = [=](const Row& row) { return places.at(row.at(word)); };
    x.axis = [=](const std::vector<double>&) { return axis; };
    x.words = true;
    return x;
  }
  Axis axis{.column = word};
  const DerivedValue* const derived = find_derived(word);
  if (word == "link_bandwidth_byte_per_s") {
    x.at = [=](const Row& row) { return row.number_at(word) / kGiga; };
    axis = {.label = "link bandwidth (GB/s)", .column = "link_bandwidth_gb_per_s"};
  } else if (field != nullptr || (derived != nullptr && derived->on_x)) {
    axis.label = field != nullptr ? parameter_heading(word) : std::string(derived->said);
  } else {
    const ShownValue shown = value_named(word, {}, rows);
    axis = {.label = shown.with_unit(), .column = listed({word, shown.unit.suffix}, "_")};
    x.at = [=](const Row& row) { return shown.value(row).y * shown.unit.factor; };
    x.columns.clear();
  }
  x.axis = [=, log = declared.log.starts_with('x')](const std::vector<double>& values) {
    Axis own = powers_or_linear(axis, values);
    own.log = own.log || log;
    return own;
  };
  return x;
}

// The first words of a name tell what people look for first.
void order_words(Columns& words) {
  static constexpr std::string_view kFirst[] = {"algorithm", "mask", "kernel", "dtype", "workers"};
  std::ranges::stable_sort(words, {}, [](const std::string& word) {
    return std::ranges::find(kFirst, word) - std::begin(kFirst);
  });
}

// Decides what tells lines and panels apart besides what is declared. What says how a case is split
// joins no other panel: of several such cases of a line and an x the best is drawn.
void choose_columns(Drawing& plan) {
  const DeclaredFigure& declared = plan.declared;
  const Columns given =
      joined(joined(plan.x.columns, parameters_of(declared.panels)), parameters_of(declared.lines));
  Columns more = splitting_columns(plan.rows, given);
  const Columns with_tokens = joined(given, {"n_tokens"});
  plan.lines = declared.lines;
  plan.panels = declared.panels;
  if (group(plan.rows, with_tokens).size() > group(plan.rows, given).size())
    plan.panels.emplace_back("n_tokens");
  if (declared.x == "miss_rate" && std::ranges::count(declared.panels, "kv_len") == 0)
    plan.panels.emplace_back("kv_len");  // a rate alone does not say of how many keys
  for (const std::string& column : more)
    if (declared.lines.empty())
      plan.lines.push_back(column);
    else if (find_parameter_field(column)->group == FieldGroup::split)
      plan.shapes = true;
    else
      plan.panels.push_back(column);
  for (const char* const origin : {"run", "node"})
    if (!plan.rows.empty() && plan.rows.front().table->has(origin) &&
        group(plan.rows, Columns{origin}).size() > 1 && std::ranges::count(plan.lines, origin) == 0)
      plan.lines.emplace_back(origin);
  order_words(plan.lines);
}

Groups grouped_by(const Rows& rows, const Columns& words) {
  return group(rows, [&](const Row& row) {
    std::vector<std::string> key;
    for (const std::string& word : words)
      key.push_back(find_parameter_field(word) != nullptr ? own_value(row, word)
                                                          : text_named(row, word));
    return key;
  });
}

Rows rows_in(const Groups& groups) {
  Rows rows;
  for (const Group& one : groups) std::ranges::copy(one.rows, std::back_inserter(rows));
  return rows;
}

Columns differing_words(const Rows& rows, const Columns& words) {
  Columns differing;
  for (const std::string& word : words)
    if (grouped_by(rows, {word}).size() > 1) differing.push_back(word);
  return differing;
}

// Names what tells a row's line or panel from others; a value that goes without saying is said
// where nothing else is.
std::string name_of_words(const Row& row, const Columns& words) {
  std::vector<std::string> parts;
  for (const std::string& word : words) {
    const bool quiet = find_parameter_field(word) != nullptr &&
                       (own_value(row, word) == "=" || named_values(row, {word}).empty());
    parts.push_back(quiet ? "" : name_of(row, word));
  }
  const std::string name = listed(parts);
  return name.empty() && !words.empty() ? name_of(row, words.front()) : name;
}

Style look_of(const Row& row, const Columns& differing) {
  const auto differs = [&](std::string_view word) {
    return std::ranges::count(differing, word) > 0;
  };
  if (differs("algorithm")) return algorithm_style(row.text("algorithm"));
  if (differs("mixer_operator") && !row.is("mixer_operator", "softmax"))
    return operator_style(row.text("mixer_operator"));
  if (differs("mask")) return pattern_style(pattern_kind(row.text("mask")));
  if (differs("dtype"))
    return {dtype_style(row.text("dtype")).colour, differs("kernel")
                                                       ? kernel_style(row.text("kernel")).mark
                                                       : dtype_style(row.text("dtype")).mark};
  if (differs("kernel")) return kernel_style(row.text("kernel"));
  return algorithm_style(row.text("algorithm"));
}

// The lines of some rows, named by what differs among `all`, each over ascending x.
Groups lines_of(const Rows& rows, const Rows& all, const Columns& words, const Drawing& plan) {
  const Columns differing = differing_words(all, words);
  Groups lines = grouped_by(rows, words);
  for (Group& line : lines) {
    line.rows = order(line.rows, plan.x.at);
    const Row& first = line.rows.front();
    line.name = name_of_words(first, differing);
    if (plan.x.words) line.draw = Draw::points;
    const bool one_scheme = group(line.rows, Columns{"algorithm"}).size() == 1;
    if (line.name.empty()) line.name = one_scheme ? first.text("algorithm") : "cases";
    line.style = look_of(first, differing);
  }
  std::ranges::stable_sort(lines, {}, [](const Group& line) {
    return algorithm_place(line.rows.front().text("algorithm")).value_or(1 << 20);
  });
  shade_equal_looks(lines);
  return lines;
}

bool has_value(const Row& row, const std::vector<ShownValue>& values) {
  return ran(row) && std::ranges::any_of(values, [&](const ShownValue& value) {
           return std::isfinite(value.value(row).y);
         });
}

std::size_t count_x(const Rows& rows, const Drawing& plan) {
  std::set<double> places;
  for (const Row& row : rows)
    if (has_value(row, plan.values)) places.insert(plan.x.at(row));
  return places.size();
}

// The panels of a value: those with most lines and x, named by what tells them apart.
Groups settings_of(Drawing& plan) {
  // Against the miss rate the keys are fixed, whatever N is.
  const auto grouped = [&](const Rows& rows) {
    return plan.declared.x == "miss_rate" ? group(rows, plan.panels)
                                          : grouped_by(rows, plan.panels);
  };
  Groups panels = grouped(plan.rows);
  std::erase_if(panels, [&](const Group& panel) { return count_x(panel.rows, plan) == 0; });
  const auto worth = [&](const Group& panel) {
    const Rows done = where(panel.rows, ran);
    const std::size_t lines = grouped_by(done, plan.lines).size();
    return std::tuple(std::min(kMostLines, lines), count_x(done, plan), is_forward(done.front()),
                      done.front().number("n_tokens"), lines);
  };
  if (const std::size_t most = std::max<std::size_t>(1, kMostSettings / plan.values.size());
      panels.size() > most) {
    std::ranges::stable_sort(panels, std::greater{}, worth);
    plan.notes.push_back(keep_first(panels, most, "lines, x and N"));
    panels = grouped(rows_in(panels));
  }
  std::ranges::stable_sort(panels, {},
                           [](const Group& one) { return !is_forward(one.rows.front()); });
  const Columns differing = differing_words(plan.rows, plan.panels);
  for (Group& panel : panels)
    panel.name = name_of_words(order(panel.rows, number_in("n_tokens")).front(), differing);
  return panels;
}

// What tells most of the lines of a panel apart, so that each of its values can have a panel: the
// algorithm where it differs.
std::string facet_of(const Rows& rows, const Drawing& plan) {
  std::string facet;
  std::size_t most = 1;
  for (const std::string& word : plan.lines) {
    const std::size_t values = grouped_by(rows, {word}).size();
    if (values <= most) continue;
    if (word == "algorithm") return word;
    facet = word;
    most = values;
  }
  return facet;
}

// The panels of a value with their lines.
std::vector<DeclaredPanel> facets_of(const Groups& settings, Drawing& plan) {
  std::vector<DeclaredPanel> facets;
  const Rows all = rows_in(settings);
  const auto says_nothing = [&](const Group& line) {
    return count_x(line.rows, plan) == 0 && count(line.rows, out_of_memory) == 0;
  };
  for (const Group& setting : settings) {
    Groups lines = lines_of(setting.rows, all, plan.lines, plan);
    std::erase_if(lines, says_nothing);
    const std::string facet = facet_of(setting.rows, plan);
    if (lines.size() <= kMostLines || facet.empty() || count_x(setting.rows, plan) == 1 ||
        differing_words(setting.rows, plan.lines).size() < 2) {
      facets.push_back({setting.name, std::move(lines)});
      continue;
    }
    for (const Group& one : grouped_by(rows_in(lines), {facet})) {
      Groups own = lines_of(one.rows, setting.rows, without(plan.lines, facet), plan);
      for (std::size_t i = 0; i < own.size(); ++i)
        own[i].style = {shade(kFacetColour, static_cast<int>(i), static_cast<int>(own.size())),
                        static_cast<int>(i) % kMarks};
      facets.push_back({listed({setting.name, name_of(one.rows.front(), facet)}), std::move(own)});
    }
  }
  plan.notes.push_back(keep_first(
      facets, std::max<std::size_t>(1, kMostFacets / plan.values.size()), "their names"));
  return facets;
}

// Of the rows of one x the best that ran, or else one that did not fit.
Rows best_rows(const Rows& rows, const ShownValue& value, const Drawing& plan) {
  if (plan.x.words) return rows;
  std::map<double, Row> best;
  for (const Row& row : rows) {
    const double x = plan.x.at(row);
    const auto found = best.find(x);
    const auto worth = [&](const Row& one) {
      const double y = ran(one) ? value.value(one).y : kNaN;
      return std::isnan(y)          ? -std::numeric_limits<double>::infinity()
             : value.more_is_better ? y
                                    : -y;
    };
    if (found == best.end() || worth(row) >= worth(found->second)) best.insert_or_assign(x, row);
  }
  Rows kept;
  for (const auto& [x, row] : best)
    if (std::isfinite(x)) kept.push_back(row);
  return kept;
}

Point shown_point(const Row& row, const ShownValue& value) {
  if (!ran(row)) return {};
  Point point = scaled(value.value(row), value.unit.factor);
  const auto base = value.quotient() ? value.base(row) : std::nullopt;
  point.disturbed = value.timed && (!counts(row) || (base && !counts(*base)) || point.disturbed);
  return point;
}

// What the pairs of the critical path allow a quotient of times to be.
double allowed_by_pairs(const Row& row, const ShownValue& value) {
  const auto base = value.base(row);
  if (!base || !ran(row) || !ran(*base)) return kNaN;
  const double gain = pairs_allow(row) / pairs_allow(*base);
  return value.word == "efficiency" ? gain / row.number("workers") : gain;
}

// Draws the median of the measured peaks for each element type and number of threads.
std::vector<Series> peaks_of(const Rows& rows, double factor) {
  std::vector<Series> peaks;
  const Rows compared =
      where(rows, [](const Row& row) { return row.number("peak_flop_per_s") > 0.0; });
  for (const Group& type : group(compared, Columns{"dtype", "threads"})) {
    const bool several = group(compared, Columns{"threads"}).size() > 1;
    peaks.push_back(limit_line(
        listed({"measured peak", type.key[0], several ? named_value("threads", type.key[1]) : ""}),
        median(numbers_of(type.rows, number_in("peak_flop_per_s"))) * factor));
    peaks.back().style.colour = dtype_style(type.key[0]).colour;
  }
  return peaks;
}

// The budget of all rows, or the machine's memory; NaN where they have several.
double memory_limit(const Drawing& plan) {
  const Groups budgets = group(plan.rows, Columns{"memory_budget_bytes"});
  if (budgets.size() != 1) return kNaN;
  const double budget = budgets.front().rows.front().number("memory_budget_bytes");
  if (budget > 0.0) return budget;
  return count(plan.rows, modelled) > 0 ? kNaN : plan.run.provenance.memory_bytes;
}

bool is_of_memory(const ShownValue& value) { return value.word.find("_peak") != std::string::npos; }

std::vector<Series> limits_of(const ShownValue& value, const Rows& rows, const Drawing& plan) {
  const std::string& bound = plan.declared.bound;
  const bool over_base = bound == "pairs" && !plan.declared.base.empty();
  if ((bound == "one" || over_base) && value.unit.name.empty())
    return {limit_line("1", 1.0, false)};
  if (bound == "peak" && value.word == "achieved_flop_per_s")
    return peaks_of(rows, value.unit.factor);
  const double limit = memory_limit(plan);
  if (bound != "memory" || !is_of_memory(value) || !(limit > 0.0)) return {};
  const double most = largest(rows, [&](const Row& row) { return value.value(row).y; });
  // A limit far above all data would only squeeze them.
  if (count(rows, out_of_memory) == 0 && limit >= 4.0 * most) return {};
  const bool budget = rows.front().number("memory_budget_bytes") > 0.0;
  return {limit_line((budget ? "budget " : "machine ") + format_bytes(limit),
                     limit * value.unit.factor)};
}

// Draws N and N^2 through the least of the first values, as far as the values go.
std::vector<Series> slope_guides(const Groups& lines, const ShownValue& value,
                                 const Drawing& plan) {
  if (plan.declared.x != "n_tokens" || value.quotient() ||
      !(value.unit.name == "MiB" || value.unit.name == "GiB" || value.timed) ||
      value.more_is_better)
    return {};
  std::map<double, double> least;
  double most = 0.0;
  for (const Group& line : lines)
    for (const Row& row : line.rows)
      if (const double y = shown_point(row, value).y; y > 0.0) {
        const auto [at, fresh] = least.emplace(plan.x.at(row), y);
        if (!fresh) at->second = std::fmin(at->second, y);
        most = std::fmax(most, y);
      }
  if (least.size() < 2 || most < 8.0 * least.begin()->second ||
      least.rbegin()->first < 8.0 * least.begin()->first)
    return {};  // both axes are log
  const auto [x, y] = *least.begin();
  std::vector<Series> guides;
  for (const auto& [name, power] : {std::pair("∝ N", 1.0), {"∝ N²", 2.0}}) {
    const double end = std::fmin(least.rbegin()->first / x, std::pow(most / y, 1.0 / power));
    guides.push_back({.name = name, .draw = Draw::line, .style = {0xB0B0B0, 0, 2}, .thin = true});
    guides.back().points = {{.x = x, .y = y}, {.x = x * end, .y = y * std::pow(end, power)}};
  }
  return guides;
}

// The column of samples.csv that a value's medians are of; empty where there is none.
std::string sample_column(const Row& row, const ShownValue& value) {
  if (value.word == "time") return std::string(clock_of(row).name()) + "_s";
  constexpr std::string_view kMedianEnd = "_median_s";
  return value.word.ends_with(kMedianEnd)
             ? value.word.substr(0, value.word.size() - kMedianEnd.size()) + "_s"
             : "";
}

// Draws each repeat behind its median where there are few.
std::vector<Series> repeats_of(const Groups& lines, const ShownValue& value, const Drawing& plan) {
  std::vector<Series> strips;
  if (!plan.run.samples) return strips;
  const std::map<std::string, Rows> samples = rows_by_case(*plan.run.samples);
  for (const Group& line : lines) {
    Series strip{.name = line.name + ", repeats",
                 .draw = Draw::points,
                 .style = {lightened(line.style.colour), line.style.mark},
                 .thin = true,
                 .in_legend = false};
    for (const Row& row : line.rows) {
      const std::string column = sample_column(row, value);
      const auto found = samples.find(row.text("case_id"));
      if (column.empty() || found == samples.end() || !(row.number("n_samples") > 1.0) ||
          row.number("n_samples") > kMostRepeats || !plan.run.samples->has(column))
        continue;
      for (const Row& repeat : found->second)
        if (!repeat.is("warmup", "1"))
          strip.points.push_back(
              {.x = plan.x.at(row), .y = repeat.number_at(column) * value.unit.factor});
    }
    if (!strip.points.empty()) strips.push_back(std::move(strip));
  }
  return strips;
}

Axis y_axis(const ShownValue& value, const Drawing& plan) {
  const std::string stem =
      find_derived(value.word) != nullptr ? value.word : std::string(without_unit(value.word));
  Axis axis{.label = value.with_unit(), .column = listed({stem, value.unit.suffix}, "_")};
  axis.log = plan.declared.log.find('y') != std::string::npos;
  return axis;
}

std::function<Axis(Axis, const std::vector<double>&)> fit_of(const Drawing& plan) {
  if (plan.declared.log == "none" || plan.declared.log == "x")
    return [](Axis axis, const std::vector<double>&) {
      axis.from_zero = true;
      return axis;
    };
  if (!plan.declared.log.empty()) return [](Axis axis, const std::vector<double>&) { return axis; };
  return [](Axis axis, const std::vector<double>& y) {
    const bool positive = std::ranges::none_of(y, [](double at) { return at <= 0.0; });
    return positive ? powers_or_zero(std::move(axis), y) : axis;
  };
}

// With one x each line is a row of a panel, its marks beside its name.
Panel rows_of(const DeclaredPanel& from, const ShownValue& value, const Drawing& plan) {
  Panel panel{.title = listed({plan.values.size() > 1 ? value.name : "", from.name}),
              .x = y_axis(value, plan),
              .y = {.column = "line_index", .reversed = true},
              .own_axes = true};
  for (Group line : from.lines) {
    const auto place = static_cast<double>(panel.y.tics.size());
    const auto there =
        std::ranges::find_if(line.rows, [&](const Row& one) { return has_value(one, {value}); });
    const Row row = there == line.rows.end() ? line.rows.front() : *there;
    const std::string status = ran(row) ? "" : fmt::format(" ({})", row.text("status"));
    panel.y.tics.push_back({place, line.name + status});
    line.rows = {row};
    std::vector<Series> drawn = repeats_of({line}, value, plan);
    for (Series& strip : drawn)
      for (Point& repeat : strip.points) repeat = {.x = repeat.y, .y = place + 0.25};
    const Point shown = shown_point(row, value);
    const auto add_points = [&](const char* what, Draw draw, std::vector<Point> points) {
      drawn.push_back({.name = line.name + what,
                       .draw = draw,
                       .style = line.style,
                       .in_legend = false,
                       .points = std::move(points)});
    };
    if (shown.high > shown.low)
      add_points(", interval", Draw::line, {{shown.low, place}, {shown.high, place}});
    if (std::isfinite(shown.y))
      add_points("", Draw::points, {{.x = shown.y, .y = place, .disturbed = shown.disturbed}});
    add(panel, std::move(drawn));
  }
  const double end = static_cast<double>(panel.y.tics.size()) - 0.5;
  for (const Series& limit : limits_of(value, rows_in(from.lines), plan)) {  // it stands upright
    const double at = limit.points.front().y;
    panel.series.push_back(rectangles(limit.name, kGrey, {box(at, at, -0.5, end)}));
  }
  panel.x = fit_of(plan)(panel.x, numbers_at({panel}, &Point::x));
  return panel;
}

Figure dot_figure_of(const std::vector<DeclaredPanel>& panels, const Drawing& plan) {
  Figure figure;
  for (std::size_t p = 0; p < panels.size(); ++p)
    figure.panels.push_back(
        rows_of(panels[p], plan.values[p * plan.values.size() / panels.size()], plan));
  std::erase_if(figure.panels, [](const Panel& panel) { return panel.series.empty(); });
  arrange_panels(figure, 2);
  return figure;
}

// A line with what bounds it behind it; the bound's most is in the name where one panel has it.
std::vector<Series> bounded_line(Group line, const ShownValue& value, const Drawing& plan,
                                 bool name) {
  std::vector<Series> drawn;
  if (plan.declared.bound == "pairs" && value.quotient() && value.unit.name.empty()) {
    const auto allowed = [&](const Row& row) { return allowed_by_pairs(row, value); };
    Series bound{.name = line.name + ", bound",
                 .draw = Draw::line,
                 .style = {line.style.colour, line.style.mark, 1},
                 .thin = true,
                 .in_legend = false};
    for (const Row& row : line.rows)
      if (const double y = allowed(row); y > 0.0) bound.points.push_back({plan.x.at(row), y});
    if (const double most = largest(line.rows, allowed); name && most > 0.0)
      line.name += fmt::format(", ≤ {:.3g}", most);
    drawn.push_back(std::move(bound));
  }
  const auto point = [&](const Row& row) {
    Point shown = shown_point(row, value);
    shown.x = plan.x.at(row);
    return shown;
  };
  drawn.push_back(line_series(line, line.rows, point, true));
  return drawn;
}

Panel panel_of(const DeclaredPanel& from, const ShownValue& value, const Drawing& plan,
               bool alone) {
  Panel panel{.title = listed({plan.values.size() > 1 ? value.name : "", from.name}),
              .y = y_axis(value, plan)};
  const bool of_memory = plan.declared.bound == "memory" && is_of_memory(value);
  const double limit = of_memory ? memory_limit(plan) * value.unit.factor : kNaN;
  for (const Group& line : from.lines) {
    add(panel, bounded_line(line, value, plan, alone));
    add(panel, out_of_memory_series(line, limit, plan.x.at));
  }
  std::erase_if(panel.series, [](const Series& line) {  // the notes count their cases
    return std::ranges::none_of(line.points, [](const Point& at) { return at.y == at.y; }) &&
           !is_cross(line);
  });
  add(panel, limits_of(value, rows_in(from.lines), plan));
  add(panel, slope_guides(from.lines, value, plan));
  if (alone && plan.values.size() <= 2) add(panel, repeats_of(from.lines, value, plan));
  return panel;
}

Figure line_figure_of(const std::vector<DeclaredPanel>& panels, const Drawing& plan) {
  const std::size_t facets = panels.size() / plan.values.size();
  Figure figure{.shared_axes = facets > 1 && plan.values.size() == 1};
  for (std::size_t p = 0; p < panels.size(); ++p)
    figure.panels.push_back(panel_of(panels[p], plan.values[p / facets], plan, facets == 1));
  const Axis x = plan.x.axis(numbers_at(figure.panels, &Point::x));
  const std::vector<double> every_y = numbers_at(figure.panels, &Point::y);
  for (Panel& panel : figure.panels) {
    panel.x = x;
    panel.y = fit_of(plan)(panel.y, figure.shared_axes ? every_y : numbers_at({panel}, &Point::y));
  }
  add_published(figure, panels, plan.declared.name, plan.run);
  arrange_panels(figure, 2);
  return figure;
}

std::vector<std::string> notes_of(const Drawing& plan, const Rows& drawn) {
  std::vector<std::string> notes = plan.notes;
  const bool timed = std::ranges::any_of(plan.values, &ShownValue::timed);
  std::vector<std::string> all = timed ? timing_notes(plan.rows) : case_notes(plan.run.cases);
  if (!timed && !all.empty()) all.erase(all.begin());  // on bars
  notes.insert(notes.end(), all.begin(), all.end());
  std::size_t alone = 0;
  for (const ShownValue& value : plan.values) {
    const DerivedValue* const derived = find_derived(value.word);
    constexpr std::string_view kExplained[] = {"mfu", "worker_speed", "planned_peak"};
    if (derived != nullptr && std::ranges::count(kExplained, value.word) > 0)
      notes.push_back(fmt::format("{}: {}.", value.name, derived->meaning));
    if (value.word == "achieved_flop_per_s")
      notes.emplace_back(
          "FLOP: 4 × unmasked query-key pairs × heads × d, in a backward pass 10, in both 14, over "
          "the wall clock of the whole call.");
    if (!value.root_note.empty() && count(drawn, has_root) > 0) notes.push_back(value.root_note);
    if (value.quotient()) {
      alone = count(drawn, [&](const Row& row) {
        const auto base = value.base(row);
        return ran(row) && (!base || !ran(*base));
      });
      if (value.word != "over_ideal") notes.push_back(slow_base_note(drawn, value.base));
    }
    if (value.word.ends_with("relative_l2_error")) {
      notes.push_back(rounding_note(
          drawn, [word = value.word](const Row& row) { return row.number_at(word); }));
      if (!drawn.empty() && drawn.front().is("inputs", "tied"))
        notes.emplace_back(
            "All keys of a head are equal: an error is what the LSE of partials, as one float, "
            "loses of their weights.");
    }
  }
  if (plan.declared.bound == "pairs")
    notes.emplace_back("Dashed: what pairs of the critical path allow.");
  if (plan.declared.bound == "memory" && count(drawn, out_of_memory) > 0)
    notes.emplace_back(
        "Crosses at the limit: out of memory. Pluses: a shorter one of that line ran out.");
  if (plan.shapes && !plan.x.words)
    notes.emplace_back("Of several splits of a line and an x the best is drawn.");
  notes.push_back(not_drawn({{.number = alone, .what = "case", .reason = "untimed base"}}));
  return notes;
}

// Why nothing is drawn.
std::string nothing_of(const Drawing& plan) {
  const Rows lost = where(plan.rows, out_of_memory);
  const double limit = lost.empty() ? kNaN : memory_limit(plan);
  if (!lost.empty() && lost.size() == plan.rows.size() && limit > 0.0)
    return "nothing fits " + format_bytes(limit);
  std::vector<std::string> names;
  for (const ShownValue& value : plan.values) names.push_back(value.word);
  return plan.rows.empty() ? "no case of the run is one that it shows"
                           : "no case has " + listed(names, " or ");
}

}  // namespace

bool holds(const Condition& condition, const Row& row) {
  if (!row.table->has(condition.column) && find_derived(condition.column) == nullptr) return false;
  const std::string own = text_named(row, condition.column);
  const auto compared = [&](std::string_view value) {
    const std::optional<double> a = parse_real(own);
    const std::optional<double> b = parse_real(value);
    return a && b ? *a <=> *b : std::partial_ordering(own <=> value);
  };
  if (condition.relation == "=" || condition.relation == "!=") {
    const auto values = split_words(condition.value, "|");
    const bool equal =
        values.empty() ? own.empty() : std::ranges::any_of(values, [&](std::string_view value) {
          return compared(value) == std::partial_ordering::equivalent;
        });
    return equal == (condition.relation == "=");
  }
  const std::string& value = condition.value;
  const std::partial_ordering order = compared(row.table->has(value) ? row.at(value) : value);
  if (own.empty()) return false;
  if (condition.relation == "<") return order < 0;
  if (condition.relation == "<=") return order <= 0;
  return condition.relation == ">" ? order > 0 : order >= 0;
}

std::string name_of(const Row& row, const std::string& word) {
  if (word == "tokens_per_worker") return "N/W = " + grouped(number_named(row, word));
  if (const DerivedValue* const derived = find_derived(word))
    return fmt::format("{} {:.3g}{}", replaced(word, {{"_", " "}}), number_named(row, word),
                       derived->unit == "%" ? " %" : "");
  if (word == "kernel") return kernel_name(row.text("kernel"));
  if (word == "mask" && row.text("mask").starts_with('{')) return pattern_name(row);
  if (find_parameter_field(word) == nullptr) return row.at(word);
  return full_value(row, word);
}

Figure declared_figure(const DeclaredFigure& declared, const PlottedRun& run, bool unasked) {
  Drawing plan{declared, run};
  plan.rows = standing_rows(run.cases);
  for (const std::string& one : declared.only)
    plan.rows = where(plan.rows, [condition = read_condition(one)](const Row& row) {
      return holds(condition, row);
    });
  const auto nothing = [&](std::string reason) {
    return Figure{.name = declared.name, .title = declared.name, .empty_reason = std::move(reason)};
  };
  if (plan.rows.empty()) return nothing(nothing_of(plan));
  plan.x = on_x(declared, plan.rows);
  std::vector<std::string> over;
  for (const auto& [key, value] : declared.base) over.push_back(value);
  for (const std::string& one : declared.y) {
    plan.values.push_back(value_named(one, declared.base, plan.rows, run.modelled_peak));
    ShownValue& value = plan.values.back();
    if (value.quotient() && !over.empty()) value.name += " over " + listed(over);
    if (one.ends_with("_median_s") && one.find("time") == std::string::npos) value.name += " time";
  }
  choose_columns(plan);
  const Groups settings = settings_of(plan);
  std::size_t places = 0;
  for (const Group& setting : settings) places = std::max(places, count_x(setting.rows, plan));
  const bool is_there = std::ranges::any_of(
      plan.rows, [&](const Row& row) { return has_value(row, {plan.values.back()}); });
  if (places == 0 || (unasked && !is_there)) return nothing(nothing_of(plan));
  if (unasked && places == 1 && declared.x != "n_tokens")
    return nothing("all cases have one " + declared.x);
  const std::vector<DeclaredPanel> facets = facets_of(settings, plan);
  std::vector<DeclaredPanel> panels;
  Rows drawn;
  for (const ShownValue& value : plan.values)
    for (const DeclaredPanel& facet : facets) {
      panels.push_back(facet);
      for (Group& line : panels.back().lines) line.rows = best_rows(line.rows, value, plan);
      if (&value == &plan.values.front())
        std::ranges::copy(rows_in(facet.lines), std::back_inserter(drawn));
    }
  const bool dots = places == 1 && !plan.x.words;
  Figure figure = dots ? dot_figure_of(panels, plan) : line_figure_of(panels, plan);
  figure.name = declared.name;
  figure.title =
      declared_title({plan.values, panels, declared, run, plan.x.at, memory_limit(plan)});
  for (const std::string& note : notes_of(plan, drawn))
    if (std::ranges::count(figure.notes, note) == 0) figure.notes.push_back(note);
  figure.notes.push_back(disturbed_note(figure));
  join_not_drawn(figure.notes);
  std::erase(figure.notes, "");
  return figure;
}

}  // namespace qb
