// SPDX-License-Identifier: Apache-2.0
// Measures the accuracy against float64, and the memory that a million tokens take.
#include <fmt/format.h>

#include "base/status.h"
#include "harness/microbench/subject.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/verify/verify.h"
#include "kernels/cpu/roofline.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

// Makes one value in 500 a hundred times as large.
void add_outliers(const TensorView& view) {
  for (std::int64_t i = 0; i < view.extent.elements(); i += 499) {
    std::byte* const element = static_cast<std::byte*>(view.data) + i * size_of(view.dtype);
    store_element(element, view.dtype, 100.0 * load_element(element, view.dtype));
  }
}

void prepare_accuracy(Subject& s, DType dtype, MaskKind mask, bool outliers) {
  constexpr std::int64_t kTokens = 1024;
  const Problem problem = make_problem({1, 2, 2, kTokens, kTokens, 64, 64}, mask, dtype, 1);
  const Plan dense = make_plan("dense", problem, {});
  const ExecutionArguments arguments = s.add_execution(dtype, 2, kTokens, 64);
  if (outliers)
    for (const TensorView& view : {arguments.q, arguments.k, arguments.v}) add_outliers(view);
  s.row = {.benchmark = "accuracy",
           .dtype = std::string(word(dtype)),
           .mask = std::string(word(mask)),
           .threads = arguments.threads,
           .n_tokens = kTokens,
           .head_dim = 64};
  s.measure = [arguments, problem, dense](MicrobenchRow& row) {
    poison(arguments.out, arguments.lse);
    row.wall_time_s = execute(Ranks::serial, dense, arguments).wall_s;
    const Verification verification =
        verify_output(problem, arguments.q, arguments.k, arguments.v, arguments.out, arguments.lse,
                      rows_to_verify(dense, problem.shape.q_len), arguments.threads);
    if (!verification.correct) throw CaseError(Status::incorrect, verification.message);
    row.error_ratio = verification.max_error / verification.naive_error;
  };
}

// Prepares the last `queries` rows of a causal problem of a million tokens; all of its keys, values
// and outputs are allocated, so that the memory is that of the whole problem.
void prepare_million(Subject& s, std::int64_t queries) {
  constexpr std::int64_t kTokens = 1'000'000;
  constexpr std::int64_t kHeadDim = 64;
  const Extent extent{1, 1, kTokens, kHeadDim};
  AttentionArguments arguments = s.add_attention(DType::f32, extent, extent);
  double tensors = 0.0;
  for (const TensorView& view :
       {arguments.q, arguments.k, arguments.v, arguments.out, arguments.lse})
    tensors += static_cast<double>(view.bytes());
  const std::int64_t first = kTokens - queries;
  s.schedule =
      build_schedule(queries, kTokens, {{0, queries, {0, kTokens, SpanKind::causal, first}}},
                     kernel_tiles(Kernel::flash, kHeadDim).query_tile);
  for (TensorView* view : {&arguments.q, &arguments.out, &arguments.lse})
    *view = view->tokens(first, queries);
  const int threads = available_cores();
  s.row = {.benchmark = "million",
           .dtype = "f32",
           .mask = "causal",
           .threads = threads,
           .n_tokens = kTokens,
           .head_dim = kHeadDim,
           .flop = 4.0 * static_cast<double>(s.schedule.unmasked_pairs() * kHeadDim)};
  s.ceiling = [threads] { return cpu::kernel_peak_flop_per_s(Kernel::flash, DType::f32, threads); };
  s.measure = [arguments, threads, tensors, &s](MicrobenchRow& row) {
    row.wall_time_s = seconds_of(
        [&] {
          attention(Kernel::flash, arguments, {s.memory, threads, 0});
        },
        1);
    row.memory_ratio = static_cast<double>(s.memory.active_peak_bytes()) / tensors;
  };
}

}  // namespace

void register_limits(Benchmarks& all) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    for (const MaskKind mask : {MaskKind::full, MaskKind::causal})
      for (const bool outliers : {false, true})
        all.push_back(
            {fmt::format("accuracy/{}/{}{}", word(dtype), word(mask), outliers ? "/outliers" : ""),
             std::nullopt, [=](Subject& s) { prepare_accuracy(s, dtype, mask, outliers); },
             Limit{&MicrobenchRow::error_ratio, 1.5}});
  all.push_back({"million/f32/causal/rows:1536", std::nullopt,
                 [](Subject& s) { prepare_million(s, 1536); },
                 Limit{&MicrobenchRow::memory_ratio, 1.1}});
}

}  // namespace qb
