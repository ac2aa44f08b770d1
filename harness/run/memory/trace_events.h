// SPDX-License-Identifier: Apache-2.0
// Events of a trace in Chrome's JSON format, which https://ui.perfetto.dev opens.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace qb {

using TraceEvent = nlohmann::ordered_json;

inline constexpr double kMicroseconds = 1e6;  // of a second; times in a trace are in these

// Names a process (what: process_name, track 0) or one of its tracks (thread_name).
[[nodiscard]] TraceEvent trace_name_of(std::string_view what, std::string_view name, int process,
                                       std::int64_t track);

// The slices of one track must nest. Each slice goes to the first lane of its owner where it nests.
class TraceLanes {
 public:
  [[nodiscard]] std::size_t place(int owner, double begin_s, double end_s);

 private:
  std::unordered_map<int, std::vector<std::vector<double>>> ends_;  // ends of the open slices
};

// Returns the file, an event a line.
[[nodiscard]] std::string trace_text(const std::vector<TraceEvent>& events);

}  // namespace qb
