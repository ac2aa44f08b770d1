// SPDX-License-Identifier: Apache-2.0
// Runs the microbenchmarks and judges them by their targets.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <optional>
#include <regex>

#include "base/clock.h"
#include "base/files.h"
#include "base/numbers.h"
#include "base/print.h"
#include "base/schema/column_fields.h"
#include "harness/experiment/store/environment.h"
#include "harness/experiment/store/run_folder.h"
#include "harness/microbench/subject.h"
#include "harness/microbench/targets.h"

namespace {

constexpr const char* kHelp =
    R"(microbench: ceilings of this machine, kernels, CQS and sparse over dense

  microbench --quick       the targets of the CPU kernels, in a few minutes
  microbench --out=DIR     everything, into DIR; qb plot DIR draws it
  microbench --benchmark_filter='sweep/flash/f32' --out=DIR

  --quick     no sweeps
  --out=DIR   write DIR/microbench.csv, a row a repeat, and DIR/manifest.json
  --clock=cpu take the CPU time of the process in place of the wall clock, which is steadier for
              one thread on a machine that others use too
  --benchmark_filter=REGEX    only benchmarks in whose names this is found
  --benchmark_repetitions=N   run each so often (6, with --quick 4), the first to warm up
  --benchmark_list_tests      print the names, and run nothing

The ceiling of a benchmark (multiply-adds of the instruction set, or memory) is measured beside each
repeat. The table at the end compares what was measured with the targets: met, missed or not
measured, or disturbed by other programs (docs/trust.md, Disturbed repeats) though each repeat was
taken up to four times.

Exit codes: 0 some benchmark ran and none failed, 1 one failed or none matched, 2 bad usage,
3 the folder cannot be written. A missed target is not a failure.
)";

std::regex filter_of(const std::string& text) {
  try {
    return std::regex(text, std::regex::extended);
  } catch (const std::regex_error&) {
    throw qb::UsageError("--benchmark_filter=" + text + " is not a regular expression");
  }
}

struct Words {
  bool quick = false;
  bool cpu_clock = false;
  bool help = false;
  bool list = false;
  std::string out;
  std::regex filter{""};  // finds itself everywhere
  int repeats = 0;        // 0: as many as `quick` says
};

Words read_words(int argc, char** argv) {
  Words words;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = std::min(word.find('=') + 1, word.size());
    const std::string name = word.substr(0, equals);
    const std::string value = word.substr(equals);
    if (word == "--quick")
      words.quick = true;
    else if (word == "--clock=cpu")
      words.cpu_clock = true;
    else if (word == "--help")
      words.help = true;
    else if (word == "--benchmark_list_tests")
      words.list = true;
    else if (name == "--out=")
      words.out = value;
    else if (name == "--benchmark_filter=")
      words.filter = filter_of(value);
    else if (const auto repeats = qb::parse_integer(value);
             name == "--benchmark_repetitions=" && repeats && *repeats >= 1 && *repeats <= 1000)
      words.repeats = static_cast<int>(*repeats);
    else
      throw qb::UsageError(word + " is no option, or has no such value; see --help");
  }
  if (words.repeats == 0) words.repeats = words.quick ? 4 : 6;
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
  qb::register_cqs(all, words.quick);
  qb::register_sparse(all, words.quick);
  qb::register_mixers(all);
  qb::register_limits(all);
  if (!words.quick) qb::register_calls(all);
  return all;
}

// Runs the benchmarks that the words name, and judges all.
int run(int argc, char** argv) {
  const Words words = read_words(argc, argv);
  if (words.help) return std::puts(kHelp) < 0 ? 1 : 0;
  const qb::Benchmarks all = chosen_benchmarks(words);
  qb::Benchmarks named = all;
  std::erase_if(
      named, [&](const qb::Benchmark& one) { return !std::regex_search(one.name, words.filter); });
  if (words.list) {
    for (const qb::Benchmark& one : named) qb::print_answer("{}\n", one.name);
    return 0;
  }
  std::string csv_path;
  if (!words.out.empty()) {
    std::error_code problem;
    std::filesystem::create_directories(words.out, problem);  // the writing reports any error
    csv_path = words.out + "/microbench.csv";
  }
  qb::Recorder recorder(csv_path);
  std::optional<qb::ClockInUse> clock;
  if (words.cpu_clock) clock.emplace(qb::cpu_clock_s);
  qb::print_answer("{}\n", qb::device_fingerprint());
  std::size_t failed = 0;
  for (const qb::Benchmark& one : named) try {
      qb::print_answer("{}\n", qb::run_benchmark(one, words.repeats, recorder));
    } catch (const std::exception& error) {
      ++failed;
      qb::print_note("{}: {}\n", one.name, error.what());
    }
  if (!words.out.empty()) write_manifest(words.out, argc, argv);
  if (failed < named.size())
    qb::print_answer("\n{}", qb::target_table(qb::judge(recorder.rows(), all)));
  const bool good = !named.empty() && failed == 0;
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
