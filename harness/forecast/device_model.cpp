// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/device_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/status.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

double seconds_of(std::int64_t bytes, const DeviceNumber& byte_per_s) {
  return byte_per_s.value > 0.0 ? static_cast<double>(bytes) / byte_per_s.value : 0.0;
}

// Returns for example `flash in f16 at head_dim 64, flash in f16 at head_dim 128`.
std::string known_rates(const DeviceModel& device) {
  std::vector<std::string> known;
  for (const RatePoint& point : device.rates) {
    std::string text = fmt::format("{} in {} at head_dim {}", word(point.kernel), word(point.dtype),
                                   point.head_dim);
    if (std::ranges::find(known, text) == known.end()) known.push_back(text);
  }
  return fmt::format("{}", fmt::join(known, ", "));
}

}  // namespace

DeviceNumber backward_share(const DeviceModel& device) {
  if (device.backward_share_of_forward.value > 0.0) return device.backward_share_of_forward;
  return {kBackwardShareOfForward, RateProvenance::assumed, "the device says nothing of it"};
}

DeviceCosts::DeviceCosts(const DeviceModel& device, Kernel kernel, const Problem& problem,
                         Pass pass)
    : device_(device),
      kernel_(kernel),
      flop_per_pair_(flop_per_pair(problem.shape, pass)),
      query_tile_(static_cast<std::int64_t>(device.query_tile.value)) {
  if (query_tile_ == 0) query_tile_ = kernel_tiles(kernel, problem.shape.head_dim).query_tile;
  const double share = pass == Pass::forward ? 1.0 : backward_share(device).value;
  for (const RatePoint& point : device.rates)
    if (point.kernel == kernel && point.dtype == problem.dtype &&
        point.head_dim == problem.shape.head_dim)
      points_.push_back({std::log(static_cast<double>(point.queries * point.keys)),
                         std::log(share * point.flop_per_s)});
  if (points_.empty())
    throw Unsupported(fmt::format("the device {} has no rate of {} in {} at head_dim {}; it has {}",
                                  device.name, word(kernel), word(problem.dtype),
                                  problem.shape.head_dim, known_rates(device)));
  std::ranges::sort(points_, {}, &LogPoint::pairs);
}

double DeviceCosts::flop_per_s(std::int64_t pairs) const {
  const double at = std::log(static_cast<double>(pairs));
  const auto above = std::ranges::lower_bound(points_, at, {}, &LogPoint::pairs);
  if (above == points_.begin()) return std::exp(above->flop_per_s);
  const auto below = above - 1;
  if (above == points_.end()) return std::exp(below->flop_per_s);
  const double share = (at - below->pairs) / (above->pairs - below->pairs);
  return std::exp(below->flop_per_s + share * (above->flop_per_s - below->flop_per_s));
}

double DeviceCosts::call_s(std::int64_t pairs, std::int64_t units, std::int64_t bytes) const {
  const double flop = flop_per_pair_ * static_cast<double>(pairs) * static_cast<double>(units);
  const double compute_s = pairs > 0 ? flop / flop_per_s(pairs) : 0.0;
  return device_.call_overhead_s.value +
         std::max(compute_s, seconds_of(bytes, device_.memory_byte_per_s));
}

double DeviceCosts::merge_s(std::int64_t bytes) const {
  return seconds_of(bytes, device_.merge_byte_per_s);
}

double DeviceCosts::copy_s(std::int64_t bytes) const {
  return seconds_of(bytes, device_.copy_byte_per_s);
}

}  // namespace qb
