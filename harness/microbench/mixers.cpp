// SPDX-License-Identifier: Apache-2.0
// Measures the operators that mix tokens without softmax over all pairs, on one thread: at N =
// 4096, where linear attention and ssd wait for memory, and at N = 512, where tensors are in the
// cache.
#include <fmt/format.h>

#include <cmath>

#include "harness/microbench/subject.h"
#include "kernels/cpu/roofline.h"
#include "kernels/mixer/mixer.h"

namespace qb {
namespace {

struct MixerBenchmark {
  MixerOptions options;
  std::int64_t n = 4096;
  std::int64_t heads = 8;
  std::int64_t key_dim = 64;
  bool backward = false;
  bool pair_bias = false;
  bool of_channels = false;  // gated_delta: a decay for each channel of the keys

  [[nodiscard]] std::string name() const {
    return std::string(word(options.kind)) + (of_channels ? "_channels" : "") +
           (backward    ? "_backward"
            : pair_bias ? "_pair_bias"
                        : "");
  }
  [[nodiscard]] std::string mask() const { return options.causal ? "causal" : "full"; }
  // Tensors that are in the cache have limits.
  [[nodiscard]] std::optional<Limit> limit() const {
    if (n != 512 || options.kind == Mixer::perceiver || options.kind == Mixer::axial ||
        options.kind == Mixer::short_convolution)
      return {};
    return of_ceiling(options.kind == Mixer::selective_scan ? 0.50 : 0.70);
  }
};

void scale(const TensorView& view, double factor, bool absolute = false) {
  for (std::int64_t i = 0; i < view.extent.elements(); ++i) {
    float& x = static_cast<float*>(view.data)[i];
    x = static_cast<float>(factor) * (absolute ? std::abs(x) : x);
  }
}

MixerArguments add_mixer(Subject& s, const MixerBenchmark& c) {
  constexpr std::int64_t kValueDim = 64;
  const bool scan = c.options.kind == Mixer::selective_scan;
  const Extent keys{1, scan ? 1 : c.heads, c.n, c.key_dim};
  const Extent rows{1, c.heads, c.n, kValueDim};
  MixerArguments a{.q = s.add(DType::f32, keys),
                   .k = s.add(DType::f32, keys),
                   .v = s.add(DType::f32, rows),
                   .scale = 1.0 / std::sqrt(static_cast<double>(c.key_dim)),
                   .out = s.add(DType::f32, rows)};
  if (c.options.kind == Mixer::ssd || c.options.kind == Mixer::gated_delta)
    scale(a.decay = s.add(DType::f32, {1, c.heads, c.n, c.of_channels ? c.key_dim : 1}), -0.1,
          true);
  if (c.options.kind == Mixer::gated_delta) {
    // About as long as 1: the numbers are normal.
    scale(a.k, 1.0 / std::sqrt(static_cast<double>(c.key_dim)));
    scale(a.beta = s.add(DType::f32, {1, c.heads, c.n, 1}), 0.5, true);
  }
  if (scan) scale(a.delta = s.add(DType::f32, rows), 0.1, true);
  if (scan) scale(a.a = s.add(DType::f32, {1, c.heads, kValueDim, c.key_dim}), -8.0, true);
  if (c.options.kind == Mixer::performer)
    fill_orthogonal(a.projection = s.add(DType::f32, {1, 1, c.options.rank, c.key_dim}), 1);
  if (c.options.kind == Mixer::perceiver)
    a.projection = s.add(DType::f32, {1, 1, c.options.rank, c.key_dim});
  if (c.options.kind == Mixer::linformer)
    scale(a.projection = s.add(DType::f32, {1, 1, c.options.rank, c.n}),
          1.0 / std::sqrt(static_cast<double>(c.n)));
  if (c.options.kind == Mixer::short_convolution)
    a.projection = s.add(DType::f32, {1, c.heads, c.options.rank, kValueDim});
  const std::int64_t columns = c.pair_bias ? c.n / c.options.rows : 0;
  if (c.pair_bias) a.pair_bias = s.add(DType::f32, {1, c.heads, columns, columns});
  return a;
}

void prepare(Subject& s, const MixerBenchmark& c) {
  const MixerArguments a = add_mixer(s, c);
  s.row = {.benchmark = c.name(),
           .dtype = "f32",
           .mask = c.mask(),
           .threads = 1,
           .n_tokens = c.n,
           .head_dim = c.key_dim,
           .flop = mixer_flop(c.options, mixer_shape(c.options, a))};
  s.ceiling = [] { return cpu::kernel_peak_flop_per_s(Kernel::flash, DType::f32, 1); };
  s.operation = [a, c, &s] { mix(c.options, a, {s.memory, 1, 0}); };
  if (c.options.kind == Mixer::selective_scan) {
    s.row.flop = static_cast<double>(c.heads * c.n * a.v.extent.head_dim * c.key_dim);
    s.ceiling = [] { return cpu::exp2_per_s(1); };
  }
  if (!c.backward) return;
  s.row.flop = mixer_backward_flop(c.options, mixer_shape(c.options, a));
  const MixerGradients gradients{
      s.add(DType::f32, a.out.extent),       s.add(DType::f32, a.q.extent),
      s.add(DType::f32, a.k.extent),         s.add(DType::f32, a.v.extent),
      s.add(DType::f32, a.decay.extent),     s.add(DType::f32, a.beta.extent),
      s.add(DType::f32, a.projection.extent)};
  s.operation = [a, c, gradients, &s] { mix_backward(c.options, a, gradients, {s.memory, 1, 0}); };
}

}  // namespace

void register_mixers(Benchmarks& all) {
  const MixerOptions operators[] = {{Mixer::linear},
                                    {Mixer::linear, true},
                                    {Mixer::ssd, true},
                                    {Mixer::gated_delta, true},
                                    {Mixer::short_convolution, true, 4},
                                    {Mixer::performer, false, 266},
                                    {Mixer::performer, true, 266},
                                    {Mixer::nystrom, false, 64},
                                    {Mixer::linformer, false, 256},
                                    {Mixer::perceiver, false, 256, 64, 8},
                                    {.kind = Mixer::axial, .rows = 64},
                                    {Mixer::selective_scan, true}};
  std::vector<MixerBenchmark> cases;
  for (const MixerOptions& options : operators)
    for (const std::int64_t n : {512, 4096})
      cases.push_back(
          {options, n, n == 512 ? 2 : 8, options.kind == Mixer::selective_scan ? 16 : 64});
  for (const MixerOptions& options : operators)
    if (options.kind == Mixer::linear || options.kind == Mixer::ssd ||
        options.kind == Mixer::gated_delta || options.kind == Mixer::short_convolution ||
        options.kind == Mixer::axial)
      cases.push_back({.options = options, .backward = true});
  for (MixerBenchmark c : std::vector(cases)) {
    c.of_channels = true;
    if (c.options.kind == Mixer::gated_delta) cases.push_back(c);
  }
  const MixerOptions axial{.kind = Mixer::axial, .rows = 64};
  cases.push_back({.options = axial, .pair_bias = true});
  cases.push_back({.options = axial, .n = 16384});
  cases.push_back({.options = axial, .n = 16384, .pair_bias = true});
  for (const MixerBenchmark& c : cases)
    all.push_back({fmt::format("{}/f32/{}/n:{}/d:{}/h:{}/threads:1", c.name(), c.mask(), c.n,
                               c.key_dim, c.heads),
                   std::nullopt, [c](Subject& s) { prepare(s, c); }, c.limit()});
}

}  // namespace qb
