// SPDX-License-Identifier: Apache-2.0
// For tests only: a copy of a run in whose first row the last digit of the median is another one.
#pragma once

#include <filesystem>
#include <string>

#include "base/csv.h"
#include "base/files.h"

namespace qb::testing_support {

inline void copy_tampered(const std::string& run, const std::string& copy) {
  std::filesystem::copy(run, copy, std::filesystem::copy_options::recursive);
  const std::string path = copy + "/cases.csv";
  std::string cases = read_file(path);
  const std::string median = CsvTable::parse(cases, path).text(0, "wall_time_median_s");
  char& last = cases[cases.find(median) + median.size() - 1];
  last = last == '9' ? '8' : '9';
  write_file_atomically(path, cases);
}

}  // namespace qb::testing_support
