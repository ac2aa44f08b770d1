// SPDX-License-Identifier: Apache-2.0
// Tests that cuDNN itself, where there is one, has engines for the graphs that kernel cudnn makes.
// It chooses engines for a GPU that is described to it, and checks what they support; a kernel that
// it has compiled cannot be loaded without one.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"
#include "kernels/cuda/blas/cudnn_graph.h"

namespace qb::cuda {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Lt;
using ::testing::Not;

struct DescribedGpu {
  const char* name;
  int architecture;
  int multiprocessors;
  int shared_bytes;  // that a block can ask for
};

void PrintTo(const DescribedGpu& gpu, std::ostream* out) { *out << gpu.name; }

Descriptor described(const DescribedGpu& gpu) {
  const std::string text =
      R"({"maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64],)"
      R"( "regsPerBlock": 65536, "warpSize": 32, "maxSharedMemoryPerBlock": 49152,)"
      R"( "reservedSharedMemoryPerBlock": 1024, "maxRegistersPerSM": 65536, "maxCtasPerSM": 32,)"
      R"( "maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048, "pciDeviceId": 0, "isTccDriver": 0,)"
      R"( "supportCoopLaunch": 1, "totalGlobalMem": 85000000000, "smClockRateKHz": 1400000,)"
      R"( "memClockRateKHz": 1600000, "l2CacheSize": 41943040, "cudaDeviceId": 0,)"
      R"( "driverVer": 13000, "multiProcessorCount": )" +
      std::to_string(gpu.multiprocessors) + R"(, "maxSharedMemoryPerBlockOptin": )" +
      std::to_string(gpu.shared_bytes) + R"(, "deviceVer": )" + std::to_string(gpu.architecture) +
      R"(, "deviceName": ")" + gpu.name + "\"}";
  Descriptor device(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, "a device");
  device.set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
             static_cast<std::int64_t>(text.size() + 1), text.c_str());
  device.finalize();
  return device;
}

// Returns the workspace of each engine that supports the graph on the GPU, in the order in which
// the heuristics propose them.
std::vector<std::int64_t> workspaces_for(const std::vector<Descriptor>& operations,
                                         const DescribedGpu& gpu) {
  Descriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, "a graph");
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operations);
  graph.finalize();
  const Descriptor device = described(gpu);
  const cudnnBackendHeurMode_t mode = CUDNN_HEUR_MODE_A;
  const Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, "the heuristics");
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, device);
  heuristics.finalize();
  std::vector<Descriptor> engines;
  std::vector<cudnnBackendDescriptor_t> handles;
  for (int i = 0; i < 16; ++i) {
    engines.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, "an engine");
    handles.push_back(engines.back().get());
  }
  std::int64_t count = 0;
  check(dnn().get(heuristics.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                  std::ssize(handles), &count, handles.data()),
        "asking the heuristics");
  std::vector<std::int64_t> workspaces(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < workspaces.size(); ++i)
    check(dnn().get(handles[i], CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &count,
                    &workspaces[i]),
          "asking an engine for its workspace");
  return workspaces;
}

class CudnnEngines : public testing::TestWithParam<DescribedGpu> {
 protected:
  static void SetUpTestSuite() {
    // cuDNN asks for them by name, and the system's loader may not know their folders.
    for (const char* const library : {QB_CUDA_DRIVER, QB_NVRTC})
      if (dlopen(library, RTLD_NOW | RTLD_GLOBAL) == nullptr)
        missing_ = std::string(library) + " cannot be loaded";
    try {
      (void)dnn();
    } catch (const Unsupported& reason) {
      missing_ = reason.what();
    }
  }
  void SetUp() override {
    if (!missing_.empty()) GTEST_SKIP() << missing_;
  }
  static TensorView view(DType dtype, std::int64_t length, std::int64_t dim,
                         std::int64_t heads = 8) {
    return contiguous_view(nullptr, dtype, {1, heads, length, dim});
  }
  static BackwardArguments call(DType dtype, std::int64_t n, std::int64_t m, std::int64_t dim,
                                std::int64_t heads = 8) {
    BackwardArguments a;
    a.q = a.d_out = view(dtype, n, dim, heads);
    a.k = a.v = view(dtype, m, dim, heads);
    a.lse = view(DType::f32, n, 1, heads);
    return a;
  }
  static std::vector<std::int64_t> forward(const BackwardArguments& call, WholeMask mask) {
    AttentionArguments a;
    a.q = call.q;
    a.k = call.k;
    a.v = call.v;
    a.lse = call.lse;
    return workspaces_for(attention_operations(a, a.q, mask), GetParam());
  }
  static std::vector<std::int64_t> backward(const BackwardArguments& a, WholeMask mask) {
    TensorView d_q_sum = a.q;
    d_q_sum.dtype = DType::f32;
    return workspaces_for(gradient_operations(a, {a.q, d_q_sum, a.q, a.k, a.v}, mask), GetParam());
  }
  static inline std::string missing_;
};

TEST_P(CudnnEngines, TakeTheGraphsOfAttention) {
  for (const WholeMask mask : {WholeMask::none, WholeMask::causal})
    EXPECT_THAT(forward(call(DType::bf16, 1000, 1000, 128), mask), Not(IsEmpty()))
        << (mask == WholeMask::causal);
}

TEST_P(CudnnEngines, TakeTheGraphsOfItsGradients) {
  EXPECT_THAT(backward(call(DType::bf16, 1000, 1000, 128), WholeMask::causal), Not(IsEmpty()));
  EXPECT_THAT(backward(call(DType::f16, 512, 2049, 64), WholeMask::none), Not(IsEmpty()));
}

// A matrix of scores of these shapes has 8.6 and 17.2 GB in 16 bits. An engine that keeps some in
// memory is slow, and what is compared with it looks fast.
TEST_P(CudnnEngines, KeepNoMatrixOfScoresInMemory) {
  for (const auto& [dim, heads] : {std::pair{128, 16}, std::pair{64, 32}}) {
    const BackwardArguments a = call(DType::bf16, 16384, 16384, dim, heads);
    for (const WholeMask mask : {WholeMask::none, WholeMask::causal}) {
      EXPECT_THAT(forward(a, mask), AllOf(Not(IsEmpty()), Each(Le(1'000'000)))) << dim;
      EXPECT_THAT(backward(a, mask), AllOf(Not(IsEmpty()), Each(Lt(1'000'000'000)))) << dim;
    }
  }
}

// Otherwise the tests of the engines' number could not fail.
TEST_P(CudnnEngines, TakeNoGraphOfFloat32) {
  EXPECT_THAT(backward(call(DType::f32, 512, 512, 64), WholeMask::none), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Gpus, CudnnEngines,
                         testing::Values(DescribedGpu{"a100", 800, 108, 166'912},
                                         DescribedGpu{"h100", 900, 132, 232'448}),
                         [](const auto& gpu) { return gpu.param.name; });

}  // namespace
}  // namespace qb::cuda
