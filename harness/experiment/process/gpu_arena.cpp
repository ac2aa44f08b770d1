#include "harness/experiment/process/gpu_arena.h"

#include <algorithm>
#include <vector>

#include "harness/execute/player/nccl_executor.h"
#include "harness/execute/verify/verify.h"
#include "harness/experiment/process/measured_columns.h"

namespace qb {

CudaDeviceOptions gpu_options(const Case& c) {
  return {.force_sm80 = c.cuda_path == CudaPath::sm_80,
          .ordinal = c.ranks == Ranks::nccl ? gpu_of_this_rank() : 0};
}

LedgerOptions gpu_ledger_options(const Case& c, bool record, ComputeDevice& device) {
  LedgerOptions options = ledger_options(c, record);
  if (options.allocator == AllocatorKind::automatic) options.allocator = AllocatorKind::pool;
  options.source = device.memory(options.allocator);
  return options;
}

void add_clock(ComputeDevice& device, Sample& sample) {
  const cuda::ClockState clock = device.clock();
  if (clock.sm_hz > 0.0) sample.sm_clock_hz = clock.sm_hz;
  if (clock.reasons_known) sample.throttled = cuda::is_throttled(clock) ? 1.0 : 0.0;
}

void CacheFlush::flush(ComputeDevice& device, Allocator& memory) {
  if (buffer_.data() == nullptr) buffer_ = Buffer(memory, 2 * device.facts().l2_bytes, "l2_flush");
  device.fill(buffer_.data(), value_++, buffer_.bytes());
  device.wait();
}

void GpuArenaBase::fill() {
  const Problem& problem = planned_.plan.problem;
  host_ = make_inputs(problem, heap_allocator(), planned_.threads);
  host_out_ = Tensor(heap_allocator(), DType::f32, problem.shape.out(), "output");
  host_lse_ = Tensor(heap_allocator(), DType::f32, problem.shape.lse(), "lse");
  fill_device();
  out_ = Tensor(ledger_, DType::f32, problem.shape.out(), "output");
  lse_ = Tensor(ledger_, DType::f32, problem.shape.lse(), "lse");
}

void GpuArenaBase::poison_output() {
  poison(host_out_.view(), host_lse_.view());
  device_.upload(host_out_.view(), out_.view());
  device_.upload(host_lse_.view(), lse_.view());
  device_.wait();
}

HostTensors GpuArenaBase::tensors() {
  return {host_.q.view(), host_.k.view(), host_.v.view(), host_out_.view(), host_lse_.view()};
}

void GpuArenaBase::end_sample(Sample& sample) { add_clock(device_, sample); }

GpuArenaBase::Whole GpuArenaBase::upload_inputs() {
  const auto copy = [&](const TensorView& host, const char* label) {
    Tensor tensor(ledger_, host.dtype, host.extent, label);
    device_.upload(host, tensor.view());
    return tensor;
  };
  Whole whole;
  whole.q = copy(host_.q.view(), "q");
  whole.k = copy(host_.k.view(), "k");
  whole.v = copy(host_.v.view(), "v");
  device_.wait();
  return whole;
}

void GpuArenaBase::download_output() {
  device_.download(out_.view(), host_out_.view());
  device_.download(lse_.view(), host_lse_.view());
}

namespace {

// Sets of inputs that take turns: with several times the cache in all, nothing of a set is left in
// it when its turn comes again.
constexpr std::uint64_t kCachesToRotate = 3;
constexpr std::uint64_t kMostSets = 8;

class GpuArena final : public GpuArenaBase {
 public:
  using GpuArenaBase::GpuArenaBase;

  Execution execute(bool verifying) override {
    Set& set = sets_[turn_ % sets_.size()];
    if (!set.executor)
      set.executor = std::make_unique<DeviceExecutor>(planned_.plan,
                                                      DeviceArguments{.q = set.whole.q.view(),
                                                                      .k = set.whole.k.view(),
                                                                      .v = set.whole.v.view(),
                                                                      .out = out_.view(),
                                                                      .lse = lse_.view(),
                                                                      .kernel = case_.kernel,
                                                                      .launch = case_.launch,
                                                                      .clock = case_.clock,
                                                                      .allocator = &ledger_},
                                                      device_);
    Execution execution = set.executor->run();
    for (std::size_t w = 0; w < execution.workers.size(); ++w)
      execution.workers[w].active_peak_bytes =
          static_cast<std::int64_t>(ledger_.worker_peak_bytes(static_cast<int>(w)));
    if (verifying) download_output();
    return execution;
  }

  void begin_sample() override {
    if (case_.l2_cache == L2Cache::rotated) {
      make_rotation();
      ++turn_;
    }
    if (case_.l2_cache == L2Cache::flushed) flush_.flush(device_, ledger_);
  }

 private:
  struct Set {
    Whole whole;
    std::unique_ptr<DeviceExecutor> executor;
  };

  void fill_device() override {
    sets_.clear();
    sets_.push_back({upload_inputs(), nullptr});
  }

  void make_rotation() {
    const auto bytes = static_cast<std::uint64_t>(host_.q.view().bytes() + host_.k.view().bytes() +
                                                  host_.v.view().bytes());
    const std::uint64_t wanted =
        kCachesToRotate * device_.facts().l2_bytes / std::max<std::uint64_t>(bytes, 1) + 2;
    while (sets_.size() < std::min(wanted, kMostSets)) sets_.push_back({upload_inputs(), nullptr});
  }

  CacheFlush flush_;
  std::vector<Set> sets_;  // their executors hold memory of the ledger
  std::size_t turn_ = 0;
};

}  // namespace

std::unique_ptr<Arena> make_gpu_arena(const Case& c, const PlannedCase& planned, bool record,
                                      ComputeDevice& device) {
  return std::make_unique<GpuArena>(c, planned, record, device);
}

}  // namespace qb
