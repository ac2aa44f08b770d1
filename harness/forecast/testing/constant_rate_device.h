// SPDX-License-Identifier: Apache-2.0
// For tests only: a device that computes calls of every size at one rate and does nothing else.
#pragma once

#include "harness/forecast/device_model.h"

namespace qb {

[[nodiscard]] inline DeviceModel constant_rate_device(Kernel kernel, DType dtype,
                                                      std::int64_t head_dim, double flop_per_s) {
  DeviceModel device;
  device.name = "constant_rate";
  device.rates = {{kernel, dtype, head_dim, 1, 1, flop_per_s, RateProvenance::assumed, ""}};
  return device;
}

}  // namespace qb
