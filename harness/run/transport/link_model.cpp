// SPDX-License-Identifier: Apache-2.0
#include "harness/run/transport/link_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <sstream>
#include <vector>

#include "base/numbers.h"
#include "base/status.h"
#include "base/words.h"

namespace qb {
namespace {

constexpr std::string_view kLinkForm =
    "a bandwidth above 0 in bytes/s and a latency of 0 or more: 50e9,5us or 400Gb/s,5us";

constexpr std::string_view kNvlink4 = "H100 NVLink 4, one way: NVIDIA's datasheet; latency assumed";

// Bandwidth in one direction, for one device. A name without a device is of any other one.
constexpr struct {
  std::string_view name;
  std::string_view device;
  LinkLimit limit;
  std::string_view source;
} kLinks[] = {
    {"nvlink", "h100", {450e9, 2e-6}, kNvlink4},
    {"nvlink", "h800", {200e9, 2e-6}, "H800 NVLink, one way: 400 GB/s both ways; latency assumed"},
    {"nvlink",
     "",
     {300e9, 2e-6},
     "A100 NVLink, one way: Ring Attention (arXiv 2310.01889) Table 2; latency assumed"},
    {"nvlink4", "", {450e9, 2e-6}, kNvlink4},
    {"hdr", "", {25e9, 33.8e-6}, "InfiniBand HDR, 200 Gbit/s a port; latency as infiniband's"},
    {"ndr", "", {50e9, 33.8e-6}, "InfiniBand NDR, 400 Gbit/s a port; latency as infiniband's"},
    {"infiniband",
     "",
     {12.5e9, 33.8e-6},
     "A100 InfiniBand, HDR100, one way: Ring Attention (arXiv 2310.01889) Table 2; latency of a "
     "hop fit to Context Parallelism (arXiv 2411.01783) Table 8, batch 1"},
    {"ethernet", "", {1.25e9, 30e-6}, "10 Gbit/s line rate, without protocol; latency assumed"},
};

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

std::pair<LinkLimit, std::string> named_link(std::string_view name, std::string_view file) {
  const std::string device = std::filesystem::path(file).stem().string();
  std::vector<std::string_view> names;
  for (const auto& link : kLinks) {
    if (link.name == name && (link.device.empty() || link.device == device))
      return {link.limit, std::string(link.source)};
    if (link.device.empty()) names.push_back(link.name);
  }
  throw UsageError(unknown_word("link", name, names));
}

std::pair<LinkLimit, std::string> parse_link(std::string_view key, std::string_view text,
                                             std::string_view device) {
  const std::size_t comma = text.find(',');
  const auto bandwidth = parse_byte_rate(text.substr(0, comma));
  if (!bandwidth) try {
      return named_link(text, device);
    } catch (const UsageError& problem) {
      throw UsageError(fmt::format("{}: {}; else it is {}", key, problem.what(), kLinkForm));
    }
  const auto latency =
      comma == std::string_view::npos ? 0.0 : parse_real(text.substr(comma + 1)).value_or(-1.0);
  if (!(*bandwidth > 0.0) || !(latency >= 0.0))
    throw UsageError(fmt::format("{} {}: it must be {}", key, text, kLinkForm));
  return {LinkLimit{*bandwidth, latency}, ""};
}

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
    if (fields.empty() || std::max(columns.bandwidth, columns.time) == 0) continue;
    const auto number = [&](std::size_t field) {
      const auto value = field < fields.size() ? parse_real(fields[field]) : std::nullopt;
      if (value && *value >= 0.0) return *value;
      throw UsageError(fmt::format("{}: '{}' is cut off, or is no line of a result", name, line));
    };
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

std::string link_text(const LinkLimit& limit) {
  const std::string bandwidth = shortest_text(limit.bandwidth_byte_per_s);
  return limit.latency_s > 0.0 ? bandwidth + "," + shortest_text(limit.latency_s) : bandwidth;
}

}  // namespace qb
