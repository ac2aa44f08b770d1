// How fast the flash kernels are, alone: products in TFLOP/s of unmasked pairs, decoding in GB/s of
// keys and values beside a device-to-device copy (read + written). Random data, medians of events.
#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "harness/base/status.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/device_memory.h"

namespace qb::cuda {
namespace {

constexpr int kWarmUps = 3;
constexpr int kRepeats = 11;

class Timer {
 public:
  Timer() {
    QB_CUDA_CHECK(cudaEventCreate(&begin_));
    QB_CUDA_CHECK(cudaEventCreate(&end_));
  }
  ~Timer() {
    (void)cudaEventDestroy(begin_);
    (void)cudaEventDestroy(end_);
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  double median_s(const std::function<void()>& operation) const {
    std::vector<double> seconds;
    for (int i = 0; i < kWarmUps + kRepeats; ++i) {
      float ms = 0.0F;
      QB_CUDA_CHECK(cudaEventRecord(begin_));
      operation();
      QB_CUDA_CHECK(cudaEventRecord(end_));
      QB_CUDA_CHECK(cudaEventSynchronize(end_));
      QB_CUDA_CHECK(cudaEventElapsedTime(&ms, begin_, end_));
      if (i >= kWarmUps) seconds.push_back(1e-3 * static_cast<double>(ms));
    }
    std::nth_element(seconds.begin(), seconds.begin() + kRepeats / 2, seconds.end());
    return seconds[kRepeats / 2];
  }

 private:
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

struct Case {
  std::int64_t d = 128;
  bool causal = false;
  std::int64_t queries = 16384;
  std::int64_t keys = 16384;
  std::int64_t batch = 1;
  std::int64_t heads = 16;
  std::int64_t kv_heads = 16;
  bool force_sm80 = false;
};

// A quarter of a million values again and again: not zeros, which run faster than data.
Tensor random_tensor(Allocator& memory, const Extent& extent, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  std::vector<std::uint16_t> some(1 << 18);
  for (std::uint16_t& x : some) x = f32_to_bf16(normal(engine));
  Tensor tensor(memory, DType::bf16, extent, "bench");
  const auto bytes = static_cast<std::size_t>(tensor.view().bytes());
  for (std::size_t at = 0; at < bytes; at += 2 * some.size())
    QB_CUDA_CHECK(cudaMemcpy(static_cast<std::byte*>(tensor.view().data) + at, some.data(),
                             std::min(2 * some.size(), bytes - at), cudaMemcpyHostToDevice));
  return tensor;
}

struct Measured {
  double seconds = 0.0;
  double flop = 0.0;
  double key_bytes = 0.0;
};

Measured measure(const Case& c, const LaunchContext& device) {
  LaunchContext context = {device.workspace, device.stream, device.compute_capability,
                           device.n_sms,     device.worker, c.force_sm80};
  Allocator& memory = context.workspace;
  const Tensor q = random_tensor(memory, {c.batch, c.heads, c.queries, c.d}, 1);
  const Tensor k = random_tensor(memory, {c.batch, c.kv_heads, c.keys, c.d}, 2);
  const Tensor v = random_tensor(memory, {c.batch, c.kv_heads, c.keys, c.d}, 3);
  const Tensor out(memory, DType::f32, q.view().extent, "out");
  const Tensor lse(memory, DType::f32, {c.batch, c.heads, c.queries, 1}, "lse");
  const KeySpan keys{0, c.keys, c.causal ? SpanKind::causal : SpanKind::full, c.keys - c.queries,
                     0, 0};
  const TileSchedule schedule = build_schedule(c.queries, c.keys, {{0, c.queries, keys}},
                                               flash_tiles(c.d, flash_path(context)).query_tile);
  GroupedCall call{q.view(), k.view(),   v.view(),   1.0 / std::sqrt(static_cast<double>(c.d)),
                   {},       out.view(), lse.view(), false};
  call.workers.push_back({0, {{0, c.queries, 1}}, {{0, c.keys, 1}}, &schedule, 0, 0});
  const FlashLaunch launch(call, context);
  Measured measured;
  measured.seconds = Timer().median_s([&launch] {
    launch.attend();
    launch.merge();
  });
  measured.flop = 4.0 * static_cast<double>(schedule.unmasked_pairs() * c.batch * c.heads * c.d);
  measured.key_bytes = static_cast<double>(k.view().bytes() + v.view().bytes());
  return measured;
}

double copy_bytes_per_s(Allocator& memory) {
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  const Buffer from(memory, kBytes, "copy");
  const Buffer to(memory, kBytes, "copy");
  QB_CUDA_CHECK(cudaMemset(from.data(), 0x5A, kBytes));
  const double seconds = Timer().median_s([&] {
    QB_CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), kBytes, cudaMemcpyDeviceToDevice));
  });
  return 2.0 * static_cast<double>(kBytes) / seconds;
}

void report_products(const LaunchContext& context) {
  fmt::print("{:>4} {:>7} {:>6} {:>9} {:>9} {:>8}\n", "d", "mask", "N", "path", "ms", "TFLOP/s");
  for (const bool force_sm80 : {false, true})
    for (const std::int64_t d : {64, 128, 256})
      for (const bool causal : {false, true})
        for (const std::int64_t n : {2048, 8192, 16384}) {
          const std::int64_t heads = 2048 / d;
          const Case c{.d = d,
                       .causal = causal,
                       .queries = n,
                       .keys = n,
                       .batch = 16384 / n,
                       .heads = heads,
                       .kv_heads = heads,
                       .force_sm80 = force_sm80};
          const Measured m = measure(c, context);
          fmt::print("{:>4} {:>7} {:>6} {:>9} {:>9.3f} {:>8.1f}\n", d, causal ? "causal" : "full",
                     n, force_sm80 ? "sm_80" : "own", 1e3 * m.seconds, 1e-12 * m.flop / m.seconds);
        }
}

void report_decoding(const LaunchContext& context) {
  const double copied = copy_bytes_per_s(context.workspace);
  fmt::print("\ncopy {:.0f} GB/s\n{:>4} {:>8} {:>7} {:>9} {:>7} {:>13}\n", 1e-9 * copied, "d",
             "keys", "group", "ms", "GB/s", "share of copy");
  for (const std::int64_t d : {64, 128})
    for (const std::int64_t group : {1, 8})
      for (const std::int64_t keys : {16384, 131072}) {
        const Case c{.d = d,
                     .causal = true,
                     .queries = 1,
                     .keys = keys,
                     .batch = 4,
                     .heads = 8 * group,
                     .kv_heads = 8};
        const Measured m = measure(c, context);
        const double rate = m.key_bytes / m.seconds;
        fmt::print("{:>4} {:>8} {:>7} {:>9.4f} {:>7.0f} {:>13.2f}\n", d, keys, group,
                   1e3 * m.seconds, 1e-9 * rate, rate / copied);
      }
}

int run() {
  const CudaProbe probe = probe_cuda();
  if (probe.devices.empty()) throw EnvironmentError(probe.reason);
  const CudaDevice& device = probe.devices.front();
  DeviceMemory memory;
  const LaunchContext context{
      memory, nullptr, 10 * device.compute_major + device.compute_minor, device.multiprocessors,
      0,      false};
  fmt::print("{}\n", device.name);
  report_products(context);
  report_decoding(context);
  return 0;
}

}  // namespace
}  // namespace qb::cuda

int main() {
  try {
    return qb::cuda::run();
  } catch (const qb::ExitError& error) {
    fmt::print(stderr, "flash_bench: {}\n", error.what());
    return static_cast<int>(error.code());
  }
}
