// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/schema/columns.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/files.h"
#include "base/numbers.h"
#include "base/schema/parameter_fields.h"
#include "base/schema/strategies.h"
#include "base/source_root.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/workload/needs.h"

namespace qb {

QB_WORDS(FieldKind, "kind", word, integer, seed, real, flag, text, residues, sequences, file, mask,
         link_limit);

QB_WORDS(FieldGroup, "group", identity, problem, split, link, means, outcome, prediction, memory,
         time, verification, bookkeeping);

namespace {

using fields::column;
using fields::empty;
using fields::quantity;

template <auto... path>
double& member(Sample& sample) {
  return (sample.*....*path);
}

// The place of each number of a repeat, in the order of kSampleFields.
constexpr SampleField kSampleMembers[] = {
    {"wall_time_s", member<&Sample::wall_s>},
    {"critical_path_s", member<&Sample::critical_path_s>},
    {"worker_sum_s", member<&Sample::worker_sum_s>},
    {"longest_subsequence_s", member<&Sample::longest_subsequence_s>},
    {"gather_s", member<&Sample::gather_s>},
    {"merge_s", member<&Sample::merge_s>},
    {"compute_s", member<&Sample::compute_s>},
    {"communication_s", member<&Sample::communication_s>},
    {"exposed_communication_s", member<&Sample::exposed_communication_s>},
    {"idle_s", member<&Sample::idle_s>},
    {"forward_time_s", member<&Sample::forward_s>},
    {"backward_time_s", member<&Sample::backward_s>},
    {"device_time_s", member<&Sample::device_s>},
    {"sm_clock_hz", member<&Sample::sm_clock_hz>},
    {"throttled", member<&Sample::throttled>},
    {"stage_scores_s", member<&Sample::stage_scores_s>},
    {"stage_softmax_s", member<&Sample::stage_softmax_s>},
    {"stage_product_s", member<&Sample::stage_product_s>},
    {"cpu_time_s", member<&Sample::host, &HostActivity::cpu_s>},
    {"run_delay_s", member<&Sample::host, &HostActivity::run_delay_s>},
    {"other_cpu_time_s", member<&Sample::host, &HostActivity::other_cpu_s>},
    {"stolen_s", member<&Sample::host, &HostActivity::stolen_s>},
    {"memory_stall_s", member<&Sample::host, &HostActivity::memory_stall_s>},
    {"stopped_s", member<&Sample::host, &HostActivity::stopped_s>},
    {"involuntary_switches", member<&Sample::host, &HostActivity::involuntary_switches>},
    {"minor_faults", member<&Sample::host, &HostActivity::minor_faults>},
    {"major_faults", member<&Sample::host, &HostActivity::major_faults>},
    {"instructions", member<&Sample::host, &HostActivity::instructions>},
    {"cycles", member<&Sample::host, &HostActivity::cycles>},
};

consteval bool are_those_of_the_schema(std::span<const SampleField> members) {
  return std::ranges::equal(
      members, kSampleFields, {}, [](const SampleField& one) { return one.column.name(); },
      &Field::column);
}
static_assert(are_those_of_the_schema(kSampleMembers));

RunTable table_of(std::string_view file, std::string_view meaning, const auto&... parts) {
  RunTable table{file, meaning};
  const auto add = [&](const auto& fields) {
    for (const Field& field : fields) {
      table.fields.push_back(field);
      table.columns.emplace_back(field.column);
    }
  };
  (add(parts), ...);
  return table;
}

std::string range_of(const Field& field) {
  return fmt::format("{} to {}", field.min,
                     field.max == INT64_MAX ? "2^63 - 1" : format_grouped(field.max));
}

std::string words_of(const Field& field) {
  return fmt::format("`{}`", join(parameters()[*find_parameter(field.key)].words(), "`, `"));
}

std::string meaning_of(const Field& field) {
  std::string text(field.meaning);
  const auto fill = [&](std::string_view name, std::string (*said)(const Field&)) {
    if (const std::size_t at = text.find(name); at != std::string::npos)
      text.replace(at, name.size(), said(field));
  };
  fill("{range}", range_of);
  fill("{words}", words_of);
  return text;
}

// The meaning with the cases to which a parameter applies.
std::string whole_meaning(const Field& field) {
  const std::string needs = needs_text(field);
  return meaning_of(field) + (needs.empty() ? "" : fmt::format(". It applies with {}", needs));
}

// Parts a meaning, where it does not fit a cell, at the end of a sentence, else of a part of one.
std::pair<std::string, std::string> cell_and_rest(const std::string& meaning) {
  constexpr std::size_t kCell = 120;
  if (meaning.size() <= kCell) return {meaning, ""};
  for (const std::string_view end : {". ", "; ", ", "})
    if (const std::size_t at = meaning.rfind(end, kCell); at != std::string::npos && at > 0)
      return {meaning.substr(0, at), meaning.substr(at + 2)};
  throw std::logic_error("this begins with too long a word for a cell: " + meaning);
}

std::string standard_of(const Field& field) {
  if (!field.standard_meaning.empty()) return std::string(field.standard_meaning);
  if (!field.follows.empty()) return fmt::format("`{}`", field.follows);
  return fmt::format(fmt::runtime(is_number_kind(field.kind) ? "{}" : "`{}`"), field.standard);
}

nlohmann::ordered_json json_of(const Field& field) {
  return {{"name", field.column},       {"key", field.key},
          {"kind", word(field.kind)},   {"unit", field.unit},
          {"group", word(field.group)}, {"since", field.since},
          {"standard", field.standard}, {"meaning", whole_meaning(field)}};
}

// Removes links to sections, and keeps only the words of other links.
std::string plain(std::string text) {
  text = std::regex_replace(text, std::regex(R"(; see \[[^\]]*\]\([^)]*\))"), "");
  text = std::regex_replace(text, std::regex(R"( \(see \[[^\]]*\]\([^)]*\)\))"), "");
  text = std::regex_replace(text, std::regex(R"(\[([^\]]*)\]\([^)]*\))"), "$1");
  std::erase(text, '`');
  return text;
}

// Replaces all from the first line of `tables` on.
void replace_end(const std::string& name, const std::string& tables) {
  const std::string path = source_path(name);
  std::string text = read_text(path);
  const std::size_t begin = text.find(tables.substr(0, tables.find('\n')));
  if (begin == std::string::npos)
    throw UsageError(fmt::format("{} has no such table to replace", path));
  write_file_atomically(path, text.substr(0, begin) + tables);
}

std::string empty_when(const RunTable& table, const Field& field) {
  if (!field.empty_when.empty()) return std::string(field.empty_when);
  if (is_parameter(field.group)) return field.nullable ? "where the case has none" : "never";
  if (table.file != case_table().file) return "never";
  switch (field.group) {
    case FieldGroup::prediction:
      return "where the case has no plan";
    case FieldGroup::memory:
      return "unless the case is `ok` and was measured";
    case FieldGroup::time:
      return "unless the case is `ok`";
    case FieldGroup::verification:
      return "unless the case was verified";
    default:
      return "never";
  }
}

}  // namespace

std::vector<std::string> RunTable::fields_of(const RowValues& row) const {
  std::vector<std::string> texts;
  std::size_t held = 0;
  for (const std::string& column : columns) {
    texts.push_back(row.at(column));
    if (!texts.back().empty()) ++held;
  }
  for (const auto& [field, text] : row)
    if (held != row.size() && std::ranges::find(columns, field->column) == columns.end())
      throw std::logic_error(fmt::format("{} has no column {}", file, field->column));
  return texts;
}

std::span<const SampleField> sample_fields() { return kSampleMembers; }

std::vector<RowValues> sample_rows(const std::vector<Sample>& samples) {
  std::vector<RowValues> rows;
  for (const Sample& sample : samples) {
    RowValues& row = rows.emplace_back();
    row.set("repeat", sample.repeat);
    row.set("warmup", sample.warmup);
    if (sample.disturbed_by) row.set("disturbed_by", word(*sample.disturbed_by));
    for (const SampleField& field : sample_fields())
      row.set_number(field.column.name(), field.of(sample));
  }
  return rows;
}

Sample sample_of(const RowValues& row) {
  Sample sample;
  sample.repeat = static_cast<int>(parse_integer(row.text("repeat")).value());
  sample.warmup = row.text("warmup") == "1";
  sample.disturbed_by = parse_word<Disturbance>(row.text("disturbed_by"));
  for (const SampleField& field : sample_fields())
    field.in(sample) = parse_real(row.at(field.column.name())).value_or(HostActivity::kUnknown);
  return sample;
}

std::span<const RunTable> run_tables() {
  static const std::array tables = {
      table_of("cases.csv", "There is a row for each case.", kIdentityFields, kParameterFields,
               kResultFields),
      table_of("samples.csv", "There is a row for each repeat of each case that is `ok`.",
               kSampleKeys, kSampleFields),
      table_of("steps.csv", "There is a row for each worker and step of a case.", kStepFields),
      table_of("parts.csv", "There is a row for each part of a layer and each repeat.",
               kPartFields),
      table_of("memory_timeline.csv",
               "There is a row for each event of the memory pass if `measure.memory_timeline` is "
               "set.",
               kTimelineFields)};
  return tables;
}

void write_documents() {
  replace_end("experiments/keys.md", parameters_markdown());
  replace_end("data/README.md", columns_markdown());
}

std::string plain_empty_when(const RunTable& table, const Field& field) {
  return plain(empty_when(table, field));
}

const RunTable& table_named(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename();
  std::vector<std::string_view> files;
  for (const RunTable& table : run_tables()) {
    if (table.file == name) return table;
    files.push_back(table.file);
  }
  throw UsageError(unknown_word("table", name, files));
}

std::string plain_meaning(const Field& field) { return plain(whole_meaning(field)); }

std::string plain_standard(const Field& field) { return plain(standard_of(field)); }

std::string parameters_markdown() {
  constexpr std::pair<FieldGroup, std::string_view> kGroups[] = {
      {FieldGroup::problem, "What is computed"},
      {FieldGroup::split, "How it is split"},
      {FieldGroup::link, "Over which links"},
      {FieldGroup::means, "By what it runs"}};
  std::string text;
  for (const auto& [group, title] : kGroups) {
    std::string rests;
    text += fmt::format("{}## {}\n\n| key | what it takes | default |\n|---|---|---|\n",
                        text.empty() ? "" : "\n", title);
    for (const Field& field : kParameterFields) {
      if (field.group != group) continue;
      const auto [cell, rest] = cell_and_rest(meaning_of(field));
      text += fmt::format("| `{}` | {} | {} |\n", field.key, cell, standard_of(field));
      const std::string needs = needs_text(field);
      if (!rest.empty())
        rests += fmt::format("- `{}`: {}{}.\n", field.key, rest,
                             needs.empty() ? "" : ". It applies with " + needs);
      else if (!needs.empty())
        rests += fmt::format("- `{}` applies with {}.\n", field.key, needs);
    }
    if (!rests.empty()) text += "\n" + rests;
  }
  return text;
}

std::string columns_markdown() {
  std::string text;
  for (const RunTable& table : run_tables()) {
    text += fmt::format(
        "{}## `{}`\n\n{}\n\n| column | unit | what it says | empty |\n|---|---|---|---|\n",
        text.empty() ? "" : "\n", table.file, table.meaning);
    for (const Field& field : table.fields)
      text += fmt::format("| `{}` | {} | {} | {} |\n", field.column, field.unit,
                          is_parameter(field.group) ? fmt::format("parameter `{}`", field.key)
                                                    : whole_meaning(field),
                          empty_when(table, field));
  }
  return text;
}

std::string schema_json() {
  nlohmann::ordered_json json = {{"schema_version", kSchemaVersion}};
  for (const RunTable& table : run_tables()) {
    nlohmann::ordered_json columns = nlohmann::ordered_json::array();
    for (const Field& field : table.fields) columns.push_back(json_of(field));
    json["tables"][std::string(table.file)] = std::move(columns);
  }
#define QB_COLOUR(name, function, colour, ...) \
  json["colours"][#name] = fmt::format("#{:06x}", colour);
  QB_STRATEGIES(QB_COLOUR)
#undef QB_COLOUR
  return json.dump(2);
}

}  // namespace qb
