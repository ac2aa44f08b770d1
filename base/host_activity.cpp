// SPDX-License-Identifier: Apache-2.0
#include "base/host_activity.h"

#include <linux/perf_event.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <numeric>
#include <sstream>
#include <thread>
#include <utility>

#include "base/clock.h"

namespace qb {

std::string_view disturbance_text(std::string_view word) {
  constexpr std::string_view kTexts[] = {"a stop of the process",  // in the order of the words
                                         "the host (stolen time)", "other programs",
                                         "waiting for a core",     "paging",
                                         "a lowered clock",        "more threads than cores"};
  static_assert(std::size(kTexts) == kWords<Disturbance>.rows.size());
  return kTexts[static_cast<std::size_t>(parse_word<Disturbance>(word).value())];
}

std::vector<int> allowed_cores() {
  constexpr int kMostCores = 4096;
  cpu_set_t* const set = CPU_ALLOC(kMostCores);
  const std::size_t bytes = CPU_ALLOC_SIZE(kMostCores);
  CPU_ZERO_S(bytes, set);
  std::vector<int> cores;
  if (sched_getaffinity(getpid(), bytes, set) == 0)
    for (int core = 0; core < kMostCores; ++core)
      if (CPU_ISSET_S(static_cast<std::size_t>(core), bytes, set)) cores.push_back(core);
  CPU_FREE(set);
  return cores;
}

namespace {

constexpr double kUnknown = HostActivity::kUnknown;
constexpr double kWindow_s = 0.2;
constexpr double kBeat_s = 0.02;
constexpr double kLeastStop_s = 0.1;
constexpr double kBusyThread = 0.1;  // of the span

struct CoreTimes {
  double busy_s = kUnknown;
  double stolen_s = kUnknown;
};

// /proc/stat: `cpu0 user nice system idle iowait irq softirq steal …` in ticks.
CoreTimes core_times(const std::string& proc, const std::vector<int>& cores) {
  std::ifstream file(proc + "/stat");
  CoreTimes times;
  double busy = 0.0;
  double stolen = 0.0;
  std::size_t found = 0;
  for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
    std::istringstream fields(line.substr(3));
    int core = -1;
    if (line[3] == ' ' || !(fields >> core) || !std::ranges::binary_search(cores, core)) continue;
    std::array<double, 8> ticks{};
    for (double& value : ticks) fields >> value;
    if (!fields) return times;
    busy += std::accumulate(ticks.begin(), ticks.begin() + 3, ticks[5] + ticks[6]);
    stolen += ticks[7];
    ++found;
  }
  if (cores.empty() || found != cores.size()) return times;
  const auto tick = static_cast<double>(sysconf(_SC_CLK_TCK));
  return {busy / tick, stolen / tick};
}

// /proc/pressure/memory: `some avg10=0.00 avg60=0.00 avg300=0.00 total=0` in microseconds.
double memory_stall_s(const std::string& proc) {
  std::ifstream file(proc + "/pressure/memory");
  std::string line;
  if (!std::getline(file, line)) return kUnknown;
  const std::size_t at = line.find("total=");
  return at == std::string::npos ? kUnknown : 1e-6 * std::strtod(line.c_str() + at + 6, nullptr);
}

struct ThreadTimes {
  double run_s = 0.0;
  double delay_s = 0.0;
};

// /proc/self/task/*/schedstat: nanoseconds on a core, and ready but not on one.
std::map<int, ThreadTimes> thread_times(const std::string& proc) {
  std::map<int, ThreadTimes> times;
  std::error_code none;
  for (const auto& task : std::filesystem::directory_iterator(proc + "/self/task", none)) {
    std::ifstream file(task.path() / "schedstat");
    double run_ns = 0.0;
    double delay_ns = 0.0;
    if (file >> run_ns >> delay_ns)
      times[std::atoi(task.path().filename().c_str())] = {1e-9 * run_ns, 1e-9 * delay_ns};
  }
  return times;
}

// How long the threads waited for a core. More busy ones than cores wait for each other. Those that
// came and went in the span have left no delays, and those that live may have waited for them.
double run_delay_s(const std::map<int, ThreadTimes>& before,
                   const std::map<int, ThreadTimes>& after, const HostActivity& activity,
                   std::size_t cores) {
  constexpr double kLeastOfLiving = 0.9;
  double delay_s = 0.0;
  double run_s = 0.0;
  std::size_t busy = 0;
  for (const auto& [id, now] : after) {
    const auto found = before.find(id);
    const ThreadTimes then = found == before.end() ? ThreadTimes{} : found->second;
    delay_s += now.delay_s - then.delay_s;
    run_s += now.run_s - then.run_s;
    if (now.run_s - then.run_s > kBusyThread * activity.span_s) ++busy;
  }
  const bool told = !after.empty() && busy <= cores && run_s >= kLeastOfLiving * activity.cpu_s;
  return told ? delay_s : HostActivity::kUnknown;
}

std::function<double()> hardware_counter(std::uint64_t event) {
  perf_event_attr asked{};
  asked.size = sizeof(asked);
  asked.type = PERF_TYPE_HARDWARE;
  asked.config = event;
  asked.exclude_kernel = 1;
  asked.exclude_hv = 1;
  asked.inherit = 1;
  const long opened = syscall(SYS_perf_event_open, &asked, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (opened < 0) return [] { return kUnknown; };
  const std::shared_ptr<int> file(new int(static_cast<int>(opened)), [](const int* descriptor) {
    close(*descriptor);
    delete descriptor;
  });
  return [file] {
    std::uint64_t count = 0;
    return read(*file, &count, sizeof(count)) == sizeof(count) ? static_cast<double>(count)
                                                               : kUnknown;
  };
}

}  // namespace

struct HostWatch::Moment {
  double at_s = 0.0;
  double cpu_s = 0.0;
  rusage usage{};
  CoreTimes cores;
  double memory_stall_s = kUnknown;
  std::map<int, ThreadTimes> threads;
  double instructions = kUnknown;
  double cycles = kUnknown;
};

// A thread that notes when it wakes late, though the process did not compute meanwhile.
class HostWatch::Heart {
 public:
  explicit Heart(double (*clock)()) : clock_(clock), thread_([this] { beat(); }) {}
  ~Heart() {
    {
      const std::scoped_lock lock(mutex_);
      ends_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  // Returns the longest stop since the last call.
  [[nodiscard]] double take_stop_s() {
    const std::scoped_lock lock(mutex_);
    note();
    return std::exchange(longest_s_, 0.0);
  }

 private:
  void beat() {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, std::chrono::duration<double>(kBeat_s), [this] { return ends_; }))
      note();
  }
  void note() {
    const double at_s = clock_();
    const double cpu_s = cpu_clock_s();
    const double gap_s = at_s - at_s_;
    if (gap_s >= kLeastStop_s && cpu_s - cpu_s_ < gap_s / 2)
      longest_s_ = std::max(longest_s_, gap_s - (cpu_s - cpu_s_));
    at_s_ = at_s;
    cpu_s_ = cpu_s;
  }

  double (*clock_)();
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ends_ = false;
  double at_s_ = clock_();
  double cpu_s_ = cpu_clock_s();
  double longest_s_ = 0.0;
  std::thread thread_;
};

std::function<double()> instruction_counter() {
  return hardware_counter(PERF_COUNT_HW_INSTRUCTIONS);
}

std::function<double()> cycle_counter() { return hardware_counter(PERF_COUNT_HW_CPU_CYCLES); }

HostWatch::HostWatch(HostSources sources)
    : sources_(std::move(sources)),
      cores_(allowed_cores()),
      clock_(clock_source),
      heart_(std::make_unique<Heart>(clock_)) {}

HostWatch::~HostWatch() = default;

HostWatch::Moment HostWatch::look() const {
  Moment moment;
  moment.threads = thread_times(sources_.proc);
  moment.cores = core_times(sources_.proc, cores_);
  moment.memory_stall_s = qb::memory_stall_s(sources_.proc);
  getrusage(RUSAGE_SELF, &moment.usage);
  moment.instructions = sources_.instructions();
  moment.cycles = sources_.cycles();
  moment.cpu_s = cpu_clock_s();
  moment.at_s = clock_();
  return moment;
}

void HostWatch::begin() {
  (void)heart_->take_stop_s();
  moments_.push_back(look());
}

HostActivity HostWatch::end() {
  const Moment to = look();
  const Moment& from = moments_.back();
  HostActivity activity;
  activity.stopped_s = heart_->take_stop_s();
  activity.span_s = to.at_s - from.at_s;
  activity.cpu_s = to.cpu_s - from.cpu_s;
  activity.memory_stall_s = to.memory_stall_s - from.memory_stall_s;
  const auto rise = [&](auto member) {
    return static_cast<double>(to.usage.*member - from.usage.*member);
  };
  activity.involuntary_switches = rise(&rusage::ru_nivcsw);
  activity.minor_faults = rise(&rusage::ru_minflt);
  activity.major_faults = rise(&rusage::ru_majflt);
  activity.instructions = to.instructions - from.instructions;
  activity.cycles = to.cycles - from.cycles;

  // Ticks of the latest 0.2 s.
  const auto is_old = [&](const Moment& moment) { return to.at_s - moment.at_s >= kWindow_s; };
  auto window = moments_.end() - 1;
  while (window != moments_.begin() && !is_old(*window)) --window;
  const double share = activity.span_s / (to.at_s - window->at_s);
  activity.tick_s = share * std::sqrt(static_cast<double>(cores_.size())) /
                    static_cast<double>(sysconf(_SC_CLK_TCK));
  activity.stolen_s = share * (to.cores.stolen_s - window->cores.stolen_s);
  if (sources_.alone) {
    const double busy_s = to.cores.busy_s - window->cores.busy_s;
    activity.other_cpu_s = share * std::max(0.0, busy_s - (to.cpu_s - window->cpu_s));
    if (std::isnan(busy_s)) activity.other_cpu_s = kUnknown;
  }
  moments_.erase(moments_.begin(), window);

  if (sources_.alone)
    activity.run_delay_s =
        run_delay_s(moments_.back().threads, to.threads, activity, cores_.size());
  return activity;
}

std::optional<Disturbance> disturbance(const HostActivity& activity) {
  const double span_s = activity.span_s;
  const double ticks_s = 3.0 * activity.tick_s;
  const auto exceeds = [](double value, std::initializer_list<double> limits) {
    return std::ranges::all_of(limits, [&](double limit) { return value > limit; });
  };
  if (activity.stopped_s > 0.0) return Disturbance::stopped;
  if (exceeds(activity.stolen_s, {0.02 * span_s, ticks_s})) return Disturbance::stolen;
  if (exceeds(activity.other_cpu_s, {0.05 * span_s, 0.05 * activity.cpu_s, ticks_s}))
    return Disturbance::neighbours;
  if (exceeds(activity.run_delay_s, {0.02 * span_s, 0.02 * activity.cpu_s, 1e-4}))
    return Disturbance::waiting;
  if (activity.major_faults > 0.0 || exceeds(activity.memory_stall_s, {0.01 * span_s}))
    return Disturbance::paging;
  return std::nullopt;
}

}  // namespace qb
