// SPDX-License-Identifier: Apache-2.0
// Measures what a plan costs over the dense kernel, and a whole call on tensors that are already
// there over its kernel, both sides in each repeat.
#include <fmt/format.h>

#include "harness/microbench/subject.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/run/runner/executor.h"
#include "harness/workload/attend.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

constexpr std::int64_t kHeadDim = 64;

struct PlanCase {
  std::string algorithm = "cqs";
  Pass pass = Pass::forward;
  std::int64_t n = 16384;
  int workers = 0;
  std::int64_t heads = 1;
  int threads = available_cores();
  double most = 0.0;  // over dense

  [[nodiscard]] std::string benchmark() const {
    return algorithm + (pass == Pass::backward ? "_backward" : "");
  }
};

// Adds the tensors that the caller of a plan has.
ExecutionArguments add_execution(Subject& s, const Plan& plan, int threads) {
  ExecutionArguments arguments;
  for (const CallerTensor& tensor : caller_tensors(plan))
    arguments.*tensor.view = s.add(tensor.dtype, tensor.extent);
  arguments.threads = threads;
  arguments.allocator = &s.memory;
  return arguments;
}

// Measures a whole execution of the plan, its workers one after another on one device, with copied
// messages, gathers and merges, over one of the dense plan.
void prepare_plan(Subject& s, const PlanCase& c) {
  const auto& [algorithm, pass, n, workers, heads, threads, most] = c;
  Problem problem =
      make_problem({1, heads, heads, n, n, kHeadDim, kHeadDim}, MaskKind::full, DType::f32, 1);
  problem.adds_to_partials = true;
  const Plan dense = make_plan("dense", problem, {.pass = pass});
  const Plan plan = make_plan(algorithm, problem, {.workers = workers, .pass = pass});
  const ExecutionArguments arguments = add_execution(s, dense, threads);
  // A backward pass begins with O and LSE.
  if (pass == Pass::backward)
    (void)execute(Ranks::serial, make_plan("dense", problem, {}), arguments);
  const double flop_a_pair = pass == Pass::backward ? 10.0 : 4.0;
  s.row = {.benchmark = c.benchmark(),
           .dtype = "f32",
           .mask = "full",
           .threads = threads,
           .workers = workers,
           .n_tokens = n,
           .head_dim = kHeadDim,
           .flop = flop_a_pair * static_cast<double>(unmasked_pairs(problem) * heads * kHeadDim)};
  s.measure = [arguments, dense, plan](MicrobenchRow& row) {
    const double dense_s = execute(Ranks::serial, dense, arguments).wall_s;
    row.wall_time_s = execute(Ranks::serial, plan, arguments).wall_s;
    row.overhead = row.wall_time_s / dense_s;
  };
}

// What a program of one thread pays for a small answer: a plan, its memory, and looking at O.
void prepare_call(Subject& s, std::int64_t n) {
  constexpr int kCalls = 200;
  AttendTask task;
  task.c.shape = {1, 1, 1, n, n, kHeadDim, kHeadDim};
  const ExecutionArguments given = add_execution(s, plan_of(task.c), 1);
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

void register_plans(Benchmarks& all) {
  std::vector<PlanCase> cases;
  for (const int workers : {7, 31}) {
    cases.push_back({.workers = workers, .heads = 4, .most = 1.08});
    // The threads of a worker share one head of its tokens, 3171 rows and keys with W = 31.
    for (const int threads : thread_counts(available_cores()))
      cases.push_back(
          {.pass = Pass::backward, .workers = workers, .threads = threads, .most = 1.10});
  }
  // Blocks of 33 to 512 tokens.
  for (const auto& [algorithm, workers, most_4096, most_1024] :
       {std::tuple{"ring", 8, 1.15, 1.5}, {"zigzag", 8, 1.15, 1.5}, {"cqs", 31, 1.2, 1.6}})
    for (const auto& [n, most] : {std::pair{4096, most_4096}, {1024, most_1024}})
      cases.push_back({algorithm, Pass::forward, n, workers, 8, 1, most});
  for (const PlanCase& c : cases)
    all.push_back({fmt::format("{}/n:{}/w:{}/h:{}/threads:{}", c.benchmark(), c.n, c.workers,
                               c.heads, c.threads),
                   std::nullopt, [c](Subject& s) { prepare_plan(s, c); },
                   Limit{&MicrobenchRow::overhead, c.most}});
}

}  // namespace qb
