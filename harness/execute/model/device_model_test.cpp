#include "harness/execute/model/device_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/source_root.h"
#include "base/status.h"
#include "harness/execute/testing/constant_rate_device.h"

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
  device.rates.insert(device.rates.begin(),
                      {Kernel::flash, DType::f32, 64, 1000, 10'000, 4e9, Provenance::assumed, ""});
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

TEST(DeviceModelFile, ReadsBackWhatItWrote) {
  DeviceModel device = two_points();
  device.name = "two \"points\", quoted";
  device.call_overhead_s = {1.25e-6, Provenance::estimated, "a guess, with a comma"};
  device.merge_byte_per_s = {0.1, Provenance::measured, "somewhere"};
  device.cores.value = 2;
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

TEST(DeviceModelFile, OfTheA100SaysWhereItsNumbersComeFrom) {
  const DeviceModel a100 = load_device_model(source_path("data/devices/a100.csv"));
  EXPECT_EQ(a100.name, "a100");
  for (const RatePoint& point : a100.rates) {
    EXPECT_EQ(point.provenance, Provenance::estimated);
    EXPECT_THAT(point.source, HasSubstr("FlashAttention-2"));
    EXPECT_LT(point.flop_per_s, 312e12);  // the peak
  }
  for (const std::int64_t head_dim : {64, 128})
    for (const DType dtype : {DType::f16, DType::bf16}) {
      const DeviceCosts costs(a100, Kernel::flash, problem_of(head_dim, head_dim, dtype));
      EXPECT_GT(costs.flop_per_s(std::int64_t{16384} * 16384), 190e12);
      EXPECT_LT(costs.flop_per_s(262'144), 200e12);
    }
  EXPECT_EQ(a100.memory_byte_per_s.provenance, Provenance::datasheet);
}

TEST(Calibration, MeasuresATableThatReadsBack) {
  const DeviceModel here =
      calibrate_here(Kernel::flash, DType::f32, 32, {.max_tokens = 256, .budget_s = 0.2});
  ASSERT_FALSE(here.rates.empty());
  EXPECT_EQ(here.rates[0].queries, 64);
  EXPECT_LE(here.rates.back().queries, 256);
  for (const DeviceNumber& number :
       {here.call_overhead_s, here.merge_byte_per_s, here.copy_byte_per_s, here.memory_byte_per_s,
        here.cores, here.query_tile}) {
    EXPECT_GT(number.value, 0.0);
    EXPECT_EQ(number.provenance, Provenance::measured);
  }
  EXPECT_EQ(parse_device_model(device_model_csv(here), "here.csv"), here);
}

}  // namespace
}  // namespace qb
