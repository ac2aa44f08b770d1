// SPDX-License-Identifier: Apache-2.0
// These tests run under mpirun: rank 0 runs cases of operators that workers share, and the others
// serve it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/numbers.h"
#include "harness/experiment/process/mpi_case.h"
#include "harness/experiment/testing/open_cases.h"
#include "harness/run/transport/mpi_world.h"
#include "harness/workload/testing/tiny_case.h"

namespace qb {
namespace {

using testing::HasSubstr;

Case over_mpi(Mixer kind, int workers, ScanKind scan) {
  Case c = tiny("dense", workers);
  c.device = Device::cpu;
  c.ranks = Ranks::mpi;
  c.workload = WorkloadKind::sequence_mixer;
  c.mixer.kind = kind;
  c.mixer.scan = workers == 1 ? ScanKind::chain : scan;
  c.mask = is_only_causal(kind) ? MaskKind::causal : MaskKind::full;
  const bool convolves = kind == Mixer::short_convolution;
  if (kind == Mixer::selective_scan || convolves) c.shape.kv_heads = 2;
  if (standard_rank(kind, 16) > 0) c.mixer.rank = convolves ? 2 : 12;
  c.measure.min_repeats = c.measure.max_repeats = 1;
  return c;
}

TEST(MixerOverMpi, EveryOperatorAndScanIsARowThatWasVerified) {
  std::mt19937 random(20261130);
  for (const auto& [kind, name] : kWords<Mixer>.rows)
    for (const int workers : {1, 2, 3, 5, 8}) {
      std::vector<ScanKind> scans = {ScanKind::all_gather, ScanKind::all_reduce};
      if (is_only_causal(kind))
        scans = {ScanKind::chain, ScanKind::all_gather, ScanKind::tree, ScanKind::all_scan};
      const bool has_scan = kind != Mixer::axial && kind != Mixer::short_convolution;
      if (!has_scan) scans = {ScanKind::chain};
      for (const ScanKind scan : scans) {
        Case c = over_mpi(kind, workers, scan);
        c.shape.q_len = c.shape.kv_len = 12 + static_cast<std::int64_t>(random() % 90);
        if (kind == Mixer::axial) {  // a row and a column for each worker
          c.mixer.rows = workers + static_cast<std::int64_t>(random() % 5);
          c.shape.q_len = c.shape.kv_len = c.mixer.rows * (workers + 3);
        }
        const bool goes_back =
            !has_scan || (workers == 1 && kind != Mixer::selective_scan && is_only_causal(kind));
        if (goes_back) c.pass = random() % 2 == 0 ? Passes::both : Passes::backward;
        SCOPED_TRACE(testing::Message() << name << ' ' << word(scan) << " W=" << workers
                                        << " N=" << c.shape.q_len << ' ' << word(c.pass));
        const CaseResult result = run_open_case(c, "");
        ASSERT_EQ(result.status, Status::ok) << result.message;
        EXPECT_EQ(result.values.has("d_v_max_error"), goes_back);
        // The clock starts when all ranks are ready and ends with the last of them.
        EXPECT_GE(result.samples.back().wall_s, result.samples.back().compute_s);
        EXPECT_GE(result.samples.back().worker_sum_s, result.samples.back().wall_s);
        EXPECT_EQ(result.values.at("device_peak_bytes"),
                  result.values.at("predicted_device_peak_bytes"));
        // Each rank holds what it holds as a thread, without the kernels of the others.
        c.ranks = Ranks::serial;
        EXPECT_EQ(result.values.at("device_peak_bytes"),
                  run_open_case(c, "").values.at("device_peak_bytes"));
        if (workers == 1) break;
      }
    }
}

TEST(MixerOverMpi, AFailureIsARowAndTheNextCaseRuns) {
  Case c = over_mpi(Mixer::nystrom, 3, ScanKind::all_reduce);
  c.memory_budget_bytes = 1000;
  const CaseResult result = run_open_case(c, "");
  EXPECT_EQ(result.status, Status::oom);
  EXPECT_THAT(result.message, HasSubstr("over the budget"));
  c.memory_budget_bytes = 0;
  EXPECT_EQ(run_open_case(c, "").status, Status::ok);
  c.workers = 9;
  EXPECT_EQ(run_open_case(c, "").message, "9 workers need as many MPI processes; there are 8");
}

}  // namespace
}  // namespace qb

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const auto world = qb::MpiWorld::join();
  if (world->rank() != 0) {
    qb::serve_mpi_cases();
    return 0;
  }
  const int failed = RUN_ALL_TESTS();
  qb::end_mpi_cases();
  return failed;
}
