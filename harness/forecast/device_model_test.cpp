// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/device_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/clock.h"
#include "base/source_root.h"
#include "base/status.h"
#include "harness/forecast/testing/constant_rate_device.h"

namespace qb {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kHeader =
    "device,quantity,kernel,dtype,head_dim,queries,keys,value,provenance,source\n";
constexpr std::string_view kOneRate = "x,kernel_flop_per_s,flash,f32,64,128,128,1e9,measured,\n";

Problem problem_of(std::int64_t head_dim, std::int64_t value_dim, DType dtype = DType::f32) {
  return make_problem({1, 1, 1, 100, 100, head_dim, value_dim}, MaskKind::full, dtype, 1);
}

DeviceModel two_points() {
  DeviceModel device = constant_rate_device(Kernel::flash, DType::f32, 64, 1e9);
  device.rates[0].queries = device.rates[0].keys = 100;
  device.rates.insert(device.rates.begin(), {Kernel::flash, DType::f32, 64, 1000, 10'000, 4e9,
                                             RateProvenance::assumed, ""});
  return device;
}

TEST(DeviceCosts, InterpolateRatesBetweenTheMeasuredSizes) {
  const DeviceCosts costs(two_points(), Kernel::flash, problem_of(64, 64));
  // 1e4 pairs and 1e7 pairs; a third of the way is 1e5, where the rate is 4^(1/3) times the first.
  EXPECT_NEAR(costs.flop_per_s(10'000), 1e9, 1);
  EXPECT_NEAR(costs.flop_per_s(100'000), 1e9 * std::cbrt(4.0), 1);
  EXPECT_NEAR(costs.flop_per_s(10'000'000), 4e9, 1);
  EXPECT_NEAR(costs.flop_per_s(1), 1e9, 1);
  EXPECT_NEAR(costs.flop_per_s(1'000'000'000'000), 4e9, 1);
}

TEST(DeviceCosts, OfACallAreOverheadAndComputeOrMemory) {
  DeviceModel device = constant_rate_device(Kernel::flash, DType::f32, 64, 1e9);
  device.call_overhead_s.value = 0.5;
  device.memory_byte_per_s.value = 1000.0;
  const DeviceCosts costs(device, Kernel::flash, problem_of(64, 32));
  const double compute_s = 2.0 * (64 + 32) * 1e6 * 3 / 1e9;
  EXPECT_NEAR(costs.call_s(1'000'000, 3, 10), 0.5 + compute_s, 1e-9);
  EXPECT_NEAR(costs.call_s(1'000'000, 3, 9000), 0.5 + 9.0, 1e-9);
  EXPECT_EQ(costs.merge_s(1000), 0.0);
}

TEST(DeviceCosts, OfABackwardPassHaveItsFlopAndAShareOfTheRates) {
  DeviceModel device = two_points();
  const Problem problem = problem_of(64, 32);
  const DeviceCosts forward(device, Kernel::flash, problem);
  const auto backward = [&] { return DeviceCosts(device, Kernel::flash, problem, Pass::backward); };
  for (const std::int64_t pairs : {10'000, 77'777, 10'000'000}) {
    EXPECT_NEAR(backward().flop_per_s(pairs), kBackwardShareOfForward * forward.flop_per_s(pairs),
                1.0);
    EXPECT_NEAR(
        backward().call_s(pairs, 3, 0),
        forward.call_s(pairs, 3, 0) * (3 * 64 + 2 * 32) / (64 + 32) / kBackwardShareOfForward,
        1e-9);
  }
  EXPECT_EQ(backward_share(device).provenance, RateProvenance::assumed);
  device.backward_share_of_forward = {0.5, RateProvenance::measured, "here"};
  EXPECT_EQ(backward_share(device), device.backward_share_of_forward);
  EXPECT_NEAR(backward().flop_per_s(10'000), 0.5e9, 1.0);
  EXPECT_NEAR(forward.flop_per_s(10'000), 1e9, 1.0);
}

TEST(DeviceModelFile, ReadsBackWhatItWrote) {
  DeviceModel device = two_points();
  device.name = "two \"points\", quoted";
  device.call_overhead_s = {1.25e-6, RateProvenance::estimated, "a guess, with a comma"};
  device.merge_byte_per_s = {0.1, RateProvenance::measured, "somewhere"};
  device.cores.value = 2;
  device.backward_share_of_forward = {0.75, RateProvenance::published, ""};
  EXPECT_EQ(parse_device_model(device_model_csv(device), "x.csv"), device);
}

struct Refusal {
  std::string_view records;
  const char* message;
};

TEST(DeviceModelFile, IsReadStrictly) {
  const Refusal refusals[] = {
      {"", "x.csv:1: no records"},
      {"x,cores,,,,,,2,measured,\n",
       "x.csv:2: the file ends without a record of kernel_flop_per_s"},
      {"x,kernel_flop_per_s,flahs,f32,64,1,1,1e9,measured,\n", "did you mean 'flash'"},
      {"x,kernel_flop_per_s,flash,f33,64,1,1,1e9,measured,\n", "x.csv:2: unknown dtype 'f33'"},
      {"x,kernel_flop_per_s,flash,f32,0,1,1,1e9,measured,\n",
       "x.csv:2: head_dim is '0'; it must be a whole number from 1 to 2147483648"},
      {"x,kernel_flop_per_s,flash,f32,64,,1,1e9,measured,\n", "x.csv:2: queries is ''"},
      {"x,kernel_flop_per_s,flash,f32,64,1,2147483649,1e9,measured,\n",
       "x.csv:2: keys is '2147483649'; it must be a whole number from 1 to 2147483648"},
      {",kernel_flop_per_s,flash,f32,64,1,1,1e9,measured,\n", "x.csv:2: device is ''"},
      {"x,cores,,,,,,1000001,measured,\n",
       "x.csv:2: cores is '1000001'; it must be a whole number up to 1000000"},
      {"x,query_tile,,,,,,1000001,measured,\n", "x.csv:2: query_tile is '1000001'"},
      {"x,kernel_flop_per_s,flash,f32,64,1,1,0,measured,\n",
       "x.csv:2: value is '0'; it must be a number above 0"},
      {"x,kernel_flop_per_s,flash,f32,64,1,1,nan,measured,\n", "x.csv:2: value is 'nan'"},
      {"x,kernel_flop_per_s,flash,f32,64,1,1,1e9,mesured,\n", "did you mean 'measured'"},
      {"x,kernel_flop_per_s,flash,f32,64,1,1,1e9,measured\n",
       "x.csv:2: 9 fields where the header has 10"},
      {"x,kernel_flops_per_s,flash,f32,64,1,1,1e9,measured,\n", "did you mean 'kernel_flop_per_s'"},
      {"x,kernel_flop_per_s,flash,f32,64,2,8,1e9,measured,\n"
       "x,kernel_flop_per_s,flash,f32,64,4,4,1e9,measured,\n",
       "x.csv:3: a second rate of flash in f32 at head_dim 64 for calls of 16 pairs"},
      {"x,cores,,,,,,2,measured,\nx,cores,,,,,,2,measured,\n", "x.csv:3: a second record of cores"},
      {"x,cores,,,,,,2.5,measured,\n", "x.csv:2: cores is '2.5'; it must be a whole number"},
      {"x,cores,flash,,,,,2,measured,\n", "x.csv:2: kernel is 'flash'; it must be empty"},
      {"x,copy_byte_per_s,,,,,,-1,measured,\n", "it must be a number of at least 0"},
      {"x,cores,,,,,,2,measured,\ny,cores,,,,,,2,measured,\n", "x.csv:3: device is 'y'"},
      {"x,cores,,,,,,2,measured,\"two\nlines\"\n", "x.csv:2: a field holds a line break"},
      {"x,kernel_flop_per_s,flash,f32,64,1,1,1e9,measured,\nx,cores,,,,,,2,meas", "is not whole"},
  };
  for (const Refusal& refusal : refusals) {
    try {
      (void)parse_device_model(std::string(kHeader) + std::string(refusal.records), "x.csv");
      ADD_FAILURE() << refusal.records;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(refusal.message)) << refusal.records;
      EXPECT_THAT(error.what(), StartsWith("x.csv:"));
    }
  }
  EXPECT_THROW((void)parse_device_model("device,quantity\nx,cores\n", "x.csv"), UsageError);
  EXPECT_EQ(parse_device_model(std::string(kHeader) + std::string(kOneRate), "x.csv").name, "x");
}

TEST(DeviceModelFile, HasNumbersUpToTheirLimits) {
  const DeviceModel device = parse_device_model(
      std::string(kHeader) +
          "x,kernel_flop_per_s,flash,f32,64,2147483648,2147483648,1e9,measured,\n"
          "x,cores,,,,,,1000000,measured,\nx,copy_byte_per_s,,,,,,1000000.5,measured,\n"
          "x,merge_byte_per_s,,,,,,0,measured,\n",
      "x.csv");
  EXPECT_EQ(device.rates[0].queries, 2147483648);
  EXPECT_EQ(device.rates[0].keys, 2147483648);
  EXPECT_EQ(device.cores.value, 1e6);
  EXPECT_EQ(device.copy_byte_per_s.value, 1000000.5);
  EXPECT_EQ(device.merge_byte_per_s.value, 0.0);
}

TEST(DeviceCosts, HaveTheTilesOfTheDeviceOrElseThoseOfTheKernel) {
  DeviceModel device = two_points();
  const auto tile = [&] {
    return DeviceCosts(device, Kernel::flash, problem_of(64, 64)).query_tile();
  };
  EXPECT_EQ(tile(), kernel_tiles(Kernel::flash, 64).query_tile);
  EXPECT_GT(tile(), 1);
  device.query_tile.value = 1.0;
  EXPECT_EQ(tile(), 1);
}

TEST(DeviceModelFile, OfTheA100SaysWhereItsNumbersComeFrom) {
  const DeviceModel a100 = load_device_model(source_path("data/devices/a100.csv"));
  EXPECT_EQ(a100.name, "a100");
  for (const RatePoint& point : a100.rates) {
    EXPECT_EQ(point.provenance, RateProvenance::estimated);
    EXPECT_THAT(point.source, HasSubstr(point.head_dim == 32 ? "USP" : "FlashAttention-2"));
    EXPECT_LT(point.flop_per_s, 312e12);  // the peak
  }
  for (const std::int64_t head_dim : {64, 128})
    for (const DType dtype : {DType::f16, DType::bf16}) {
      const DeviceCosts costs(a100, Kernel::flash, problem_of(head_dim, head_dim, dtype));
      EXPECT_GT(costs.flop_per_s(std::int64_t{16384} * 16384), 190e12);
      EXPECT_LT(costs.flop_per_s(262'144), 200e12);
    }
  EXPECT_EQ(a100.memory_byte_per_s.provenance, RateProvenance::datasheet);
  // What forward + backward rates leave beside forward rates that are 230/203 times as high.
  EXPECT_NEAR(backward_share(a100).value, 10.0 / (14.0 * 230 / 203 - 4.0), 1e-3);
}

TEST(Calibration, MeasuresATableThatReadsBack) {
  const DeviceModel here = calibrate_here(Kernel::flash, DType::f32, 32, 256, 0.2);
  ASSERT_FALSE(here.rates.empty());
  EXPECT_EQ(here.rates[0].queries, 64);
  EXPECT_LE(here.rates.back().queries, 256);
  for (const DeviceNumber& number :
       {here.call_overhead_s, here.merge_byte_per_s, here.copy_byte_per_s, here.memory_byte_per_s,
        here.cores, here.query_tile, here.backward_share_of_forward}) {
    EXPECT_GT(number.value, 0.0);
    EXPECT_EQ(number.provenance, RateProvenance::measured);
  }
  EXPECT_EQ(parse_device_model(device_model_csv(here), "here.csv"), here);
}

// A clock that moves when it is read, by `tick` of the number of reads before. So a sample takes a
// tick however long the machine takes, and calls of one part of a calibration take what a test
// says.
class TickingClock {
 public:
  explicit TickingClock(double (*tick)(int)) {
    tick_ = tick;
    reads_ = 0;
    now_s_ = 0.0;
  }

 private:
  static double read() { return now_s_ += tick_(reads_++); }
  inline static double (*tick_)(int) = nullptr;
  inline static int reads_ = 0;
  inline static double now_s_ = 0.0;
  ClockInUse in_use_{read};
};

// Powers of two, so that sums and differences are exact. A sample lasts at least 2 ms: three calls
// of a tick of 1/1024 s.
constexpr double kTick = 0x1p-10;
constexpr double kFastTick = 0x1p-14;  // 33 calls
constexpr std::int64_t kDim = 16;
constexpr double kFlopPerPair = 4.0 * kDim;

TEST(Calibration, OfAKnownClockHasTheRatesThatFollowFromIt) {
  // A measurement of seven samples reads the clock twice for its estimate and twice a sample; the
  // memory of a kernel's call reads it once before, and the table twice more for each size.
  const TickingClock clock([](int reads) {
    constexpr int kMeasurement = 2 + 2 * 7;
    constexpr int kTable = 1 + kMeasurement;
    constexpr int kCausal = kTable + 2 * (kMeasurement + 3);
    constexpr int kMerges = kCausal + 1 + kMeasurement;
    constexpr int kCopies = kMerges + kMeasurement;
    if (reads < kTable) return kFastTick;
    if (reads < kCausal) return kTick;
    if (reads < kMerges) return 1.25 * kTick;      // two calls a sample
    return reads < kCopies ? kTick : 2.0 * kTick;  // of copies there are two a sample too
  });
  const DeviceModel device = calibrate_here(Kernel::flash, DType::f32, kDim, 255, 10.0);
  const double overhead_s = kFastTick / 33;
  EXPECT_DOUBLE_EQ(device.call_overhead_s.value, overhead_s);
  const double compute_s = kTick / 3 - overhead_s;
  ASSERT_EQ(device.rates.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t n = i == 0 ? 64 : 128;
    const RatePoint& rate = device.rates[i];
    EXPECT_EQ(rate.queries, n);
    EXPECT_EQ(rate.keys, n);
    EXPECT_DOUBLE_EQ(rate.flop_per_s, kFlopPerPair * static_cast<double>(n * n) / compute_s);
  }
  // The rates grow with the pairs, so all calls take as long: the causal one of 128 queries, which
  // takes `longer` times that, has `longer` times its unmasked pairs, and they are 128 (128 + t)
  // / 2.
  const double longer = (0.625 * kTick - overhead_s) / compute_s;
  EXPECT_EQ(device.query_tile.value, std::round(longer * 129 - 128));
  const double partial_bytes = 8192 * (kDim + 1) * 4;
  EXPECT_DOUBLE_EQ(device.merge_byte_per_s.value, partial_bytes / (kTick / 3));
  EXPECT_DOUBLE_EQ(device.copy_byte_per_s.value, partial_bytes / kTick);
}

TEST(Calibration, AnOverheadTakesAtMostHalfOfACallsTime) {
  const TickingClock clock([](int) { return kTick; });
  const DeviceModel device = calibrate_here(Kernel::reference, DType::f32, kDim, 1, 10.0);
  EXPECT_DOUBLE_EQ(device.call_overhead_s.value, kTick / 3);
  ASSERT_EQ(device.rates.size(), 1u) << "the smallest size is measured whatever max_tokens is";
  EXPECT_DOUBLE_EQ(device.rates[0].flop_per_s, kFlopPerPair * 64 * 64 / (kTick / 6));
  EXPECT_EQ(device.query_tile.value, 0.0) << "only flash has one";
}

TEST(Calibration, EndsItsTableWhenTheBudgetDoesNotSufficeForTheNextSize) {
  // With three samples a size takes ten ticks, and the next one needs 4 x 5 calls: 6.7 ticks.
  for (const auto& [ticks, sizes] : {std::pair{16, 1u}, {17, 2u}, {27, 3u}}) {
    const TickingClock clock([](int) { return kTick; });
    const DeviceModel device =
        calibrate_here(Kernel::reference, DType::f32, kDim, 4096, ticks * kTick);
    EXPECT_EQ(device.rates.size(), sizes) << ticks;
  }
}

}  // namespace
}  // namespace qb
