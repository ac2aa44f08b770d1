// NCCL between the GPUs of several processes. The only way to it: nccl_link.cpp alone includes its
// header. The library is loaded when it is first needed.
#pragma once

#include <memory>
#include <string>

#include "harness/execute/transport/device_link.h"

namespace qb {

// Whether libnccl is there. Needs no GPU.
struct NcclProbe {
  std::string version;   // "2.28.9"; empty: not found
  std::string why_none;  // then a sentence
};
[[nodiscard]] NcclProbe probe_nccl();

// What one rank makes and all give to open_nccl_link(). Throws CaseError.
[[nodiscard]] std::string new_nccl_id();

struct NcclPlace {
  std::string id;
  int rank = 0;
  int ranks = 1;
  double timeout_s = 60.0;
};

// Collective over the ranks 0 … ranks - 1, each on a GPU of its own. stream: the cudaStream_t that
// the rank computes on. Throws CaseError, also where the others do not come within timeout_s.
[[nodiscard]] std::unique_ptr<DeviceLink> open_nccl_link(void* stream, const NcclPlace& place);

}  // namespace qb
