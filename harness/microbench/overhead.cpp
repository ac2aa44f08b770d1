// SPDX-License-Identifier: Apache-2.0
// Measures what a CQS plan costs over the dense kernel, sparse patterns over the ideal (dense time
// x share of pairs kept), building schedules over the kernel, and a whole call on tensors that are
// already there over its kernel, both sides in each repeat.
#include <fmt/format.h>

#include "harness/experiment/schema/parameters.h"
#include "harness/microbench/subject.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/workload/attend.h"
#include "kernels/mask/mask_tiles.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

constexpr std::int64_t kHeads = 8;
constexpr std::int64_t kHeadDim = 64;
// The dense call has this many tokens: with more, its time for each pair does not change.
constexpr std::int64_t kDenseTokens = 4096;

struct SparseCase {
  const char* name;
  const char* mask;
  double most_over_ideal = 0.0;  // 0: no limit
};

constexpr SparseCase kTargets[] = {
    {"window", "{sliding_window: {left: 128, right: 127}}", 1.7},
    {"random_blocks", "{random: {blocks: 4, block: 64}}", 2.5},
};
constexpr SparseCase kOthers[] = {
    {"block_local", "{block_local: {block: 256}}"},
    {"dilated", "{dilated_window: {left: 64, right: 63, dilation: 2}}"},
    {"dilated_wide", "{dilated_window: {left: 128, right: 127, dilation: 8}}"},
    {"strided", "{strided: {stride: 128}}"},
    {"fixed", "{fixed: {block: 256, summary: 16}}"},
    {"longformer", "{longformer: {left: 128, right: 127, tokens: 64}}"},
    {"bigbird",
     "{bigbird: {left: 128, right: 127, tokens: 64, random_blocks: 3, block: 64, seed: 1}}"},
    {"random_pairs", "{random: {fraction: 0.02}}"},
    {"random_pairs_10", "{random: {fraction: 0.1}}"},
};

TileSchedule schedule_of(const Mask& mask, std::int64_t n, int threads) {
  const KernelTiles tiles = kernel_tiles(Kernel::flash, kHeadDim);
  return build_mask_schedule(mask, n, n, {{0, 0, {0, n, 1}, {0, n, 1}}}, tiles.query_tile,
                             {tiles.residue_classes, threads});
}

// Attends densely to the first tokens of the same tensors.
AttentionArguments dense_arguments(const AttentionArguments& all, const TileSchedule& schedule) {
  AttentionArguments some = all;
  for (TensorView* view : {&some.q, &some.k, &some.v, &some.out, &some.lse})
    *view = view->tokens(0, schedule.n_keys);
  some.schedule = &schedule;
  return some;
}

// Describes the subject and adds its tensors.
AttentionArguments begin(Subject& s, const char* benchmark, const SparseCase& c, std::int64_t n) {
  s.row = {.benchmark = benchmark,
           .dtype = "f32",
           .mask = c.name,
           .threads = available_cores(),
           .n_tokens = n,
           .head_dim = kHeadDim};
  const Extent extent{1, kHeads, n, kHeadDim};
  return s.add_attention(DType::f32, extent, extent);
}

// Returns the seconds that one call of the kernel takes.
double kernel_s(Subject& s, const AttentionArguments& arguments) {
  return seconds_of([&] { attention(Kernel::flash, arguments, {s.memory, s.row.threads, 0}); }, 1);
}

void prepare_sparse(Subject& s, const SparseCase& c, std::int64_t n) {
  const AttentionArguments arguments = begin(s, "sparse", c, n);
  s.schedule = schedule_of(parse_mask(c.mask, c.name).mask(n, n), n, s.row.threads);
  const auto dense = std::make_shared<TileSchedule>(
      build_schedule(kDenseTokens, kDenseTokens, {{0, kDenseTokens, {0, kDenseTokens}}},
                     kernel_tiles(Kernel::flash, kHeadDim).query_tile));
  const auto pairs = static_cast<double>(s.schedule.unmasked_pairs());
  s.row.flop = 4.0 * pairs * static_cast<double>(kHeads * kHeadDim);
  s.measure = [arguments, dense, pairs, &s](MicrobenchRow& row) {
    const double dense_s = kernel_s(s, dense_arguments(arguments, *dense));
    row.wall_time_s = kernel_s(s, arguments);
    row.overhead =
        row.wall_time_s / (dense_s * pairs / static_cast<double>(kDenseTokens * kDenseTokens));
  };
}

void prepare_schedule(Subject& s, const SparseCase& c, std::int64_t n) {
  const AttentionArguments arguments = begin(s, "schedule", c, n);
  const Mask mask = parse_mask(c.mask, c.name).mask(n, n);
  s.measure = [arguments, mask, n, &s](MicrobenchRow& row) {
    s.schedule = {};
    row.wall_time_s = seconds_of([&] { s.schedule = schedule_of(mask, n, s.row.threads); }, 1);
    row.overhead = row.wall_time_s / kernel_s(s, arguments);
  };
}

Limit over(double most) { return {&MicrobenchRow::overhead, most}; }

// Long sequences have limits.
void add(Benchmarks& all, const SparseCase& c, std::int64_t n) {
  const bool is_long = n == 32768;
  all.push_back(
      {fmt::format("sparse/{}/n:{}", c.name, n), std::nullopt,
       [=](Subject& s) { prepare_sparse(s, c, n); },
       is_long && c.most_over_ideal > 0.0 ? std::optional(over(c.most_over_ideal)) : std::nullopt});
  all.push_back({fmt::format("schedule/{}/n:{}", c.name, n), std::nullopt,
                 [=](Subject& s) { prepare_schedule(s, c, n); },
                 is_long ? std::optional(over(0.05)) : std::nullopt});
}

struct CqsCase {
  Pass pass = Pass::forward;
  std::int64_t n = 0;
  int workers = 0;
  std::int64_t heads = 0;
  int threads = available_cores();

  [[nodiscard]] const char* benchmark() const {
    return pass == Pass::backward ? "cqs_backward" : "cqs";
  }
};

// Adds the tensors of a backward pass, and the O and LSE that it begins with.
void add_backward(Subject& s, const Problem& problem, ExecutionArguments& arguments) {
  (void)execute(Ranks::serial, make_plan("dense", problem, {}), arguments);
  arguments.d_out = s.add(DType::f32, arguments.out.extent);
  arguments.d_q = s.add(DType::f32, arguments.q.extent);
  arguments.d_k = s.add(DType::f32, arguments.k.extent);
  arguments.d_v = s.add(DType::f32, arguments.v.extent);
}

// Measures the sum of all workers' times with gather and merge, run one after another on one
// device, over the time of the dense plan.
void prepare_cqs(Subject& s, const CqsCase& c) {
  const auto& [pass, n, workers, heads, threads] = c;
  const Problem problem =
      make_problem({1, heads, heads, n, n, kHeadDim, kHeadDim}, MaskKind::full, DType::f32, 1);
  const Plan dense = make_plan("dense", problem, {.pass = pass});
  const Plan cqs = make_plan("cqs", problem, {.workers = workers, .pass = pass});
  ExecutionArguments arguments = s.add_execution(DType::f32, heads, n, kHeadDim);
  arguments.threads = threads;
  if (pass == Pass::backward) add_backward(s, problem, arguments);
  const double flop_a_pair = pass == Pass::backward ? 10.0 : 4.0;
  s.row = {.benchmark = c.benchmark(),
           .dtype = "f32",
           .mask = "full",
           .threads = threads,
           .workers = workers,
           .n_tokens = n,
           .head_dim = kHeadDim,
           .flop = flop_a_pair * static_cast<double>(unmasked_pairs(problem) * heads * kHeadDim)};
  s.measure = [arguments, dense, cqs](MicrobenchRow& row) {
    const double dense_s = execute(Ranks::serial, dense, arguments).wall_s;
    const Execution all = execute(Ranks::serial, cqs, arguments);
    row.wall_time_s = all.worker_sum_s;
    row.overhead = row.wall_time_s / dense_s;
  };
}

void add_cqs(Benchmarks& all, const std::string& prefix, const CqsCase& c,
             std::optional<Limit> limit = {}) {
  all.push_back({fmt::format("{}{}/n:{}/w:{}/h:{}/threads:{}", prefix, c.benchmark(), c.n,
                             c.workers, c.heads, c.threads),
                 std::nullopt, [=](Subject& s) { prepare_cqs(s, c); }, limit});
}

// What a program of one thread pays for a small answer: a plan, its memory, and looking at O.
void prepare_call(Subject& s, std::int64_t n) {
  constexpr int kCalls = 200;
  const ExecutionArguments given = s.add_execution(DType::f32, 1, n, kHeadDim);
  AttendTask task;
  task.c.shape = {1, 1, 1, n, n, kHeadDim, kHeadDim};
  s.row = {.benchmark = "call",
           .dtype = "f32",
           .mask = "full",
           .threads = 1,
           .n_tokens = n,
           .head_dim = kHeadDim};
  s.measure = [given, task](MicrobenchRow& row) {
    double kernel_s = 0.0;
    const auto call = [&] {
      MemoryLedger memory;
      AttendJob job = plan_attend(task, memory, 1);
      job.arguments.q = given.q;
      job.arguments.k = given.k;
      job.arguments.v = given.v;
      make_room(job);
      kernel_s += run_attend(job, 0).forward->critical_path_s;
    };
    row.wall_time_s = seconds_of(call, kCalls);
    row.overhead = row.wall_time_s * kCalls / kernel_s;
  };
}

}  // namespace

void register_calls(Benchmarks& all) {
  all.push_back({"call/n:128", std::nullopt, [](Subject& s) { prepare_call(s, 128); }});
}

void register_sparse(Benchmarks& all, bool quick) {
  for (const SparseCase& c : kTargets) add(all, c, 32768);
  if (quick) return;
  for (const SparseCase& c : kTargets) add(all, c, 8192);
  for (const SparseCase& c : kOthers)
    for (const std::int64_t n : {8192, 32768}) add(all, c, n);
}

void register_cqs(Benchmarks& all, bool quick) {
  for (const int workers : {7, 31}) {
    add_cqs(all, "", {.n = 16384, .workers = workers, .heads = 4}, over(1.08));
    // The threads of a worker share one head of its tokens, 3171 rows and keys with W = 31.
    for (const int threads : thread_counts(available_cores()))
      add_cqs(
          all, "",
          {.pass = Pass::backward, .n = 16384, .workers = workers, .heads = 1, .threads = threads},
          over(1.10));
  }
  if (quick) return;
  for (const int workers : {4, 7, 8, 13, 21, 31, 57})
    for (std::int64_t n = 2048; n <= 16384; n *= 2)
      add_cqs(all, "sweep/", {.n = n, .workers = workers, .heads = 2});
}

}  // namespace qb
