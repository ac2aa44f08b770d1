// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/transport/measured_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <sstream>
#include <vector>

#include "base/numbers.h"
#include "base/status.h"

namespace qb {
namespace {

// Which fields of a line, after the size in its first, are what; 0: none is.
struct Columns {
  std::size_t bandwidth;
  double byte_per_s;  // of 1 in that field
  std::size_t time;   // in microseconds
};

// nccl-tests: size, count, type, redop, root, us, algbw and busbw in GB/s, #wrong, …
constexpr Columns kNccl{7, 1e9, 5};
constexpr Columns kOsuBandwidth{1, 1e6, 0};
constexpr Columns kOsuLatency{0, 0.0, 1};

}  // namespace

LinkLimit measured_link(std::string_view text, const std::string& name) {
  std::istringstream lines{std::string(text)};
  Columns columns{};
  LinkLimit link;
  double least_size = std::numeric_limits<double>::infinity();
  for (std::string line; std::getline(lines, line);) {
    const auto has = [&](std::string_view words) { return line.find(words) != std::string::npos; };
    if (line.starts_with('#')) {
      const bool other = has("test starting") && !has("sendrecv_perf");
      if (other || has("Bi-Directional") || has("Multiple"))
        throw UsageError(fmt::format(
            "{}: '{}' is not of one link one way; give what sendrecv_perf, or osu_bw and "
            "osu_latency, print",
            name, line));
      if (has("busbw")) columns = kNccl;
      if (has("Bandwidth (MB/s)")) columns = kOsuBandwidth;
      if (has("Latency (us)") || has("Latency(us)")) columns = kOsuLatency;
      continue;
    }
    std::istringstream words(line);
    const std::vector<std::string> fields{std::istream_iterator<std::string>(words), {}};
    if (fields.size() <= std::max(columns.bandwidth, columns.time)) continue;
    const auto number = [&](std::size_t field) { return parse_real(fields[field]).value_or(0.0); };
    if (columns.bandwidth > 0)
      link.bandwidth_byte_per_s =
          std::max(link.bandwidth_byte_per_s, columns.byte_per_s * number(columns.bandwidth));
    if (columns.time > 0 && number(0) > 0.0 && number(0) < least_size) {
      least_size = number(0);
      link.latency_s = number(columns.time) / 1e6;
    }
  }
  if (!(link.bandwidth_byte_per_s > 0.0) || !(link.latency_s > 0.0))
    throw UsageError(fmt::format(
        "{}: it has no {}; give what sendrecv_perf of nccl-tests prints, or osu_bw and osu_latency "
        "one after the other",
        name, link.bandwidth_byte_per_s > 0.0 ? "latency" : "bandwidth"));
  return link;
}

}  // namespace qb
