// SPDX-License-Identifier: Apache-2.0
// Measures the operators that mix tokens without softmax over all pairs, on one thread: at N =
// 4096, where linear attention and ssd wait for memory, and at N = 512, where tensors are in the
// cache.
#include <fmt/format.h>

#include <memory>

#include "harness/microbench/subject.h"
#include "harness/workload/mixer/mixer_tensors.h"
#include "kernels/cpu/roofline.h"
#include "kernels/mixer/mixer.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

constexpr std::int64_t kWidth = 64;  // of keys, unless a scan has others, and of values

struct MixerBenchmark {
  MixerOptions options;
  std::int64_t n = 4096;
  std::int64_t heads = 8;
  bool backward = false;
  bool pair_bias = false;
  bool of_channels = false;  // gated_delta: a decay for each channel of the keys

  [[nodiscard]] std::string name() const {
    return std::string(word(options.kind)) + (of_channels ? "_channels" : "") +
           (backward    ? "_backward"
            : pair_bias ? "_pair_bias"
                        : "");
  }
  [[nodiscard]] std::int64_t key_dim() const {
    return options.kind == Mixer::selective_scan ? options.rank : kWidth;
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

// The tensors are those of a case, in their order and with their numbers.
void prepare(Subject& s, const MixerBenchmark& c) {
  const Shape shape{1, c.heads, c.heads, c.n, c.n, kWidth, kWidth};
  const auto mixer = std::make_shared<const MixerProblem>(MixerProblem{
      make_problem(shape, c.options.causal ? MaskKind::causal : MaskKind::full, DType::f32, 1),
      c.options, c.pair_bias, c.of_channels ? DecayGate::channel : DecayGate::head});
  const auto tensors =
      std::make_shared<MixerTensors>(*mixer, Range{0, c.n}, s.memory, 0, c.backward);
  tensors->fill(available_cores());
  const MixerShape of = mixer->shape(c.n);
  s.row = {.benchmark = c.name(),
           .dtype = "f32",
           .mask = c.mask(),
           .threads = 1,
           .n_tokens = c.n,
           .head_dim = c.key_dim(),
           .flop = c.backward ? mixer_backward_flop(c.options, of) : mixer_flop(c.options, of)};
  s.ceiling = [] { return cpu::kernel_peak_flop_per_s(Kernel::flash, DType::f32, 1); };
  s.operation = [mixer, tensors, backward = c.backward, &s] {
    const MixerArguments& a = tensors->arguments();
    if (backward)
      mix_backward(mixer->options, a, tensors->gradients(), {s.memory, 1, 0});
    else
      mix(mixer->options, a, {s.memory, 1, 0});
  };
  if (c.options.kind == Mixer::selective_scan) {
    s.row.flop = static_cast<double>(c.heads * c.n * kWidth * c.key_dim());
    s.ceiling = [] { return cpu::exp2_per_s(1); };
  }
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
                                    {Mixer::selective_scan, true, 16}};
  std::vector<MixerBenchmark> cases;
  for (const MixerOptions& options : operators)
    for (const std::int64_t n : {512, 4096}) cases.push_back({options, n, n == 512 ? 2 : 8});
  for (const MixerOptions& options : operators)
    if (has_backward(options.kind)) cases.push_back({.options = options, .backward = true});
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
                               c.key_dim(), c.heads),
                   std::nullopt, [c](Subject& s) { prepare(s, c); }, c.limit()});
}

}  // namespace qb
