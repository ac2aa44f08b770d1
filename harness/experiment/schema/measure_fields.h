// The settings of `measure:` in a spec, said once: for specs, JSON, the case id and the resolved
// spec.
#pragma once

#include <span>
#include <string_view>
#include <variant>

#include "harness/experiment/schema/case.h"

namespace qb {

struct MeasureField {
  std::string_view key;   // in a spec
  std::string_view name;  // with its unit, in JSON
  std::variant<int Measure::*, std::int64_t Measure::*, double Measure::*, bool Measure::*> member;
  // The bounds of a number; a time has a unit in a spec and is above `min`.
  double min = 0.0;
  double max = 1e9;
  bool is_time = false;
  // Not in the id of a case where it is what it was before there was such a setting.
  bool is_later = false;
};

// In the order of the resolved spec. `repeats` is no setting: it stands for min_repeats and
// max_repeats at once.
[[nodiscard]] std::span<const MeasureField> measure_fields();

}  // namespace qb
