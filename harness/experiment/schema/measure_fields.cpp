#include "harness/experiment/schema/measure_fields.h"

namespace qb {
namespace {

constexpr double kMaxRepeats = 1e6;

constexpr MeasureField kFields[] = {
    {"warmups", "warmups", &Measure::warmups, 0, kMaxRepeats},
    {"min_repeats", "min_repeats", &Measure::min_repeats, 1, kMaxRepeats},
    {"max_repeats", "max_repeats", &Measure::max_repeats, 1, kMaxRepeats},
    {"relative_interval", "relative_interval", &Measure::relative_interval, 0, 1},
    {"max_time", "max_time_s", &Measure::max_time_s, 0, 0, true},
    {"timeout", "timeout_s", &Measure::timeout_s, 0, 0, true},
    {"verify_rows", "verify_rows", &Measure::verify_rows, 0, static_cast<double>(kMaxTokens)},
    {"memory_timeline", "memory_timeline", &Measure::memory_timeline},
    {.key = "device_memory",
     .name = "device_memory",
     .member = &Measure::device_memory,
     .is_later = true},
};

}  // namespace

std::span<const MeasureField> measure_fields() { return kFields; }

}  // namespace qb
