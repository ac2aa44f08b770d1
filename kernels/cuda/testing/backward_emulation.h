// SPDX-License-Identifier: Apache-2.0
// The emulation tests of the backward pass share this: random calls, every way to run them over
// emulated blocks, and their gradients pair by pair.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/flash/backward/backward_work.h"
#include "kernels/cuda/testing/emulator/emulated_backward.h"
#include "kernels/cuda/testing/emulator/emulator.h"
#include "kernels/testing/backward_support.h"
#include "kernels/testing/schedule_fixtures.h"

namespace qb::cuda::backward_support {

using qb::testing_support::BackwardCall;
using qb::testing_support::Gradients;
using qb::testing_support::random_tensor;

// One of the ways to compute a call.
struct Way {
  FlashPath path = FlashPath::sm80;
  unsigned seed = 1;
  bool shuffled = false;  // the blocks of each grid run in a random order
};

inline std::vector<Way> all_ways() { return {{FlashPath::sm80}, {FlashPath::sm90}}; }

inline std::string name_of(const Way& way) {
  return way.path == FlashPath::sm80 ? "sm_80" : "sm_90a";
}

// Runs what BackwardLaunch::run() launches. The inputs must be aligned.
inline void run_over(const BackwardArguments& a, const Way& way) {
  check_backward_call(a);
  const AlignedInputs inputs = align_inputs(a);
  ASSERT_FALSE(inputs.q.copied || inputs.k.copied || inputs.v.copied || inputs.d_out.copied);
  BackwardWork work = lower_backward(a, way.path);
  if (work.empty()) return;
  const BackwardMemory sizes = backward_memory(a, inputs, work);
  const float nan = std::nanf("");
  std::vector<RowNumbers> numbers(
      static_cast<std::size_t>(sizes.numbers_bytes) / sizeof(RowNumbers), RowNumbers{nan, nan});
  std::vector<std::int32_t> query_flags(static_cast<std::size_t>(sizes.query_flag_bytes) / 4, -1);
  std::vector<std::int32_t> key_flags(static_cast<std::size_t>(sizes.key_flag_bytes) / 4, -1);
  std::int32_t nonfinite = 0;
  const BackwardPlaces places{numbers.data(), query_flags.data(), key_flags.data(), &nonfinite};
  emulator::run_backward_rows(rows_parameters(a, false, places), way.seed);
  emulator::run_backward_rows(rows_parameters(a, true, places), way.seed);
  std::mt19937 engine(way.seed);
  if (way.shuffled) std::shuffle(work.items.begin(), work.items.end(), engine);
  BackwardParameters p = backward_parameters(a, work, places);
  for_each_list(work, p, [](const auto& list, auto& pointer) { pointer = list.data(); });
  const BackwardKernel kernel{work.shape, a.q.dtype == DType::bf16};
  if (work.shape.variant == FlashVariant::hopper) {
    BackwardMaps maps;
    encode(a, work.shape, emulator::encode_tiled, maps);
    emulator::run_backward_sm90(p, maps, kernel, way.seed);
  } else {
    emulator::run_backward_sm80(p, kernel, way.seed);
  }
  emulator::run_backward_pairs(p, kernel.bf16, way.seed);
}

inline Gradients run(const BackwardCall& call, const Way& way) {
  call.clear();
  run_over(call.arguments(), way);
  return call.gradients();
}

inline double rounded(double value, DType dtype) {
  std::uint16_t bits = 0;
  store_element(&bits, dtype, value);
  return load_element(&bits, dtype);
}

// Computes gradients pair by pair in double from LSE and D as a kernel gets them. With `rounds`, P
// and dS are rounded to the inputs' type before they are multiplied again, as kernels do.
inline Gradients pair_by_pair(const BackwardCall& call, bool rounds) {
  const TensorView& q = call.q.view();
  const TensorView& k = call.k.view();
  const TensorView& v = call.v.view();
  const TensorView& d_out = call.d_out.view();
  const Extent& of_q = q.extent;
  const std::int64_t group = of_q.heads / k.extent.heads;
  const std::int64_t d = of_q.head_dim;
  const std::int64_t e = v.extent.head_dim;
  using qb::testing_support::at;
  Gradients all;
  all.d_q.resize(static_cast<std::size_t>(of_q.elements()));
  all.d_k.resize(static_cast<std::size_t>(k.extent.elements()));
  all.d_v.resize(static_cast<std::size_t>(v.extent.elements()));
  const auto round_one = [&](double x) { return rounds ? rounded(x, q.dtype) : x; };
  for (std::int64_t b = 0; b < of_q.batch; ++b)
    for (std::int64_t h = 0; h < of_q.heads; ++h)
      for (std::int64_t i = 0; i < of_q.length; ++i) {
        const double lse = at(call.lse.view(), b, h, i, 0);
        const double delta = at(call.delta.view(), b, h, i, 0);
        if (lse == -std::numeric_limits<double>::infinity()) continue;
        for (std::int64_t j = 0; j < k.extent.length; ++j) {
          if (!qb::testing_support::schedule_allows(call.schedule, i, j)) continue;
          double s = 0.0;
          double d_p = 0.0;
          for (std::int64_t x = 0; x < d; ++x) s += at(q, b, h, i, x) * at(k, b, h / group, j, x);
          for (std::int64_t x = 0; x < e; ++x)
            d_p += at(d_out, b, h, i, x) * at(v, b, h / group, j, x);
          const double p = std::exp(call.scale * s - lse);
          const double d_s = round_one(p * (d_p - delta)) * call.scale;
          const std::int64_t row = (b * of_q.heads + h) * of_q.length + i;
          const std::int64_t key = (b * k.extent.heads + h / group) * k.extent.length + j;
          for (std::int64_t x = 0; x < e; ++x)
            all.d_v[static_cast<std::size_t>(key * e + x)] += round_one(p) * at(d_out, b, h, i, x);
          for (std::int64_t x = 0; x < d; ++x) {
            all.d_q[static_cast<std::size_t>(row * d + x)] += d_s * at(k, b, h / group, j, x);
            all.d_k[static_cast<std::size_t>(key * d + x)] += d_s * at(q, b, h, i, x);
          }
        }
      }
  return all;
}

struct Shape {
  DType dtype = DType::bf16;
  Extent q;
  std::int64_t kv_heads = 1;
  std::int64_t n_keys = 1;
  std::int64_t value_dim = 0;  // 0: same as head_dim
  double deviation = 1.0;
  int outlier_every = 0;
};

// Makes a random call without a forward pass.
inline BackwardCall make_call(const Shape& shape, TileSchedule schedule, std::uint64_t seed = 1) {
  const Extent& q = shape.q;
  const std::int64_t e = shape.value_dim == 0 ? q.head_dim : shape.value_dim;
  const auto draw = [&](const Extent& extent, std::uint64_t salt) {
    return random_tensor(shape.dtype, extent, 10 * seed + salt, shape.deviation,
                         shape.outlier_every);
  };
  BackwardCall call(draw(q, 1), draw({q.batch, shape.kv_heads, shape.n_keys, q.head_dim}, 2),
                    draw({q.batch, shape.kv_heads, shape.n_keys, e}, 3),
                    random_tensor(shape.dtype, {q.batch, q.heads, q.length, e}, 10 * seed + 4),
                    std::move(schedule));
  return call;
}

// Computes the forward pass of the schedule in float64.
inline void set_forward(BackwardCall& call) {
  const auto forward = qb::testing_support::brute_force<double>(
      call.q.view(), call.k.view(), call.v.view(), call.scale, [&](std::int64_t i, std::int64_t j) {
        return qb::testing_support::schedule_allows(call.schedule, i, j);
      });
  call.set_forward(forward.out, forward.lse);
}

inline BackwardCall forward_call(const Shape& shape, TileSchedule schedule,
                                 std::uint64_t seed = 1) {
  BackwardCall call = make_call(shape, std::move(schedule), seed);
  set_forward(call);
  return call;
}

inline TileSchedule causal(std::int64_t n, std::int64_t m) {
  return build_schedule(n, m, {{0, n, {0, m, SpanKind::causal, m - n}}}, 128);
}

// Computes a call in all ways. The bound is three times the error of rounding P and dS, as for the
// CPU's kernels.
inline void expect_float64(const BackwardCall& call) {
  const Gradients exact =
      qb::testing_support::brute_force_gradients<double>(call, [&](std::int64_t i, std::int64_t j) {
        return qb::testing_support::schedule_allows(call.schedule, i, j);
      });
  const Gradients naive = pair_by_pair(call, true);
  for (const Way& way : all_ways()) {
    // Beyond 128 columns both paths have the same kernel.
    if (way.path == FlashPath::sm90 && call.q.view().extent.head_dim > 128) continue;
    SCOPED_TRACE(name_of(way));
    qb::testing_support::expect_close(call, run(call, way), exact, naive);
  }
}

}  // namespace qb::cuda::backward_support
