// What a sweep says while it runs, on stderr: counter, case, result, and how long it may still
// take.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "harness/experiment/process/result.h"

namespace qb {

struct ProgressStyle {
  bool quiet = false;     // only failures and notes
  bool terminal = false;  // one live line that good results overwrite; else plain lines
  bool colour = false;
};

// Terminal and colour as stderr is and NO_COLOR asks.
[[nodiscard]] ProgressStyle stderr_style(bool quiet);

// `ok 12.3 ms [12.1, 12.9] peak 1.20 GiB`, or the status and its message.
[[nodiscard]] std::string describe_result(const CaseResult& result);

// Median and interval in one unit: `12.3 ms [12.1, 12.9]`; "-" for NaN.
[[nodiscard]] std::string format_interval(double median_s, double low_s, double high_s);

class Progress {
 public:
  Progress(ProgressStyle style, std::function<void(std::string_view)> sink)
      : style_(style), sink_(std::move(sink)) {}

  void note(std::string_view text);
  void started(std::size_t number, std::size_t total, const std::string& label);
  // remaining_s NaN: no estimate yet.
  void finished(const CaseResult& result, double remaining_s);
  // Leaves the live line, so that other output starts on a line of its own.
  void end_line();

 private:
  [[nodiscard]] std::string coloured(Status status, const std::string& text) const;

  ProgressStyle style_;
  std::function<void(std::string_view)> sink_;
  std::string heading_;
  bool live_ = false;  // the cursor stands behind unfinished text
};

// Remaining time from the work done so far: a case weighs its query-key pairs, plus a constant for
// starting a process.
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

// Multiply-adds of both products, and the constant.
[[nodiscard]] double case_weight(const Case& c);

}  // namespace qb
