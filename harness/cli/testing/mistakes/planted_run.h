// SPDX-License-Identifier: Apache-2.0
// For tests: a run folder of a subject that makes a mistake, and what the harness says of it.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/experiment/audit/audit.h"
#include "harness/experiment/process/measured_columns.h"
#include "harness/experiment/process/run_case.h"
#include "harness/experiment/spec/spec.h"
#include "harness/experiment/store/environment.h"
#include "harness/experiment/store/store.h"
#include "harness/experiment/testing/fake_run.h"

namespace qb::mistakes {

using Lines = std::map<std::string, std::string>;

// A small spec, with these lines added, changed or, where a value is empty, left out.
inline std::string spec_text(const Lines& more) {
  Lines lines = {{"experiment", "planted"}, {"algorithm", "cqs"},
                 {"workers", "7"},          {"dtype", "f32"},
                 {"kernel", "flash"},       {"q_heads", "2"},
                 {"head_dim", "32"},        {"n_tokens", "192"},
                 {"device", "cpu"},         {"measure", "{repeats: 6, retakes: 0}"}};
  for (const auto& [key, value] : more) lines[key] = value;
  std::string text;
  for (const auto& [key, value] : lines)
    if (!value.empty()) text += fmt::format("{}: {}\n", key, value);
  return text;
}

struct Subject {
  std::string spec = spec_text({});
  OpenGpu device = open_gpu_of;  // of device: cuda
  // What the subject makes of each true result before it is written down.
  std::function<void(const Case&, CaseResult&)> report = [](const Case&, CaseResult&) {};
  std::function<void(RunRow&)> write = [](RunRow&) {};  // of the row of cases.csv
  bool other_program = false;  // it has no spec that the harness could plan
};

// Runs the subject's cases as `qb run` does, writes the run folder, and returns what the row says
// (status, message, disturbance) and what `qb verify` finds.
inline std::string answer_to(const Subject& subject) {
  const FakeRun run("planted");
  const Spec spec = parse_spec(subject.spec, "planted.yaml", {});
  std::vector<RunRow> cases;
  std::vector<RunRow> samples;
  std::string said;
  const auto named = [](const std::vector<std::string>& columns,
                        const std::vector<std::string>& fields) {
    RunRow row;
    for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = fields[i];
    return row;
  };
  for (const Case& open : spec.cases) {
    const Case c = resolve_case(open);
    CaseResult result = run_case(c, "", subject.device);
    if (result.status == Status::ok) subject.report(c, result);
    const RunStore::Record record = make_record(c, result, "2026-01-31T12:00:00Z", 1.0);
    cases.push_back(named(case_table().columns, case_table().fields_of(record.row)));
    subject.write(cases.back());
    for (const auto& sample : record.samples)
      samples.push_back(named(sample_table().columns, sample_table().fields_of(sample)));
    said += fmt::format("{}: {} {}\n", word(result.status), result.message,
                        result.values.text("disturbed_by"));
  }
  run.write_manifest(device_fingerprint(), kSchemaVersion,
                     subject.other_program ? "" : "0123456789abcdef");
  run.write("spec.resolved.yaml", spec.resolved_yaml);
  run.write("steps.csv", csv_record(step_table().columns));
  run.write("memory_timeline.csv", csv_record(timeline_table().columns));
  run.write_tables(cases, samples);
  const Audit audit = audit_run(run.path());
  return said +
         fmt::format("{}\n{}\n", fmt::join(audit.findings, "\n"), fmt::join(audit.notes, "\n"));
}

// Makes the medians of a row again from samples that the subject has changed.
inline void add_medians_again(const Case& c, CaseResult& result) {
  const Repeats repeats = repeats_of(result.samples, c.measure);
  add_medians(repeats, result.values);
  result.values.set("achieved_flop_per_s", result.values.number("unmasked_flop") /
                                               result.values.number("wall_time_median_s"));
}

}  // namespace qb::mistakes
