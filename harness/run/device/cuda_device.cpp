// SPDX-License-Identifier: Apache-2.0

#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "harness/run/device/attention_device.h"
#include "harness/run/device/compute_device.h"
#include "harness/run/transport/device_link.h"
#include "kernels/cuda/blas/blas.h"
#include "kernels/cuda/runtime/clocks.h"
#include "kernels/cuda/runtime/device.h"
#include "kernels/cuda/runtime/memory_activity.h"
#include "kernels/cuda/runtime/runtime.h"

namespace qb {
namespace {

void require_whole(const TensorView& a, const TensorView& b) {
  const TensorView whole = contiguous_view(a.data, a.dtype, a.extent);
  if (a.extent != b.extent || a.dtype != b.dtype || whole.head_stride != a.head_stride ||
      a.head_stride != b.head_stride || a.token_stride != b.token_stride)
    throw std::invalid_argument("upload, download: the tensors differ, or are not contiguous");
}

class CudaComputeDevice final : public LayerDevice, public LinkedDevice {
 public:
  CudaComputeDevice(const CudaDevice& device, bool force_sm80)
      : facts_{.name = device.name, .l2_bytes = device.l2_bytes, .id = device.id},
        compute_capability_(10 * device.compute_major + device.compute_minor),
        n_sms_(device.multiprocessors),
        force_sm80_(force_sm80),
        costs_(path(), n_sms_) {}

  const Facts& facts() const override { return facts_; }

  void require(Kernel kernel, DType dtype, std::int64_t head_dim) const override {
    require_gpu_kernel(kernel, dtype);
    (void)tiles(kernel, head_dim);
  }

  const cuda::KernelCosts& costs() const override { return costs_; }
  std::optional<double> peak_flop_per_s(DType dtype) override {
    const auto [known, is_new] = peaks_.try_emplace(dtype);
    if (is_new && pool_) pool_->trim();
    if (is_new) known->second = cuda::product_peak_flop_per_s(dtype, stream_);
    return known->second;
  }

  std::string_view isa(Kernel kernel, DType dtype) override {
    if (kernel != Kernel::flash) return cuda::blas_isa(dtype);
    return path() == cuda::FlashPath::sm90 ? "sm_90a" : "sm_80";
  }

  void attention(Kernel kernel, const AttentionArguments& arguments, const KernelContext& place,
                 const cuda::OnStage& on_stage) override {
    const cuda::LaunchContext context = launch_context(place.workspace, place.worker);
    if (kernel == Kernel::flash) return cuda::flash(arguments, context);
    if (!blas_) blas_.emplace(stream_.get());
    if (kernel == Kernel::staged) return cuda::staged(arguments, context, *blas_, on_stage);
    cuda::materialized(arguments, context, *blas_);
  }

  void attention_backward(Kernel kernel, const BackwardArguments& arguments,
                          const KernelContext& place) override {
    cuda::require_gpu_backward(kernel, arguments.q.dtype);
    cuda::flash_backward(arguments, launch_context(place.workspace, place.worker));
  }
  KeptBackward keep_backward_schedule(Kernel /*kernel*/, const BackwardArguments& kept,
                                      Allocator& memory, int worker) override {
    const auto lists =
        std::make_shared<cuda::BackwardDeviceLists>(kept, launch_context(memory, worker));
    return [this, lists, worker](const BackwardArguments& arguments, Allocator& workspace) {
      cuda::BackwardLaunch(arguments, *lists, launch_context(workspace, worker)).run();
    };
  }
  void compute_delta(const TensorView& out, const TensorView& d_out,
                     const TensorView& delta) override {
    cuda::compute_delta(out, d_out, delta, stream_.get());
  }

  void sink_gradients(const TensorView& lse, const TensorView& delta, const TensorView& sinks,
                      const TensorView& d_sinks) override {
    cuda::sink_gradients(lse, delta, sinks, d_sinks, stream_.get());
  }

  Prepared prepare(const cuda::GroupedCall& call, Allocator& workspace) override {
    const auto launch = std::make_shared<cuda::FlashLaunch>(call, launch_context(workspace, 0));
    return {[launch] { launch->attend(); }, [launch] { launch->merge(); }};
  }

  KeptSchedule keep_schedule(Kernel kernel, const AttentionArguments& kept, Allocator& memory,
                             int worker) override {
    if (kernel != Kernel::flash) return {};
    const auto lists = std::make_shared<cuda::FlashLists>(cuda::whole_call(kept, worker),
                                                          launch_context(memory, worker));
    return [this, lists, worker](const AttentionArguments& arguments, Allocator& workspace) {
      const cuda::FlashLaunch launch(cuda::whole_call(arguments, worker), *lists,
                                     launch_context(workspace, worker));
      launch.attend();
      launch.merge();
    };
  }

  void copy_rows(const TensorView& source, const TensorView& destination) override {
    cuda::copy_rows(source, destination, stream_.get());
  }
  void clear_rows(const TensorView& rows) override { cuda::clear_rows(rows, stream_.get()); }
  void add_rows(const TensorView& sum, const TensorView& part) override {
    cuda::add_rows(sum, part, stream_.get());
  }
  void clear_partial(const TensorView& out, const TensorView& lse) override {
    cuda::clear_partial(out, lse, launch_context(heap_allocator(), 0));
  }
  void merge_partial(const TensorView& acc_out, const TensorView& acc_lse,
                     const TensorView& part_out, const TensorView& part_lse) override {
    cuda::merge(acc_out, acc_lse, part_out, part_lse, launch_context(heap_allocator(), 0));
  }

  void combine(const TensorView& target, const TensorView& source, Combine how) override {
    cuda::combine(target, source, how, stream_.get());
  }
  void weigh_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                     const TensorView& denominator) override {
    cuda::weigh_partial(out, lse, maximum, denominator, stream_.get());
  }
  void normalise_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                         const TensorView& denominator) override {
    cuda::normalise_partial(out, lse, maximum, denominator, stream_.get());
  }

  void linear(const LinearCall& call, Allocator& workspace) override {
    if (!blas_) blas_.emplace(stream_.get());
    const Buffer blas_workspace(workspace, cuda::kBlasWorkspaceBytes, "cublas_workspace");
    blas_->use_workspace(blas_workspace);
    const auto rows_of = [&](const void* data, std::int64_t stride) {
      return cuda::Blas::Batch{const_cast<void*>(data), call.dtype, stride, 0};
    };
    blas_->multiply(call.rows, call.out, call.in, rows_of(call.x, call.in),
                    rows_of(call.weight, call.in), true, rows_of(call.y, call.y_stride), 1);
    if (call.bias != nullptr) cuda::add_bias(call, stream_.get());
  }
  void bias_gelu(const GeluCall& call) override { cuda::bias_gelu(call, stream_.get()); }
  void add_norm(const NormCall& call) override { cuda::add_norm(call, stream_.get()); }

  MemorySource memory(AllocatorKind kind) override {
    if (kind == AllocatorKind::automatic || kind == AllocatorKind::pool) return pool_memory();
    return {.available = [] { return cuda::DirectMemory::free_bytes(); },
            .reserve = [](std::size_t bytes) { return cuda::DirectMemory::allocate(bytes); },
            .release = [this](void* memory,
                              std::size_t) { cuda::DirectMemory::release(memory, stream_.get()); }};
  }

  void upload(const TensorView& host, const TensorView& device) override {
    require_whole(host, device);
    cuda::copy_to_device(host.data, device.data, static_cast<std::size_t>(host.bytes()),
                         stream_.get());
  }
  void download(const TensorView& device, const TensorView& host) override {
    require_whole(device, host);
    cuda::copy_to_host(device.data, host.data, static_cast<std::size_t>(host.bytes()),
                       stream_.get());
  }
  void fill(void* device, unsigned char value, std::size_t bytes) override {
    cuda::fill_bytes(device, value, bytes, stream_.get());
  }
  void watch_memory() override { activity_.emplace(); }
  std::optional<std::uint64_t> watched_peak_bytes() override {
    if (!activity_) return std::nullopt;
    const auto peak = activity_->peak_bytes();
    activity_.reset();
    return peak;
  }
  cuda::ClockState clock() override {
    if (!clocks_) clocks_.emplace(stream_.get());
    return clocks_->read();
  }

  int mark() override {
    if (n_marks_ == marks_.size()) marks_.emplace_back();
    Mark& mark = marks_[n_marks_++];
    mark.event.record(stream_);
    mark.host_s = now_s();
    return static_cast<int>(n_marks_) - 1;
  }
  bool has_passed(int mark) override { return at(mark).event.has_happened(); }
  void wait() override { stream_.wait(); }
  double seconds(int from, int to, ClockKind clock) const override {
    return clock == ClockKind::synchronized ? at(to).event.seconds_since(at(from).event)
                                            : at(to).host_s - at(from).host_s;
  }
  void forget_marks() override { n_marks_ = 0; }

  std::string make_link_id() override { return new_nccl_id(); }
  std::unique_ptr<DeviceLink> open_link(const std::string& id, int rank, int ranks,
                                        double timeout_s) override {
    return open_nccl_link(stream_.get(), id, rank, ranks, timeout_s);
  }

  std::function<void()> record(const std::function<void()>& enqueue) override {
    const auto graph = std::make_shared<cuda::Graph>(stream_, enqueue);
    return [this, graph] { graph->launch(stream_); };
  }

 private:
  struct Mark {
    cuda::Event event;
    double host_s = 0.0;
  };

  [[nodiscard]] const Mark& at(int mark) const { return marks_[static_cast<std::size_t>(mark)]; }

  [[nodiscard]] cuda::LaunchContext launch_context(Allocator& workspace, int worker) const {
    return {workspace, stream_.get(), compute_capability_, n_sms_, worker, force_sm80_};
  }
  [[nodiscard]] cuda::FlashPath path() const {
    return cuda::flash_path(launch_context(heap_allocator(), 0));
  }

  // Memory that the pool holds and does not use is available too.
  MemorySource pool_memory() {
    if (!pool_) pool_.emplace(stream_);
    return {.available =
                [this] {
                  return cuda::DirectMemory::free_bytes() + pool_->reserved_bytes() -
                         pool_->used_bytes();
                },
            .reserve = [this](std::size_t bytes) { return pool_->allocate(bytes); },
            .release = [this](void* memory, std::size_t) { pool_->release(memory); },
            .held = [this] { return pool_->reserved_bytes(); }};
  }

  Facts facts_;
  int compute_capability_;
  int n_sms_;
  bool force_sm80_;
  cuda::Stream stream_;
  cuda::GpuKernelCosts costs_;
  std::map<DType, std::optional<double>> peaks_;
  std::optional<cuda::Pool> pool_;
  std::optional<cuda::Blas> blas_;
  std::optional<cuda::ClockMonitor> clocks_;
  std::optional<cuda::MemoryActivity> activity_;
  std::vector<Mark> marks_;
  std::size_t n_marks_ = 0;
};

}  // namespace

std::unique_ptr<ComputeDevice> open_cuda_device(bool force_sm80, int ordinal) {
  const CudaProbe probe = probe_cuda();
  if (const std::string reason = why_no_cuda(probe); !reason.empty()) throw Unsupported(reason);
  cuda::use_device(ordinal);
  return std::make_unique<CudaComputeDevice>(probe.devices.at(static_cast<std::size_t>(ordinal)),
                                             force_sm80);
}

}  // namespace qb
