// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/workload.h"

#include <stdexcept>

#include "harness/run/device/attention_device.h"
#include "harness/workload/needs.h"

namespace qb {

void Workload::require(ComputeDevice& device) const {
  device.as<AttentionDevice>().require(case_.kernel, case_.dtype, case_.shape.head_dim);
}

std::string_view Workload::isa(ComputeDevice& device) const {
  return device.as<AttentionDevice>().isa(case_.kernel, case_.dtype);
}

void Workload::open(ComputeDevice* device, const MemoryLedger::Options& memory,
                    const std::string& why_no_device) {
  close();
  device_ = device;
  memory_options_ = memory;
  ledger_.emplace(memory);
  hold(why_no_device);
  ledger_->reset_peaks();
}

void Workload::close() {
  release();
  ledger_.reset();
}

Allocator& Workload::host_memory() {
  if (is_on_host()) return *ledger_;
  return heap_allocator();
}

void Workload::put(const TensorView& host, const TensorView& device) {
  if (is_on_host() && host.dtype == device.dtype) return;
  Tensor rounded;
  if (host.dtype != device.dtype) {
    const std::int64_t n = host.extent.elements();
    rounded = Tensor(heap_allocator(), device.dtype, host.extent, "rounded");
    convert(host.data, host.dtype, rounded.view().data, device.dtype, n);
    convert(rounded.view().data, device.dtype, host.data, host.dtype, n);
  }
  device_->upload(rounded.view().data == nullptr ? host : rounded.view(), device);
  device_->wait();
}

void Workload::get(const TensorView& device, const TensorView& host) {
  if (is_on_host() && host.dtype == device.dtype) return;
  if (host.dtype == device.dtype) return device_->download(device, host);
  const Tensor rounded(heap_allocator(), device.dtype, host.extent, "rounded");
  device_->download(device, rounded.view());
  convert(rounded.view().data, device.dtype, host.data, host.dtype, host.extent.elements());
}

Tensor Workload::copy_of(const TensorView& host, DType dtype, std::string_view label, int worker) {
  if (is_on_host() && host.dtype == dtype) return {};
  Tensor copy(*ledger_, dtype, host.extent, label, worker);
  put(host, copy.view());
  return copy;
}

Workload::SharedTensor Workload::share(Tensor of_host, DType dtype, std::string_view label,
                                       int worker) {
  Tensor of_device = copy_of(of_host.view(), dtype, label, worker);
  return {std::move(of_host), std::move(of_device)};
}

std::unique_ptr<Workload> plan_workload(const Case& c) {
  require_needs(c);
  switch (c.workload) {
#define QB_PLAN_WORKLOAD(word, plan) \
  case WorkloadKind::word:           \
    return plan(c);
    QB_WORKLOADS(QB_PLAN_WORKLOAD)
#undef QB_PLAN_WORKLOAD
  }
  throw std::logic_error("plan_workload: an unknown workload");
}

}  // namespace qb
