// SPDX-License-Identifier: Apache-2.0
#include "harness/run/device/stopwatch.h"

#include <gtest/gtest.h>

#include "base/testing/fake_clock.h"
#include "harness/run/device/cpu_device.h"

namespace qb {
namespace {

using testing_support::FakeClock;

// Its work takes ten times as long as the host takes to enqueue it; wait() lets the time pass.
class SlowGpu final : public CpuDevice {
 public:
  static constexpr int kTimesAsLong = 10;

  explicit SlowGpu(bool on_host) : CpuDevice(1) { facts_.on_host = on_host; }

  void work(int seconds) {
    FakeClock::advance(seconds);
    behind_s_ += (kTimesAsLong - 1) * seconds;
  }
  void wait() override {
    FakeClock::advance(behind_s_);
    behind_s_ = 0;
  }
  [[nodiscard]] double seconds(int from, int to, ClockKind clock) const override {
    return CpuDevice::seconds(from, to, clock) *
           (clock == ClockKind::synchronized ? kTimesAsLong : 1);
  }

 private:
  int behind_s_ = 0;
};

struct Times {
  double load_s = 0.0;
  double compute_s = 0.0;
  double both_s = 1000.0;  // times are added
  double noted_s = 0.0;
};

// 7 s before the run, 2 s until its first mark, and then 3, 5, 11 and 4 s of work.
Times run(Stopwatch& watch, SlowGpu& device) {
  Times times;
  FakeClock::advance(7);
  const double begun_s = now_s();
  FakeClock::advance(2);
  watch.start(begun_s);
  device.work(3);
  watch.charge(&times.load_s, &times.both_s);
  device.work(5);
  watch.note(&times.noted_s);
  watch.charge(nullptr, &times.compute_s);
  device.work(11);
  watch.charge(&times.both_s);
  device.work(4);
  watch.stop();
  return times;
}

TEST(Stopwatch, OfADeviceTakesPartsByItsClockAndWaitsForTheEnd) {
  const FakeClock clock;
  SlowGpu device(false);
  Stopwatch watch(device);
  for (int again = 0; again < 2; ++again) {
    const Times times = run(watch, device);
    EXPECT_EQ(times.load_s, 50.0);
    EXPECT_EQ(times.compute_s, 110.0);
    EXPECT_EQ(times.both_s, 1000.0 + 50.0 + 40.0);
    EXPECT_EQ(times.noted_s, 2.0 + 80.0);
    EXPECT_EQ(watch.wall_s(), 2.0 + 230.0);
    EXPECT_EQ(watch.device_s(), 230.0);
  }
}

TEST(Stopwatch, UnsynchronizedTakesTheHostsClockAndDoesNotCountTheWait) {
  const FakeClock clock;
  SlowGpu device(false);
  Stopwatch watch(device, ClockKind::unsynchronized);
  for (int again = 0; again < 2; ++again) {
    const Times times = run(watch, device);
    EXPECT_EQ(times.load_s, 5.0);
    EXPECT_EQ(times.compute_s, 11.0);
    EXPECT_EQ(times.both_s, 1000.0 + 5.0 + 4.0);
    EXPECT_EQ(times.noted_s, 2.0 + 80.0) << "a note is always by the device's clock";
    EXPECT_EQ(watch.wall_s(), 2.0 + 23.0);
    EXPECT_EQ(watch.device_s(), 230.0);
  }
}

TEST(Stopwatch, OfTheHostHasNoTimeOfADevice) {
  const FakeClock clock;
  SlowGpu device(true);
  Stopwatch watch(device);
  (void)run(watch, device);
  EXPECT_EQ(watch.device_s(), 0.0);
}

}  // namespace
}  // namespace qb
