// SPDX-License-Identifier: Apache-2.0
// The names of what figures and tables show of cases: columns of cases.csv, and values that are
// derived from several columns or cases.
#pragma once

#include <string>
#include <string_view>

#include "base/schema/field.h"

namespace qb {

struct DerivedValue {
  std::string_view name{};
  std::string_view unit{};  // as that of a column: `s`, `bytes`
  std::string_view meaning{};
  std::string_view said{};  // as axes and titles call it; empty: its name in words
  bool on_x = false;        // a number of a problem, which only an axis of x shows
};

inline constexpr DerivedValue kDerivedValues[] = {
    {"time", "s", "the wall clock, and under `ranks: serial` the critical path"},
    {"device_sent", "bytes", "what the busiest device sends, a root among them",
     "bytes sent by a device"},
    {"device_peak", "bytes", "what the fullest device holds at its peak, a root among them",
     "peak memory of a device"},
    {"planned_peak", "bytes", "what the fullest device holds by the plan, a root among them",
     "planned memory of a device"},
    {"speed_up", "", "that time of the base case over that of the case", "speed-up"},
    {"efficiency", "", "the speed-up over the number of workers", "speed-up over W"},
    {"paper_speed_up", "",
     "the base case's time over that of the longest subsequence, CQS-Attention's S",
     "speed-up S (longest worker)"},
    {"worker_speed", "FLOP/s", "the unmasked FLOP of one of W workers over that time",
     "speed of a worker"},
    {"mfu", "%", "that speed over the peak of a device", "model FLOP utilisation"},
    {"imbalance", "", "the pairs of the slowest worker over those of an even share",
     "slowest worker's pairs over an even share"},
    {"exposed_ratio", "", "exposed communication over what its bytes take on the link",
     "exposed communication over bytes / bandwidth"},
    {"over_ideal", "", "the time over that of dense attention for as many pairs",
     "time over that of dense attention for as many pairs"},
    {"tokens_per_worker", "tokens", "N / W", "tokens a worker N/W", true},
    {"miss_rate", "%", "N / keys: the share of the keys that are new", "miss rate T / (P + T) (%)",
     true},
    {"typical_score", "", "scale x sqrt(d), as large as scores of normal inputs are",
     "typical score, scale × √d", true},
};

// Returns null where no derived value has that name.
[[nodiscard]] const DerivedValue* find_derived(std::string_view name);

// Gives the name of a derived value, or the column, of a name as people type it: `Critical path`
// and critical_path are critical_path_median_s. Throws UsageError with the nearest name.
[[nodiscard]] std::string value_word(std::string_view typed);

// Makes `device_sent` of device_sent_bytes.
[[nodiscard]] std::string_view without_unit(std::string_view column);

// Gives the column of a parameter by its column, its key, or its heading in tables: `N`. Throws
// UsageError with the nearest name.
[[nodiscard]] std::string parameter_word(std::string_view typed);

// Makes `N` of a parameter whose values are labelled `N = {}`, and else writes its column in words.
[[nodiscard]] std::string parameter_heading(std::string_view column);

}  // namespace qb
