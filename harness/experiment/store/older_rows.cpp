// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/store/run_folder.h"

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/status.h"
#include "harness/execute/player/worker.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/plan/work/tiling.h"
#include "harness/workload/prediction.h"

namespace qb {
namespace {

// The first schema versions whose rows say what a device and the root hold and send, and what goes
// to other hosts.
constexpr int kDeviceBytesSince = 11;
constexpr int kBetweenHostsSince = 16;

Case case_of_row(const CsvTable& cases, std::size_t row) {
  Case c;
  for (const Parameter& parameter : parameters())
    parameter.set(c, parameter, cases.text(row, parameter.column));
  c.lse_kept = 1;
  return c;
}

void set_all_on_one_device(CsvTable& cases, std::size_t row) {
  cases.set(row, "device_peak_bytes", Row{&cases, row}.text("active_memory_peak_bytes"));
  cases.set(row, "predicted_device_peak_bytes",
            Row{&cases, row}.text("predicted_active_peak_bytes"));
}

void complete_row(CsvTable& cases, std::size_t row, std::string_view name) try {
  const Case c = case_of_row(cases, row);
  if (c.cluster != kNoCluster)  // there was none before kDeviceBytesSince
    return cases.set(row, "between_hosts_bytes",
                     prediction_columns(c, plan_case(c)).text("between_hosts_bytes"));
  if (c.workload != WorkloadKind::attention) {
    if (c.workers == 1) set_all_on_one_device(cases, row);
    return;
  }
  const Plan plan = plan_of(c);
  if (works_in_place(plan)) return set_all_on_one_device(cases, row);
  if (!is_scattered(plan)) return;
  const PlannedCase planned = plan_case(c);
  cases.set(row, "root_sent_bytes", to_text(planned.work.root_sent_bytes));
  cases.set(row, "predicted_root_peak_bytes", to_text(planned.memory.root_peak_bytes));
} catch (const std::runtime_error& problem) {  // a value is wrong, or the case has no plan
  throw UsageError(fmt::format("{}: record {}: {}", name, row + 1, problem.what()));
}

}  // namespace

void complete_older_rows(CsvTable& cases, std::string_view name) {
  for (std::size_t row = 0; row < cases.size(); ++row) {
    const bool on_hosts = Row{&cases, row}.text("cluster") != kNoCluster;
    if (Row{&cases, row}.number("schema_version") >=
        (on_hosts ? kBetweenHostsSince : kDeviceBytesSince))
      continue;
    if (!Row{&cases, row}.text("predicted_active_peak_bytes").empty())  // it has a plan
      complete_row(cases, row, name);
    else if (Row{&cases, row}.text("workers") == "1")
      set_all_on_one_device(cases, row);
  }
}

}  // namespace qb
