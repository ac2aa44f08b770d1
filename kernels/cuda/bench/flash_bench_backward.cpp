// Measures the backward pass alone, in both ways of adding to dQ. TFLOP/s count five products of
// the unmasked pairs for either way, so the second pass of the deterministic one shows as time.
#include <fmt/format.h>

#include <cmath>

#include "base/statistics.h"
#include "kernels/cuda/bench/flash_bench.h"
#include "kernels/cuda/blas/blas.h"

namespace qb::cuda {
namespace {

constexpr int kWarmUps = 3;
constexpr int kRepeats = 11;

// Returns the median seconds of a run. Sums grow from run to run, which takes no longer.
double backward_seconds(BenchDevice& device, BenchKernel kernel, const BackwardArguments& inputs,
                        bool deterministic) {
  const BackwardLaunch launch(inputs, device.context(kernel), {deterministic});
  return median(device.seconds(kWarmUps, kRepeats, [&] { launch.run(); }));
}

struct Shape {
  std::int64_t d = 128;
  std::int64_t n = 8192;
  bool causal = false;
};

void report_shape(BenchDevice& device, const Shape& shape) {
  constexpr DType kType = DType::bf16;
  const std::int64_t heads = 2048 / shape.d;
  const Extent rows{16384 / shape.n, heads, shape.n, shape.d};
  const Extent numbers{rows.batch, heads, shape.n, 1};
  void* const stream = device.stream().get();
  unsigned seed = 1;
  const auto draw = [&] {
    Tensor tensor(device, kType, rows, "bench");
    fill_random(tensor.view().data, kType, static_cast<std::size_t>(tensor.view().bytes()), seed++,
                stream);
    return tensor;
  };
  const Tensor q = draw();
  const Tensor k = draw();
  const Tensor v = draw();
  const Tensor d_out = draw();
  const Tensor out(device, DType::f32, rows, "bench");
  const Tensor lse(device, DType::f32, numbers, "bench");
  const Tensor delta(device, DType::f32, numbers, "bench");
  const Tensor d_q(device, DType::f32, rows, "bench");
  const Tensor d_k(device, DType::f32, rows, "bench");
  const Tensor d_v(device, DType::f32, rows, "bench");
  for (const Tensor* const sum : {&d_q, &d_k, &d_v}) clear_rows(sum->view(), stream);
  const double scale = 1.0 / std::sqrt(static_cast<double>(shape.d));
  for (const BenchKernel kernel : {BenchKernel::flash, BenchKernel::flash_sm80}) {
    const KeySpan keys{0, shape.n, shape.causal ? SpanKind::causal : SpanKind::full, 0, 0, 0};
    const TileSchedule schedule =
        build_schedule(shape.n, shape.n, {{0, shape.n, keys}},
                       flash_tiles(shape.d, flash_path(device.context(kernel))).query_tile);
    flash({q.view(), k.view(), v.view(), &schedule, scale, out.view(), lse.view()},
          device.context(kernel));
    compute_delta(out.view(), d_out.view(), delta.view(), stream);
    const BackwardArguments inputs{q.view(),   k.view(),     v.view(),  d_out.view(),
                                   lse.view(), delta.view(), &schedule, scale,
                                   d_q.view(), d_k.view(),   d_v.view()};
    const double flop =
        10.0 * static_cast<double>(schedule.unmasked_pairs() * rows.batch * heads * shape.d);
    for (const bool deterministic : {false, true}) {
      const double seconds = backward_seconds(device, kernel, inputs, deterministic);
      fmt::print("{:>4} {:>7} {:>6} {:>10} {:>13} {:>9.3f} {:>8.1f}\n", shape.d,
                 shape.causal ? "causal" : "full", shape.n, word(kernel),
                 deterministic ? "deterministic" : "atomic", 1e3 * seconds, 1e-12 * flop / seconds);
    }
  }
}

}  // namespace

void report_backward(BenchDevice& device) {
  fmt::print("\nbackward\n{:>4} {:>7} {:>6} {:>10} {:>13} {:>9} {:>8}\n", "d", "mask", "N",
             "kernel", "dQ", "ms", "TFLOP/s");
  for (const std::int64_t d : {64, 128, 256})
    for (const bool causal : {false, true})
      for (const std::int64_t n : {2048, 8192}) report_shape(device, {d, n, causal});
}

}  // namespace qb::cuda
