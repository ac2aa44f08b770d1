// SPDX-License-Identifier: Apache-2.0
#include "harness/run/transport/link_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"

namespace qb {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* kNcclHead =
    "# nThread 1 nGpus 2 minBytes 8 maxBytes 1073741824 step: 2(factor)\n"
    "#                                                              out-of-place\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     "
    "time\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            "
    "(us)\n";
constexpr const char* kOsuBandwidth =
    "# OSU MPI Bandwidth Test v7.4\n# Datatype: MPI_CHAR.\n# Size      Bandwidth (MB/s)\n"
    "1                       3.90\n65536               23410.55\n4194304             24650.01\n";
constexpr const char* kOsuLatency =
    "# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)\n"
    "0                       1.55\n1                       1.60\n4194304               180.21\n";

TEST(MeasuredLink, OfNcclTestsIsTheBusBandwidthAndTheTimeOfTheSmallestMessage) {
  const LinkLimit link = measured_link(
      std::string(kNcclHead) +
          "           0             0     float    none      -1     0.33    0.00    0.00      0\n"
          "           8             2     float    none      -1    12.34    0.00    0.00      0\n"
          "   536870912     134217728     float    none      -1   1500.2  357.87  357.87      0\n"
          "  1073741824     268435456     float    none      -1   3010.4  356.68  356.68    N/A\n"
          "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 120.1\n",
      "perf.txt");
  EXPECT_DOUBLE_EQ(link.bandwidth_byte_per_s, 357.87e9);
  EXPECT_DOUBLE_EQ(link.latency_s, 12.34e-6);
}

TEST(MeasuredLink, OfOsuBenchmarksIsFromBothInAnyOrder) {
  for (const std::string& text : {std::string(kOsuBandwidth) + kOsuLatency,
                                  std::string(kOsuLatency) + "\n" + kOsuBandwidth}) {
    const LinkLimit link = measured_link(text, "osu.txt");
    EXPECT_DOUBLE_EQ(link.bandwidth_byte_per_s, 24650.01e6);
    EXPECT_DOUBLE_EQ(link.latency_s, 1.60e-6);
  }
}

TEST(MeasuredLink, RefusesWhatHasOneOfTheTwoAloneOrIsNotOfOneLink) {
  const auto refuses = [](const std::string& text, const char* why) {
    EXPECT_THAT([&] { (void)measured_link(text, "f"); }, ThrowsMessage<UsageError>(HasSubstr(why)));
  };
  refuses(kOsuBandwidth, "f: it has no latency; give what sendrecv_perf of nccl-tests prints");
  refuses(kOsuLatency, "f: it has no bandwidth");
  refuses(std::string(kNcclHead) + "134217728 33554432 float sum -1 614.2\n", "is cut off");
  refuses(std::string(kOsuBandwidth) + "8 nan\n", "'8 nan' is cut off, or is no line of a result");
  refuses("a table\n1 2 3 4 5 6 7 8 9\n", "f: it has no bandwidth");
  refuses("# OSU MPI Bi-Directional Bandwidth Test v7.4\n", "is not of one link one way");
  refuses("# OSU MPI Multiple Bandwidth / Message Rate Test v7.4\n", "is not of one link one way");
  refuses("# Collective test starting: all_reduce_perf\n" + std::string(kNcclHead),
          "'# Collective test starting: all_reduce_perf' is not of one link one way");
}

}  // namespace
}  // namespace qb
