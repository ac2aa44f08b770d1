// SPDX-License-Identifier: Apache-2.0
#include "harness/microbench/subject.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>

#include "base/clock.h"
#include "base/csv.h"
#include "base/files.h"
#include "base/numbers.h"
#include "harness/verify/inputs.h"
#include "kernels/parallel.h"

namespace qb {

namespace {

// The columns of microbench.csv in their order; values that are not available are empty.
std::vector<std::pair<const char*, std::string>> fields_of(const MicrobenchRow& row) {
  return {{"case_id", row.case_id},
          {"benchmark", row.benchmark},
          {"dtype", row.dtype},
          {"mask", row.mask},
          {"isa", row.isa},
          {"threads", fmt::to_string(row.threads)},
          {"workers", row.workers == 0 ? "" : fmt::to_string(row.workers)},
          {"n_tokens", to_text(row.n_tokens)},
          {"head_dim", to_text(row.head_dim)},
          {"repeat", fmt::to_string(row.repeat)},
          {"warmup", row.warmup ? "1" : "0"},
          {"wall_time_s", to_text(row.wall_time_s)},
          {"flop", to_text(row.flop)},
          {"bytes", to_text(row.bytes)},
          {"peak_per_s", to_text(row.peak_per_s)},
          {"peak_fraction", to_text(row.peak_fraction)},
          {"overhead", to_text(row.overhead)},
          {"disturbed_by",
           std::string(row.disturbed_by ? word(*row.disturbed_by) : std::string_view())}};
}

constexpr int kRetakes = 3;  // of a repeat that was disturbed

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

// Records one more row, and returns it.
MicrobenchRow measure_row(Current& now, Recorder& recorder) {
  const Subject& subject = *now.subject;
  MicrobenchRow row = subject.row;
  row.case_id = now.name;
  row.isa = word(instruction_set());
  row.repeat = now.repeats;
  row.warmup = now.repeats++ == 0;
  const double before = subject.ceiling ? subject.ceiling() : kNotAvailable;
  recorder.watch().begin();
  time_repeat(now, row);
  row.disturbed_by = disturbance(recorder.watch().end());
  if (subject.ceiling) {
    row.peak_per_s = std::max(before, subject.ceiling());  // another process may disturb one
    const double work = std::isnan(row.flop) ? row.bytes : row.flop;
    row.peak_fraction = work / row.wall_time_s / row.peak_per_s;
  }
  recorder.add(row);
  return row;
}

void run_repeat(benchmark::State& state, Current& now, Recorder& recorder) {
  MicrobenchRow row = measure_row(now, recorder);
  for (int left = kRetakes; row.disturbed_by && !row.warmup && left > 0; --left)
    row = measure_row(now, recorder);
  if (!std::isnan(row.peak_fraction)) state.counters["peak"] = row.peak_fraction;
  state.SetIterationTime(row.wall_time_s);
  for (const auto& [name, value] : {std::pair{"flop/s", row.flop / row.wall_time_s},
                                    {"bytes/s", row.bytes / row.wall_time_s},
                                    {"overhead", row.overhead}})
    if (!std::isnan(value)) state.counters[name] = value;
}

}  // namespace

std::vector<std::string> microbench_columns() {
  std::vector<std::string> columns;
  for (const auto& [name, value] : fields_of({})) columns.emplace_back(name);
  return columns;
}

Recorder::Recorder(std::string csv_path) : csv_path_(std::move(csv_path)) {
  if (!csv_path_.empty()) write_file_atomically(csv_path_, csv_record(microbench_columns()));
}

void Recorder::add(const MicrobenchRow& row) {
  rows_.push_back(row);
  if (csv_path_.empty()) return;
  std::vector<std::string> values;
  for (auto& [name, value] : fields_of(row)) values.push_back(value);
  append_and_flush(csv_path_, csv_record(values));
}

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

void add_to_library(const Benchmark& benchmark, Recorder& recorder) {
  const auto body = [&recorder, isa = benchmark.isa, name = benchmark.name,
                     prepare = benchmark.prepare](benchmark::State& state) {
    try {
      const InstructionSet best = available_instruction_sets().front();
      // The benchmark before may have forced one.
      if (isa || instruction_set() != best) use_instruction_set(isa.value_or(best));
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
      recorder.note_failure();
      state.SkipWithError(error.what());
    }
  };
  benchmark::RegisterBenchmark(benchmark.name.c_str(), body)
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace qb
