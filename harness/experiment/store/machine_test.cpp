// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/store/machine.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/scratch_folder.h"

namespace qb {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

class ProbedMachine : public testing::Test {
 protected:
  void lay(const std::string& path, const std::string& text) const { (void)root_.file(path, text); }
  ScratchFolder root_;
};

TEST_F(ProbedMachine, IsReadFromTheKernelsFiles) {
  lay("/proc/cpuinfo",
      "processor\t: 0\ncpu family\t: 26\nmodel\t\t: 2\nmodel name\t: AMD EPYC 9B45\n"
      "flags\t\t: fpu avx2 fma avx512f avx512_bf16\n\nprocessor\t: 1\nmodel name\t: AMD EPYC "
      "9B45\n");
  lay("/proc/meminfo", "MemTotal:       24684096 kB\nMemFree:         1 kB\n");
  lay("/etc/os-release", "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  lay("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  lay("/sys/devices/system/cpu/cpu0/cache/index0/level", "1\n");
  lay("/sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n");
  lay("/sys/devices/system/cpu/cpu0/cache/index0/size", "48K\n");
  lay("/sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_list", "0\n");
  lay("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,64\n");
  lay("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  lay("/sys/fs/cgroup/memory.max", "8589934592\n");
  lay("/.dockerenv", "");

  const Machine machine = probe_machine(root_.path());
  EXPECT_EQ(machine.cpu_model, "AMD EPYC 9B45, family 26 model 2");
  EXPECT_EQ(machine.processors, 2);
  EXPECT_THAT(machine.isa, ElementsAre("avx2", "fma", "avx512f", "avx512_bf16"));
  EXPECT_EQ(machine.memory_bytes, 24684096LL * 1024);
  EXPECT_EQ(machine.memory_limit_bytes, 8589934592LL);
  EXPECT_EQ(machine.distribution, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(machine.governor, "performance");
  EXPECT_EQ(machine.huge_pages, "madvise");
  EXPECT_EQ(machine.smt_siblings, "0,64");
  ASSERT_EQ(machine.caches.size(), 1U);
  EXPECT_EQ(machine.caches[0].bytes, 48 * 1024);
  EXPECT_TRUE(machine.container);
}

TEST_F(ProbedMachine, TheLeastQuotaOfItsGroupsCounts) {
  const auto quota = [&](const std::string& file, const std::string& text) {
    lay("/sys/fs/cgroup" + file, text);
    return probe_machine(root_.path()).quota_cores;
  };
  EXPECT_EQ(probe_machine(root_.path()).quota_cores, 0.0);
  lay("/proc/self/cgroup", "0::/jobs/mine\n");
  EXPECT_EQ(quota("/jobs/cpu.max", "150000 100000\n"), 1.5);
  EXPECT_EQ(quota("/jobs/mine/cpu.max", "max 100000\n"), 1.5);
  EXPECT_EQ(quota("/cpu.max", "50000 100000\n"), 0.5);
  lay("/proc/self/cgroup", "4:cpu,cpuacct:/docker\n1:name=systemd:/\n");
  EXPECT_EQ(quota("/cpu/docker/cpu.cfs_period_us", "100000\n"), 0.0);
  EXPECT_EQ(quota("/cpu/docker/cpu.cfs_quota_us", "-1\n"), 0.0);
  EXPECT_EQ(quota("/cpu/docker/cpu.cfs_quota_us", "300000\n"), 3.0);
}

TEST(Machine, KnowsTheVariablesOfLibrariesByTheirPrefixes) {
  ::setenv("KMP_BLOCKTIME", "0", 1);
  ::setenv("NO_SUCH_OMP_NAME", "1", 1);
  const std::vector<std::string> found = probe_machine().variables;
  ::unsetenv("KMP_BLOCKTIME");
  ::unsetenv("NO_SUCH_OMP_NAME");
  EXPECT_THAT(found, Contains("KMP_BLOCKTIME=0"));
  EXPECT_THAT(found, Not(Contains(testing::HasSubstr("NO_SUCH"))));
}

TEST_F(ProbedMachine, OfAnotherProcessorNamesItsPartAndFeatures) {
  lay("/proc/cpuinfo",
      "processor\t: 0\nprocessor\t: 1\nprocessor\t: 2\nFeatures\t: fp asimd sve bf16 crc32\n"
      "CPU part\t: 0xd4f\n");
  for (const char* index : {"0", "1"}) {
    const std::string cache = std::string("/sys/devices/system/cpu/cpu0/cache/index") + index;
    lay(cache + "/level", index);
    lay(cache + "/type", "Unified\n");
    lay(cache + "/size", "2048K\n");
    lay(cache + "/shared_cpu_list", "0-2\n");
  }
  lay("/run/.containerenv", "");
  const Machine machine = probe_machine(root_.path());
  EXPECT_EQ(machine.cpu_model, "0xd4f");
  EXPECT_EQ(machine.processors, 3);
  EXPECT_THAT(machine.isa, ElementsAre("asimd", "sve", "bf16"));
  ASSERT_EQ(machine.caches.size(), 2u);
  EXPECT_EQ(machine.caches[1].level, 1);
  EXPECT_EQ(machine.caches[1].type, "Unified");
  EXPECT_EQ(machine.caches[1].bytes, 2 << 20);
  EXPECT_EQ(machine.caches[1].shared_by, "0-2");
  EXPECT_TRUE(machine.container);
}

TEST_F(ProbedMachine, WithoutThoseFilesIsUnknownNotWrong) {
  const Machine machine = probe_machine(root_.path());
  EXPECT_EQ(machine.cpu_model, "");
  EXPECT_EQ(machine.processors, 0);
  EXPECT_EQ(machine.memory_bytes, 0);
  EXPECT_TRUE(machine.caches.empty());
  EXPECT_FALSE(machine.container);
}

TEST(Machine, TheRealOneHasAProcessorAndMemory) {
  const Machine machine = probe_machine();
  EXPECT_GE(machine.processors, 1);
  EXPECT_FALSE(machine.usable.empty());
  EXPECT_GT(machine.memory_bytes, 1 << 20);
  EXPECT_FALSE(machine.kernel.empty());
}

TEST(Fingerprint, ForgivesAKernelThatKeepsALittleMoreMemory) {
  Machine machine;
  machine.cpu_model = "X";
  machine.usable = {0, 1};
  machine.isa = {"avx2", "avx512f"};
  machine.memory_bytes = 24684096LL * 1024;
  const std::string before = fingerprint(machine);
  EXPECT_EQ(before, "X | 2 cores | avx512 | 24 GiB");
  machine.memory_bytes -= 64 << 20;
  EXPECT_EQ(fingerprint(machine), before);
}

TEST(Fingerprint, RoundsMemoryUpToPowersOfTwoAndOneAndAHalfTimesThem) {
  constexpr std::int64_t kGib = std::int64_t{1} << 30;
  for (const auto& [bytes, gib] : {std::pair<std::int64_t, int>{1, 1},
                                   {kGib, 1},
                                   {kGib + 1, 2},
                                   {2 * kGib, 2},
                                   {2 * kGib + 1, 3},
                                   {3 * kGib, 3},
                                   {3 * kGib + 1, 4},
                                   {5 * kGib, 6},
                                   {7 * kGib, 8},
                                   {1500 * kGib, 1536},
                                   {1537 * kGib, 2048}}) {
    Machine machine;
    machine.memory_bytes = bytes;
    EXPECT_EQ(fingerprint(machine), fmt::format(" | 0 cores | baseline | {} GiB", gib)) << bytes;
  }
}

TEST(Fingerprint, TellsCoresMemoryAndInstructionSetsApart) {
  Machine machine;
  machine.usable = {0, 1};
  machine.memory_bytes = 15LL << 30;
  const std::string before = fingerprint(machine);
  Machine other = machine;
  other.usable = {0};
  EXPECT_NE(fingerprint(other), before);
  other = machine;
  other.memory_bytes = 31LL << 30;
  EXPECT_NE(fingerprint(other), before);
  other = machine;
  other.isa = {"avx2"};
  EXPECT_NE(fingerprint(other), before);
}

}  // namespace
}  // namespace qb
