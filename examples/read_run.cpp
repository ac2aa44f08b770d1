// SPDX-License-Identifier: Apache-2.0
// Prints the median times of the cases of a run that ended well:
//   read_run data/measured/epyc-2-cores/case_study_2_tenth/cases.csv
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>

#include "base/csv.h"

int main(int argc, char** argv) try {
  const std::string path = argc > 1 ? argv[1] : "cases.csv";
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const qb::CsvTable cases = qb::CsvTable::parse(text, path);
  int n_ok = 0;
  for (std::size_t row = 0; row < cases.size(); ++row) {
    if (cases.text(row, "status") != "ok") continue;
    const double seconds = cases.number(row, "wall_time_median_s");
    if (!(seconds > 0.0)) return 1;
    std::printf("%-6s W = %-3s N = %-8s %9.3f ms\n", cases.text(row, "algorithm").c_str(),
                cases.text(row, "workers").c_str(), cases.text(row, "n_tokens").c_str(),
                1e3 * seconds);
    ++n_ok;
  }
  return n_ok > 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "read_run: %s\n", error.what());
  return 1;
}
