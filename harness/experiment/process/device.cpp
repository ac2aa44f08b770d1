#include "harness/experiment/process/device.h"

#include <fmt/format.h>

#include <utility>

#include "base/status.h"
#include "harness/plan/strategies/strategy.h"
#include "interest_sets/sets/interest_set.h"

namespace qb {
namespace {

// What runs on a GPU; `auto` sends the rest to the CPU.
bool is_for_gpu(const Case& c) {
  const bool narrow = c.dtype == DType::f16 || c.dtype == DType::bf16;
  return c.workload != Workload::matrix_product && c.ranks == Ranks::serial && !c.cpu_isa &&
         c.allocator != AllocatorKind::same_size && !c.worker_speeds &&
         (((c.kernel == Kernel::flash || c.kernel == Kernel::cudnn) && narrow) ||
          ((c.kernel == Kernel::materialized || c.kernel == Kernel::staged) &&
           c.dtype != DType::f64));
}

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
      return GpuHere{std::nullopt, error.what()};  // there and broken
    }
  }();
  return here;
}

void refuse_same_size(const Case& c) {
  if (c.allocator == AllocatorKind::same_size)
    throw Unsupported("allocator: same_size is of the CPU; the nearest on a GPU is pool");
}

// Each GPU plays one worker, and all of them are timed together.
void require_fitting_nccl(const Case& c) {
  const auto refuse = [](std::string_view name, std::string_view value, std::string_view nearest) {
    throw Unsupported(
        fmt::format("{}: {} is of ranks: serial; with ranks: nccl it is {}", name, value, nearest));
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

Case resolve_case(Case c) {
  if (c.device == Device::automatic)
    c.device = is_for_gpu(c) && why_no_gpu().empty() ? Device::cuda : Device::cpu;
  if (c.device == Device::cuda) {
    if (c.allocator == AllocatorKind::automatic) c.allocator = AllocatorKind::pool;
    // A rank's shard has just been written when the clock starts.
    if (c.l2_cache == L2Cache::automatic)
      c.l2_cache = c.ranks == Ranks::nccl ? L2Cache::warm : L2Cache::flushed;
  }
  if (c.sequences) {
    Shape sums = c.shape;
    sums.batch = 1;
    sums.q_len = 0;
    sums.kv_len = 0;
    for (const Sequence& sequence : parse_sequences(*c.sequences)) {
      sums.q_len += sequence.new_tokens;
      sums.kv_len += sequence.cached_tokens + sequence.new_tokens;
    }
    if (c.shape.q_len != sums.q_len)
      throw UsageError(fmt::format("sequences hold {} new tokens and n_tokens is {}; make it {}",
                                   sums.q_len, c.shape.q_len, sums.q_len));
    c.shape = sums;
  }
  if (c.workload == Workload::transformer_layer && c.layer_feed_forward_dim == 0)
    c.layer_feed_forward_dim = 4 * c.shape.q_heads * c.shape.head_dim;
  if (c.workload == Workload::matrix_product) {
    if (c.product_row_groups == 0) c.product_row_groups = c.workers / 2;
    if (c.product_depth == 0) c.product_depth = c.shape.q_len;
  }
  if (c.ranks == Ranks::model && !c.model_device) c.model_device = "here";
  if (takes_interest_set(c.algorithm) && !c.interest_set && c.workers >= 3)
    c.interest_set = to_string(default_interest_set(c.workers));
  return c;
}

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
      throw Unsupported("worker_speeds slow workers down by sleeping, which is of the CPU");
    if (c.ranks == Ranks::nccl) return require_fitting_nccl(c);
    if (c.ranks != Ranks::serial)
      throw Unsupported(
          fmt::format("ranks: {} is of the CPU; on one GPU the workers are played by ranks: "
                      "serial, on one each by ranks: nccl",
                      word(c.ranks)));
    refuse_same_size(c);
    return;
  }
  if (c.ranks == Ranks::nccl)
    throw Unsupported("ranks: nccl is of device: cuda; on the CPU the nearest is ranks: mpi");
  const auto refuse = [](std::string_view name, std::string_view value) {
    throw Unsupported(fmt::format("{}: {} is of device: cuda", name, value));
  };
  if (c.allocator == AllocatorKind::pool) refuse("allocator", word(c.allocator));
  if (c.launch != Launch::alone) refuse("launch", word(c.launch));
  if (c.clock != ClockKind::synchronized) refuse("clock", word(c.clock));
  if (c.l2_cache != L2Cache::automatic) refuse("l2_cache", word(c.l2_cache));
  if (c.cuda_path != CudaPath::automatic) refuse("cuda.path", word(c.cuda_path));
}

}  // namespace qb
