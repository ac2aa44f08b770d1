// SPDX-License-Identifier: Apache-2.0
// Describes attention as an operation graph of cuDNN, and the plan that executes it. cuDNN's graph
// API has a C interface: a descriptor is a set of typed attributes, completed by finalize. Only
// cudnn_*.cpp use this header.
#pragma once

#include <cudnn.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/attention.h"
#include "kernels/attention_backward.h"
#include "kernels/cuda/blas/cudnn_attention.h"
#include "kernels/cuda/runtime/loaded_library.h"

namespace qb::cuda {

struct Cudnn : LoadedLibrary {
  Cudnn() : LoadedLibrary(NvidiaLibrary::cudnn, "kernel cudnn needs cuDNN") {}
  decltype(&cudnnCreate) create = function("cudnnCreate");
  decltype(&cudnnDestroy) destroy = function("cudnnDestroy");
  decltype(&cudnnSetStream) set_stream = function("cudnnSetStream");
  decltype(&cudnnGetVersion) version = function("cudnnGetVersion");
  decltype(&cudnnGetErrorString) text = function("cudnnGetErrorString");
  decltype(&cudnnBackendCreateDescriptor) make = function("cudnnBackendCreateDescriptor");
  decltype(&cudnnBackendDestroyDescriptor) drop = function("cudnnBackendDestroyDescriptor");
  decltype(&cudnnBackendFinalize) finalize = function("cudnnBackendFinalize");
  decltype(&cudnnBackendSetAttribute) set = function("cudnnBackendSetAttribute");
  decltype(&cudnnBackendGetAttribute) get = function("cudnnBackendGetAttribute");
  decltype(&cudnnBackendExecute) execute = function("cudnnBackendExecute");
};

// Throws Unsupported where there is no cuDNN: a missing baseline is a row that says so and does not
// end the run.
[[nodiscard]] const Cudnn& dnn();

// Throws Unsupported also where cuDNN does not support something; CaseError crashed where the
// device is lost; else CaseError error.
void check(cudnnStatus_t status, const std::string& what);

class Descriptor {
 public:
  Descriptor() = default;
  Descriptor(cudnnBackendDescriptorType_t type, const char* name) : name_(name) {
    check(dnn().make(type, &handle_), std::string("making ") + name);
  }
  Descriptor(Descriptor&& other) noexcept { *this = std::move(other); }
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(name_, other.name_);
    return *this;
  }
  ~Descriptor() {
    if (handle_ != nullptr) (void)dnn().drop(handle_);
  }

  void set(cudnnBackendAttributeName_t attribute, cudnnBackendAttributeType_t type,
           std::int64_t count, const void* values) const {
    check(dnn().set(handle_, attribute, type, count, values), std::string("describing ") + name_);
  }
  void set(cudnnBackendAttributeName_t attribute, const Descriptor& value) const {
    set(attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value.handle_);
  }
  void set(cudnnBackendAttributeName_t attribute, const std::vector<Descriptor>& values) const;
  void finalize() const { check(dnn().finalize(handle_), std::string("sealing ") + name_); }
  [[nodiscard]] cudnnBackendDescriptor_t get() const { return handle_; }

 private:
  cudnnBackendDescriptor_t handle_ = nullptr;
  const char* name_ = "";
};

// These tensors are bound at execution. The three scalars are float32 on the host.
enum TensorId : std::int64_t {
  kQ = 1,
  kK,
  kV,
  kO,
  kStatistics,
  kScale,
  kMasked,
  kOne,
  kDOut,
  kDQSum,
  kDQ,
  kDK,
  kDV,
  kFirstVirtual
};

// Returns the operations of softmax(scale Q K^T) V with the statistics of its rows; out has the
// inputs' type. Without a mask this is one node. That node of cuDNN 9.19 has no attribute for the
// causal mask, so the pattern that its engines know is written out: product, scale, select by row
// and column number, softmax, product.
[[nodiscard]] std::vector<Descriptor> attention_operations(const AttentionArguments& a,
                                                           const TensorView& out, WholeMask mask);

// What cuDNN reads or writes in the inputs' type where a call has float32, and its sum of dQ.
struct NarrowTensors {
  TensorView out;
  TensorView d_q_sum;  // float32 and 0 before each execution; its elements have cuDNN's own order
  TensorView d_q;
  TensorView d_k;
  TensorView d_v;
};

// Returns the operations of the gradients of the same attention, with or without the causal mask,
// as the pattern that cuDNN's engines know: D of O and dO, P of the scores and statistics, then the
// five products. As many query heads as key-value heads. The pattern is that of NVIDIA's frontend
// with the factor of its dropout, here 1, and with a float32 sum of dQ beside dQ: cuDNN 9.19 takes
// it without either, but then keeps whole matrices of scores in its workspace.
[[nodiscard]] std::vector<Descriptor> gradient_operations(const BackwardArguments& a,
                                                          const NarrowTensors& narrow,
                                                          WholeMask mask);

// The tensors of a call, and the scalars that execute() does not bind itself.
using Bindings = std::vector<std::pair<TensorId, void*>>;
[[nodiscard]] Bindings gradient_bindings(const BackwardArguments& a, const NarrowTensors& narrow);

struct CudnnPlan {
  Descriptor graph;
  Descriptor engine;
  Descriptor plan;
  std::int64_t workspace_bytes = 0;
};

// Returns the first plan that can be made of what cuDNN's heuristics propose: first the engines in
// the order of their expected speed, then the fallback engines. Throws Unsupported, with the first
// reason, where every engine refuses; CaseError error where one fails otherwise and no other one
// accepts the graph; CaseError crashed, at once, where the device is lost.
[[nodiscard]] CudnnPlan make_plan(cudnnHandle_t handle, const std::vector<Descriptor>& operations);

// Executes the plan over the tensors of a call, with workspace_bytes at `workspace`; the mask is
// that of its operations.
void execute(cudnnHandle_t handle, const CudnnPlan& plan, const Bindings& bindings, double scale,
             WholeMask mask, void* workspace);

}  // namespace qb::cuda
