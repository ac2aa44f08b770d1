// Joins the GPUs of several processes by NCCL. Only nccl_link.cpp includes the header of NCCL, and
// the library is loaded when it is first needed.
#pragma once

#include <memory>
#include <string>

#include "harness/execute/transport/device_link.h"

namespace qb {

// Says whether libnccl is available. It needs no GPU.
struct NcclProbe {
  std::string version;   // "2.28.9"; empty: not found
  std::string why_none;  // a sentence if it was not found
};
[[nodiscard]] NcclProbe probe_nccl();

// One rank makes the id, and all pass it to open_nccl_link(). Throws CaseError.
[[nodiscard]] std::string new_nccl_id();

struct NcclPlace {
  std::string id;
  int rank = 0;
  int ranks = 1;
  double timeout_s = 60.0;
};

// The ranks 0 … ranks - 1, each on its own GPU, all call it. stream: the cudaStream_t that the rank
// computes on. Throws CaseError, also if the others do not come within timeout_s.
[[nodiscard]] std::unique_ptr<DeviceLink> open_nccl_link(void* stream, const NcclPlace& place);

}  // namespace qb
