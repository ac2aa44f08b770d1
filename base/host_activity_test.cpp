// SPDX-License-Identifier: Apache-2.0
#include "base/host_activity.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <functional>
#include <thread>

#include "base/clock.h"
#include "base/files.h"
#include "base/testing/fake_clock.h"
#include "base/testing/scratch_folder.h"

namespace qb {
namespace {

using testing_support::FakeClock;

void pin_to_first_core() {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof(allowed), &allowed);
  std::size_t core = 0;
  while (!CPU_ISSET(core, &allowed)) ++core;
  CPU_ZERO(&allowed);
  CPU_SET(core, &allowed);
  sched_setaffinity(0, sizeof(allowed), &allowed);
}

void spin(double duration_s) {
  const double until_s = now_s() + duration_s;
  while (now_s() < until_s) continue;
}

// Computes until this process has taken so much CPU time since it began.
void spin_cpu_until(double cpu_s) {
  const auto start_s = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  volatile int n = 0;
  while (static_cast<double>(std::clock()) / CLOCKS_PER_SEC < std::max(cpu_s, start_s + 1e-3))
    n = n + 1;
}

pid_t start(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  return child;
}

void stop(pid_t child) {
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

// Runs the check in a process of its own, whose cores and signals are its own.
bool holds_in_a_process(const std::function<bool()>& check) {
  const pid_t child = fork();
  if (child == 0) _exit(check() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Files that look like /proc, of which the first core and a thread of number 17 have counted.
class FakeProc {
 public:
  FakeProc() {
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof(allowed), &allowed);
    for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &allowed)) cores_.push_back(core);
    std::filesystem::create_directories(folder_.path() + "/pressure");
    write(0, 0, 0, 0.0);
  }
  void write(int busy_ticks, int stolen_ticks, int stall_us, double delay_s) {
    write_stat(busy_ticks, stolen_ticks, cores_.size());
    write_pressure("some avg10=0.00 avg60=0.00 avg300=0.00 total=" + std::to_string(stall_us) +
                   "\nfull total=1\n");
    write_task(17, 0.01 * busy_ticks, delay_s);
  }
  // Shows the first `n_cores` only. All kinds of work count as busy; idle time and guests, which
  // the work of users contains, do not.
  void write_stat(int busy_ticks, int stolen_ticks, std::size_t n_cores) {
    std::string stat = "cpu  1 2 3 4\n";
    for (std::size_t i = 0; i < n_cores; ++i) {
      const int part = i == 0 ? busy_ticks / 10 : 0;
      const int user = i == 0 ? busy_ticks - 4 * part : 0;
      stat += fmt::format("cpu{} {} {} {} {} {} {} {} {} {} 0\n", cores_[i], user, part, part,
                          9 + 5 * part, 9 + 7 * part, part, part, i == 0 ? stolen_ticks : 0, user);
    }
    write_file_atomically(folder_ / "stat", stat + "intr 5\n");
  }
  void write_pressure(const std::string& text) const {
    write_file_atomically(folder_ / "pressure/memory", text);
  }
  void write_task(int id, double run_s, double delay_s) const {
    (void)folder_.file(fmt::format("self/task/{}/schedstat", id),
                       fmt::format("{:.0f} {:.0f} 3\n", 1e9 * run_s, 1e9 * delay_s));
  }
  [[nodiscard]] HostSources sources() const {
    HostSources from;
    from.proc = folder_.path();
    return from;
  }
  [[nodiscard]] std::size_t n_cores() const { return cores_.size(); }

 private:
  ScratchFolder folder_;
  std::vector<std::size_t> cores_;
};

TEST(HostWatch, CountsWhatTheKernelShows) {
  FakeProc proc;
  HostWatch watch(proc.sources());
  watch.begin();
  spin(0.25);
  proc.write(200, 7, 30'000, 0.125);
  const HostActivity activity = watch.end();
  EXPECT_GE(activity.span_s, 0.25);
  EXPECT_GT(activity.cpu_s, 0.0);
  EXPECT_LE(activity.cpu_s, 2.0);
  EXPECT_NEAR(activity.other_cpu_s, 2.0 - activity.cpu_s, 1e-9);
  EXPECT_NEAR(activity.stolen_s, 0.07, 1e-12);
  EXPECT_NEAR(activity.memory_stall_s, 0.03, 1e-12);
  EXPECT_NEAR(activity.run_delay_s, 0.125, 1e-9);
  EXPECT_TRUE(disturbance(activity).has_value());
}

TEST(HostWatch, ShortSpansTakeTheirShareOfTheLatestFifthOfASecond) {
  const FakeClock clock;
  FakeProc proc;
  const double tick_s = std::sqrt(static_cast<double>(proc.n_cores())) / 100.0;
  HostWatch watch(proc.sources());
  const auto eighth_until = [&](int busy_ticks, int stolen_ticks) {
    watch.begin();
    FakeClock::advance_eighths(1);
    proc.write(busy_ticks, stolen_ticks, 0, 0.0);
    return watch.end();
  };
  const HostActivity first = eighth_until(1000, 10);
  EXPECT_EQ(first.span_s, 0.125);
  EXPECT_DOUBLE_EQ(first.stolen_s, 0.10);
  EXPECT_DOUBLE_EQ(first.tick_s, tick_s);
  const HostActivity second = eighth_until(3000, 30);
  EXPECT_EQ(second.span_s, 0.125);
  EXPECT_DOUBLE_EQ(second.stolen_s, 0.30 / 2.0);
  EXPECT_DOUBLE_EQ(second.tick_s, tick_s / 2.0);
  EXPECT_NEAR(second.other_cpu_s, 30.0 / 2.0, 0.5);  // less what this process computed
  // The window ends at the second begin.
  const HostActivity third = eighth_until(3000, 70);
  EXPECT_DOUBLE_EQ(third.stolen_s, (0.70 - 0.10) / 2.0);
  FakeClock::advance(1);
  const HostActivity later = eighth_until(3000, 70);
  EXPECT_DOUBLE_EQ(later.stolen_s, (0.70 - 0.30) * 0.125 / 1.25);
  EXPECT_EQ(later.other_cpu_s, 0.0) << "none, not less than none";
}

TEST(HostWatch, GivesNaNWhereTheKernelShowsOnlyPartOfWhatItNeeds) {
  FakeProc proc;
  HostWatch watch(proc.sources());
  watch.begin();
  proc.write_stat(200, 7, proc.n_cores() - 1);
  proc.write_pressure("some avg10=0.00\n");
  const HostActivity activity = watch.end();
  EXPECT_TRUE(std::isnan(activity.other_cpu_s));
  EXPECT_TRUE(std::isnan(activity.stolen_s));
  EXPECT_TRUE(std::isnan(activity.memory_stall_s));
}

TEST(HostWatch, ThreadsOfWhichMoreAreBusyThanThereAreCoresWaitForEachOther) {
  const FakeClock clock;
  const FakeProc proc;
  const auto cores = static_cast<int>(proc.n_cores());
  HostWatch watch(proc.sources());
  // What `count` threads, beside an idle one, have done so far.
  const auto delay_of_second = [&](int count, double run_s, double delay_s) {
    watch.begin();
    FakeClock::advance(1);
    for (int id = 100; id < 100 + count; ++id) proc.write_task(id, run_s, delay_s);
    return watch.end().run_delay_s;
  };
  EXPECT_NEAR(delay_of_second(cores, 0.5, 0.01), 0.01 * cores, 1e-9);
  EXPECT_NEAR(delay_of_second(cores, 0.75, 0.04), 0.03 * cores, 1e-9);
  EXPECT_TRUE(std::isnan(delay_of_second(cores + 1, 1.0, 0.05)));
  // A sixteenth of a core is not busy.
  EXPECT_NEAR(delay_of_second(cores + 1, 1.0625, 0.07), 0.02 * (cores + 1), 1e-9);
}

TEST(HostWatch, KnowsNoDelayOfThreadsThatAreGone) {
  const FakeClock clock;
  const FakeProc proc;
  HostWatch watch(proc.sources());
  watch.begin();
  spin_cpu_until(1e-3);
  proc.write_task(100, 0.0, 0.5);
  EXPECT_TRUE(std::isnan(watch.end().run_delay_s)) << "none of the living has computed";
}

TEST(HostWatch, AStopIsWhatTheClockGainsOnTheComputingOfTheSpan) {
  spin_cpu_until(1.0);  // what was computed before is not part of the span
  const FakeClock clock;
  HostWatch watch;
  watch.begin();
  FakeClock::advance(1);
  const HostActivity activity = watch.end();
  EXPECT_EQ(activity.span_s, 1.0);
  EXPECT_GT(activity.stopped_s, 0.8);
  EXPECT_LE(activity.stopped_s, 1.0);
  watch.begin();
  EXPECT_EQ(watch.end().stopped_s, 0.0) << "each span has its own";
  FakeClock::advance(1);
  watch.begin();
  EXPECT_EQ(watch.end().stopped_s, 0.0) << "it stood still between two spans";
}

TEST(HostWatch, CountsTheFaultsAndSwitchesOfTheSpan) {
  constexpr std::size_t kPages = 64;
  const auto usage = [] {
    rusage now{};
    getrusage(RUSAGE_SELF, &now);
    return now;
  };
  const rusage before = usage();
  HostWatch watch;
  watch.begin();
  void* const pages =
      mmap(nullptr, kPages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(madvise(pages, kPages * 4096, MADV_NOHUGEPAGE), 0);
  for (std::size_t page = 0; page < kPages; ++page)
    static_cast<volatile char*>(pages)[page << 12] = 1;
  const HostActivity activity = watch.end();
  const rusage after = usage();
  munmap(pages, kPages * 4096);
  EXPECT_GE(activity.minor_faults, static_cast<double>(kPages));
  EXPECT_LE(activity.minor_faults, static_cast<double>(after.ru_minflt - before.ru_minflt));
  EXPECT_LE(activity.major_faults, static_cast<double>(after.ru_majflt - before.ru_majflt));
  EXPECT_GE(activity.involuntary_switches, 0.0);
  EXPECT_LE(activity.involuntary_switches, static_cast<double>(after.ru_nivcsw - before.ru_nivcsw));
}

TEST(HostWatch, DoesNotTellOtherProcessesOfTheCaseFromNeighbours) {
  FakeProc proc;
  HostSources sources = proc.sources();
  sources.alone = false;
  HostWatch watch(sources);
  watch.begin();
  proc.write(200, 0, 0, 5.0);
  const HostActivity activity = watch.end();
  EXPECT_TRUE(std::isnan(activity.other_cpu_s));
  EXPECT_TRUE(std::isnan(activity.run_delay_s));
  EXPECT_EQ(disturbance(activity), std::nullopt);
}

TEST(HostWatch, GivesNaNWhereThereIsNoProc) {
  HostSources sources;
  sources.proc = "/nowhere";
  HostWatch watch(sources);
  watch.begin();
  const HostActivity activity = watch.end();
  for (const double value :
       {activity.other_cpu_s, activity.stolen_s, activity.memory_stall_s, activity.run_delay_s})
    EXPECT_TRUE(std::isnan(value));
}

TEST(HostWatch, CountsInstructionsAndCycles) {
  double instructions = 1e6;
  HostSources sources;
  sources.instructions = [&] { return instructions; };
  sources.cycles = [] { return HostActivity::kUnknown; };
  HostWatch watch(sources);
  watch.begin();
  instructions += 250.0;
  const HostActivity activity = watch.end();
  EXPECT_EQ(activity.instructions, 250.0);
  EXPECT_TRUE(std::isnan(activity.cycles));
}

TEST(HostWatch, ThisProcessorCountsTheInstructionsOfLaterThreads) {
  HostWatch watch;
  watch.begin();
  std::thread([] {
    volatile double sum = 0.0;
    for (int i = 0; i < 1'000'000; ++i) sum = sum + i;
  }).join();
  const HostActivity activity = watch.end();
  if (std::isnan(activity.instructions))
    GTEST_SKIP() << "this kernel or processor counts no instructions";
  EXPECT_GT(activity.instructions, 2e6);
  EXPECT_LT(activity.instructions, 1e9);
}

TEST(HostWatch, SeesAPinnedNeighbour) {
  EXPECT_TRUE(holds_in_a_process([] {
    pin_to_first_core();
    const pid_t neighbour = start([] { spin(60.0); });
    HostWatch watch;
    watch.begin();
    spin(0.5);
    const HostActivity activity = watch.end();
    stop(neighbour);
    // It takes about half of the core, unless many other processes are at work.
    return disturbance(activity).has_value() && activity.other_cpu_s > 0.1 * activity.span_s &&
           activity.cpu_s < 0.9 * activity.span_s;
  }));
}

TEST(HostWatch, ThreadsThatEndBeforeTheClockWaitForEachOther) {
  HostWatch watch;
  watch.begin();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 4 * std::thread::hardware_concurrency(); ++i)
    threads.emplace_back([] {
      const double end_s = now_s() + 0.1;
      while (now_s() < end_s) continue;
    });
  for (std::thread& thread : threads) thread.join();
  const HostActivity activity = watch.end();
  EXPECT_TRUE(std::isnan(activity.run_delay_s)) << activity.run_delay_s;
}

TEST(HostWatch, SeesThatItsProcessWasStopped) {
  EXPECT_TRUE(holds_in_a_process([] {
    const pid_t watched = getpid();
    HostWatch watch;
    watch.begin();
    const pid_t stopper = start([watched] {
      kill(watched, SIGSTOP);
      usleep(300'000);
      kill(watched, SIGCONT);
    });
    waitpid(stopper, nullptr, 0);
    const HostActivity activity = watch.end();
    return activity.stopped_s > 0.2 && disturbance(activity) == Disturbance::stopped;
  }));
}

TEST(HostWatch, SeesPagesThatComeFromADisk) {
  constexpr std::size_t kBytes = 1 << 22;
  const ScratchFolder folder;
  const std::string path = folder.path() + "/pages";
  write_file_atomically(path, std::string(kBytes, 'x'));
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  ASSERT_EQ(fsync(file), 0);
  ASSERT_EQ(posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED), 0);
  void* const pages = mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE, file, 0);
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(madvise(pages, kBytes, MADV_RANDOM), 0);
  unsigned char resident = 1;
  ASSERT_EQ(mincore(pages, 1, &resident), 0);
  if ((resident & 1) != 0) GTEST_SKIP() << "this file system keeps its pages in memory";
  HostWatch watch;
  watch.begin();
  int sum = 0;
  for (std::size_t at = 0; at < kBytes; at += 4096) sum += static_cast<const char*>(pages)[at];
  const HostActivity activity = watch.end();
  munmap(pages, kBytes);
  close(file);
  EXPECT_EQ(sum, 'x' * 1024);
  EXPECT_GT(activity.major_faults, 0.0);
  EXPECT_TRUE(disturbance(activity).has_value());
}

}  // namespace
}  // namespace qb
