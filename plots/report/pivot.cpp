// SPDX-License-Identifier: Apache-2.0
#include "plots/report/pivot.h"

#include "base/numbers.h"
#include "base/status.h"
#include "plots/frame/lines.h"

namespace qb {
namespace {

using Values = std::vector<ShownValue>;

Columns parameters_named(const Columns& names) {
  Columns columns;
  for (const std::string& name : names) columns.push_back(parameter_word(name));
  return columns;
}

std::string shown_text(double value, const ShownValue& shown, int digits) {
  if (shown.whole) return format_grouped(static_cast<std::int64_t>(std::llround(value)));
  return significant(value * shown.unit.factor, digits);
}

std::vector<std::string> plain_cells(const Row* row, const ShownValue& shown, bool interval) {
  const Point point = row != nullptr && ran(*row) ? shown.value(*row) : Point{};
  std::vector<std::string> cells = {to_text(point.y)};
  if (interval) cells.insert(cells.end(), {to_text(point.low), to_text(point.high)});
  return cells;
}

bool unsupported(const Row& row) { return row.is("status", word(Status::unsupported)); }

std::string status_cell(const Row& row) {
  if (unsupported(row)) return "-";
  return std::string(out_of_memory(row) ? word(Status::oom) : std::string_view(row.text("status")));
}

std::string cell(const Row& row, const ShownValue& shown, const Pivot& pivot) {
  if (!ran(row)) return status_cell(row);
  const Point point = shown.value(row);
  if (std::isnan(point.y)) return "";
  const auto text_of = [&](double value) { return shown_text(value, shown, pivot.digits); };
  std::string text = text_of(point.y);
  const bool marked = shown.timed && (disturbed(row) || point.disturbed);
  if (marked && pivot.interval_below) text += '*';
  if (pivot.interval && std::isfinite(point.low) && std::isfinite(point.high))
    text += fmt::format("{}[{}, {}]", pivot.interval_below ? '\n' : ' ', text_of(point.low),
                        text_of(point.high));
  if (shown.timed && modelled(row)) text += shown.all_modelled ? "" : " (model)";
  return text + (marked && !pivot.interval_below ? "*" : "");
}

// Says what the repeats of the cells cover.
std::vector<std::string> repeat_notes(const Rows& rows, bool interval) {
  double least_n = kNaN;
  double most_n = kNaN;
  double least_coverage = kNaN;
  for (const Row& row : where(rows, std::not_fn(modelled))) {
    least_n = std::fmin(least_n, row.number("n_samples"));
    most_n = std::fmax(most_n, row.number("n_samples"));
    least_coverage = std::fmin(least_coverage, row.number("interval_coverage"));
  }
  std::vector<std::string> notes;
  if (count(rows, modelled) > 0) notes.emplace_back(kModelNote);
  if (!std::isnan(most_n))
    notes.push_back(fmt::format(
        "Medians of {} repeats{}.",
        least_n == most_n ? fmt::format("{}", most_n) : fmt::format("{} to {}", least_n, most_n),
        interval && std::isfinite(least_coverage)
            ? fmt::format("; the intervals contain them with a probability of {:.3g} % or more",
                          std::floor(1e3 * least_coverage) / 10.0)
            : ""));
  if (count(rows, disturbed) > 0)
    notes.emplace_back(
        "* Too few of its repeats were undisturbed, or it had more threads than cores.");
  return notes;
}

// Says what stands for a case without a value.
std::vector<std::string> status_notes(const Rows& rows) {
  std::vector<std::string> notes;
  for (const Group& status : group(where(rows, unsupported), Columns{"status"}))
    notes.push_back(
        fmt::format("-: {} ({}).", status_reason(status), counted(status.rows.size(), "case")));
  const std::size_t untried = count(rows, not_tried);
  if (untried > 0)
    notes.push_back(fmt::format("oom: out of memory; {} not tried, since a shorter one was.",
                                counted(untried, "case")));
  return notes;
}

std::string pivot_title(const Pivot& pivot, const Values& values) {
  std::vector<std::string> base;
  for (const auto& [name, value] : pivot.base) base.push_back(fmt::format("{} = {}", name, value));
  const std::string over = base.empty() ? "one worker" : listed(base);
  std::vector<std::string> titles;
  for (const ShownValue& shown : values)
    titles.push_back(values.size() > 1 ? shown.name : shown.with_unit());
  std::string title = listed(titles);
  if (std::ranges::any_of(values, &ShownValue::quotient))
    title += (values.size() > 1 ? "; speed-ups are over " : " over ") + over;
  title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

// Names the values that no case has, such as a peak of memory where nothing ran.
std::vector<std::string> missing_notes(const Rows& cases, const Values& values) {
  std::vector<std::string> notes;
  for (const ShownValue& shown : values) {
    const auto has = [&](const Row& row) { return !std::isnan(shown.value(row).y); };
    if (count(where(cases, ran), has) > 0 || count(cases, ran) == 0) continue;
    notes.push_back(fmt::format("No case has {}.", shown.word));
    if (cases.front().table->has("predicted_" + shown.word))
      notes.back() += fmt::format(" Its forecast is predicted_{}.", shown.word);
  }
  return notes;
}

// A table while it is filled.
struct Layout {
  Pivot pivot;
  Columns down;
  Columns across;
  Values values;
  Groups tops{};
};

void add_header(Table& table, const Layout& layout) {
  const bool plain = layout.pivot.plain;
  for (const std::string& column : layout.down)
    table.header.push_back(plain ? column : parameter_heading(column));
  table.values_from = table.header.size();
  const bool several = layout.values.size() > 1;
  if (several && !layout.across.empty()) table.spans.push_back({"", layout.down.size()});
  for (const ShownValue& shown : layout.values) {
    const std::size_t first = table.header.size();
    for (const Group& top : layout.tops) {
      std::string name = plain ? shown.word : several ? shown.with_unit() : shown.name;
      if (!layout.across.empty())
        name = plain ? listed({several ? shown.word : "", listed(top.key, " ")}, " ")
                     : named_values(top.rows.front(), layout.across);
      for (const std::string& column : layout.across)
        if (name.empty()) name = full_value(top.rows.front(), column);
      table.header.push_back(name);
      if (plain && layout.pivot.interval)
        table.header.insert(table.header.end(), {name + "_low", name + "_high"});
    }
    if (!plain && !table.spans.empty())
      table.spans.push_back({shown.with_unit(), table.header.size() - first});
  }
  if (plain) table.spans.clear();
}

// The case of a line and a column; null if the run has none.
const Row* case_in(const Rows& both, const Layout& layout) {
  if (both.size() < 2) return both.empty() ? nullptr : &both.front();
  const Columns lengths = differing_columns(both, {"n_tokens"});
  const Columns shown = joined(joined(layout.down, layout.across), lengths);
  throw UsageError(
      fmt::format("several cases share a cell; add to --rows or --cols, or choose by --filter: {}",
                  listed(joined(lengths, splitting_columns(both, shown)))));
}

std::vector<std::string> table_line(const Group& line, const Layout& layout) {
  const Pivot& pivot = layout.pivot;
  std::vector<std::string> texts;
  for (const std::string& column : layout.down)
    texts.push_back(pivot.plain ? line.rows.front().at(column)
                                : parameter_text(line.rows.front(), column));
  for (const ShownValue& shown : layout.values)
    for (const Group& top : layout.tops) {
      const Rows both = where(
          line.rows, [&](const Row& row) { return values_of(row, layout.across) == top.key; });
      const Row* const row = case_in(both, layout);
      if (pivot.plain)
        std::ranges::move(plain_cells(row, shown, pivot.interval), std::back_inserter(texts));
      else
        texts.push_back(row == nullptr ? "" : cell(*row, shown, pivot));
    }
  return texts;
}

void add_notes(Table& table, const Rows& cases, const Layout& layout) {
  const std::string& floor = layout.pivot.noise_floor;
  const bool quotients = std::ranges::any_of(layout.values, &ShownValue::quotient);
  const bool repeated = std::ranges::any_of(layout.values, &ShownValue::timed);
  std::vector<std::string> roots;
  if (count(cases, has_root) > 0)
    for (const ShownValue& shown : layout.values)
      if (std::ranges::count(roots, shown.root_note) == 0) roots.push_back(shown.root_note);
  table.notes = joined_notes(
      {{layout.pivot.unfinished.empty() ? "" : layout.pivot.unfinished + '.'},
       status_notes(cases),
       missing_notes(cases, layout.values),
       repeated ? repeat_notes(cases, layout.pivot.interval) : std::vector<std::string>{},
       {quotients && !floor.empty() ? floor + '.' : "",
        quotients ? slow_base_note(cases, base_of(layout.pivot.base, *cases.front().table)) : ""},
       roots});
  std::string same = shared_parameters(cases);
  for (const std::string& column : layout.pivot.filtered) {
    const std::string name = full_value(cases.front(), column);
    const bool shared = group(cases, {column}).size() == 1;
    if (shared && same.find(name) == std::string::npos) same = listed({same, name});
  }
  table.notes.push_back(same);
}

}  // namespace

std::string parameter_text(const Row& row, const std::string& column) {
  const std::string& text = row.at(column);
  const std::optional<std::int64_t> number = parse_integer(text);
  return number ? format_grouped(*number) : text;
}

Table pivot_table(const Rows& cases, const Pivot& pivot) {
  if (cases.empty()) throw UsageError("no case of the run is left to tabulate");
  if (pivot.values.empty()) throw UsageError("no value to tabulate is named");
  Layout layout{pivot, parameters_named(pivot.rows), parameters_named(pivot.columns), {}};
  for (const std::string& value : pivot.values)
    layout.values.push_back(value_named(value, pivot.base, cases, pivot.modelled_peak));
  layout.tops = group(cases, layout.across);
  Table table{.name = layout.values.front().word, .title = pivot_title(pivot, layout.values)};
  add_header(table, layout);
  for (const Group& line : group(cases, layout.down))
    table.rows.push_back(table_line(line, layout));
  add_notes(table, cases, layout);
  return table;
}

std::string fitted_latex(const Rows& cases, Pivot pivot, double width_pt) {
  constexpr double kColumn_pt = 5.6 * kPointsPerInch;  // wider than the one column of any venue
  LatexLook look{.across = width_pt > kColumn_pt};
  bool unit_below = false;
  Table table;
  const std::function<void()> steps[] = {
      [] {},
      [&] { look.size = "footnotesize", look.gap_pt = 3.0; },
      [&] { pivot.interval_below = pivot.interval, unit_below = true; },
      [&] { pivot.digits = 2; },
      [&] { look.turned = true, unit_below = false, pivot.digits = 3; },  // heads are what is wide
      [&] { pivot.digits = 2; },
      [&] { look.size = "scriptsize", look.gap_pt = 2.0; },
  };
  for (const auto& step : steps) {
    step();
    table = pivot_table(cases, pivot);
    if (unit_below)
      for (std::string& head : table.header) head = replaced(head, {{" (", "\n("}});
    if (latex_width_pt(table, look) <= width_pt) return table_latex(table, look);
  }
  throw UsageError(fmt::format(
      "the table needs a width of {:.1f}in; widen --width, or choose fewer columns by --filter, "
      "--cols or --value",
      latex_width_pt(table, look) / kPointsPerInch + 0.05));
}

}  // namespace qb
