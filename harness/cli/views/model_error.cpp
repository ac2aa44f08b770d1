// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/model_error.h"

#include <fmt/format.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/numbers.h"
#include "base/statistics.h"
#include "base/text_table.h"
#include "harness/cli/options.h"
#include "harness/cli/views/paper_sources.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {
namespace {

bool of_a_forward_pass(Passes passes) { return passes == Passes::forward; }

bool is_like(const SchemeQuestion& question, bool of_one_worker, const Case& c) {
  if (of_a_forward_pass(c.pass) != of_a_forward_pass(question.passes)) return false;
  if (of_one_worker || c.workers == 1) return of_one_worker && c.workers == 1;
  return question.link && (c.link_bandwidth_byte_per_s.value_or(0.0) >= kHostLink_byte_per_s) ==
                              (question.link->bandwidth_byte_per_s >= kHostLink_byte_per_s);
}

std::string heads_text(const Shape& shape) {
  return shape.q_heads == shape.kv_heads ? std::to_string(shape.q_heads)
                                         : fmt::format("{}/{}", shape.q_heads, shape.kv_heads);
}

std::string case_text(const std::string& device, const Case& c) {
  const Shape& shape = c.shape;
  std::string text = fmt::format("{}, N = {}", device, format_grouped(shape.q_len));
  if (shape.kv_len != shape.q_len) text += fmt::format(" on {} keys", format_grouped(shape.kv_len));
  if (shape.batch != 1) text += fmt::format(", B = {}", shape.batch);
  return text + fmt::format(", W = {}, {} heads of {}, {}{}", c.workers, heads_text(shape),
                            shape.head_dim, c.mask.text(), passes_text(c.pass));
}

}  // namespace

std::vector<PublishedScheme> published_schemes(const SchemeQuestion& question, const Advice& advice,
                                               std::span<const GradedRow> rows) {
  std::vector<std::pair<Case, double>> cases;  // with published over predicted time
  std::vector<double> of_all;
  for (const GradedRow& row : rows) {
    const Case c = whole_case(case_of(*row.answer->predicted));
    cases.emplace_back(c, row.slowness);
    if (c.workers > 1 && of_a_forward_pass(c.pass) == of_a_forward_pass(question.passes))
      of_all.push_back(row.slowness);
  }
  std::vector<PublishedScheme> published;
  for (const SchemeForecast& scheme : advice.schemes) {
    if (!scheme.has_plan()) continue;
    PublishedScheme& one = published.emplace_back(PublishedScheme{scheme.scheme});
    std::vector<double> slowness;
    for (const auto& [c, slowness_of_case] : cases)
      if ((c.algorithm == scheme.scheme || c.algorithm == scheme.alias) &&
          is_like(question, scheme.base, c))
        slowness.push_back(slowness_of_case);
    one.rows = slowness.size();
    if (slowness.empty()) slowness = of_all;
    if (slowness.empty()) continue;
    const auto [low, high] = std::ranges::minmax(slowness);
    one.low = low;
    one.median = median(slowness);
    one.high = high;
  }
  return published;
}

std::string published_table(std::span<const PublishedScheme> published) {
  TextTable table({"scheme", "rows", "published / predicted"});
  for (const PublishedScheme& one : published)
    table.add(
        {one.scheme, std::to_string(one.rows),
         one.rows > 0 ? fmt::format("{:.2f} to {:.2f}", one.low, one.high) : "no published row"});
  return table.terminal();
}

Table model_error_table(std::span<const GradedRow> rows) {
  struct Errors {
    std::vector<double> slowness;
    std::set<int> workers;
  };
  std::map<std::vector<std::string>, Errors> groups;
  for (const Strategy& scheme : strategies()) groups[{std::string(scheme.name), "", "", ""}];
  for (const GradedRow& row : rows) {
    const Case c = case_of(*row.answer->predicted);
    const double link = c.link_bandwidth_byte_per_s.value_or(0.0);
    groups.erase({c.algorithm, "", "", ""});
    const std::string device =
        row.answer->predicted->device + (row.answer->table->digitised ? ", read off" : "");
    Errors& group = groups[{c.algorithm, device,
                            c.workers > 1 ? fmt::format("{:.3g} GB/s", 1e-9 * link) : "none",
                            std::string(word(c.pass))}];
    group.slowness.push_back(row.slowness);
    group.workers.insert(c.workers);
  }
  Table table{.name = "model_error",
              .title = "Published over predicted time, by scheme, device, link and pass",
              .header = {"scheme", "device", "link", "pass", "workers", "rows", "median", "range"},
              .notes = {"Above 1 the published time is the longer one. Rows that a device was made "
                        "from are not counted."}};
  for (const auto& [names, group] : groups) {
    std::vector<std::string> line = names;
    if (group.slowness.empty()) {
      line.insert(line.end(), {"", "0", "", "no published row"});
    } else {
      const auto [low, high] = std::ranges::minmax(group.slowness);
      line.insert(line.end(), {fmt::format("{}", fmt::join(group.workers, " ")),
                               std::to_string(group.slowness.size()),
                               fmt::format("{:.2f}", median(group.slowness)),
                               fmt::format("{:.2f} to {:.2f}", low, high)});
    }
    table.rows.push_back(std::move(line));
  }
  return table;
}

CsvTable grade_csv(std::span<const GradedRow> rows) {
  CsvTable table({"algorithm", "device", "published_over_predicted_time", "case", "n_tokens",
                  "workers", "pass", "published", "predicted", "time_or_rate", "table", "line"});
  for (const GradedRow& row : rows) {
    const PublishedAnswer& answer = *row.answer;
    const Case c = whole_case(case_of(*answer.predicted));
    const std::string line = to_text(static_cast<std::int64_t>(answer.row + 2));
    table.append({c.algorithm, answer.predicted->device, to_text(row.slowness),
                  fmt::format("{}, {} ({}, line {})", c.algorithm,
                              case_text(answer.predicted->device, c), answer.table->file, line),
                  to_text(c.shape.q_len), fmt::to_string(c.workers), std::string(word(c.pass)),
                  to_text(answer.published.value), to_text(answer.ours.value),
                  answer.predicted->is_time ? "time" : "rate", answer.table->file, line});
  }
  return table;
}

std::optional<double> scheme_grade(std::span<const GradedRow> rows, Passes passes) {
  std::vector<GradedRow> of_several;
  for (const GradedRow& row : rows) {
    const Case c = case_of(*row.answer->predicted);
    if (c.workers > 1 && of_a_forward_pass(c.pass) == of_a_forward_pass(passes))
      of_several.push_back(row);
  }
  return grade_of(of_several);
}

std::string passes_text(Passes passes) {
  if (passes == Passes::forward) return {};
  return passes == Passes::both ? ", forward and backward pass" : ", backward pass";
}

}  // namespace qb
