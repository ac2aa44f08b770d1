// What a worker's tensors lie on and what works on them: the host's memory and kernels, or a GPU of
// the worker's own. Not thread-safe but for the operations on rows of a HostWorkerDevice.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "harness/execute/device/compute_device.h"
#include "harness/execute/player/device_executor.h"
#include "harness/execute/player/kept_calls.h"
#include "harness/plan/plan.h"
#include "kernels/attention.h"
#include "kernels/reduction.h"

namespace qb {

// Where rows of a whole tensor go in a local one: group `chosen[i]` to `begins[i]`.
struct GatherMap {
  const std::vector<TokenGroup>& groups;
  const std::vector<int>& chosen;
  const std::vector<std::int64_t>& begins;
};

class WorkerDevice {
 public:
  virtual ~WorkerDevice() = default;
  // True where tensors are in the host's memory and every operation is done when it returns.
  [[nodiscard]] virtual bool is_host() const = 0;
  [[nodiscard]] virtual KernelTiles tiles(Kernel kernel, std::int64_t head_dim) const = 0;
  // For what the host does beside the kernels.
  [[nodiscard]] virtual int host_threads() const = 0;

  virtual void attention(Kernel kernel, const AttentionArguments& arguments, Allocator& workspace,
                         int worker) = 0;
  virtual void copy_rows(const TensorView& source, const TensorView& destination) = 0;
  virtual void clear_partial(const TensorView& out, const TensorView& lse) = 0;
  virtual void merge_partial(const TensorView& acc_out, const TensorView& acc_lse,
                             const TensorView& part_out, const TensorView& part_lse) = 0;
  virtual void gather(const TensorView& whole, const TensorView& local, const GatherMap& map) = 0;
  // Fills a contiguous local tensor with what `write` writes into a view of its shape on the host.
  virtual void write(const TensorView& local,
                     const std::function<void(const TensorView&)>& write) = 0;
  // See kernels/reduction.h.
  virtual void combine(const TensorView& target, const TensorView& source, Combine how) = 0;
  virtual void weigh_partial(const TensorView& out, const TensorView& lse,
                             const TensorView& maximum, const TensorView& denominator) = 0;
  virtual void normalise_partial(const TensorView& out, const TensorView& lse,
                                 const TensorView& maximum, const TensorView& denominator) = 0;

  // Times are counted from here, which is now_s() == start_s.
  virtual void start(double start_s) = 0;
  // What comes from here to the next call takes time that is added to `*seconds`; nullptr: to
  // nothing. On a GPU the targets have their values after stop() only.
  virtual void charge(double* seconds) = 0;
  // `*seconds`: when what comes next begins, since the start.
  virtual void note(double* seconds) = 0;
  virtual void stop() = 0;
  // From start to stop by the clock of a GPU; 0 on the host.
  [[nodiscard]] virtual double device_s() const = 0;
};

class HostWorkerDevice final : public WorkerDevice {
 public:
  // stages: what the kernel's stages took, added up; may be null.
  explicit HostWorkerDevice(int threads, StageTimes* stages = nullptr)
      : threads_(threads), stages_(stages) {}

  [[nodiscard]] bool is_host() const override { return true; }
  [[nodiscard]] KernelTiles tiles(Kernel kernel, std::int64_t head_dim) const override;
  [[nodiscard]] int host_threads() const override { return threads_; }
  void attention(Kernel kernel, const AttentionArguments& arguments, Allocator& workspace,
                 int worker) override;
  void copy_rows(const TensorView& source, const TensorView& destination) override;
  void clear_partial(const TensorView& out, const TensorView& lse) override;
  void merge_partial(const TensorView& acc_out, const TensorView& acc_lse,
                     const TensorView& part_out, const TensorView& part_lse) override;
  void gather(const TensorView& whole, const TensorView& local, const GatherMap& map) override;
  void write(const TensorView& local,
             const std::function<void(const TensorView&)>& write) override {
    write(local);
  }
  void combine(const TensorView& target, const TensorView& source, Combine how) override;
  void weigh_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                     const TensorView& denominator) override;
  void normalise_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                         const TensorView& denominator) override;
  void start(double start_s) override { start_s_ = start_s; }
  void charge(double* seconds) override;
  void note(double* seconds) override;
  void stop() override { charge(nullptr); }
  [[nodiscard]] double device_s() const override { return 0.0; }

 private:
  const int threads_;
  StageTimes* const stages_;
  double start_s_ = 0.0;
  double since_s_ = 0.0;
  double* target_ = nullptr;
};

class GpuWorkerDevice final : public WorkerDevice {
 public:
  // kept: of the executions before and to come; null: every call makes its own.
  explicit GpuWorkerDevice(ComputeDevice& device, KeptCalls* kept = nullptr)
      : device_(device), kept_(kept), watch_(device, ClockKind::synchronized) {
    if (kept_ != nullptr) kept_->rewind();
  }

  [[nodiscard]] bool is_host() const override { return false; }
  [[nodiscard]] KernelTiles tiles(Kernel kernel, std::int64_t head_dim) const override {
    return device_.tiles(kernel, head_dim);
  }
  [[nodiscard]] int host_threads() const override { return 1; }
  void attention(Kernel kernel, const AttentionArguments& arguments, Allocator& workspace,
                 int worker) override {
    if (kept_ != nullptr) return kept_->attend(device_, kernel, arguments, workspace, worker);
    device_.attention(kernel, arguments, workspace, worker, {});
  }
  void copy_rows(const TensorView& source, const TensorView& destination) override {
    device_.copy_rows(source, destination);
  }
  void clear_partial(const TensorView& out, const TensorView& lse) override {
    device_.clear_partial(out, lse);
  }
  void merge_partial(const TensorView& acc_out, const TensorView& acc_lse,
                     const TensorView& part_out, const TensorView& part_lse) override {
    device_.merge_partial(acc_out, acc_lse, part_out, part_lse);
  }
  void gather(const TensorView& whole, const TensorView& local, const GatherMap& map) override;
  void write(const TensorView& local, const std::function<void(const TensorView&)>& write) override;
  void combine(const TensorView& target, const TensorView& source, Combine how) override {
    device_.combine(target, source, how);
  }
  void weigh_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                     const TensorView& denominator) override {
    device_.weigh_partial(out, lse, maximum, denominator);
  }
  void normalise_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                         const TensorView& denominator) override {
    device_.normalise_partial(out, lse, maximum, denominator);
  }
  void start(double) override {
    watch_.start();
    watch_.charge(nullptr);
  }
  void charge(double* seconds) override { watch_.charge(seconds); }
  void note(double* seconds) override { watch_.note(seconds); }
  void stop() override { watch_.stop(); }
  [[nodiscard]] double device_s() const override { return watch_.device_s(); }

 private:
  ComputeDevice& device_;
  KeptCalls* const kept_;
  Stopwatch watch_;
};

}  // namespace qb
