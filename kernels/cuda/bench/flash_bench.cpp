// SPDX-License-Identifier: Apache-2.0
// Measures how fast the flash kernels are alone: products in TFLOP/s of unmasked pairs, decoding in
// GB/s of keys and values beside a device-to-device copy (read + written), the backward pass in
// TFLOP/s. Data are random, times are medians of events. With --serve it does what flash_bench.h
// says.
#include <cuda_runtime.h>
#include <fmt/format.h>

#include <iostream>
#include <string_view>

#include "base/statistics.h"
#include "base/status.h"
#include "kernels/cuda/bench/flash_bench.h"
#include "kernels/cuda/runtime/check.cuh"

namespace qb::cuda {
namespace {

constexpr int kWarmUps = 3;
constexpr int kRepeats = 11;

double copy_bytes_per_s(BenchDevice& device) {
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  const Buffer from(device, kBytes, "copy");
  const Buffer to(device, kBytes, "copy");
  fill_bytes(from.data(), 0x5A, kBytes, device.stream().get());
  const double seconds = median(device.seconds(kWarmUps, kRepeats, [&] {
    QB_CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), kBytes, cudaMemcpyDeviceToDevice,
                                  static_cast<cudaStream_t>(device.stream().get())));
  }));
  return 2.0 * static_cast<double>(kBytes) / seconds;
}

// Prints a line for each kernel, head_dim, mask and length of one pass.
void report_products(BenchDevice& device, bool backward, const std::vector<BenchKernel>& kernels) {
  fmt::print("{}\n{:>4} {:>7} {:>6} {:>19} {:>9} {:>8}\n", backward ? "backward" : "forward", "d",
             "mask", "N", "kernel", "ms", "TFLOP/s");
  for (const BenchKernel kernel : kernels)
    for (const std::int64_t d : {64, 128, 256})
      for (const bool causal : {false, true})
        for (const std::int64_t n : {2048, 8192, 16384}) {
          const std::int64_t heads = 2048 / d;
          BenchCall call({.backward = backward,
                          .d = d,
                          .causal = causal,
                          .queries = n,
                          .keys = n,
                          .batch = 16384 / n,
                          .heads = heads,
                          .kv_heads = heads},
                         device, 1);
          const double seconds = median(call.seconds(kernel, kWarmUps, kRepeats));
          fmt::print("{:>4} {:>7} {:>6} {:>19} {:>9.3f} {:>8.1f}\n", d, causal ? "causal" : "full",
                     n, word(kernel), 1e3 * seconds, 1e-12 * call.flop() / seconds);
        }
}

void report_decoding(BenchDevice& device) {
  const double copied = copy_bytes_per_s(device);
  fmt::print("\ncopy {:.0f} GB/s\n{:>4} {:>8} {:>7} {:>9} {:>7} {:>13}\n", 1e-9 * copied, "d",
             "keys", "group", "ms", "GB/s", "share of copy");
  for (const std::int64_t d : {64, 128})
    for (const std::int64_t group : {1, 8})
      for (const std::int64_t keys : {16384, 131072}) {
        BenchCall call({.d = d,
                        .causal = true,
                        .queries = 1,
                        .keys = keys,
                        .batch = 4,
                        .heads = 8 * group,
                        .kv_heads = 8},
                       device, 1);
        const double seconds = median(call.seconds(BenchKernel::flash, kWarmUps, kRepeats));
        const double rate = call.key_bytes() / seconds;
        fmt::print("{:>4} {:>8} {:>7} {:>9.4f} {:>7.0f} {:>13.2f}\n", d, keys, group, 1e3 * seconds,
                   1e-9 * rate, rate / copied);
      }
}

int run(int argc, char** argv) {
  const bool serve = argc == 2 && std::string_view(argv[1]) == "--serve";
  if (argc > 1 && !serve) throw UsageError("the only word is --serve");
  BenchDevice device;
  if (serve) {
    serve_rounds(device, std::cin, std::cout);
    return 0;
  }
  fmt::print("{}\n", device.facts().name);
  using enum BenchKernel;
  report_products(device, false, {flash, flash_sm80});
  report_products(device, true, {flash, flash_deterministic, flash_sm80});
  report_decoding(device);
  return 0;
}

}  // namespace
}  // namespace qb::cuda

int main(int argc, char** argv) {
  try {
    return qb::cuda::run(argc, argv);
  } catch (const qb::ExitError& error) {
    fmt::print(stderr, "flash_bench: {}\n", error.what());
    return static_cast<int>(error.code());
  } catch (const qb::CaseError& error) {
    fmt::print(stderr, "flash_bench: {}\n", error.what());
    return 1;
  }
}
