// SPDX-License-Identifier: Apache-2.0
// What a case computes: attention over a plan's workers (attention.cpp), or a transformer
// layer (layer/layer_workload.cpp). Code that predicts or runs a case uses only this interface, in
// the order of its declarations. In several processes each rank has
// the same workload: rank 0 holds the whole inputs where they are needed, the others their shards.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "harness/forecast/hosts.h"
#include "harness/run/device/compute_device.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/verify/verify.h"
#include "harness/workload/case.h"
#include "harness/workload/result.h"

namespace qb {

class Workload {
 public:
  virtual ~Workload() = default;
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  // Throws Unsupported where the device does not compute such a case.
  virtual void require(ComputeDevice& device) const;
  // Names what its kernels run on, for the isa column.
  [[nodiscard]] virtual std::string_view isa(ComputeDevice& device) const;
  // The predicted columns of a row. costs: those of the kernels on the case's GPU; nullptr on the
  // CPU, and where they are not known.
  [[nodiscard]] virtual RowValues predict(const cuda::KernelCosts* costs) = 0;
  // Asks the cost model where the case names a device for it, before anything is timed. Throws
  // CaseError where the model knows no rate that the plan needs.
  virtual void model() {}
  // By all messages of a run; empty where workers send none.
  [[nodiscard]] virtual SentBytes sent() const { return SentBytes(); }
  // The FLOP of everything that a run computes.
  [[nodiscard]] virtual double flop() const = 0;
  [[nodiscard]] virtual int threads() const = 0;
  // The first error where the plan does not compute everything exactly once.
  [[nodiscard]] virtual std::optional<std::string> flaw() const = 0;

  // Allocates inputs and outputs from a new ledger and fills them, the outputs with a pattern that
  // shows what is never written. The ledger counts its peaks from then on. device: nullptr where
  // this rank should have a GPU and has none, for the reason why_no_device. Throws OutOfMemory and
  // Unsupported; closes what was open before.
  void open(ComputeDevice* device, const MemoryLedger::Options& memory,
            const std::string& why_no_device = {});
  // Frees everything. The device must live until then.
  void close();
  // Called once after open(), on every rank: computes what all runs need and none of them counts,
  // as a backward pass needs the output of a forward pass. The ledger counts the peaks of the runs
  // only. Throws as run() does.
  virtual void prepare() {}
  // Counts what the device holds; it exists from the first open() to close().
  [[nodiscard]] virtual MemoryLedger& ledger() { return *ledger_; }

  // Computes once, and is not timed if `verifying`; otherwise report() includes the run.
  [[nodiscard]] virtual Sample run(bool verifying) = 0;
  // The most that the device of a worker held in the last run, and the root's, which holds the
  // whole tensors besides; nullopt where that is not known, or where there is no root.
  struct Peaks {
    std::optional<std::int64_t> device_bytes{};
    std::optional<std::int64_t> root_bytes{};
  };
  [[nodiscard]] virtual Peaks peaks() = 0;
  // Compares the last output with a float64 reference.
  [[nodiscard]] virtual Verification verify() = 0;
  // Adds the columns and rows that only this workload has. result.samples holds all timed runs, and
  // result.values their medians.
  virtual void report(CaseResult& result) = 0;

 protected:
  explicit Workload(const Case& c) : case_(c) {}

  // The workload's part of open() and close(); the ledger exists during both.
  virtual void hold(const std::string& why_no_device) = 0;
  virtual void release() = 0;
  [[nodiscard]] bool is_on_host() const { return device_->facts().on_host; }
  // The host makes inputs and reads outputs here: in the ledger where the device is the host.
  [[nodiscard]] Allocator& host_memory();
  // These copy between host and device, round where the types differ and return when that is done.
  // put() rounds the host's tensor too, so that the reference reads what the device reads.
  void put(const TensorView& host, const TensorView& device);
  void get(const TensorView& device, const TensorView& host);

  const Case case_;
  ComputeDevice* device_ = nullptr;
  MemoryLedger::Options memory_options_{};  // of open()

  // A tensor on host and device: only one where the device is the host and uses the same type.
  struct SharedTensor {
    Tensor of_host;
    Tensor of_device;
    [[nodiscard]] const TensorView& host() const { return of_host.view(); }
    [[nodiscard]] const TensorView& device() const {
      return of_device.view().data == nullptr ? of_host.view() : of_device.view();
    }
  };
  // A copy on the device in that type; no tensor where the device reads the host's.
  [[nodiscard]] Tensor copy_of(const TensorView& host, DType dtype, std::string_view label,
                               int worker = 0);
  [[nodiscard]] SharedTensor share(Tensor of_host, DType dtype, std::string_view label,
                                   int worker = 0);

 private:
  std::optional<MemoryLedger> ledger_;
};

// Plans the workload of a resolved case. Throws Unsupported with the reason where there is no such
// case, and UsageError as make_plan does.
[[nodiscard]] std::unique_ptr<Workload> plan_workload(const Case& c);

#define QB_DECLARE_WORKLOAD(word, plan) [[nodiscard]] std::unique_ptr<Workload> plan(const Case& c);
QB_WORKLOADS(QB_DECLARE_WORKLOAD)
#undef QB_DECLARE_WORKLOAD

}  // namespace qb
