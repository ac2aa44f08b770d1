#include "harness/workload/case.h"

#include <fmt/format.h>

#include <utility>

#include "base/status.h"

namespace qb {
namespace {

struct GpuHere {
  std::optional<CudaDevice> device;
  std::string why_none;
};

const GpuHere& gpu_here() {
  static const GpuHere here = [] {
    try {
      const CudaProbe probe = probe_cuda();
      std::string reason = why_no_cuda(probe);
      if (!reason.empty()) return GpuHere{std::nullopt, std::move(reason)};
      return GpuHere{probe.devices.front(), {}};
    } catch (const EnvironmentError& error) {
      return GpuHere{std::nullopt, error.what()};  // there is a GPU that does not work
    }
  }();
  return here;
}

void refuse_same_size(const Case& c) {
  if (c.allocator == AllocatorKind::same_size)
    throw Unsupported("allocator: same_size exists on the CPU only; the nearest on a GPU is pool");
}

// Each GPU plays one worker, and all GPUs are timed together.
void require_fitting_nccl(const Case& c) {
  const auto refuse = [](std::string_view name, std::string_view value, std::string_view nearest) {
    throw Unsupported(fmt::format("{}: {} needs ranks: serial; with ranks: nccl it must be {}",
                                  name, value, nearest));
  };
  if (c.launch != Launch::alone) refuse("launch", word(c.launch), word(Launch::alone));
  if (c.clock != ClockKind::synchronized)
    refuse("clock", word(c.clock), word(ClockKind::synchronized));
  if (c.l2_cache != L2Cache::warm) refuse("l2_cache", word(c.l2_cache), word(L2Cache::warm));
  // cudaFree waits for the GPU, and with it for the other ranks.
  if (c.allocator == AllocatorKind::direct)
    refuse("allocator", word(c.allocator), word(AllocatorKind::pool));
  refuse_same_size(c);
}

}  // namespace

std::optional<CudaDevice> first_gpu() { return gpu_here().device; }

const std::string& why_no_gpu() { return gpu_here().why_none; }

void require_device(const Case& c) {
  if (c.device == Device::cuda && !why_no_gpu().empty())
    throw EnvironmentError(
        fmt::format("device cuda: {} (--set device=cpu runs on the CPU)", why_no_gpu()));
}

void require_fitting_device(const Case& c) {
  if (c.device == Device::cuda) {
    if (c.worker_speeds)
      throw Unsupported(
          "worker_speeds slow workers down by sleeping, which a GPU cannot do; use device: cpu");
    if (c.ranks == Ranks::nccl) return require_fitting_nccl(c);
    if (c.ranks != Ranks::serial)
      throw Unsupported(
          fmt::format("ranks: {} needs device: cpu; on one GPU ranks: serial plays the workers, "
                      "with a GPU for each ranks: nccl",
                      word(c.ranks)));
    refuse_same_size(c);
    return;
  }
  if (c.ranks == Ranks::nccl)
    throw Unsupported("ranks: nccl needs device: cuda; on the CPU the nearest is ranks: mpi");
  const auto refuse = [](std::string_view name, std::string_view value) {
    throw Unsupported(fmt::format("{}: {} needs device: cuda", name, value));
  };
  if (c.allocator == AllocatorKind::pool) refuse("allocator", word(c.allocator));
  if (c.launch != Launch::alone) refuse("launch", word(c.launch));
  if (c.clock != ClockKind::synchronized) refuse("clock", word(c.clock));
  if (c.l2_cache != L2Cache::automatic) refuse("l2_cache", word(c.l2_cache));
  if (c.cuda_path != CudaPath::automatic) refuse("cuda.path", word(c.cuda_path));
}

}  // namespace qb
