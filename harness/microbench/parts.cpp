// SPDX-License-Identifier: Apache-2.0
// Measures the ceilings of the machine and the parts of attention, each alone.
#include <fmt/format.h>

#include "harness/microbench/subject.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/roofline.h"
#include "kernels/cpu/score_rows.h"
#include "kernels/merge.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

constexpr std::int64_t kHeads = 8;

// Registers a ceiling as a benchmark that does `flop` or `bytes` in a second.
void add_ceiling(Recorder& recorder, const std::string& what, const std::string& dtype, int threads,
                 double MicrobenchRow::*work, const std::function<double()>& per_second) {
  const std::string name =
      fmt::format("{}{}{}/threads:{}", what, dtype.empty() ? "" : "/", dtype, threads);
  add_benchmark(name, std::nullopt, recorder, [=](Subject& s) {
    s.row.benchmark = what;
    s.row.dtype = dtype;
    s.row.threads = threads;
    s.measure = [=](MicrobenchRow& row) {
      row.wall_time_s = 1.0;
      row.*work = per_second();
    };
  });
}

using Part = void (*)(Subject&, std::int64_t n, std::int64_t d);

// Multiplies [rows, inner] with [inner, columns], which is stored by columns if `transposed`.
void product(Subject& s, std::int64_t rows, std::int64_t columns, std::int64_t inner,
             bool transposed) {
  const TensorView a = s.add(DType::f32, {1, 1, rows, inner});
  const Extent of_b = transposed ? Extent{1, 1, columns, inner} : Extent{1, 1, inner, columns};
  const TensorView b = s.add(DType::f32, of_b);
  const TensorView out = s.add(DType::f32, {1, 1, rows, columns});
  s.row.flop = 2.0 * static_cast<double>(rows * columns * inner);
  s.ceiling = [] { return cpu::fma_peak_flop_per_s(1, false); };
  s.operation = [=] {
    cpu::gemm(rows, columns, inner, {a.row_as<float>(0, 0, 0), inner, false},
              {b.row_as<float>(0, 0, 0), of_b.head_dim, transposed}, out.row_as<float>(0, 0, 0),
              columns);
  };
}

void score_product(Subject& s, std::int64_t n, std::int64_t d) { product(s, n, n, d, true); }

void value_product(Subject& s, std::int64_t n, std::int64_t d) { product(s, n, d, n, false); }

void softmax(Subject& s, std::int64_t n, std::int64_t /*d*/) {
  const TensorView scores = s.add(DType::f32, {1, 1, n, n});
  s.row.bytes = 5.0 * static_cast<double>(scores.bytes());  // three reads, two writes
  s.operation = [=] {
    for (std::int64_t row = 0; row < n; ++row)
      benchmark::DoNotOptimize(cpu::softmax_row(scores.row_as<float>(0, 0, row), n));
  };
}

// The ceiling is a copy of as many bytes on one thread.
std::function<double()> copy_ceiling() {
  return
      [ceiling = std::make_shared<cpu::MemoryCeiling>(1)] { return ceiling->copy_bytes_per_s(); };
}

// Reads two partials and writes one.
void merge(Subject& s, std::int64_t n, std::int64_t d) {
  const TensorView acc_out = s.add(DType::f32, {1, kHeads, n, d});
  const TensorView acc_lse = s.add(DType::f32, {1, kHeads, n, 1});
  const TensorView part_out = s.add(DType::f32, {1, kHeads, n, d});
  const TensorView part_lse = s.add(DType::f32, {1, kHeads, n, 1});
  s.row.bytes = 3.0 * static_cast<double>(acc_out.bytes() + acc_lse.bytes());
  s.ceiling = copy_ceiling();
  s.operation = [=] { merge_partial(acc_out, acc_lse, part_out, part_lse); };
}

void copy_between(Subject& s, const TensorView& from, const TensorView& to) {
  s.row.bytes = 2.0 * static_cast<double>(to.bytes());
  s.ceiling = copy_ceiling();
  s.operation = [=] { copy_rows(from, to); };
}

// A token group of a contiguous layout is one slice of each head.
void gather(Subject& s, std::int64_t n, std::int64_t d) {
  const TensorView whole = s.add(DType::f32, {1, kHeads, 2 * n, d});
  copy_between(s, whole.tokens(n / 2, n), s.add(DType::f32, {1, kHeads, n, d}));
}

// A token group of a striped layout is every other token.
void gather_strided(Subject& s, std::int64_t n, std::int64_t d) {
  const TensorView whole = s.add(DType::f32, {1, kHeads, 2 * n, d});
  copy_between(s, whole.tokens(0, n, 2), s.add(DType::f32, {1, kHeads, n, d}));
}

}  // namespace

void register_ceilings(Recorder& recorder) {
  for (const int t : thread_counts(available_cores())) {
    const auto flop = &MicrobenchRow::flop;
    const auto bytes = &MicrobenchRow::bytes;
    const auto memory = [t] { return std::make_shared<cpu::MemoryCeiling>(t); };
    add_ceiling(recorder, "fma", "f32", t, flop,
                [t] { return cpu::fma_peak_flop_per_s(t, false); });
    if (cpu::bf16_products())
      add_ceiling(recorder, "fma", "bf16", t, flop,
                  [t] { return cpu::fma_peak_flop_per_s(t, true); });
    add_ceiling(recorder, "exp2", "f32", t, flop, [t] { return cpu::exp2_per_s(t); });
    add_ceiling(recorder, "read", "", t, bytes, [memory] { return memory()->read_bytes_per_s(); });
    add_ceiling(recorder, "copy", "", t, bytes, [memory] { return memory()->copy_bytes_per_s(); });
  }
}

void register_parts(Recorder& recorder) {
  constexpr std::pair<const char*, Part> kParts[] = {{"score_product", score_product},
                                                     {"softmax", softmax},
                                                     {"value_product", value_product},
                                                     {"merge", merge},
                                                     {"gather", gather},
                                                     {"gather_strided", gather_strided}};
  for (const auto& [name, prepare] : kParts)
    for (const std::int64_t n : {256, 1024, 4096, 16384})
      for (const std::int64_t d : {64, 128}) {
        if (n > 4096 && prepare != merge && prepare != gather) continue;
        add_benchmark(fmt::format("{}/n:{}/d:{}", name, n, d), std::nullopt, recorder,
                      [=, part = prepare, benchmark = std::string(name)](Subject& s) {
                        s.row.benchmark = benchmark;
                        s.row.dtype = "f32";
                        s.row.n_tokens = n;
                        s.row.head_dim = d;
                        part(s, n, d);
                      });
      }
}

}  // namespace qb
