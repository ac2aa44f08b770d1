// Tests that cuDNN itself, where there is one, has engines for the graphs that kernel cudnn makes.
// It chooses engines for a GPU that is described to it, and checks what they support; a kernel that
// it has compiled cannot be loaded without one.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "base/status.h"
#include "kernels/cuda/blas/cudnn_graph.h"

namespace qb::cuda {
namespace {

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

// Returns how many engines of the heuristics' first choice support the graph on the GPU.
std::int64_t engines_for(const std::vector<Descriptor>& operations, const DescribedGpu& gpu) {
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
  return count;
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
  static TensorView view(DType dtype, std::int64_t length, std::int64_t dim) {
    return contiguous_view(nullptr, dtype, {1, 8, length, dim});
  }
  static BackwardArguments call(DType dtype, std::int64_t n, std::int64_t m, std::int64_t dim) {
    BackwardArguments a;
    a.q = a.d_out = view(dtype, n, dim);
    a.k = a.v = view(dtype, m, dim);
    a.lse = view(DType::f32, n, 1);
    return a;
  }
  static std::int64_t engines(const BackwardArguments& a, WholeMask mask) {
    return engines_for(gradient_operations(a, {a.q, a.q, a.k, a.v}, mask), GetParam());
  }
  static inline std::string missing_;
};

TEST_P(CudnnEngines, TakeTheGraphsOfAttention) {
  for (const WholeMask mask : {WholeMask::none, WholeMask::causal}) {
    AttentionArguments a;
    a.q = a.k = a.v = view(DType::bf16, 1000, 128);
    a.lse = view(DType::f32, 1000, 1);
    EXPECT_GT(engines_for(attention_operations(a, a.q, mask), GetParam()), 0)
        << (mask == WholeMask::causal);
  }
}

TEST_P(CudnnEngines, TakeTheGraphsOfItsGradients) {
  EXPECT_GT(engines(call(DType::bf16, 1000, 1000, 128), WholeMask::causal), 0);
  EXPECT_GT(engines(call(DType::f16, 512, 2049, 64), WholeMask::none), 0);
}

// Otherwise the tests above could not fail.
TEST_P(CudnnEngines, TakeNoGraphOfFloat32) {
  EXPECT_EQ(engines(call(DType::f32, 512, 512, 64), WholeMask::none), 0);
}

INSTANTIATE_TEST_SUITE_P(Gpus, CudnnEngines,
                         testing::Values(DescribedGpu{"a100", 800, 108, 166'912},
                                         DescribedGpu{"h100", 900, 132, 232'448}),
                         [](const auto& gpu) { return gpu.param.name; });

}  // namespace
}  // namespace qb::cuda
