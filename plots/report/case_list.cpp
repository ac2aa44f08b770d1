// SPDX-License-Identifier: Apache-2.0
#include "plots/report/case_list.h"

#include <algorithm>
#include <iterator>

#include "base/numbers.h"
#include "base/schema/kernels.h"
#include "base/statistics.h"
#include "base/status.h"
#include "plots/frame/lines.h"
#include "plots/report/html.h"
#include "plots/report/pivot.h"

namespace qb {
namespace {

// A cell as it is shown, and the value by which it is sorted and filtered.
struct Cell {
  std::string text{};
  std::string value{};
};

struct Heading {
  std::string title{};
  std::string keys{};  // names of the column in a filter, between spaces
  std::function<Cell(const Row&)> cell{};
};

Cell number_cell(double value, std::string text) {
  return std::isfinite(value) ? Cell{std::move(text), to_text(value)} : Cell{"-", ""};
}

Cell time_cell(const Row& row, IntervalColumns columns, bool interval) {
  const Point time = timed(row, columns, kMilli);
  std::string text = significant(time.y);
  if (interval && std::isfinite(time.low) && std::isfinite(time.high))
    text += fmt::format(" ({} to {})", significant(time.low), significant(time.high));
  return number_cell(time.y, std::move(text));
}

Cell parameter_cell(const Row& row, const std::string& column) {
  const std::string& value = row.at(column);
  const std::optional<std::int64_t> whole = parse_integer(value);
  if (value.empty()) return {"-", ""};
  return {whole ? format_grouped(*whole) : value, value};
}

Heading time_heading(const std::string& title, IntervalColumns columns) {
  return {title + " (ms)", std::string(columns.median().name()),
          [columns](const Row& row) { return time_cell(row, columns, false); }};
}

std::vector<Heading> result_headings() {
  return {{"status", "status",
           [](const Row& row) {
             return Cell{row.text("status"), row.text("status")};
           }},
          {"time (ms)", "time", [](const Row& row) { return time_cell(row, clock_of(row), true); }},
          {"repeats (coverage)", "n_samples",
           [](const Row& row) {
             return number_cell(
                 row.number("n_samples"),
                 repeats_text(row.number("n_samples"), row.number("interval_coverage"),
                              row.number("disturbed_samples"), row.text("disturbed_by")));
           }},
          time_heading("longest subsequence", "longest_subsequence"),
          time_heading("worker sum", "worker_sum"),
          time_heading("wall clock", "wall_time"),
          {"peak of a device", "device_peak_bytes",
           [](const Row& row) {
             const double bytes = fullest_device_bytes(row);
             return number_cell(bytes, std::isfinite(bytes) ? format_bytes(bytes) : "");
           }},
          {"error/tolerance", "max_error", [](const Row& row) {
             const double ratio = error_over_tolerance(row);
             return number_cell(ratio, significant(ratio));
           }}};
}

// Gives the parameters in which the cases differ and that do not just follow another.
Columns differing_parameters(const Rows& rows) {
  Columns columns;
  for (const Field& field : kParameterFields) {
    std::set<std::string> values;
    for (const Row& row : rows) values.insert(own_value(row, std::string(field.column)));
    if (values.size() > 1) columns.emplace_back(field.column);
  }
  return columns;
}

std::vector<Heading> headings_of(const Rows& rows, const Columns& differing) {
  std::vector<Heading> headings;
  for (const std::string& column : differing)
    headings.push_back({parameter_heading(column),
                        fmt::format("{} {}", column, find_parameter_field(column)->key),
                        [column](const Row& row) { return parameter_cell(row, column); }});
  std::set<std::vector<std::string>> seen;  // no column repeats another: a clock may be the time
  for (Heading& heading : result_headings()) {
    std::vector<std::string> values;
    for (const Row& row : rows) values.push_back(heading.cell(row).value);
    const bool empty = std::ranges::all_of(values, &std::string::empty);
    if (!empty && seen.insert(std::move(values)).second) headings.push_back(std::move(heading));
  }
  return headings;
}

// What all cases share, in the words of a spec.
std::string fixed_parameters(const Rows& rows, const Columns& differing) {
  std::vector<std::string> parts;
  for (const Field& field : kParameterFields) {
    const std::string column(field.column);
    const std::string& value = rows.front().at(column);
    const bool silent = value.empty() || own_value(rows.front(), column) == "=" ||
                        (field.quiet_standard && value == field.standard);
    if (!silent && std::ranges::count(differing, column) == 0)
      parts.push_back(fmt::format("{} = {}", field.key, value));
  }
  return listed(parts);
}

// ---- below a case ------------------------------------------------------------------------------

std::string file_link(const CaseFiles& files, const std::string& path) {
  if (files.folder.empty()) return fmt::format("<code>{}</code>", html_escape(path));
  return fmt::format("<a href=\"{}/{}\">{}</a>", html_escape(files.folder), html_escape(path),
                     html_escape(path));
}

// The lines of a file that hold these rows: `lines 2 to 7`.
std::string line_numbers(const Rows& rows) {
  const std::size_t first = rows.front().index + 2;  // the first is the header
  const std::size_t last = rows.back().index + 2;
  return first == last ? fmt::format("line {}", first) : fmt::format("lines {} to {}", first, last);
}

std::string samples_html(const Row& row, const Rows& samples, const CaseFiles& files) {
  if (samples.empty()) return {};
  const IntervalColumns columns = clock_of(row);
  const std::string clock(columns.name());
  std::vector<Repeat> repeats;
  for (const Row& sample : samples)
    if (!sample.is("warmup", "1"))
      repeats.push_back({sample.number_at(clock + "_s"), sample.text("disturbed_by")});
  const auto warm_ups = samples.size() - repeats.size();
  std::string out = samples_strip(
      repeats, timed(row, columns, 1.0),
      fmt::format("{} of {} in their order", clock, counted(repeats.size(), "repeat")));
  return out + fmt::format(
                   "<p>{} of {} in the order in which they were taken{}; hollow: disturbed; line "
                   "and band: median and its interval. Rows: {}, {}.</p>\n",
                   replaced(clock, {{"_", " "}}), counted(repeats.size(), "repeat"),
                   warm_ups > 0 ? fmt::format(", without {}", counted(warm_ups, "warm-up")) : "",
                   file_link(files, "samples.csv"), line_numbers(samples));
}

std::string case_anchor(const Row& row) { return "case-" + html_escape(row.text("case_id")); }

std::string neighbour_link(const Row& row, const std::string& column) {
  return fmt::format("<a href=\"#{}\">{}</a>", case_anchor(row),
                     html_escape(parameter_cell(row, column).text));
}

// The cases before and after this one in one parameter, where all others are the same.
std::string neighbours_html(const Row& row, const Rows& rows, const Columns& telling) {
  std::string out;
  for (const std::string& column : telling) {
    const Columns others = without(telling, column);
    Rows line = where(
        rows, [&](const Row& other) { return values_of(other, others) == values_of(row, others); });
    std::ranges::stable_sort(
        line, [&](const Row& a, const Row& b) { return key_less({a.at(column)}, {b.at(column)}); });
    if (line.size() < 2) continue;
    const auto here = std::ranges::find(line, row);
    out += fmt::format("<li>{}: ", html_escape(parameter_heading(column)));
    if (here != line.begin()) out += neighbour_link(*std::prev(here), column) + " ← ";
    out += fmt::format("<b>{}</b>", html_escape(parameter_cell(row, column).text));
    if (std::next(here) != line.end()) out += " → " + neighbour_link(*std::next(here), column);
    out += "</li>\n";
  }
  return out.empty() ? out : fmt::format("<p>Neighbours:</p>\n<ul>\n{}</ul>\n", out);
}

std::string details_html(const Row& row, const Rows& rows, const Columns& telling,
                         const Rows& samples, const CaseFiles& files) {
  std::string out;
  if (const std::string& message = row.text("message"); !message.empty())
    out += fmt::format("<p>{}</p>\n", html_escape(message));
  out += samples_html(row, samples, files) + neighbours_html(row, rows, telling);
  const bool planned = !row.is("status", word(Status::unsupported));
  if (const std::string command = plan_command(row); planned && !command.empty())
    out += fmt::format("<p>Its plan: <code>{}</code></p>\n", html_escape(command));
  if (files.logs.contains(row.text("case_id")))
    out += fmt::format("<p>Its log: {}</p>\n",
                       file_link(files, fmt::format("logs/{}.log", row.text("case_id"))));
  return out;
}

}  // namespace

Columns telling_columns(const Rows& rows) {
  Columns columns = joined(splitting_columns(rows, {"n_tokens"}), {"n_tokens"});
  const auto parts = [&](const Columns& chosen) {
    return group(rows,
                 [&](const Row& row) {
                   std::vector<std::string> key;
                   for (const std::string& column : chosen) key.push_back(own_value(row, column));
                   return key;
                 })
        .size();
  };
  for (const std::string& column : Columns(columns))
    if (parts(without(columns, column)) == parts(columns)) columns = without(columns, column);
  return columns;
}

std::string plan_command(const Row& row) {
  if (!row.is("workload", "attention") && !row.text("workload").empty()) return {};
  if (!parse_word<Kernel>(row.text("kernel"))) return {};  // that of another program
  constexpr std::string_view kShown[] = {
      "algorithm",    "n_tokens",     "kv_len",        "sequences",   "new_key_owner", "workers",
      "interest_set", "distillation", "worker_speeds", "group_sizes", "mask",          "q_heads",
      "kv_heads",     "head_dim",     "batch",         "dtype",       "kernel"};
  const bool packed = !row.text("sequences").empty();
  std::string command = "qb plan";
  for (const std::string_view column : kShown) {
    const Field& field = *find_parameter_field(column);
    const std::string& value = row.at(column);
    const bool standard = value == field.standard && column != "algorithm" && column != "kernel";
    if (value.empty() || standard || own_value(row, std::string(column)) == "=") continue;
    if (packed && (column == "n_tokens" || column == "kv_len")) continue;
    constexpr std::string_view kPlain = " {}:,'\"()[]*$&;<>|";
    command +=
        fmt::format(" --{} {}", replaced(field.key, {{"_", "-"}, {".", "-"}}),
                    value.find_first_of(kPlain) == std::string::npos ? value : shell_quote(value));
  }
  return command;
}

namespace {

// A filter that the page shows, which most cases do not pass.
std::string example_filter(const Row& row, const Columns& telling) {
  if (telling.empty()) return "status=ok";
  return fmt::format("{}={}", telling.back(), row.at(telling.back()));
}

// `looks` gets the class of the cells of each column.
std::string headings_html(const std::vector<Heading>& headings, const Rows& rows,
                          std::vector<std::string>& looks) {
  std::string html;
  for (const Heading& heading : headings) {
    const bool numbers = std::ranges::all_of(rows, [&](const Row& row) {
      const std::string value = heading.cell(row).value;
      return value.empty() || parse_real(value);
    });
    looks.emplace_back(numbers ? " class=\"number\"" : "");
    html += fmt::format("<th scope=\"col\" data-keys=\"{}\"{}>{}</th>", html_escape(heading.keys),
                        looks.back(), html_escape(heading.title));
  }
  return html + "</tr></thead>\n";
}

}  // namespace

std::string case_list_html(const CsvTable& cases, const CaseFiles& files) {
  Rows rows = standing_rows(cases);
  if (rows.empty()) return {};
  const Columns differing = differing_parameters(rows);
  const Columns telling = telling_columns(rows);
  const std::vector<Heading> headings = headings_of(rows, differing);
  std::ranges::stable_sort(rows, [&](const Row& a, const Row& b) {
    return key_less(values_of(a, differing), values_of(b, differing));
  });
  const std::map<std::string, Rows> samples =
      files.samples.header().empty() ? std::map<std::string, Rows>() : rows_by_case(files.samples);

  std::string out;
  if (const std::string fixed = fixed_parameters(rows, differing); !fixed.empty())
    out += fmt::format("<p class=\"note\">Every case has {}.</p>\n", html_escape(fixed));
  std::string table = fmt::format(
      "<table class=\"cases\" id=\"cases\" data-example=\"{} status!=ok\">\n"
      "<caption>{}; open one for its repeats, plan and neighbours</caption>\n<thead><tr>",
      html_escape(example_filter(rows.front(), telling)), counted(rows.size(), "case"));
  std::vector<std::string> looks;
  table += headings_html(headings, rows, looks);
  for (const Row& row : rows) {
    table += fmt::format("<tbody id=\"{}\">\n<tr>", case_anchor(row));
    for (std::size_t i = 0; i < headings.size(); ++i) {
      const Cell cell = headings[i].cell(row);
      table += fmt::format("<td{} data-label=\"{}\" data-value=\"{}\">{}</td>",
                           headings[i].title == "status" ? cell_class(cell.text) : looks[i],
                           html_escape(headings[i].title), html_escape(cell.value),
                           html_escape(cell.text));
    }
    const auto own = samples.find(row.text("case_id"));
    table += fmt::format(
        "</tr>\n<tr class=\"more\"><td colspan=\"{}\"><details><summary>repeats and neighbours "
        "of {}</summary>\n{}</details></td></tr>\n</tbody>\n",
        headings.size(), telling.empty() ? "the case" : html_escape(named_values(row, telling)),
        details_html(row, rows, telling, own == samples.end() ? Rows() : own->second, files));
  }
  return out + scrolling_box("The table of cases", table + "</table>");
}

}  // namespace qb
