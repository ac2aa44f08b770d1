#include "harness/experiment/schema/columns.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/files.h"
#include "base/numbers.h"
#include "base/schema/parameter_fields.h"
#include "base/source_root.h"
#include "harness/experiment/schema/clocks.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/workload/needs.h"

namespace qb {

template <>
inline constexpr auto kWords<FieldKind> =
    word_table<FieldKind>("kind", {{FieldKind::word, "word"},
                                   {FieldKind::integer, "integer"},
                                   {FieldKind::real, "real"},
                                   {FieldKind::flag, "flag"},
                                   {FieldKind::text, "text"},
                                   {FieldKind::residues, "residues"},
                                   {FieldKind::sequences, "sequences"},
                                   {FieldKind::speeds, "speeds"},
                                   {FieldKind::file, "file"},
                                   {FieldKind::mask, "mask"}});

template <>
inline constexpr auto kWords<FieldGroup> =
    word_table<FieldGroup>("group", {{FieldGroup::identity, "identity"},
                                     {FieldGroup::problem, "problem"},
                                     {FieldGroup::split, "split"},
                                     {FieldGroup::link, "link"},
                                     {FieldGroup::means, "means"},
                                     {FieldGroup::outcome, "outcome"},
                                     {FieldGroup::prediction, "prediction"},
                                     {FieldGroup::memory, "memory"},
                                     {FieldGroup::time, "time"},
                                     {FieldGroup::verification, "verification"},
                                     {FieldGroup::bookkeeping, "bookkeeping"}});

namespace {

using fields::column;
using fields::empty;
using fields::quantity;

constexpr FieldGroup kTimeGroup = FieldGroup::time;

template <auto... path>
double& member(Sample& sample) {
  return (sample.*....*path);
}

constexpr SampleField kSampleFields[] = {
    {quantity(kTimeGroup, "wall_time_s", "the real time of the repeat"), member<&Sample::wall_s>},
    {quantity(kTimeGroup, "critical_path_s",
              "the time of the slowest worker with gather and merge; for rings the sum over the "
              "rounds of the slowest worker of each round"),
     member<&Sample::critical_path_s>},
    {quantity(kTimeGroup, "worker_sum_s", "the sum of the times of all workers"),
     member<&Sample::worker_sum_s>},
    {quantity(kTimeGroup, "longest_subsequence_s",
              "the kernel time of the longest subsequence, without gather and merge"),
     member<&Sample::longest_subsequence_s>},
    {quantity(kTimeGroup, "gather_s",
              "the time to copy the workers' groups together, summed over the workers"),
     member<&Sample::gather_s>},
    {quantity(kTimeGroup, "merge_s", "the time to merge the partial outputs"),
     member<&Sample::merge_s>},
    {empty("for layers that no workers share",
           quantity(kTimeGroup, "compute_s",
                    "the time that the worker with the most of it computes, summed over its steps",
                    10)),
     member<&Sample::compute_s>},
    {empty("with `ranks: serial`",
           quantity(kTimeGroup, "communication_s", "likewise, the time that it communicates", 10)),
     member<&Sample::communication_s>},
    {empty(
         "with `ranks: serial`",
         quantity(kTimeGroup, "exposed_communication_s",
                  "likewise, the time that it waits for messages and has nothing to compute", 10)),
     member<&Sample::exposed_communication_s>},
    {empty("with `ranks: serial`",
           quantity(kTimeGroup, "idle_s",
                    "likewise, the time that it waits while no message is under way", 10)),
     member<&Sample::idle_s>},
    {empty("unless `pass` is `both`",
           quantity(kTimeGroup, "forward_time_s", "the real time of the forward pass", 9)),
     member<&Sample::forward_s>},
    {empty("unless `pass` is `both`",
           quantity(kTimeGroup, "backward_time_s", "the real time of the backward pass", 9)),
     member<&Sample::backward_s>},
    {empty("on a CPU", quantity(kTimeGroup, "device_time_s", "the time by the GPU's own clock", 4)),
     member<&Sample::device_s>},
    {empty("on a CPU, or where the driver does not report it",
           quantity(kTimeGroup, "sm_clock_hz", "the clock of the GPU's multiprocessors", 4)),
     member<&Sample::sm_clock_hz>},
    {empty("on a CPU, or where the driver does not report it",
           column(kTimeGroup, "throttled", FieldKind::flag, "1 if the GPU was slowed down", 4)),
     member<&Sample::throttled>},
    {empty(
         "unless the kernel is `staged` and the ranks are `serial`",
         quantity(
             kTimeGroup, "stage_scores_s",
             "the time of the first stage of kernel `staged` under serial ranks: dense x dense -> "
             "sparse",
             6)),
     member<&Sample::stage_scores_s>},
    {empty("unless the kernel is `staged` and the ranks are `serial`",
           quantity(kTimeGroup, "stage_softmax_s", "the time of its second stage: softmax", 6)),
     member<&Sample::stage_softmax_s>},
    {empty(
         "unless the kernel is `staged` and the ranks are `serial`",
         quantity(kTimeGroup, "stage_product_s", "the time of its third stage: sparse x dense", 6)),
     member<&Sample::stage_product_s>},
    {empty("for models, and where Linux does not report it",
           quantity(kTimeGroup, "cpu_time_s", "the CPU time of the process, all its threads", 7)),
     member<&Sample::host, &HostActivity::cpu_s>},
    {empty("for models, and where threads share cores or ended",
           quantity(kTimeGroup, "run_delay_s",
                    "the time that its threads were ready and waited for a core", 7)),
     member<&Sample::host, &HostActivity::run_delay_s>},
    {empty("for models, for MPI and NCCL ranks, and where Linux does not report it",
           quantity(kTimeGroup, "other_cpu_time_s",
                    "the CPU time of other processes on the cores that it may use", 7)),
     member<&Sample::host, &HostActivity::other_cpu_s>},
    {empty(
         "for models, and where Linux does not report it",
         quantity(kTimeGroup, "stolen_s", "the time that the hypervisor took from these cores", 7)),
     member<&Sample::host, &HostActivity::stolen_s>},
    {empty(
         "for models, and where Linux does not report it",
         quantity(kTimeGroup, "memory_stall_s", "the time that some process waited for memory", 7)),
     member<&Sample::host, &HostActivity::memory_stall_s>},
    {empty("for models, and where Linux does not report it",
           quantity(kTimeGroup, "stopped_s", "the time that the process or its machine stood still",
                    7)),
     member<&Sample::host, &HostActivity::stopped_s>},
    {empty("for models, and where Linux does not report it",
           column(kTimeGroup, "involuntary_switches", FieldKind::integer,
                  "how often another thread took the core of one of its threads", 7, "switches")),
     member<&Sample::host, &HostActivity::involuntary_switches>},
    {empty("for models, and where Linux does not report it",
           column(kTimeGroup, "minor_faults", FieldKind::integer,
                  "page faults that read nothing from a disk", 7, "faults")),
     member<&Sample::host, &HostActivity::minor_faults>},
    {empty("for models, and where Linux does not report it",
           column(kTimeGroup, "major_faults", FieldKind::integer,
                  "page faults that read from a disk", 7, "faults")),
     member<&Sample::host, &HostActivity::major_faults>},
    {empty(
         "where Linux does not count them",
         column(kTimeGroup, "instructions", FieldKind::real,
                "instructions that the process retired, as Linux counts them", 7, "instructions")),
     member<&Sample::host, &HostActivity::instructions>},
    {empty("where Linux does not count them",
           column(kTimeGroup, "cycles", FieldKind::real,
                  "cycles of the cores that it ran on, likewise", 7, "cycles")),
     member<&Sample::host, &HostActivity::cycles>},
};

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
  std::string text;
  for (const std::string_view word : parameters()[*find_parameter(field.key)].words())
    text += fmt::format("{}`{}`", text.empty() ? "" : ", ", word);
  return text;
}

std::string meaning_of(const Field& field) {
  std::string text(field.meaning);
  const auto fill = [&](std::string_view name, std::string (*said)(const Field&)) {
    if (const std::size_t at = text.find(name); at != std::string::npos)
      text.replace(at, name.size(), said(field));
  };
  fill("{range}", range_of);
  fill("{words}", words_of);
  if (const std::string needs = needs_text(field); !needs.empty())
    text += fmt::format(". It applies with {}", needs);
  return text;
}

std::string standard_of(const Field& field) {
  if (!field.standard_meaning.empty()) return std::string(field.standard_meaning);
  if (!field.follows.empty()) return fmt::format("`{}`", field.follows);
  const bool is_number = field.kind == FieldKind::integer || field.kind == FieldKind::real;
  return fmt::format(fmt::runtime(is_number ? "{}" : "`{}`"), field.standard);
}

nlohmann::ordered_json json_of(const Field& field) {
  return {{"name", field.column},       {"key", field.key},
          {"kind", word(field.kind)},   {"unit", field.unit},
          {"group", word(field.group)}, {"since", field.since},
          {"standard", field.standard}, {"meaning", meaning_of(field)}};
}

// Removes links to sections, and keeps only the words of other links.
std::string plain(std::string text) {
  text = std::regex_replace(text, std::regex(R"(; see \[[^\]]*\]\([^)]*\))"), "");
  text = std::regex_replace(text, std::regex(R"( \(see \[[^\]]*\]\([^)]*\)\))"), "");
  text = std::regex_replace(text, std::regex(R"(\[([^\]]*)\]\([^)]*\))"), "$1");
  std::erase(text, '`');
  return text;
}

// Replaces the text that begins as `table` does: all that follows, or up to the next empty line.
void replace_table(const std::string& name, const std::string& table, bool to_the_end) {
  const std::string path = source_path(name);
  std::string text = read_file(path);
  const std::size_t begin = text.find(table.substr(0, table.find('\n')));
  if (begin == std::string::npos)
    throw UsageError(fmt::format("{} has no such table to replace", path));
  const std::size_t end = to_the_end ? text.size() : text.find("\n\n", begin) + 1;
  write_file_atomically(path, text.replace(begin, end - begin, table));
}

}  // namespace

std::span<const SampleField> sample_fields() { return kSampleFields; }

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
  replace_table("experiments/README.md", parameters_markdown(), false);
  replace_table("data/README.md", columns_markdown(), true);
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

std::string plain_meaning(const Field& field) { return plain(meaning_of(field)); }

std::string plain_standard(const Field& field) { return plain(standard_of(field)); }

std::string parameters_markdown() {
  std::string text = "| parameter | values | default |\n|---|---|---|\n";
  for (const Field& field : kParameterFields)
    text += fmt::format("| `{}` | {} | {} |\n", field.key, meaning_of(field), standard_of(field));
  return text;
}

std::string columns_markdown() {
  std::string text;
  for (const RunTable& table : run_tables()) {
    text += fmt::format(
        "{}## `{}`\n\n{}\n\n| column | unit | what it says | empty |\n|---|---|---|---|\n",
        text.empty() ? "" : "\n", table.file, table.meaning);
    for (const Field& field : table.fields)
      text += fmt::format(
          "| `{}` | {} | {} | {} |\n", field.column, field.unit,
          is_parameter(field.group) ? fmt::format("parameter `{}`", field.key) : meaning_of(field),
          empty_when(table, field));
  }
  return text + fmt::format("\n## The clocks of a case\n\n```\n{}```\n", clocks_picture());
}

std::string schema_json() {
  nlohmann::ordered_json json = {{"schema_version", kSchemaVersion}};
  for (const RunTable& table : run_tables()) {
    nlohmann::ordered_json columns = nlohmann::ordered_json::array();
    for (const Field& field : table.fields) columns.push_back(json_of(field));
    json["tables"][std::string(table.file)] = std::move(columns);
  }
  return json.dump(2);
}

}  // namespace qb
