// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/clocks.h"

#include <string_view>
#include <utility>

namespace qb::cuda {
namespace {

// These are bits of nvmlClocksEventReasons….
constexpr std::pair<std::uint64_t, std::string_view> kThrottles[] = {
    {0x04, "power cap"}, {0x08, "hardware slowdown"}, {0x20, "heat"},
    {0x40, "heat"},      {0x80, "power brake"},
};

}  // namespace

bool is_throttled(const ClockState& state) { return !throttle_text(state.reasons).empty(); }

std::string throttle_text(std::uint64_t reasons) {
  std::string text;
  for (const auto& [bit, what] : kThrottles) {
    if ((reasons & bit) == 0 || text.find(what) != std::string::npos) continue;
    text += text.empty() ? "" : ", ";
    text += what;
  }
  return text;
}

}  // namespace qb::cuda
