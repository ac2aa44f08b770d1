// SPDX-License-Identifier: Apache-2.0
// Measures the backward pass of flash, with D, over one head: that has the fewest items for
// threads.
#include <fmt/format.h>

#include <cmath>

#include "harness/microbench/subject.h"
#include "kernels/attention_backward.h"
#include "kernels/cpu/roofline.h"
#include "kernels/mask/mask.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

struct BackwardCase {
  DType dtype = DType::f32;
  MaskKind mask = MaskKind::full;
  std::int64_t n = 8192;
  std::int64_t d = 64;
  std::int64_t heads = 1;
  int threads = 1;
};

std::string name_of(const BackwardCase& c) {
  return fmt::format("backward/{}/{}/n:{}/d:{}/h:{}/threads:{}", word(c.dtype), word(c.mask), c.n,
                     c.d, c.heads, c.threads);
}

void prepare_backward(Subject& s, const BackwardCase& c) {
  const Extent extent{1, c.heads, c.n, c.d};
  const SpanKind kind = c.mask == MaskKind::full ? SpanKind::full : SpanKind::causal;
  s.schedule = build_schedule(c.n, c.n, {{0, c.n, {0, c.n, kind, 0}}},
                              kernel_tiles(Kernel::flash, c.d).query_tile);
  auto forward = s.add_attention<AttentionArguments>(c.dtype, extent, extent);
  forward.schedule = &s.schedule;
  forward.scale = 1.0 / std::sqrt(static_cast<double>(c.d));
  attention(Kernel::flash, forward, {s.memory, available_cores(), 0});
  BackwardArguments a;
  a.q = forward.q;
  a.k = forward.k;
  a.v = forward.v;
  a.d_out = s.add(c.dtype, extent);
  a.lse = forward.lse;
  a.delta = s.add(DType::f32, forward.lse.extent);
  a.schedule = &s.schedule;
  a.scale = forward.scale;
  a.d_q = s.add(DType::f32, extent);
  a.d_k = s.add(DType::f32, extent);
  a.d_v = s.add(DType::f32, extent);
  s.row = {.benchmark = "backward",
           .dtype = std::string(word(c.dtype)),
           .mask = std::string(word(c.mask)),
           .threads = c.threads,
           .n_tokens = c.n,
           .head_dim = c.d,
           .flop = 10.0 * static_cast<double>(s.schedule.unmasked_pairs() * c.heads * c.d)};
  s.ceiling = [c] { return cpu::kernel_peak_flop_per_s(Kernel::flash, c.dtype, c.threads); };
  s.operation = [a, out = forward.out, c, &s] {
    compute_delta(out, a.d_out, a.delta, c.threads);
    attention_backward(Kernel::flash, a, {s.memory, c.threads, 0});
  };
}

std::vector<BackwardCase> quick_cases() {
  std::vector<BackwardCase> cases;
  for (const int threads : thread_counts(available_cores()))
    for (const std::int64_t d : {64, 128}) {
      for (const MaskKind mask : {MaskKind::full, MaskKind::causal})
        cases.push_back({.mask = mask, .d = d, .threads = threads});
      cases.push_back({.dtype = DType::bf16, .d = d, .threads = threads});
    }
  return cases;
}

std::vector<BackwardCase> swept_cases() {
  std::vector<BackwardCase> cases;
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    for (const MaskKind mask : {MaskKind::full, MaskKind::causal})
      for (const int threads : thread_counts(available_cores()))
        for (const std::int64_t heads : {1, 8})
          for (std::int64_t n = 512; n <= 8192; n *= 2)
            cases.push_back(
                {.dtype = dtype, .mask = mask, .n = n, .heads = heads, .threads = threads});
  return cases;
}

}  // namespace

void register_backward(Recorder& recorder, bool quick) {
  for (const BackwardCase& c : quick_cases())
    add_benchmark(name_of(c), std::nullopt, recorder, [c](Subject& s) { prepare_backward(s, c); });
  if (quick) return;
  for (const BackwardCase& c : swept_cases())
    add_benchmark("sweep/" + name_of(c), std::nullopt, recorder,
                  [c](Subject& s) { prepare_backward(s, c); });
}

}  // namespace qb
