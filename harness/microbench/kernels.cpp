// SPDX-License-Identifier: Apache-2.0
// Measures whole kernels, each over one problem on one device, and the backward pass of flash, with
// D, over one head: that has the fewest items for threads.
#include <fmt/format.h>

#include <cmath>

#include "harness/microbench/subject.h"
#include "kernels/attention_backward.h"
#include "kernels/cpu/roofline.h"
#include "kernels/mask/mask.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

// A call over all queries, over the last one, or over all of a backward pass.
enum class Call { forward, decode, backward };

struct KernelCase {
  Kernel kernel = Kernel::flash;
  DType dtype = DType::f32;
  MaskKind mask = MaskKind::full;
  std::int64_t n = 8192;
  std::int64_t d = 64;
  std::int64_t heads = 8;
  int threads = 1;
  std::optional<InstructionSet> isa{};
  Call call = Call::forward;
  double of_ceiling = 0.0;  // the share that it should reach; 0: no limit

  [[nodiscard]] std::string benchmark() const {
    if (call == Call::forward) return std::string(word(kernel));
    return call == Call::decode ? "decode" : "backward";
  }
};

std::string name_of(const KernelCase& c) {
  std::string name = fmt::format("{}/{}/{}/n:{}/d:{}/h:{}/threads:{}", c.benchmark(), word(c.dtype),
                                 word(c.mask), c.n, c.d, c.heads, c.threads);
  if (c.isa) name += fmt::format("/isa:{}", word(*c.isa));
  return name;
}

void prepare_backward(Subject& s, const KernelCase& c, const AttentionArguments& forward) {
  attention(c.kernel, forward, {s.memory, available_cores(), 0});
  const Extent& extent = forward.q.extent;
  const BackwardArguments a{forward.q,
                            forward.k,
                            forward.v,
                            s.add(c.dtype, extent),
                            forward.lse,
                            s.add(DType::f32, forward.lse.extent),
                            forward.schedule,
                            forward.scale,
                            s.add(DType::f32, extent),
                            s.add(DType::f32, extent),
                            s.add(DType::f32, extent)};
  s.row.flop *= 2.5;  // five products in place of two
  s.operation = [a, out = forward.out, c, &s] {
    compute_delta(out, a.d_out, a.delta, c.threads);
    attention_backward(c.kernel, a, {s.memory, c.threads, 0});
  };
}

void prepare(Subject& s, const KernelCase& c) {
  const std::int64_t queries = c.call == Call::decode ? 1 : c.n;
  const SpanKind kind = c.mask == MaskKind::full ? SpanKind::full : SpanKind::causal;
  s.schedule = build_schedule(queries, c.n, {{0, queries, {0, c.n, kind, c.n - queries}}},
                              kernel_tiles(c.kernel, c.d).query_tile);
  const Extent rows{1, c.heads, queries, c.d};
  const Extent keys{1, c.heads, c.n, c.d};
  const AttentionArguments arguments{.q = s.add(c.dtype, rows),
                                     .k = s.add(c.dtype, keys),
                                     .v = s.add(c.dtype, keys),
                                     .schedule = &s.schedule,
                                     .scale = 1.0 / std::sqrt(static_cast<double>(c.d)),
                                     .out = s.add(DType::f32, rows),
                                     .lse = s.add(DType::f32, {1, c.heads, queries, 1})};
  s.row = {.benchmark = c.benchmark(),
           .dtype = std::string(word(c.dtype)),
           .mask = std::string(word(c.mask)),
           .threads = c.threads,
           .n_tokens = c.n,
           .head_dim = c.d,
           .flop = 4.0 * static_cast<double>(s.schedule.unmasked_pairs() * c.heads * c.d)};
  s.ceiling = [c] { return cpu::kernel_peak_flop_per_s(c.kernel, c.dtype, c.threads); };
  s.operation = [arguments, c, &s] { attention(c.kernel, arguments, {s.memory, c.threads, 0}); };
  if (c.call == Call::backward) prepare_backward(s, c, arguments);
  if (c.call != Call::decode) return;
  s.row.flop = kNotAvailable;
  s.row.bytes = 2.0 * static_cast<double>(arguments.k.bytes());  // K and V are read once
  s.ceiling = [ceiling = std::make_shared<cpu::MemoryCeiling>(c.threads)] {
    return ceiling->read_bytes_per_s();
  };
}

// Tiles multiply so fast that the softmax and memory take most of the time.
double bf16_target() { return cpu::bf16_tiles() ? 0.10 : 0.60; }

std::vector<KernelCase> quick_cases() {
  const int all = available_cores();
  std::vector<KernelCase> cases;
  for (const int threads : thread_counts(all))
    for (const std::int64_t d : {64, 128})
      for (const DType dtype : {DType::f32, DType::bf16})
        cases.push_back({.dtype = dtype,
                         .d = d,
                         .threads = threads,
                         .of_ceiling = dtype == DType::bf16 ? bf16_target()
                                       : threads == 1       ? 0.85
                                                            : 0.80});
  for (const std::int64_t d : {64, 128})
    cases.push_back({.mask = MaskKind::causal, .d = d, .threads = all, .of_ceiling = 0.74});
  if (std::ranges::count(available_instruction_sets(), InstructionSet::avx2) > 0)
    cases.push_back({.heads = 4, .isa = InstructionSet::avx2, .of_ceiling = 0.80});
  for (const std::int64_t n : {128, 256, 512, 1024})
    cases.push_back({.n = n, .threads = all, .of_ceiling = 0.50});
  cases.push_back({.kernel = Kernel::materialized, .heads = 2, .threads = all});
  cases.push_back(
      {.n = 131072, .heads = 4, .threads = all, .call = Call::decode, .of_ceiling = 0.85});
  return cases;
}

std::vector<KernelCase> swept_cases() {
  std::vector<KernelCase> cases;
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    for (const std::int64_t d : {64, 128})
      for (const MaskKind mask : {MaskKind::full, MaskKind::causal})
        for (const int threads : thread_counts(available_cores()))
          for (std::int64_t n = 128; n <= 16384; n *= 2)
            cases.push_back({.dtype = dtype,
                             .mask = mask,
                             .n = n,
                             .d = d,
                             .heads = n <= 8192 ? 8 : 2,
                             .threads = threads});
  for (const MaskKind mask : {MaskKind::full, MaskKind::causal})
    for (std::int64_t n = 128; n <= 8192; n *= 2)
      cases.push_back({.kernel = Kernel::materialized,
                       .mask = mask,
                       .n = n,
                       .heads = 2,
                       .threads = available_cores()});
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    for (const int threads : thread_counts(available_cores()))
      for (std::int64_t n = 2048; n <= 131072; n *= 4)
        cases.push_back(
            {.dtype = dtype, .n = n, .heads = 4, .threads = threads, .call = Call::decode});
  return cases;
}

std::vector<KernelCase> quick_backward_cases() {
  std::vector<KernelCase> cases;
  for (const int threads : thread_counts(available_cores()))
    for (const std::int64_t d : {64, 128})
      for (const KernelCase& c : {KernelCase{.of_ceiling = 0.80},
                                  {.mask = MaskKind::causal, .of_ceiling = 0.75},
                                  {.dtype = DType::bf16, .of_ceiling = bf16_target()}})
        cases.push_back({.dtype = c.dtype,
                         .mask = c.mask,
                         .d = d,
                         .heads = 1,
                         .threads = threads,
                         .call = Call::backward,
                         .of_ceiling = c.of_ceiling});
  return cases;
}

void add_cases(Benchmarks& all, const char* prefix, const std::vector<KernelCase>& cases) {
  for (const KernelCase& c : cases)
    all.push_back({prefix + name_of(c), c.isa, [c](Subject& s) { prepare(s, c); },
                   c.of_ceiling > 0.0 ? std::optional(of_ceiling(c.of_ceiling)) : std::nullopt});
}

}  // namespace

void register_kernels(Benchmarks& all, bool quick) {
  add_cases(all, "", quick_cases());
  if (!quick) add_cases(all, "sweep/", swept_cases());
  add_cases(all, "", quick_backward_cases());
}

}  // namespace qb
