// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/sweep/case_order.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/testing/scratch_folder.h"
#include "harness/experiment/testing/fake_sweep.h"

namespace qb {
namespace {

Case gpu_case(std::int64_t n_tokens, DType dtype) {
  Case c = small_case(n_tokens);
  c.device = Device::cuda;
  c.dtype = dtype;
  return c;
}

CsvTable rows(const std::vector<std::vector<std::string>>& rows) {
  CsvTable table({"device", "ranks", "workers", "dtype", "peak_flop_per_s"});
  for (const auto& row : rows) table.append(row);
  return table;
}

TEST(GpuPeaks, AreThoseOfTheFirstRowOfATypeThatHasOne) {
  GpuPeaks peaks;
  peaks.read(rows({{"cpu", "serial", "1", "f32", "1e11"},
                   {"cuda", "serial", "1", "f16", ""},
                   {"cuda", "serial", "7", "f16", "8e14"},
                   {"cuda", "serial", "1", "f16", "9e14"}}));
  EXPECT_EQ(peaks.of(gpu_case(8, DType::f16)), 8e14);
  EXPECT_EQ(peaks.of(gpu_case(8, DType::bf16)), std::nullopt);
  EXPECT_EQ(peaks.of(gpu_case(8, DType::f32)), std::nullopt);
  Case on_cpu = gpu_case(8, DType::f16);
  on_cpu.device = Device::cpu;
  EXPECT_EQ(peaks.of(on_cpu), std::nullopt);
}

TEST(GpuPeaks, OfSeveralGpusIsThatOfOne) {
  GpuPeaks peaks;
  peaks.read(rows({{"cuda", "nccl", "4", "bf16", "32e14"}}));
  EXPECT_EQ(peaks.of(gpu_case(8, DType::bf16)), 8e14);
}

TEST(GpuPeaks, ReadsOnWhereItStopped) {
  GpuPeaks peaks;
  CsvTable table = rows({{"cuda", "serial", "1", "f16", "8e14"}});
  peaks.read(table);
  table.append({"cuda", "serial", "1", "bf16", "7e14"});
  peaks.read(table);
  EXPECT_EQ(peaks.of(gpu_case(8, DType::f16)), 8e14);
  EXPECT_EQ(peaks.of(gpu_case(8, DType::bf16)), 7e14);
}

// Records the peaks that the cases of a sweep got, in the order of their launch.
class Told : public testing::Test {
 protected:
  Told() {
    sweep_.require = [](const Case&) {};  // pretends that there is a GPU
    sweep_.launcher.answer = [](const Case& c) {
      CaseResult result = good_result();
      result.values.set_text("peak_flop_per_s", c.dtype == DType::f16 ? "8e14" : "7e14");
      return result;
    };
  }
  void run(const std::vector<Case>& cases) {
    RunOptions options;
    options.out = folder_.path();
    options.run_id = "one";
    (void)sweep_.run(fake_spec(cases), options);
  }

  FakeSweep sweep_;
  ScratchFolder folder_;
};

TEST_F(Told, OnlyTheFirstCaseOfATypeMeasures) {
  run({gpu_case(8, DType::f16), gpu_case(9, DType::f16), gpu_case(10, DType::f16),
       gpu_case(8, DType::bf16), gpu_case(9, DType::bf16)});
  std::map<DType, int> measured;
  ASSERT_EQ(sweep_.launcher.launched.size(), 5u);
  for (const Case& c : sweep_.launcher.launched) {
    if (!c.gpu_peak_flop_per_s)
      ++measured[c.dtype];
    else
      EXPECT_EQ(*c.gpu_peak_flop_per_s, c.dtype == DType::f16 ? 8e14 : 7e14);
  }
  EXPECT_EQ(measured, (std::map<DType, int>{{DType::f16, 1}, {DType::bf16, 1}}));
}

TEST_F(Told, ARunThatGoesOnReadsItFromItsRows) {
  int left = 1;
  const auto answer = sweep_.launcher.answer;
  sweep_.launcher.answer = [&](const Case& c) {
    return left-- > 0 ? answer(c) : bad_result(Status::interrupted, "stopped by the user");
  };
  const std::vector<Case> cases = {gpu_case(8, DType::f16), gpu_case(9, DType::f16)};
  run(cases);
  sweep_.launcher.answer = answer;
  run(cases);
  ASSERT_EQ(sweep_.launcher.launched.size(), 1u);
  EXPECT_EQ(sweep_.launcher.launched.front().gpu_peak_flop_per_s, 8e14);
}

}  // namespace
}  // namespace qb
