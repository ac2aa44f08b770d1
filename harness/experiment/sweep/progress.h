// SPDX-License-Identifier: Apache-2.0
// What a sweep prints to stderr while it runs: counter, case, result, and the remaining time.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>

#include "harness/workload/case.h"
#include "harness/workload/result.h"

namespace qb {

// `ok, median wall clock 12.3 ms [12.1, 12.9], peak 1.20 GiB`, or the status and its message. Of a
// modelled case: `modelled on a100: 13.7 ms`.
[[nodiscard]] std::string describe_result(const CaseResult& result, const Case& c = {});

// Median and interval in one unit: `12.3 ms [12.1, 12.9]`; "-" for NaN.
[[nodiscard]] std::string format_interval(double median_s, double low_s, double high_s);

// `40 s`, `12 min` or `1.5 h`, rounded up.
[[nodiscard]] std::string format_duration(double seconds);

// Says why a strategy cannot run once, and not again for each of its cases.
class Progress {
 public:
  struct Style {
    bool quiet = false;     // only failures and notes
    bool terminal = false;  // good results overwrite one live line; false: plain lines
    bool colour = false;
  };

  Progress(Style style, std::function<void(std::string_view)> sink)
      : style_(style), sink_(std::move(sink)) {}

  void note(std::string_view text);
  void started(std::size_t number, std::size_t total, const std::string& label);
  // remaining_s is NaN while there is no estimate.
  void finished(const CaseResult& result, double remaining_s, const Case& c = {});
  // Ends the live line, so that other output starts on a new line.
  void end_line();

 private:
  [[nodiscard]] std::string coloured(Status status, const std::string& text) const;

  Style style_;
  std::function<void(std::string_view)> sink_;
  std::string heading_;
  std::set<std::string> said_;  // reasons
  bool live_ = false;           // the cursor is after unfinished text
};

// Reads the style from whether stderr is a terminal and from NO_COLOR.
[[nodiscard]] Progress::Style stderr_style(bool quiet);

// Estimates the remaining time from the work done so far; case_weight() measures the work.
class RemainingTime {
 public:
  void add(double weight) { left_ += weight; }
  void done(double weight, double took_s);
  // The case ended without doing its work (skipped, out of memory, unsupported).
  void dropped(double weight) { left_ -= weight; }
  [[nodiscard]] double seconds() const;

 private:
  double left_ = 0.0;
  double done_ = 0.0;
  double took_s_ = 0.0;
};

// Multiply-adds of the products in all runs, plus a constant for the start of a process.
[[nodiscard]] double case_weight(const Case& c);

}  // namespace qb
