#include "harness/microbench/subject.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <utility>

#include "base/clock.h"
#include "base/csv.h"
#include "base/files.h"
#include "harness/execute/verify/inputs.h"
#include "kernels/parallel.h"

namespace qb {

Recorder::Recorder(std::string csv_path) : csv_path_(std::move(csv_path)) {
  if (!csv_path_.empty()) write_file_atomically(csv_path_, csv_record(microbench_columns()));
}

void Recorder::add(const MicrobenchRow& row) {
  if (!csv_path_.empty()) append_and_flush(csv_path_, to_record(row));
  rows_.push_back(row);
}

namespace {

// Holds the subject of the benchmark that ran last: its repeats follow one another.
struct Current {
  std::string name;
  std::unique_ptr<Subject> subject;
  int calls = 1;    // calls of the operation in a repeat
  int repeats = 0;  // repeats so far; the first warms up
};

Current& current() {
  static Current only;
  return only;
}

void time_repeat(Current& now, MicrobenchRow& row) {
  constexpr double kLeastSeconds = 0.02;
  const Subject& subject = *now.subject;
  if (subject.measure) return subject.measure(row);
  row.wall_time_s = seconds_of(subject.operation, now.calls);
  if (row.warmup)
    now.calls = static_cast<int>(std::clamp(kLeastSeconds / row.wall_time_s, 1.0, 1e5));
}

void run_repeat(benchmark::State& state, Current& now, Recorder& recorder) {
  const Subject& subject = *now.subject;
  MicrobenchRow row = subject.row;
  row.case_id = now.name;
  row.isa = word(instruction_set());
  row.repeat = now.repeats;
  row.warmup = now.repeats++ == 0;
  const double before = subject.ceiling ? subject.ceiling() : kNotAvailable;
  time_repeat(now, row);
  if (subject.ceiling) {
    row.peak_per_s = std::max(before, subject.ceiling());  // another process may disturb one
    const double work = std::isnan(row.flop) ? row.bytes : row.flop;
    row.peak_fraction = work / row.wall_time_s / row.peak_per_s;
    state.counters["peak"] = row.peak_fraction;
  }
  state.SetIterationTime(row.wall_time_s);
  if (!std::isnan(row.flop)) state.counters["flop/s"] = row.flop / row.wall_time_s;
  if (!std::isnan(row.bytes)) state.counters["bytes/s"] = row.bytes / row.wall_time_s;
  if (!std::isnan(row.overhead)) state.counters["overhead"] = row.overhead;
  if (!std::isnan(row.memory_ratio)) state.counters["memory"] = row.memory_ratio;
  if (!std::isnan(row.error_ratio)) state.counters["error"] = row.error_ratio;
  recorder.add(row);
}

// Forces an instruction set during its lifetime.
class Forced {
 public:
  explicit Forced(std::optional<InstructionSet> set) {
    if (set) use_instruction_set(*set);
  }
  ~Forced() {
    if (instruction_set() != before_) use_instruction_set(before_);
  }
  Forced(const Forced&) = delete;
  Forced& operator=(const Forced&) = delete;

 private:
  InstructionSet before_ = instruction_set();
};

}  // namespace

double seconds_of(const std::function<void()>& operation, int calls) {
  const double start_s = now_s();
  for (int call = 0; call < calls; ++call) operation();
  return (now_s() - start_s) / calls;
}

const TensorView& Subject::add(DType dtype, const Extent& extent) {
  tensors.emplace_back(memory, dtype, extent, "inputs");
  fill_normal(tensors.back().view(), tensors.size(), available_cores());
  return tensors.back().view();
}

void add_benchmark(const std::string& name, std::optional<InstructionSet> isa, Recorder& recorder,
                   const Prepare& prepare) {
  const auto body = [name, isa, &recorder, prepare](benchmark::State& state) {
    try {
      const Forced forced(isa);
      Current& now = current();
      if (now.name != name) {
        now = {};  // frees the memory of the last subject first
        now.subject = std::make_unique<Subject>();
        prepare(*now.subject);
        now.name = name;
      }
      while (state.KeepRunning()) run_repeat(state, now, recorder);
    } catch (const std::exception& error) {
      current() = {};
      state.SkipWithError(error.what());
    }
  };
  benchmark::RegisterBenchmark(name.c_str(), body)
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace qb
