// SPDX-License-Identifier: Apache-2.0
#include "harness/run/runner/worker.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/run/device/cpu_device.h"
#include "harness/run/testing/execute_fixtures.h"
#include "kernels/reference.h"

namespace qb {
namespace {

Plan cqs_plan(MaskKind mask) {
  Shape shape;
  shape.batch = 2;
  shape.q_heads = 2;
  shape.q_len = 23;
  shape.kv_len = 23;
  shape.head_dim = 4;
  shape.value_dim = 4;
  return cqs_plan(make_problem(shape, mask, DType::f32, 9), 7);
}

ExecutionArguments arguments_of(Trial& trial) {
  auto arguments = trial.with_tensors(ExecutionArguments());
  arguments.kernel = Kernel::reference;
  arguments.allocator = &heap_allocator();
  return arguments;
}

// Returns a worker after its last step.
struct PlayedWorker {
  PlayedWorker(Trial& trial, int worker)
      : arguments(arguments_of(trial)),
        player(trial.plan, worker, arguments, {device, watch}, time) {
    watch.start();
    run_steps(player);
    watch.stop();
    time.compute_s = time.sum_s(&StepTime::compute_s);
  }

  ExecutionArguments arguments;
  CpuDevice device{1};
  Stopwatch watch{device};
  WorkerTime time;
  WorkerRunner player;
};

// exp(LSE) of a partial is the sum of exp(score) over exactly the pairs of the worker's tasks.
double sum_of_tasks(const Trial& trial, const Worker& worker, int q_group, std::int64_t token) {
  const Plan& plan = trial.plan;
  double sum = 0.0;
  for (const PairTask& task : worker.steps[0].tasks) {
    if (task.q_group != q_group) continue;
    const TokenGroup& q = plan.q_groups[static_cast<std::size_t>(task.q_group)];
    const TokenGroup& k = plan.kv_groups[static_cast<std::size_t>(task.kv_group)];
    for (std::int64_t j = 0; j < k.count; ++j) {
      if (!plan.problem.mask.allows(q.token(token), k.token(j))) continue;
      const float* a = trial.inputs.q.view().row_as<float>(1, 1, q.token(token));
      const float* b = trial.inputs.k.view().row_as<float>(1, 0, k.token(j));
      double score = 0.0;
      for (int x = 0; x < 4; ++x) score += double{a[x]} * double{b[x]};
      sum += std::exp(score * plan.problem.scale);
    }
  }
  return sum;
}

TEST(PlayWorker, ComputesExactlyThePairsOfItsTasks) {
  for (const MaskKind mask : {MaskKind::full, MaskKind::causal}) {
    Trial trial(cqs_plan(mask), heap_allocator());
    for (int w = 0; w < 7; ++w) {
      const PlayedWorker played(trial, w);
      const WorkerResult result = played.player.result();
      const Worker& worker = trial.plan.workers[static_cast<std::size_t>(w)];
      const LocalLayout layout = local_layout(trial.plan, worker);
      for (std::size_t i = 0; i < worker.q_groups.size(); ++i) {
        const int group = worker.q_groups[i];
        const std::int64_t count = trial.plan.q_groups[static_cast<std::size_t>(group)].count;
        for (std::int64_t t = 0; t < count; ++t) {
          const double lse = double{*result[1].row_as<float>(1, 1, layout.q_begin[i] + t)};
          const double sum = sum_of_tasks(trial, worker, group, t);
          EXPECT_NEAR(std::exp(lse), sum, 1e-5 * sum + 1e-12)
              << word(mask) << " worker " << w << " group " << group << " token " << t;
        }
      }
    }
  }
}

TEST(PlayWorker, WithoutTokensGivesNothing) {
  Trial trial(cqs_plan(MaskKind::full), heap_allocator());
  trial.plan.workers[3] = Worker{};
  const PlayedWorker played(trial, 3);
  EXPECT_EQ(played.player.result()[0].data, nullptr);
  EXPECT_EQ(played.time.compute_s, 0.0);
}

TEST(OutputMerge, CopiesTheFirstPartialOverWhateverWasThere) {
  Trial trial(cqs_plan(MaskKind::full), heap_allocator());  // poisoned output
  const PlayedWorker played(trial, 2);
  const WorkerResult result = played.player.result();
  const Worker& worker = trial.plan.workers[2];
  const LocalLayout layout = local_layout(trial.plan, worker);
  CpuDevice device(1);
  const ExecutionArguments arguments = arguments_of(trial);
  OutputMerge output(trial.plan, arguments, device);
  output.add_part(worker, layout, 0, 1, result);
  const TokenGroup& group = trial.plan.q_groups[static_cast<std::size_t>(worker.q_groups[1])];
  for (std::int64_t t = 0; t < trial.plan.problem.shape.q_len; ++t) {
    const float lse = *trial.lse.view().row_as<float>(1, 0, t);
    if (t >= group.first && t < group.first + group.count) {
      EXPECT_EQ(lse, *result[1].row_as<float>(1, 0, layout.q_begin[1] + t - group.first));
    } else {
      EXPECT_TRUE(std::isnan(lse)) << "row " << t << " is of another group";
    }
  }
}

TEST(OutputMerge, MergesALaterPartialWithTheFirst) {
  Trial trial(cqs_plan(MaskKind::full), heap_allocator());
  const PlayedWorker played(trial, 2);
  const WorkerResult result = played.player.result();
  const Worker& worker = trial.plan.workers[2];
  const LocalLayout layout = local_layout(trial.plan, worker);
  CpuDevice device(1);
  const ExecutionArguments arguments = arguments_of(trial);
  OutputMerge output(trial.plan, arguments, device);
  output.add_part(worker, layout, 0, 0, result);
  output.add_part(worker, layout, 0, 0, result);
  const TokenGroup& group = trial.plan.q_groups[static_cast<std::size_t>(worker.q_groups[0])];
  // The same keys twice give twice the weight and the same average.
  EXPECT_NEAR(double{*trial.lse.view().row_as<float>(0, 1, group.first)},
              double{*result[1].row_as<float>(0, 1, 0)} + std::log(2.0), 1e-6);
  EXPECT_NEAR(double{*trial.out.view().row_as<float>(0, 1, group.first)},
              double{*result[0].row_as<float>(0, 1, 0)}, 1e-6);
}

}  // namespace
}  // namespace qb
