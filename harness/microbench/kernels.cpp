// SPDX-License-Identifier: Apache-2.0
// Measures whole kernels, each over one problem on one device.
#include <fmt/format.h>

#include <cmath>

#include "harness/microbench/subject.h"
#include "kernels/cpu/roofline.h"
#include "kernels/mask/mask.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

struct KernelCase {
  Kernel kernel = Kernel::flash;
  DType dtype = DType::f32;
  MaskKind mask = MaskKind::full;
  std::int64_t n = 0;
  std::int64_t d = 64;
  std::int64_t heads = 8;
  int threads = 1;
  std::optional<InstructionSet> isa{};
  std::int64_t queries = 0;    // 0 means n; otherwise the last ones
  const char* name = nullptr;  // replaces the kernel's name
};

std::string name_of(const KernelCase& c) {
  std::string name =
      fmt::format("{}/{}/{}/n:{}/d:{}/h:{}/threads:{}", c.name ? c.name : word(c.kernel),
                  word(c.dtype), word(c.mask), c.n, c.d, c.heads, c.threads);
  if (c.isa) name += fmt::format("/isa:{}", word(*c.isa));
  return name;
}

void prepare_kernel(Subject& s, const KernelCase& c) {
  const std::int64_t queries = c.queries == 0 ? c.n : c.queries;
  const Extent q{1, c.heads, queries, c.d};
  const Extent kv{1, c.heads, c.n, c.d};
  const SpanKind kind = c.mask == MaskKind::full ? SpanKind::full : SpanKind::causal;
  s.schedule = build_schedule(queries, c.n, {{0, queries, {0, c.n, kind, c.n - queries}}},
                              kernel_tiles(c.kernel, c.d).query_tile);
  auto arguments = s.add_attention<AttentionArguments>(c.dtype, q, kv);
  arguments.schedule = &s.schedule;
  arguments.scale = 1.0 / std::sqrt(static_cast<double>(c.d));
  s.row = {.benchmark = std::string(c.name ? c.name : word(c.kernel)),
           .dtype = std::string(word(c.dtype)),
           .mask = std::string(word(c.mask)),
           .threads = c.threads,
           .n_tokens = c.n,
           .head_dim = c.d};
  const bool decoding = queries == 1;
  if (decoding) {  // K and V are read once
    s.row.bytes = 2.0 * static_cast<double>(arguments.k.bytes());
    s.ceiling = [ceiling = std::make_shared<cpu::MemoryCeiling>(c.threads)] {
      return ceiling->read_bytes_per_s();
    };
  } else {
    s.row.flop = 4.0 * static_cast<double>(s.schedule.unmasked_pairs() * c.heads * c.d);
    s.ceiling = [c] { return cpu::kernel_peak_flop_per_s(c.kernel, c.dtype, c.threads); };
  }
  s.operation = [arguments, c, &s] { attention(c.kernel, arguments, {s.memory, c.threads, 0}); };
}

bool has(InstructionSet set) { return std::ranges::count(available_instruction_sets(), set) > 0; }

std::vector<KernelCase> quick_cases() {
  constexpr std::int64_t kLong = 8192;
  const int all = available_cores();
  std::vector<KernelCase> cases;
  for (const int threads : thread_counts(available_cores()))
    for (const std::int64_t d : {64, 128})
      for (const DType dtype : {DType::f32, DType::bf16})
        cases.push_back({.dtype = dtype, .n = kLong, .d = d, .threads = threads});
  for (const std::int64_t d : {64, 128})
    cases.push_back({.mask = MaskKind::causal, .n = kLong, .d = d, .threads = all});
  if (has(InstructionSet::avx2))
    cases.push_back({.n = kLong, .heads = 4, .isa = InstructionSet::avx2});
  for (const std::int64_t n : {128, 256, 512, 1024}) cases.push_back({.n = n, .threads = all});
  cases.push_back({.kernel = Kernel::materialized, .n = kLong, .heads = 2, .threads = all});
  cases.push_back({.n = kLong, .heads = 2, .threads = all});
  cases.push_back({.n = 131072, .heads = 4, .threads = all, .queries = 1, .name = "decode"});
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
  for (const InstructionSet isa : available_instruction_sets())
    if (isa != available_instruction_sets().front() && isa != InstructionSet::scalar)
      for (std::int64_t n = 512; n <= 8192; n *= 4)
        cases.push_back({.n = n, .heads = 2, .isa = isa});
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
        cases.push_back({.dtype = dtype,
                         .n = n,
                         .heads = 4,
                         .threads = threads,
                         .queries = 1,
                         .name = "decode"});
  return cases;
}

}  // namespace

void register_kernels(Recorder& recorder, bool quick) {
  for (const KernelCase& c : quick_cases())
    add_benchmark(name_of(c), c.isa, recorder, [c](Subject& s) { prepare_kernel(s, c); });
  if (quick) return;
  for (const KernelCase& c : swept_cases())
    add_benchmark("sweep/" + name_of(c), c.isa, recorder,
                  [c](Subject& s) { prepare_kernel(s, c); });
}

}  // namespace qb
