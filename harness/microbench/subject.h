// SPDX-License-Identifier: Apache-2.0
// Microbenchmarks measure the ceilings of the machine, kernels, and the cost of plans over the
// dense kernel. Here is what one needs and where its rows go.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/host_activity.h"
#include "harness/run/memory/memory_ledger.h"
#include "kernels/allocator.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/tile_schedule.h"

namespace qb {

inline constexpr double kNotAvailable = std::numeric_limits<double>::quiet_NaN();

// Benchmarks run on one thread and on all; a set has 1 once.
[[nodiscard]] inline std::set<int> thread_counts(int all) { return {1, all}; }

// One timed repeat of a microbenchmark is a row of microbench.csv.
struct MicrobenchRow {
  std::string case_id{};    // the benchmark's full name
  std::string benchmark{};  // flash, materialized, decode, cqs, …
  std::string dtype{};      // empty where it has none
  std::string mask{};
  std::string isa{};
  int threads = 1;
  int workers = 0;  // 0: no plan
  std::int64_t n_tokens = 0;
  std::int64_t head_dim = 0;
  int repeat = 0;
  bool warmup = false;
  double wall_time_s = kNotAvailable;
  double flop = kNotAvailable;           // unmasked pairs only
  double bytes = kNotAvailable;          // read and written
  double peak_per_s = kNotAvailable;     // ceiling measured beside it, FLOP/s or bytes/s
  double peak_fraction = kNotAvailable;  // rate of flop (or bytes) over peak
  // A plan's time over that of the dense one, or a call's over that of its kernel.
  double overhead = kNotAvailable;
  std::optional<Disturbance> disturbed_by{};
};

// What the median of a value of a benchmark should be: at least this share of the ceiling, or at
// most this value of another member.
struct Limit {
  double MicrobenchRow::*value = nullptr;
  double bound = 0.0;
};

// Asks for a share of the ceiling that is measured beside the benchmark.
[[nodiscard]] inline Limit of_ceiling(double share) {
  return {&MicrobenchRow::peak_fraction, share};
}

[[nodiscard]] std::vector<std::string> microbench_columns();

class Recorder {
 public:
  // Starts `csv_path` anew (empty: no file). Throws EnvironmentError where it cannot be written.
  explicit Recorder(std::string csv_path);
  void add(const MicrobenchRow& row);
  [[nodiscard]] const std::vector<MicrobenchRow>& rows() const { return rows_; }
  [[nodiscard]] HostWatch& watch() { return watch_; }
  void note_failure() { has_failed_ = true; }
  [[nodiscard]] bool has_failed() const { return has_failed_; }

 private:
  HostWatch watch_;
  std::string csv_path_;
  std::vector<MicrobenchRow> rows_;
  bool has_failed_ = false;
};

// A subject lives through the repeats of its benchmark. Its memory comes from a ledger, as in runs:
// large blocks lie on huge pages and are kept from repeat to repeat.
struct Subject {
  MemoryLedger memory;
  std::vector<Tensor> tensors;
  TileSchedule schedule;
  MicrobenchRow row;  // what is the same for every repeat
  // A repeat calls this for about 20 ms; `measure`, if set, is called instead and times itself.
  std::function<void()> operation;
  std::function<void(MicrobenchRow&)> measure;
  std::function<double()> ceiling;  // measured before and after each repeat; null: none

  // Adds a tensor of standard normal values, always the same; zeros would run faster than data.
  const TensorView& add(DType dtype, const Extent& extent);
};

// Returns the seconds that one call takes.
[[nodiscard]] double seconds_of(const std::function<void()>& operation, int calls);

struct Benchmark {
  std::string name;
  std::optional<InstructionSet> isa{};  // forced; nothing: the best
  // Makes the subject. It is called once, in the instruction set of the benchmark.
  std::function<void(Subject&)> prepare{};
  std::optional<Limit> limit{};
};
using Benchmarks = std::vector<Benchmark>;

// Without `quick`, there are sweeps over N, types, masks, head_dims and threads too. Names are
// kernel/dtype/mask/n:…/d:…/h:…/threads:…, with /isa:… where one is forced.
void register_ceilings(Benchmarks& all);
// The backward pass of flash has the name backward/dtype/….
void register_kernels(Benchmarks& all, bool quick);
// Compares plans with the dense one: ALGORITHM/n:…/w:….
void register_plans(Benchmarks& all);
// Measures attention of 128 tokens as a program calls it: call/n:128.
void register_calls(Benchmarks& all);
// Measures the operators of kernels/mixer/: OPERATOR/f32/… and OPERATOR_backward/f32/….
void register_mixers(Benchmarks& all);

// Registers a benchmark with Google Benchmark, whose repetitions are its repeats: the first warms
// up, and one that something disturbs is taken again. Each is a row of the recorder, which must
// outlive the run and knows whether any benchmark failed.
void add_to_library(const Benchmark& benchmark, Recorder& recorder);

// Compares the rows of a run of microbenchmarks with the limits of the benchmarks.

struct Target {
  std::string benchmark{};
  std::string target{};    // `>= 85 %`
  std::string measured{};  // empty: not measured
  std::string verdict{};   // met, missed, disturbed or not measured
};

// Judges the benchmarks that have a limit, by medians of the undisturbed repeats after the warm-up.
// A target whose benchmark had fewer than two of them, and some that were disturbed, is neither met
// nor missed.
[[nodiscard]] std::vector<Target> judge(const std::vector<MicrobenchRow>& rows,
                                        const Benchmarks& benchmarks);

// Returns a table for a terminal: benchmark, target, measured, verdict.
[[nodiscard]] std::string target_table(const std::vector<Target>& targets);

}  // namespace qb
