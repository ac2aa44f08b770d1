// Cases of dense and sparse attention as the figures and tables of patterns read them: a line for
// each mask, kernel and device, each row beside dense attention of the same N.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/csv.h"
#include "plots/frame/figure.h"

namespace qb {

// Cases that differ in n_tokens alone.
struct SparseLine {
  std::string name{};    // `bigbird`, and what else tells it from the others: `bigbird, staged`
  std::string device{};  // as in cases.csv
  std::string mask{};
  std::string kernel{};
  Style style{};                    // the colour tells the pattern, the dash the kernel
  std::vector<std::size_t> rows{};  // that ran, ascending n_tokens
};

class SparseCases {
 public:
  // `cases` has the columns of cases.csv, and `run` where several runs are joined. It is kept by
  // reference.
  explicit SparseCases(const CsvTable& cases);

  [[nodiscard]] const CsvTable& table() const { return cases_; }
  [[nodiscard]] const std::vector<SparseLine>& lines() const { return lines_; }
  // Some line has a pattern for a mask.
  [[nodiscard]] bool has_patterns() const;
  // Of the lines, each once: cpu before cuda.
  [[nodiscard]] std::vector<std::string> devices() const;
  // `CPU`; a GPU by its name where the rows have one.
  [[nodiscard]] std::string device_name(const std::string& device) const;

  [[nodiscard]] double number(std::size_t row, const char* column) const;
  // Dense attention of a row's N, device and whatever else is the same: full mask and the flash
  // kernel. NaN where no such case ran.
  [[nodiscard]] double dense_time_s(std::size_t row) const;
  // Its time times the share of its pairs that the row's mask keeps.
  [[nodiscard]] double ideal_time_s(std::size_t row) const;
  // That share.
  [[nodiscard]] double kept_share(std::size_t row) const;

 private:
  // What a row shares with its dense case: device, N, run and other parameters that differ.
  [[nodiscard]] std::vector<std::string> base_key(std::size_t row) const;

  const CsvTable& cases_;
  std::vector<std::string> others_;  // columns
  std::vector<SparseLine> lines_;
  std::map<std::vector<std::string>, std::size_t> dense_;
};

// The time times a factor, with its interval.
[[nodiscard]] Point timed_point(const SparseCases& cases, std::size_t row, double factor);

}  // namespace qb
