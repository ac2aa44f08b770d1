// SPDX-License-Identifier: Apache-2.0
// What the host did while something was timed, from the kernel's own counters, and whether that
// disturbed the timing. A counter that the kernel does not show is NaN.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/words.h"

namespace qb {

// The cores of this process's main thread, so that a pinned helper does not narrow them.
[[nodiscard]] std::vector<int> allowed_cores();

// Counters of the time between two moments. The cores are those on which this process may run.
struct HostActivity {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  double span_s = 0.0;
  double cpu_s = kUnknown;           // CPU time of this process, all its threads
  double run_delay_s = kUnknown;     // its threads were ready to run and waited for a core
  double other_cpu_s = kUnknown;     // CPU time of other processes on the cores
  double stolen_s = kUnknown;        // time that the hypervisor took from the cores
  double tick_s = 0.0;               // the resolution of the two counters before
  double memory_stall_s = kUnknown;  // some process of the system waited for memory
  double stopped_s = kUnknown;       // the process was stopped, or its machine was
  double involuntary_switches = kUnknown;
  double minor_faults = kUnknown;
  double major_faults = kUnknown;
  double instructions = kUnknown;  // retired by this process outside of the kernel
  double cycles = kUnknown;
};

// Why a timing does not show what it should.
enum class Disturbance { stopped, stolen, neighbours, waiting, paging, throttled, oversubscribed };

QB_WORDS(Disturbance, "disturbance", stopped, stolen, neighbours, waiting, paging, throttled,
         oversubscribed);

// What disturbed a timing, for people: `other programs` for the word `neighbours`, and so on.
[[nodiscard]] std::string_view disturbance_text(std::string_view word);

// The rule. A timing was disturbed if, in this order,
//   stopped     the process stood still for 0.1 s or more,
//   stolen      the hypervisor took more than 2 % of the span,
//   neighbours  other processes used more than 5 % of the span and of this process's CPU time,
//   waiting     its threads waited for cores, in all, for more than 2 % of the span, and of their
//               CPU time, and 0.1 ms,
//   paging      a page came from a disk, or processes waited for memory for 1 % of the span.
// What ticks count must also exceed three times their resolution. See docs/trust.md.
[[nodiscard]] std::optional<Disturbance> disturbance(const HostActivity& activity);

// Return a counter of this thread and of those that it starts later, outside of the kernel. It
// gives NaN where Linux forbids perf_event_open or the processor has no such counter.
[[nodiscard]] std::function<double()> instruction_counter();
[[nodiscard]] std::function<double()> cycle_counter();

struct HostSources {
  std::string proc = "/proc";
  bool alone = true;  // false: other processes compute the same case, and are not told from others
  std::function<double()> instructions = instruction_counter();
  std::function<double()> cycles = cycle_counter();
};

// Watches this process from a thread of its own, by the clock that is in use when it is made.
class HostWatch {
 public:
  explicit HostWatch(HostSources sources = {});
  ~HostWatch();
  HostWatch(const HostWatch&) = delete;
  HostWatch& operator=(const HostWatch&) = delete;

  void begin();
  // Returns what happened since begin(). Ticks are 10 ms: where the span is shorter than 0.2 s,
  // the two counters of ticks are the share of the span in what they were over the last 0.2 s
  // since the first begin().
  [[nodiscard]] HostActivity end();

 private:
  struct Moment;
  class Heart;
  [[nodiscard]] Moment look() const;

  HostSources sources_;
  std::vector<int> cores_;
  double (*clock_)();
  std::unique_ptr<Heart> heart_;
  std::vector<Moment> moments_;  // of begin(), the older ones of the last 0.2 s too
};

}  // namespace qb
