#include "harness/experiment/schema/columns.h"

#include "base/schema/parameter_fields.h"

namespace qb {
namespace {

using fields::column;
using fields::quantity;

constexpr FieldGroup kTime = FieldGroup::time;

constexpr SampleField kSampleFields[] = {
    {quantity(kTime, "wall_time_s", "the real time of the repeat"), &Sample::wall_s},
    {quantity(kTime, "critical_path_s",
              "the time of the slowest worker with gather and merge; for rings the sum over the "
              "rounds of the slowest worker of each round"),
     &Sample::critical_path_s},
    {quantity(kTime, "worker_sum_s", "the sum of the times of all workers"), &Sample::worker_sum_s},
    {quantity(kTime, "longest_subsequence_s",
              "the kernel time of the longest subsequence, without gather and merge"),
     &Sample::longest_subsequence_s},
    {quantity(kTime, "gather_s",
              "the time to copy the workers' groups together, summed over the workers"),
     &Sample::gather_s},
    {quantity(kTime, "merge_s", "the time to merge the partial outputs"), &Sample::merge_s},
    {quantity(kTime, "device_time_s", "the time by the GPU's own clock", 4), &Sample::device_s},
    {quantity(kTime, "sm_clock_hz", "the clock of the GPU's multiprocessors", 4),
     &Sample::sm_clock_hz},
    {column(kTime, "throttled", FieldKind::flag, "1 if the GPU was slowed down", 4),
     &Sample::throttled},
    {quantity(kTime, "stage_scores_s",
              "the time of the first stage of kernel `staged` under serial ranks: dense x dense -> "
              "sparse",
              6),
     &Sample::stage_scores_s},
    {quantity(kTime, "stage_softmax_s", "the time of its second stage: softmax", 6),
     &Sample::stage_softmax_s},
    {quantity(kTime, "stage_product_s", "the time of its third stage: sparse x dense", 6),
     &Sample::stage_product_s},
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

}  // namespace

std::span<const SampleField> sample_fields() { return kSampleFields; }

const RunTable& case_table() {
  static const RunTable table = table_of("cases.csv", "There is a row for each case.",
                                         kIdentityFields, kParameterFields, kResultFields);
  return table;
}

const RunTable& sample_table() {
  static const RunTable table =
      table_of("samples.csv", "There is a row for each repeat of each case that is `ok`.",
               kSampleKeys, kSampleFields);
  return table;
}

const RunTable& step_table() {
  static const RunTable table =
      table_of("steps.csv", "There is a row for each worker and step of a case.", kStepFields);
  return table;
}

const RunTable& part_table() {
  static const RunTable table = table_of(
      "parts.csv", "There is a row for each part of a layer and each repeat.", kPartFields);
  return table;
}

const RunTable& timeline_table() {
  static const RunTable table = table_of(
      "memory_timeline.csv",
      "There is a row for each event of the memory pass if `measure.memory_timeline` is set.",
      kTimelineFields);
  return table;
}

std::array<const RunTable*, 5> run_tables() {
  return {&case_table(), &sample_table(), &step_table(), &part_table(), &timeline_table()};
}

}  // namespace qb
