// Shared memory above the 48 KiB that every kernel may take.
#pragma once

namespace qb::cuda {

// Allows the kernel so many bytes on the current device. The runtime is asked once for each kernel
// and device: a call for what is allowed already costs a look-up.
void allow_shared_memory(const void* kernel, int bytes);

}  // namespace qb::cuda
