// Replaces nccl_link.cpp if qb is built without CUDA or without NCCL's header.
#include "base/status.h"
#include "harness/execute/transport/nccl_link.h"

namespace qb {

NcclProbe probe_nccl() { return {{}, "this qb was built without NCCL's header nccl.h"}; }

std::string new_nccl_id() { throw Unsupported(probe_nccl().why_none); }

std::unique_ptr<DeviceLink> open_nccl_link(void*, const NcclPlace&) {
  throw Unsupported(probe_nccl().why_none);
}

}  // namespace qb
