// SPDX-License-Identifier: Apache-2.0
// Runs the microbenchmarks and judges them by their targets.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <optional>

#include "base/clock.h"
#include "base/files.h"
#include "base/print.h"
#include "base/schema/column_fields.h"
#include "harness/experiment/store/environment.h"
#include "harness/experiment/store/run_folder.h"
#include "harness/microbench/subject.h"

namespace {

constexpr const char* kHelp =
    R"(microbench: ceilings of this machine, kernels, plans over dense

  microbench --quick       the targets of the CPU kernels, in a few minutes
  microbench --out=DIR     everything, into DIR; qb plot DIR draws it
  microbench --benchmark_filter='sweep/flash/f32' --out=DIR

  --quick     no sweeps
  --out=DIR   write DIR/microbench.csv, a row a repeat, and DIR/manifest.json
  --clock=cpu take the CPU time of the process in place of the wall clock, which is steadier for
              one thread on a machine that others use too

Each benchmark runs 6 times, with --quick 4 (--benchmark_repetitions), the first to warm up. Its
ceiling (multiply-adds of the instruction set, or memory) is measured beside each repeat. The table
at the end compares what was measured with the targets: met, missed or not measured, or disturbed
by other programs (docs/trust.md, Disturbed repeats) though each repeat was taken up to four times.

Exit codes: 0 some benchmark ran and none failed, 1 one failed or none matched, 2 bad usage,
3 the folder cannot be written. A missed target is not a failure.
)";

void print_help() {
  std::puts(kHelp);
  benchmark::PrintDefaultHelp();
}

struct Words {
  bool quick = false;
  bool cpu_clock = false;
  std::string out;
  std::vector<char*> passed_on;  // flags for Google Benchmark
};

Words read_words(int argc, char** argv) {
  Words words;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--quick")
      words.quick = true;
    else if (word == "--clock=cpu")
      words.cpu_clock = true;
    else if (word.starts_with("--out="))
      words.out = word.substr(6);
    else
      words.passed_on.push_back(argv[i]);
  }
  // These come before the user's own flags, which therefore win.
  static std::string repetitions;
  repetitions = words.quick ? "--benchmark_repetitions=4" : "--benchmark_repetitions=6";
  words.passed_on.insert(words.passed_on.begin(), {argv[0], repetitions.data()});
  return words;
}

// The manifest tells figures where the numbers came from.
void write_manifest(const std::string& folder, int argc, char** argv) {
  const std::string now = qb::utc_text(std::time(nullptr));
  qb::Manifest manifest;
  manifest.schema_version = qb::kSchemaVersion;
  manifest.experiment = "microbench";
  manifest.description = "Ceilings and kernels on one device.";
  manifest.run_id = now;
  manifest.argv.assign(argv, argv + argc);
  manifest.started_at = now;
  manifest.finished_at = now;
  manifest.environment = qb::environment_json();
  qb::write_file_atomically(folder + "/manifest.json", qb::manifest_to_json(manifest));
}

qb::Benchmarks chosen_benchmarks(const Words& words) {
  qb::Benchmarks all;
  qb::register_ceilings(all);
  qb::register_kernels(all, words.quick);
  qb::register_plans(all);
  qb::register_mixers(all);
  if (!words.quick) qb::register_calls(all);
  return all;
}

// Runs the benchmarks that the words name, and judges all.
int run(int argc, char** argv) {
  Words words = read_words(argc, argv);
  int count = static_cast<int>(words.passed_on.size());
  words.passed_on.push_back(nullptr);
  benchmark::Initialize(&count, words.passed_on.data(), print_help);
  if (benchmark::ReportUnrecognizedArguments(count, words.passed_on.data()))
    return static_cast<int>(qb::ExitCode::usage);
  std::string csv_path;
  if (!words.out.empty()) {
    std::error_code problem;
    std::filesystem::create_directories(words.out, problem);  // the writing reports any error
    csv_path = words.out + "/microbench.csv";
  }
  qb::Recorder recorder(csv_path);
  const qb::Benchmarks all = chosen_benchmarks(words);
  for (const qb::Benchmark& one : all) qb::add_to_library(one, recorder);
  std::optional<qb::ClockInUse> clock;
  if (words.cpu_clock) clock.emplace(qb::cpu_clock_s);
  qb::print_answer("{}\n", qb::device_fingerprint());
  const std::size_t matched = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (!words.out.empty()) write_manifest(words.out, argc, argv);
  if (!recorder.rows().empty())
    qb::print_answer("\n{}", qb::target_table(qb::judge(recorder.rows(), all)));
  const bool good = matched > 0 && !recorder.has_failed();
  return static_cast<int>(good ? qb::ExitCode::ok : qb::ExitCode::case_failed);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const qb::ExitError& error) {
    qb::print_note("microbench: {}\n", error.what());
    return static_cast<int>(error.code());
  }
}
