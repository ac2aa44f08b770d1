#include "harness/experiment/schema/columns.h"

#include "base/schema/parameter_fields.h"

namespace qb {
namespace {

constexpr SampleField kSampleFields[] = {
    {{.column = "wall_time_s", .unit = "s", .meaning = "the real time of the repeat"},
     &Sample::wall_s},
    {{.column = "critical_path_s",
      .unit = "s",
      .meaning = "the slowest worker with gather and merge; of rings the sum over rounds of the "
                 "slowest worker"},
     &Sample::critical_path_s},
    {{.column = "worker_sum_s", .unit = "s", .meaning = "the sum over the workers"},
     &Sample::worker_sum_s},
    {{.column = "longest_subsequence_s",
      .unit = "s",
      .meaning = "kernel time of the longest subsequence, without gather and merge"},
     &Sample::longest_subsequence_s},
    {{.column = "gather_s",
      .unit = "s",
      .meaning = "copying the workers' groups together, summed over the workers"},
     &Sample::gather_s},
    {{.column = "merge_s", .unit = "s", .meaning = "merging the partial outputs"},
     &Sample::merge_s},
    {{.column = "device_time_s",
      .unit = "s",
      .since = 4,
      .meaning = "the time by the GPU's own clock"},
     &Sample::device_s},
    {{.column = "sm_clock_hz",
      .unit = "Hz",
      .since = 4,
      .meaning = "the clock of the GPU's multiprocessors"},
     &Sample::sm_clock_hz},
    {{.column = "throttled",
      .kind = FieldKind::flag,
      .since = 4,
      .meaning = "1: the GPU was slowed down"},
     &Sample::throttled},
    {{.column = "stage_scores_s",
      .unit = "s",
      .since = 6,
      .meaning = "kernel `staged` under serial ranks: dense x dense -> sparse"},
     &Sample::stage_scores_s},
    {{.column = "stage_softmax_s", .unit = "s", .since = 6, .meaning = "the same: softmax"},
     &Sample::stage_softmax_s},
    {{.column = "stage_product_s", .unit = "s", .since = 6, .meaning = "the same: sparse x dense"},
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
  static const RunTable table = table_of("cases.csv", "A row for each case.", kIdentityFields,
                                         kParameterFields, kResultFields);
  return table;
}

const RunTable& sample_table() {
  static const RunTable table =
      table_of("samples.csv", "A row for each repeat of each case that is `ok`.", kSampleKeys,
               kSampleFields);
  return table;
}

const RunTable& step_table() {
  static const RunTable table =
      table_of("steps.csv", "A row for each worker and step of a case.", kStepFields);
  return table;
}

const RunTable& part_table() {
  static const RunTable table =
      table_of("parts.csv", "A row for each part of a layer and repeat.", kPartFields);
  return table;
}

const RunTable& timeline_table() {
  static const RunTable table =
      table_of("memory_timeline.csv",
               "A row for each event of the memory pass, where `measure.memory_timeline` is set.",
               kTimelineFields);
  return table;
}

std::array<const RunTable*, 5> run_tables() {
  return {&case_table(), &sample_table(), &step_table(), &part_table(), &timeline_table()};
}

}  // namespace qb
