// SPDX-License-Identifier: Apache-2.0
// A device with a link to those of other ranks.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "harness/run/device/compute_device.h"
#include "harness/run/transport/device_link.h"

namespace qb {

class LinkedDevice : public virtual ComputeDevice {
 public:
  static constexpr std::string_view kMissing = "this device has no link to others";

  // These do what new_nccl_id() and open_nccl_link() do: see transport/device_link.h.
  [[nodiscard]] virtual std::string make_link_id() = 0;
  [[nodiscard]] virtual std::unique_ptr<DeviceLink> open_link(const std::string& id, int rank,
                                                              int ranks, double timeout_s) = 0;
};

}  // namespace qb
