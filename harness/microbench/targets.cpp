// SPDX-License-Identifier: Apache-2.0
#include "harness/microbench/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "base/text_table.h"

namespace qb {
namespace {

constexpr std::int64_t kLong = 8192;

// Selects rows of this benchmark with these values, but none of sweeps, whose shapes differ.
struct Which {
  std::string benchmark = "flash";
  std::string dtype = "f32";
  std::string mask = "full";
  std::int64_t n = kLong;
  std::int64_t d = 64;
  int threads = 1;
  int workers = 0;
  std::string id_has{};  // part of the name
};

struct Median {
  double value = kNotAvailable;
  bool disturbed = false;  // too few repeats were not
  friend Median operator*(Median a, Median b) {
    return {a.value * b.value, a.disturbed || b.disturbed};
  }
  friend Median operator/(Median a, Median b) {
    return {a.value / b.value, a.disturbed || b.disturbed};
  }
};

class Judge {
 public:
  Judge(const std::vector<MicrobenchRow>& rows, int all_threads)
      : rows_(rows), all_threads_(all_threads) {}

  std::vector<Target> targets() {
    fraction_rows();
    ratio_rows();
    backward_rows();
    mixer_rows();
    limit_rows();
    return std::move(targets_);
  }

 private:
  // Returns the median of a value over the measured repeats of some rows; NaN where there are none.
  [[nodiscard]] Median median_of(const Which& w, double MicrobenchRow::*value) const {
    constexpr std::size_t kLeastUndisturbed = 2;
    std::vector<double> disturbed;
    std::vector<double> undisturbed;
    for (const MicrobenchRow& row : rows_) {
      if (row.warmup || std::isnan(row.*value) || row.case_id.starts_with("sweep/")) continue;
      if (row.benchmark == w.benchmark && row.dtype == w.dtype && row.mask == w.mask &&
          row.n_tokens == w.n && row.head_dim == w.d && row.threads == w.threads &&
          row.workers == w.workers && matches(row.case_id, w.id_has))
        (row.disturbed_by ? disturbed : undisturbed).push_back(row.*value);
    }
    if (!disturbed.empty() && undisturbed.size() < kLeastUndisturbed) {
      undisturbed.insert(undisturbed.end(), disturbed.begin(), disturbed.end());
      return {median(undisturbed), true};
    }
    return {median(undisturbed)};
  }
  // A row with a forced instruction set belongs to another benchmark.
  static bool matches(const std::string& id, const std::string& part) {
    if (part.empty()) return id.find("/isa:") == std::string::npos;
    return id.find(part) != std::string::npos;
  }
  [[nodiscard]] Median fraction(const Which& w) const {
    return median_of(w, &MicrobenchRow::peak_fraction);
  }
  // Returns the FLOP per second at the ceiling's median.
  [[nodiscard]] Median rate(const Which& w) const {
    return fraction(w) * median_of(w, &MicrobenchRow::peak_per_s);
  }

  // `sign` is >= or <=.
  void require(const std::string& what, std::string_view sign, double target,
               const Median& measured, bool percent = false) {
    const double value = measured.value;
    const bool known = !std::isnan(value);
    const bool good = sign == ">=" ? value >= target : value <= target;
    targets_.push_back({what,
                        percent ? fmt::format("{} {:.0f} %", sign, 100.0 * target)
                                : fmt::format("{} {:g}", sign, target),
                        !known    ? ""
                        : percent ? fmt::format("{:.1f} %", 100.0 * value)
                                  : fmt::format("{:.3g}", value),
                        !known               ? "not measured"
                        : measured.disturbed ? "disturbed"
                        : good               ? "met"
                                             : "missed"});
  }

  [[nodiscard]] std::string of_threads(int threads) const {
    return threads == 1 ? "1 thread" : fmt::format("{} threads", threads);
  }

  void fraction_rows() {
    for (const int threads : thread_counts(all_threads_))
      for (const std::int64_t d : {64, 128})
        require(fmt::format("f32, d = {}, N = 8192, {}: of the FMA peak", d, of_threads(threads)),
                ">=", threads == 1 ? 0.85 : 0.80, fraction({.d = d, .threads = threads}), true);
    for (const int threads : thread_counts(all_threads_))
      for (const std::int64_t d : {64, 128})
        require(fmt::format("bf16, d = {}, {}: of the bf16 peak", d, of_threads(threads)),
                ">=", 0.60, fraction({.dtype = "bf16", .d = d, .threads = threads}), true);
    require("AVX2 forced, d = 64: of the AVX2 peak", ">=", 0.80, fraction({.id_has = "/isa:avx2"}),
            true);
    require("decode, 1 query, N = 131072, f32: of the read rate", ">=", 0.85,
            fraction({.benchmark = "decode", .n = 131072, .threads = all_threads_}), true);
  }

  void ratio_rows() {
    for (const std::int64_t d : {64, 128})
      require(fmt::format("causal over full rate, d = {}", d), ">=", 0.92,
              fraction({.mask = "causal", .d = d, .threads = all_threads_}) /
                  fraction({.d = d, .threads = all_threads_}),
              true);
    for (const std::int64_t d : {64, 128})
      require(fmt::format("bf16 over f32 rate, d = {}", d), ">=", 1.5,
              rate({.dtype = "bf16", .d = d, .threads = all_threads_}) /
                  rate({.d = d, .threads = all_threads_}));
    for (const std::int64_t n : {128, 256, 512, 1024})
      require(fmt::format("N = {} over N = 8192 rate", n), ">=", 0.60,
              fraction({.n = n, .threads = all_threads_}) / fraction({.threads = all_threads_}),
              true);
    require("flash over materialized rate, N = 8192", ">=", 3.0,
            rate({.threads = all_threads_, .id_has = "/h:2/"}) /
                rate({.benchmark = "materialized", .threads = all_threads_}));
  }

  void backward_rows() {
    struct Row {
      const char* dtype;
      const char* mask;
      double target;
    };
    constexpr Row kRows[] = {
        {"f32", "full", 0.80}, {"f32", "causal", 0.75}, {"bf16", "full", 0.60}};
    for (const int threads : thread_counts(all_threads_))
      for (const std::int64_t d : {64, 128})
        for (const Row& row : kRows)
          require(fmt::format("backward of one head, {}, {}, d = {}, N = 8192, {}: of the {} peak",
                              row.dtype, row.mask, d, of_threads(threads), row.dtype),
                  ">=", row.target,
                  fraction({.benchmark = "backward",
                            .dtype = row.dtype,
                            .mask = row.mask,
                            .d = d,
                            .threads = threads}),
                  true);
    for (const std::int64_t d : {64, 128})
      if (all_threads_ > 1)
        require(
            fmt::format("backward of one head, f32, d = {}: {} threads over one", d, all_threads_),
            ">=", 0.9 * all_threads_,
            rate({.benchmark = "backward", .d = d, .threads = all_threads_}) /
                rate({.benchmark = "backward", .d = d}));
  }

  void mixer_rows() {
    for (const char* mask : {"full", "causal"})
      for (const char* kind : {"linear", "performer"}) require_mixer(kind, mask);
    require_mixer("ssd", "causal");
    for (const char* kind : {"nystrom", "linformer"}) require_mixer(kind, "full");
    require("selective_scan, 16 elements a channel, N = 512: of the exponentials", ">=", 0.50,
            fraction({.benchmark = "selective_scan", .mask = "causal", .n = 512, .d = 16}), true);
  }

  void require_mixer(const std::string& kind, const std::string& mask) {
    require(fmt::format("{}, {}, d = 64, N = 512: of the FMA peak", kind, mask), ">=", 0.70,
            fraction({.benchmark = kind, .mask = mask, .n = 512}), true);
  }

  void limit_rows() {
    const auto limit_cqs = [&](const char* benchmark, const std::string& name, double most,
                               int threads) {
      for (const int workers : {7, 31})
        require(
            fmt::format("{}, W = {}, N = 16384: worker sum over dense", name, workers), "<=", most,
            median_of({.benchmark = benchmark, .n = 16384, .threads = threads, .workers = workers},
                      &MicrobenchRow::overhead));
    };
    limit_cqs("cqs", "CQS", 1.08, all_threads_);
    for (const int threads : thread_counts(all_threads_))
      limit_cqs("cqs_backward", fmt::format("CQS backward, {}", of_threads(threads)), 1.10,
                threads);
    const auto of_pattern = [&](const char* benchmark, const char* pattern) {
      return median_of(
          {.benchmark = benchmark, .mask = pattern, .n = 32768, .threads = all_threads_},
          &MicrobenchRow::overhead);
    };
    require("window of 256, N = 32768: time over the ideal", "<=", 1.7,
            of_pattern("sparse", "window"));
    require("random 4 x 64, N = 32768: time over the ideal", "<=", 2.5,
            of_pattern("sparse", "random_blocks"));
    for (const char* pattern : {"window", "random_blocks", "random_pairs", "random_pairs_10"})
      require(fmt::format("{}, N = 32768: building the schedule over the kernel", pattern),
              "<=", 0.05, of_pattern("schedule", pattern));
    require("N = 1,000,000 causal: peak memory over inputs and outputs", "<=", 1.1,
            median_of(
                {.benchmark = "million", .mask = "causal", .n = 1'000'000, .threads = all_threads_},
                &MicrobenchRow::memory_ratio));
    for (const char* dtype : {"f32", "f16", "bf16"}) at_most_error(dtype);
  }

  // Takes the worst of all masks, with and without outliers.
  void at_most_error(const char* dtype) {
    double worst = kNotAvailable;
    for (const MicrobenchRow& row : rows_)
      if (!row.warmup && row.dtype == dtype && !std::isnan(row.error_ratio))
        worst = std::isnan(worst) ? row.error_ratio : std::max(worst, row.error_ratio);
    require(fmt::format("{}: error over the naive error, outliers included", dtype), "<=", 1.5,
            {worst});
  }

  const std::vector<MicrobenchRow>& rows_;
  const int all_threads_;
  std::vector<Target> targets_;
};

}  // namespace

std::vector<Target> judge(const std::vector<MicrobenchRow>& rows, int all_threads) {
  return Judge(rows, all_threads).targets();
}

std::string target_table(const std::vector<Target>& targets) {
  TextTable table({"what", "target", "measured", "verdict"});
  for (const Target& t : targets) table.add({t.what, t.target, t.measured, t.verdict});
  return table.terminal();
}

}  // namespace qb
