// Microbenchmarks of the kernels' parts and of the whole kernels.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"
#include "kernels/attention.h"
#include "kernels/microbench/benchmarks.h"
#include "kernels/microbench/sample_reporter.h"

namespace {

void print_help() {
  std::puts(
      "microbench: score product, softmax, value product, merge, gather and whole kernels\n"
      "\n"
      "  microbench --benchmark_filter='flash/f32' --csv=samples.csv\n"
      "\n"
      "  --csv=FILE   write a row a repeat in the columns of samples.csv; the first is the "
      "warm-up\n"
      "\n"
      "Repeats are 6 unless --benchmark_repetitions says otherwise. Rates on the console: flop is\n"
      "FLOP/s, bytes is bytes/s. Exit codes: 0 some benchmark ran, 1 all failed or none matched,\n"
      "2 bad usage, 3 the file cannot be written.\n");
  benchmark::PrintDefaultHelp();
}

int run(int argc, char** argv) {
  std::string csv_path;
  // Before the caller's own flags, which therefore win.
  std::string repetitions = "--benchmark_repetitions=6";
  std::vector<char*> arguments = {argv[0], repetitions.data()};
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with("--csv="))
      csv_path = argument.substr(6);
    else
      arguments.push_back(argv[i]);
  }
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data(), print_help);
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data()))
    return static_cast<int>(qb::ExitCode::usage);

  benchmark::AddCustomContext("materialized_isa",
                              std::string(qb::kernel_isa(qb::Kernel::materialized)));
  benchmark::AddCustomContext("flash_isa", std::string(qb::kernel_isa(qb::Kernel::flash)));
  qb::register_benchmarks();
  const bool colour = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  qb::SampleReporter reporter(csv_path, colour);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
  return static_cast<int>(reporter.succeeded() > 0 ? qb::ExitCode::ok : qb::ExitCode::case_failed);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const qb::ExitError& error) {
    std::fprintf(stderr, "microbench: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
