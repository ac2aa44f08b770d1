// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/schema/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/execute/player/worker.h"

namespace qb {
namespace {

constexpr double kLetter_s = 1e-3;

// The made-up case: three workers that gather, compute and merge.
std::vector<WorkerTime> example_workers() {
  std::vector<WorkerTime> workers(3);
  constexpr double kCompute_s[] = {6e-3, 9e-3, 7e-3};
  for (std::size_t w = 0; w < workers.size(); ++w) {
    workers[w].gather_s = 2e-3;
    workers[w].compute_s = kCompute_s[w];
    workers[w].merge_s = 1e-3;
  }
  return workers;
}

std::size_t letters(double seconds) {
  return static_cast<std::size_t>(std::lround(seconds / kLetter_s));
}

std::string line(const std::string& name, std::size_t start, const std::string& what) {
  return fmt::format("  {:<14} {}{}\n", name, std::string(start, ' '), what);
}

std::string bar(const std::string& name, double seconds, const std::string& meaning) {
  constexpr std::size_t kWidth = 34;
  const std::string ends = fmt::format("|{}|", std::string(letters(seconds) - 2, '-'));
  return line(name, 0, fmt::format("{:<{}}{} ms, {}", ends, kWidth, letters(seconds), meaning));
}

// The letters of a worker's time; `merges` only where it merges then.
std::string life(const WorkerTime& worker, double merges_s) {
  return std::string(letters(worker.gather_s), 'g') + std::string(letters(worker.compute_s), 'C') +
         std::string(letters(merges_s), 'm');
}

}  // namespace

std::string clocks_picture() {
  const std::vector<WorkerTime> workers = example_workers();
  const double critical_path_s = composed_critical_path_s(Plan{}, workers);
  double sum_s = 0.0;
  double merges_s = 0.0;
  double computed_s = 0.0;
  for (const WorkerTime& worker : workers) {
    sum_s += worker.total_s();
    merges_s += worker.merge_s;
    computed_s = std::max(computed_s, worker.gather_s + worker.compute_s);
  }
  const auto slowest = static_cast<std::size_t>(
      std::ranges::max_element(workers, {}, &WorkerTime::compute_s) - workers.begin());

  std::string text =
      "Three workers: g copies a worker's tokens together, C computes, m merges its partial "
      "output\n"
      "(a letter is 1 ms; the times are made up).\n\n"
      "ranks: serial: the workers take turns on the whole machine\n";
  double at_s = 0.0;
  for (std::size_t w = 0; w < workers.size(); ++w) {
    text += line(fmt::format("worker {}", w), letters(at_s), life(workers[w], workers[w].merge_s));
    at_s += workers[w].total_s();
  }
  text += bar("wall_time", at_s, "from the inputs to the output");
  text += bar("worker_sum", sum_s, "what all workers did");
  text += bar("critical_path", critical_path_s, "what a machine for each worker would need:");
  text += line("", 0, fmt::format("{:<34}the slowest worker, then all merges", ""));
  text += "\nranks: threads: all at once, each on its share of the machine; the root merges\n";
  for (std::size_t w = 0; w < workers.size(); ++w)
    text += line(fmt::format("worker {}", w), 0, life(workers[w], 0.0));
  text += line("root", letters(computed_s), std::string(letters(merges_s), 'm'));
  text += bar("wall_time", computed_s + merges_s, "measured; critical_path is the same time");
  text += bar("worker_sum", sum_s, "what all workers did");
  text += fmt::format(
      "\nlongest_subsequence is the C of the worker with the most tokens alone: {} ms"
      " if that is worker {}.\n",
      letters(workers[slowest].compute_s), slowest);
  return text;
}

}  // namespace qb
