// SPDX-License-Identifier: Apache-2.0
// Tests what the host does for a backward launch. It is linked with backward.cpp and without CUDA:
// the runtime is that of flash_launch_test.cpp, and kernels run over emulated instructions.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "kernels/cuda/flash/backward/backward_kernels.h"
#include "kernels/cuda/flash/kernel_costs.h"
#include "kernels/cuda/testing/emulator/emulated_backward.h"
#include "kernels/testing/backward_support.h"
#include "kernels/testing/schedule_fixtures.h"

namespace qb::cuda {

namespace {

struct BackwardNotes {
  int rows = 0;
  int pairs = 0;
  int sm80 = 0;
  int sm90 = 0;
};
BackwardNotes backward_notes;

}  // namespace

// ---- The kernels --------------------------------------------------------------------------------

void prepare_backward_sm80(const BackwardKernel&) {}
void prepare_backward_sm90(const BackwardKernel&) {}
void launch_backward_sm80(const BackwardParameters& p, const BackwardKernel& kernel, void*) {
  ++backward_notes.sm80;
  emulator::run_backward_sm80(p, kernel, 1);
}
void launch_backward_sm90(const BackwardParameters& p, const BackwardMaps& maps,
                          const BackwardKernel& kernel, void*) {
  ++backward_notes.sm90;
  emulator::run_backward_sm90(p, maps, kernel, 1);
}
void launch_backward_pairs(const BackwardParameters& p, bool bf16, void*) {
  ++backward_notes.pairs;
  emulator::run_backward_pairs(p, bf16, 1);
}
void launch_backward_rows(const RowsParameters& p, void*) {
  ++backward_notes.rows;
  emulator::run_backward_rows(p, 1);
}

namespace {

using qb::testing_support::BackwardCall;
using qb::testing_support::Gradients;
using qb::testing_support::random_tensor;

class BackwardLaunches : public ::testing::Test {
 protected:
  BackwardLaunches() { backward_notes = {}; }
  static LaunchContext context(Allocator& memory, int capability) {
    return {memory, nullptr, capability, 132, 3};
  }
  static auto allowed(const BackwardCall& call) {
    return [&call](std::int64_t i, std::int64_t j) {
      return qb::testing_support::schedule_allows(call.schedule, i, j);
    };
  }
  static BackwardCall call(std::int64_t d, std::uint64_t seed = 1) {
    const std::int64_t n = 100;
    const std::int64_t m = 150;
    BackwardCall call(random_tensor(DType::bf16, {1, 4, n, d}, seed),
                      random_tensor(DType::bf16, {1, 2, m, d}, seed + 1),
                      random_tensor(DType::bf16, {1, 2, m, 64}, seed + 2),
                      random_tensor(DType::bf16, {1, 4, n, 64}, seed + 3),
                      build_schedule(n, m, {{0, n, {0, m, SpanKind::causal, m - n}}}, 128));
    const auto forward = qb::testing_support::brute_force<double>(
        call.q.view(), call.k.view(), call.v.view(), call.scale, allowed(call));
    call.set_forward(forward.out, forward.lse);
    return call;
  }
};

// P and dS are rounded to bf16 in the kernels; the largest element sets the scale of that.
void expect_within_bf16(const Gradients& found, const Gradients& exact) {
  const auto expect = [](const std::vector<double>& a, const std::vector<double>& b) {
    EXPECT_LE(qb::testing_support::max_difference(a, b),
              4.0 * unit_roundoff(DType::bf16) * qb::testing_support::largest_magnitude(b));
  };
  expect(found.d_q, exact.d_q);
  expect(found.d_k, exact.d_k);
  expect(found.d_v, exact.d_v);
}

TEST_F(BackwardLaunches, AgreeWithFloat64OnBothPathsEachTimeTheyRun) {
  const BackwardCall call = this->call(64);
  const Gradients exact = qb::testing_support::brute_force_gradients<double>(call, allowed(call));
  for (const int capability : {80, 90}) {
    const BackwardLaunch launch(call.arguments(), context(heap_allocator(), capability));
    for (int repeat = 0; repeat < 2; ++repeat) {
      call.clear();
      launch.run();
      expect_within_bf16(call.gradients(), exact);
    }
  }
  EXPECT_EQ(backward_notes.sm80, 2);
  EXPECT_EQ(backward_notes.sm90, 2);
  EXPECT_EQ(backward_notes.rows, 8);
  EXPECT_EQ(backward_notes.pairs, 4);
}

// Inputs of 20 columns are copied to rows of 24.
TEST_F(BackwardLaunches, TakeTheBytesThatWerePredictedAndGiveThemBack) {
  for (const std::int64_t d : {64, 20})
    for (const int capability : {80, 90}) {
      const BackwardCall call = this->call(d);
      qb::testing_support::CountingAllocator workspace;
      {
        const BackwardLaunch launch(call.arguments(), context(workspace, capability));
        const GpuKernelCosts costs(capability == 90 ? FlashPath::sm90 : FlashPath::sm80, 132);
        EXPECT_EQ(static_cast<std::int64_t>(workspace.peak()),
                  costs.of_backward_call(Kernel::flash, call.arguments()).workspace_bytes);
        EXPECT_EQ(workspace.active(), workspace.peak());
        EXPECT_EQ(workspace.labels().size(), d == 20 ? 6u : 4u);
        for (const int worker : workspace.workers()) EXPECT_EQ(worker, 3);
      }
      EXPECT_EQ(workspace.active(), 0u);
    }
}

// A rank of several GPUs does this: it keeps the lists and makes a launch each time.
TEST_F(BackwardLaunches, WithKeptListsComputeTensorsThatMoved) {
  const BackwardCall first = call(64);
  const BackwardCall other = call(64, 5);
  const Gradients exact = qb::testing_support::brute_force_gradients<double>(other, allowed(other));
  for (const int capability : {80, 90}) {
    const BackwardDeviceLists lists(first.arguments(), context(heap_allocator(), capability));
    BackwardLaunch(first.arguments(), lists, context(heap_allocator(), capability)).run();
    other.clear();
    BackwardArguments arguments = other.arguments();
    arguments.schedule = nullptr;
    BackwardLaunch(arguments, lists, context(heap_allocator(), capability)).run();
    expect_within_bf16(other.gradients(), exact);
    EXPECT_THROW(BackwardLaunch(call(20).arguments(), lists, context(heap_allocator(), capability)),
                 std::invalid_argument);
  }
}

TEST_F(BackwardLaunches, WithKeptListsTakeTheRestOfThePredictedBytes) {
  for (const int capability : {80, 90}) {
    const BackwardCall call = this->call(20);
    const CallCost cost = GpuKernelCosts(capability == 90 ? FlashPath::sm90 : FlashPath::sm80, 132)
                              .of_backward_call(Kernel::flash, call.arguments());
    qb::testing_support::CountingAllocator memory;
    const BackwardDeviceLists lists(call.arguments(), context(memory, capability));
    EXPECT_EQ(static_cast<std::int64_t>(memory.active()), cost.list_bytes);
    {
      const BackwardLaunch launch(call.arguments(), lists, context(memory, capability));
      EXPECT_EQ(static_cast<std::int64_t>(memory.active()), cost.workspace_bytes);
    }
    EXPECT_EQ(static_cast<std::int64_t>(memory.active()), cost.list_bytes);
  }
}

TEST_F(BackwardLaunches, OverNoPairsLaunchAndTakeNothing) {
  BackwardCall call = this->call(64);
  call.schedule = build_schedule(100, 150, {}, 128);
  qb::testing_support::CountingAllocator workspace;
  flash_backward(call.arguments(), context(workspace, 90));
  const BackwardDeviceLists lists(call.arguments(), context(workspace, 90));
  BackwardLaunch(call.arguments(), lists, context(workspace, 90)).run();
  EXPECT_EQ(workspace.peak(), 0u);
  EXPECT_EQ(backward_notes.rows, 0);
}

}  // namespace
}  // namespace qb::cuda
