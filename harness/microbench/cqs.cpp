// Measures what a CQS plan costs over the dense kernel: the sum of all workers' times with gather
// and merge, run one after another on one device, over the time of the dense plan, repeat by
// repeat.
#include <fmt/format.h>

#include "harness/microbench/subject.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {
namespace {

void prepare_cqs(Subject& s, std::int64_t n, int workers, std::int64_t heads) {
  constexpr std::int64_t kHeadDim = 64;
  const Problem problem =
      make_problem({1, heads, heads, n, n, kHeadDim, kHeadDim}, MaskKind::full, DType::f32, 1);
  const Plan dense = make_plan("dense", problem, {});
  const Plan cqs = make_plan("cqs", problem, {.workers = workers, .interest_set = {}});
  const ExecutionArguments arguments = s.add_execution(DType::f32, heads, n, kHeadDim);
  s.row = {.benchmark = "cqs",
           .dtype = "f32",
           .mask = "full",
           .threads = arguments.threads,
           .workers = workers,
           .n_tokens = n,
           .head_dim = kHeadDim,
           .flop = 4.0 * static_cast<double>(unmasked_pairs(problem) * heads * kHeadDim)};
  s.measure = [arguments, dense, cqs](MicrobenchRow& row) {
    const double dense_s = execute(Ranks::serial, dense, arguments).wall_s;
    row.wall_time_s = execute(Ranks::serial, cqs, arguments).worker_sum_s;
    row.overhead = row.wall_time_s / dense_s;
  };
}

void add(Recorder& recorder, const std::string& prefix, std::int64_t n, int workers,
         std::int64_t heads) {
  add_benchmark(fmt::format("{}cqs/n:{}/w:{}/h:{}", prefix, n, workers, heads), std::nullopt,
                recorder, [=](Subject& s) { prepare_cqs(s, n, workers, heads); });
}

}  // namespace

void register_cqs(Recorder& recorder, bool quick) {
  for (const int workers : {7, 31}) add(recorder, "", 16384, workers, 4);
  if (quick) return;
  for (const int workers : {4, 7, 8, 13, 21, 31, 57})
    for (std::int64_t n = 2048; n <= 16384; n *= 2) add(recorder, "sweep/", n, workers, 2);
}

}  // namespace qb
