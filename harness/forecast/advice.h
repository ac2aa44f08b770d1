// SPDX-License-Identifier: Apache-2.0
// Advises which way of splitting attention to use for a problem, by the forecasts of
// scheme_forecast.h, and which bandwidth, number of tokens or of workers would change the answer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/words.h"
#include "harness/forecast/scheme_forecast.h"
#include "harness/plan/theory/selector.h"

namespace qb {

// The largest part of the winner's time.
enum class Limit {
  compute,    // an even share of the work; only a faster device or more workers help
  imbalance,  // more than an even share, or waiting for workers that have more
  link,       // transfers that no compute hides, and the root's own work
};

QB_WORDS(Limit, "limit", compute, imbalance, link);
[[nodiscard]] Limit limit_of(const SchemeForecast& forecast);

// The choices of Algorithms 1 and 5 of Context Parallelism (arXiv 2411.01783) for a prefill with
// cached tokens, and the model's times of both rings.
struct SelectorAdvice {
  Prefill prefill;  // with the C and B given to the algorithms
  RingVariant algorithm_1 = RingVariant::pass_kv;
  RingVariant algorithm_5 = RingVariant::pass_kv;
  double pass_kv_s = 0.0;
  double pass_q_s = 0.0;
  [[nodiscard]] RingVariant faster() const {
    return pass_kv_s <= pass_q_s ? RingVariant::pass_kv : RingVariant::pass_q;
  }
};

struct Advice {
  // From `at` on another scheme is better than the winner: faster, for a bandwidth; faster by more
  // than kTellsApart, for a size.
  struct Change {
    double at = 0.0;
    std::string scheme;
  };
  struct Changes {
    std::optional<Change> below;
    std::optional<Change> above;
  };

  std::vector<SchemeForecast> schemes;  // ranking(): the winner first, if any is ranked()
  Changes bandwidth;                    // of the link, in byte/s
  // The bandwidth at which the best split is as fast as dense on one worker; empty: there is none.
  std::optional<double> splitting_pays_above_byte_per_s;
  Changes new_tokens;
  Changes workers;
  bool searched_bandwidth = false;          // with a link, up to kMostWorkersByBandwidth
  bool searched_sizes = false;              // up to kMostWorkersBySize
  std::optional<SelectorAdvice> selectors;  // with cached tokens, if B is known

  [[nodiscard]] const SchemeForecast* winner() const;  // nullptr if no plan is within the budget
  [[nodiscard]] const SchemeForecast* next() const;    // the one after the winner
  [[nodiscard]] const SchemeForecast* base() const;    // dense on one worker, within the budget
  [[nodiscard]] const SchemeForecast* find(std::string_view scheme) const;
};

// The model treats times that differ by less as equal.
inline constexpr double kTellsApart = 0.01;
// Changes are searched up to a factor of 2^20 in bandwidth, 2^6 in tokens, 2^3 in workers.
inline constexpr int kBandwidthDoublings = 20;
inline constexpr int kTokenDoublings = 6;
inline constexpr int kWorkerDoublings = 3;
// Beyond these limits a search, and then the plans themselves, would take minutes.
inline constexpr int kMostWorkersBySize = 64;
inline constexpr int kMostWorkersByBandwidth = 128;
inline constexpr int kMostWorkers = 4096;

// Throws as PlannedSchemes does, and UsageError beyond kMostWorkers. Deterministic.
[[nodiscard]] Advice advise(const SchemeQuestion& question);

// Returns the scheme that is better than the winner for a size, or an empty name.
using BetterAt = std::function<std::string(std::int64_t)>;

struct SizeSearch {
  std::int64_t given = 1;  // the winner is the answer here
  bool up = true;
  int doublings = 1;      // or halvings, at most
  std::int64_t most = 1;  // no larger size is asked about, and none below 1
  bool refine = false;
};

// Doubles or halves the size until the answer changes; `refine` then searches until the two sizes
// on either side of the change are at most 2 % apart, or neighbours.
[[nodiscard]] std::optional<Advice::Change> size_change(const SizeSearch& search,
                                                        const BetterAt& better_at);

}  // namespace qb
