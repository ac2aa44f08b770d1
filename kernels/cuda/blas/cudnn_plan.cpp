// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/blas/cudnn_graph.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/status.h"

namespace qb::cuda {
namespace {

// Collects why attempts failed, until one succeeds.
class Attempts {
 public:
  // Returns whether the work succeeded. Throws where the device is lost.
  template <class Work>
  bool succeeds(Work work) {
    try {
      work();
      return true;
    } catch (const CaseError& error) {
      if (error.status() != Status::unsupported && error.status() != Status::error) throw;
      std::string& reason = error.status() == Status::error ? error_ : refusal_;
      if (reason.empty()) reason = error.what();
    }
    return false;
  }
  [[noreturn]] void give_up(std::size_t n_engines) const {
    std::string tried = "cuDNN proposes no engine for this attention on this GPU";
    if (n_engines > 0)
      tried = "cuDNN proposes " + std::to_string(n_engines) +
              " engines for this attention on this GPU, and none of them takes it";
    if (!error_.empty()) throw CaseError(Status::error, tried + "; " + error_);
    throw Unsupported(refusal_.empty() ? tried : tried + "; " + refusal_);
  }

 private:
  std::string error_;
  std::string refusal_;
};

// Returns configured engines for the graph, in the heuristics' order.
std::vector<Descriptor> proposed_engines(const Descriptor& graph, cudnnBackendHeurMode_t mode) {
  const Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, "the heuristics");
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
  heuristics.finalize();
  const auto ask = [&heuristics](std::int64_t room, void* handles) {
    std::int64_t count = 0;
    check(dnn().get(heuristics.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                    room, &count, handles),
          "asking the heuristics");
    return static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  };
  std::vector<Descriptor> engines;
  std::vector<cudnnBackendDescriptor_t> handles;
  for (std::size_t i = ask(0, nullptr); i > 0; --i) {
    engines.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, "an engine");
    handles.push_back(engines.back().get());
  }
  if (!engines.empty())
    engines.resize(
        std::min(engines.size(), ask(static_cast<std::int64_t>(handles.size()), handles.data())));
  return engines;
}

void plan_with(cudnnHandle_t handle, const Descriptor& engine, CudnnPlan& plan) {
  Descriptor made(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, "a plan");
  made.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
  made.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, engine);
  made.finalize();
  std::int64_t count = 0;
  check(dnn().get(made.get(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &count,
                  &plan.workspace_bytes),
        "asking a plan for its workspace");
  plan.plan = std::move(made);
}

}  // namespace

const Cudnn& dnn() {
  try {
    return loaded<Cudnn>();
  } catch (const EnvironmentError& error) {
    throw Unsupported(error.what());
  }
}

void check(cudnnStatus_t status, const std::string& what) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  const std::string text = "cuDNN, " + what + ": " + dnn().text(status);
  const int kind = static_cast<int>(status) / 1000;
  if (kind == static_cast<int>(CUDNN_STATUS_NOT_SUPPORTED) / 1000) throw Unsupported(text);
  if (kind == static_cast<int>(CUDNN_STATUS_EXECUTION_FAILED) / 1000)
    throw CaseError(Status::crashed, "the GPU was lost, " + text);
  throw CaseError(Status::error, text);
}

void Descriptor::set(cudnnBackendAttributeName_t attribute,
                     const std::vector<Descriptor>& values) const {
  std::vector<cudnnBackendDescriptor_t> handles;
  handles.reserve(values.size());
  for (const Descriptor& value : values) handles.push_back(value.get());
  set(attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR, static_cast<std::int64_t>(handles.size()),
      handles.data());
}

CudnnPlan make_plan(cudnnHandle_t handle, const std::vector<Descriptor>& operations) {
  CudnnPlan plan;
  plan.graph = Descriptor(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, "a graph");
  plan.graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
  plan.graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operations);
  plan.graph.finalize();
  Attempts attempts;
  std::size_t n_engines = 0;
  for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    std::vector<Descriptor> engines;
    (void)attempts.succeeds([&] { engines = proposed_engines(plan.graph, mode); });
    n_engines += engines.size();
    for (Descriptor& engine : engines) {
      if (!attempts.succeeds([&] { plan_with(handle, engine, plan); })) continue;
      plan.engine = std::move(engine);
      return plan;
    }
  }
  attempts.give_up(n_engines);
}

void execute(cudnnHandle_t handle, const CudnnPlan& plan, const Bindings& bindings, double scale,
             WholeMask mask, void* workspace) {
  auto factor = static_cast<float>(scale);
  float masked = -std::numeric_limits<float>::infinity();
  std::vector<std::int64_t> ids = {kScale};
  std::vector<void*> pointers = {&factor};
  const auto bind = [&](TensorId id, void* data) {
    ids.push_back(id);
    pointers.push_back(data);
  };
  if (mask == WholeMask::causal) bind(kMasked, &masked);
  for (const auto& [id, data] : bindings) bind(id, data);
  const Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, "the pointers");
  pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, std::ssize(ids), ids.data());
  pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, std::ssize(pointers),
           pointers.data());
  pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
  pack.finalize();
  check(dnn().execute(handle, plan.plan.get(), pack.get()), "computing attention");
}

}  // namespace qb::cuda
