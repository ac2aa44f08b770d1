// SPDX-License-Identifier: Apache-2.0
// Tests the memory of real cases in this process: predictions, budgets and timelines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/numbers.h"
#include "base/testing/scratch_folder.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/testing/open_cases.h"
#include "harness/workload/testing/tiny_case.h"

namespace qb {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(RunCaseMemory, ThePredictedPeakIsTheMeasuredOne) {
  for (const Kernel kernel : {Kernel::materialized, Kernel::flash})
    for (Case c : {tiny("dense", 1), tiny("cqs", 7)}) {
      c.kernel = kernel;
      const CaseResult result = run_open_case(c, "");
      EXPECT_EQ(result.values.at("active_memory_peak_bytes"),
                result.values.at("predicted_active_peak_bytes"))
          << c.algorithm << ' ' << word(kernel);
    }
}

TEST(RunCaseMemory, OverTheBudgetIsOutOfMemoryWithTheTensorsName) {
  Case c = tiny("dense", 1);
  c.kernel = Kernel::materialized;
  c.memory_budget_bytes = 60'000;
  const CaseResult result = run_open_case(c, "");
  EXPECT_EQ(result.status, Status::oom);
  EXPECT_THAT(result.message, HasSubstr("over the budget of 58.59 KiB"));
  EXPECT_TRUE(result.values.has("unmasked_flop"));
  EXPECT_TRUE(result.samples.empty());
  EXPECT_EQ(result.values.at("wall_time_median_s"), "");
}

TEST(RunCaseMemory, ABudgetBelowTheInputsIsOutOfMemoryToo) {
  Case c = tiny("dense", 1);
  c.memory_budget_bytes = 100;
  const CaseResult result = run_open_case(c, "");
  EXPECT_EQ(result.status, Status::oom);
  EXPECT_TRUE(result.samples.empty());
  EXPECT_EQ(result.values.at("wall_time_median_s"), "");
}

TEST(RunCaseMemory, ABudgetOfExactlyThePredictedPeakIsEnough) {
  Case c = tiny("cqs", 7);
  c.kernel = Kernel::materialized;
  const auto peak = parse_integer(predicted_open_values(c).at("predicted_active_peak_bytes"));
  c.memory_budget_bytes = peak.value();
  EXPECT_EQ(run_open_case(c, "").status, Status::ok);
  c.memory_budget_bytes -= 1;
  EXPECT_EQ(run_open_case(c, "").status, Status::oom);
}

TEST(RunCaseMemory, TheTimelineComesWithItsTraces) {
  const ScratchFolder folder;
  Case c = tiny("cqs", 7);
  c.measure.memory_timeline = true;
  const CaseResult result = run_open_case(c, folder.path());
  ASSERT_EQ(result.status, Status::ok) << result.message;
  ASSERT_FALSE(result.timeline.empty());
  EXPECT_EQ(result.timeline.front().size() + 1, timeline_table().columns.size());
  EXPECT_THAT(trace_name(resolve_case(c)),
              StartsWith("cqs_w7_n" + std::to_string(c.shape.q_len) + "_"));
  EXPECT_FALSE(read_file(folder / (trace_name(resolve_case(c)) + ".pickle")).empty());
  // Slices of a track nest, and the counters reach the peaks of cases.csv.
  const auto trace =
      nlohmann::json::parse(read_file(folder / (trace_name(resolve_case(c)) + ".trace.json")));
  std::map<int, std::vector<std::pair<double, double>>> tracks;
  std::map<std::string, std::int64_t> peaks;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X")
      tracks[event.at("tid")].emplace_back(event.at("ts"),
                                           double(event.at("ts")) + double(event.at("dur")));
    if (event.at("ph") == "C")
      for (const auto& [name, bytes] : event.at("args").items())
        peaks[name] = std::max(peaks[name], bytes.get<std::int64_t>());
  }
  EXPECT_FALSE(tracks.empty());
  for (const auto& [tid, track] : tracks)
    for (const auto& a : track)
      for (const auto& b : track)
        EXPECT_FALSE(a.first < b.first && b.first < a.second && a.second < b.second) << tid;
  EXPECT_EQ(std::to_string(peaks.at("active_bytes")), result.values.at("active_memory_peak_bytes"));
  EXPECT_EQ(std::to_string(peaks.at("reserved_bytes")),
            result.values.at("reserved_memory_peak_bytes"));
}

TEST(RunCaseMemory, TheTimelineOfACaseThatRanOutIsKept) {
  Case c = tiny("dense", 1);
  c.kernel = Kernel::materialized;
  c.memory_budget_bytes = 60'000;
  c.measure.memory_timeline = true;
  const CaseResult result = run_open_case(c, "");
  EXPECT_EQ(result.status, Status::oom);
  EXPECT_FALSE(result.timeline.empty());
}

}  // namespace
}  // namespace qb
