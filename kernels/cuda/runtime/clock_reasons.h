// Why a GPU's clock is not at its highest. A plain host header.
#pragma once

#include <cstdint>
#include <string>

namespace qb::cuda {

// What a GPU did while a sample was taken. 0, or empty: not known.
struct ClockState {
  double sm_hz = 0.0;         // measured on the device
  std::uint64_t reasons = 0;  // NVML's bits
  bool reasons_known = false;
};

// The bits of NVML that slow a GPU down against its will: power, heat, and the power supply's
// brake. Idling and clocks that somebody has set are none.
[[nodiscard]] bool is_throttled(const ClockState& state);
// `power cap, heat`; empty where there is none.
[[nodiscard]] std::string throttle_text(std::uint64_t reasons);

}  // namespace qb::cuda
