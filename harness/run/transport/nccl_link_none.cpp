// SPDX-License-Identifier: Apache-2.0
// Replaces nccl_link.cpp if qb is built without CUDA or without NCCL's header.
#include "base/status.h"
#include "harness/run/transport/device_link.h"

namespace qb {

std::string nccl_version() { throw Unsupported("this qb was built without NCCL's header nccl.h"); }
std::string new_nccl_id() { return nccl_version(); }
std::unique_ptr<DeviceLink> open_nccl_link(void*, const std::string&, int, int, double) {
  throw Unsupported(nccl_version());
}

}  // namespace qb
