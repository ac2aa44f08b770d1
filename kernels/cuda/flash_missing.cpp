// Stands in for the flash kernels until they are there; see cuda_kernels.h.
#include "harness/base/status.h"
#include "kernels/cuda/cuda_kernels.h"

namespace qb::cuda {
namespace {

[[noreturn]] void missing() {
  throw Unsupported("there is no flash kernel for GPUs yet; the nearest is kernel materialized");
}

}  // namespace

struct FlashLaunch::State {};
FlashLaunch::FlashLaunch(const GroupedCall&, const LaunchContext&) { missing(); }
FlashLaunch::FlashLaunch(FlashLaunch&&) noexcept = default;
FlashLaunch& FlashLaunch::operator=(FlashLaunch&&) noexcept = default;
FlashLaunch::~FlashLaunch() = default;
void FlashLaunch::attend() const { missing(); }
void FlashLaunch::merge() const { missing(); }
bool FlashLaunch::needs_merge() const { return false; }
KernelTiles flash_tiles(std::int64_t, FlashPath) { missing(); }
void flash(const AttentionArguments&, const LaunchContext&) { missing(); }
void flash_groups(const GroupedCall&, const LaunchContext&) { missing(); }
void merge(const TensorView&, const TensorView&, const TensorView&, const TensorView&,
           const LaunchContext&) {
  missing();
}
void clear_partial(const TensorView&, const TensorView&, const LaunchContext&) { missing(); }

}  // namespace qb::cuda
