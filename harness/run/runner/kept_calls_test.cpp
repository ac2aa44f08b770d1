// SPDX-License-Identifier: Apache-2.0
#include "harness/run/runner/kept_calls.h"

#include <gtest/gtest.h>

#include "harness/run/memory/memory_ledger.h"
#include "harness/run/testing/device_probe.h"
#include "harness/run/testing/execute_fixtures.h"
#include "harness/run/testing/failing_allocator.h"
#include "harness/run/testing/gradient_trial.h"

namespace qb {
namespace {

TileSchedule rows_of_keys(std::int64_t rows, std::int64_t keys) {
  return build_schedule(rows, 40, {{0, rows, {0, keys}}}, 16);
}

// Makes one call over fresh random tensors of 40 keys.
class Call {
 public:
  Call(std::int64_t rows, std::uint64_t seed, Allocator& memory)
      : trial_(dense_plan(
                   make_problem({1, 2, 1, rows, 40, 16, 16}, MaskKind::full, DType::bf16, seed)),
               memory) {}

  [[nodiscard]] AttentionArguments arguments(const TileSchedule& schedule) const {
    return {trial_.inputs.q.view(),    trial_.inputs.k.view(), trial_.inputs.v.view(), &schedule,
            trial_.plan.problem.scale, trial_.out.view(),      trial_.lse.view()};
  }
  // Makes the same call without a kept schedule.
  void expect_right(const TileSchedule& schedule) {
    const auto found = trial_.output_bytes();
    poison(trial_.out.view(), trial_.lse.view());
    DeviceProbe().attention(Kernel::flash, arguments(schedule), {heap_allocator(), 1, 0}, {});
    EXPECT_EQ(found, trial_.output_bytes());
  }

 private:
  Trial trial_;
};

struct CallScene {
  DeviceProbe device;
  MemoryLedger ledger;
  KeptCalls kept;
  std::uint64_t seed = 1;

  // Runs an execution of calls (rows, keys).
  void execute(const std::vector<std::pair<std::int64_t, std::int64_t>>& calls) {
    kept.rewind();
    for (const auto& [rows, keys] : calls) {
      const TileSchedule schedule = rows_of_keys(rows, keys);
      Call call(rows, ++seed, heap_allocator());
      kept.attend(device, Kernel::flash, call.arguments(schedule), ledger, 3);
      call.expect_right(schedule);
    }
  }
};

TEST(KeptCalls, AreMadeInTheFirstExecutionAndUsedInTheOthers) {
  CallScene scene;
  for (int execution = 0; execution < 3; ++execution) {
    scene.execute({{20, 40}, {20, 30}, {33, 40}});
    EXPECT_EQ(scene.device.counts["keep_schedule"], 3);
  }
  EXPECT_EQ(scene.device.counts["attention"], 9);
}

TEST(KeptCalls, OfAnotherPlanTakeTheirPlaces) {
  CallScene scene;
  scene.execute({{20, 40}, {20, 30}, {33, 40}});
  scene.execute(
      {{20, 40}, {20, 31}, {33, 40}});  // the second is another one, so the third goes too
  EXPECT_EQ(scene.device.counts["keep_schedule"], 5);
  scene.execute({{20, 40}});
  scene.execute({{20, 40}, {20, 31}, {33, 40}, {33, 40}});
  EXPECT_EQ(scene.device.counts["keep_schedule"], 6);
  // The schedules are equal, but the scale differs.
  const TileSchedule schedule = rows_of_keys(20, 40);
  Call call(20, 7, heap_allocator());
  AttentionArguments odd = call.arguments(schedule);
  odd.scale = -odd.scale;
  scene.kept.rewind();
  scene.kept.attend(scene.device, Kernel::flash, odd, scene.ledger, 3);
  EXPECT_EQ(scene.device.counts["keep_schedule"], 7);
}

// Keeps every call without reading its tensors.
class Keeper final : public DeviceProbe {
 public:
  int made = 0;
  KeptSchedule keep_schedule(Kernel, const AttentionArguments&, Allocator&, int) override {
    ++made;
    return [](const AttentionArguments&, Allocator&) {};
  }
};

// Returns whether a call is made anew after another one of the same place, from which it differs by
// a change.
template <class Change>
bool is_made_anew(const Change& change) {
  const TileSchedule schedule = rows_of_keys(20, 30);
  const Call call(20, 1, heap_allocator());
  Keeper device;
  KeptCalls kept;
  kept.attend(device, Kernel::flash, call.arguments(schedule), heap_allocator(), 0);
  TileSchedule other = schedule;
  AttentionArguments arguments = call.arguments(other);
  Kernel kernel = Kernel::flash;
  change(arguments, other, kernel);
  kept.rewind();
  kept.attend(device, kernel, arguments, heap_allocator(), 0);
  EXPECT_GE(device.made, 1);
  return device.made == 2;
}

TEST(KeptCalls, AreOfOneFormOfEveryTensor) {
  for (TensorView AttentionArguments::*tensor :
       {&AttentionArguments::q, &AttentionArguments::k, &AttentionArguments::v,
        &AttentionArguments::out, &AttentionArguments::lse}) {
    const auto matters = [&](const auto& change) {
      return is_made_anew(
          [&](AttentionArguments& call, TileSchedule&, Kernel&) { change(call.*tensor); });
    };
    const auto moved = [](TensorView& view, int bytes) {
      view.data = static_cast<std::byte*>(view.data) + bytes;
    };
    EXPECT_FALSE(matters([](TensorView&) {}));
    EXPECT_FALSE(matters([&](TensorView& view) { moved(view, 16); }));
    EXPECT_TRUE(matters([&](TensorView& view) { moved(view, 8); }));
    EXPECT_TRUE(matters([](TensorView& view) { view.dtype = DType::f64; }));
    EXPECT_TRUE(matters([](TensorView& view) { ++view.extent.batch; }));
    EXPECT_TRUE(matters([](TensorView& view) { ++view.batch_stride; }));
    EXPECT_TRUE(matters([](TensorView& view) { ++view.head_stride; }));
    EXPECT_TRUE(matters([](TensorView& view) { ++view.token_stride; }));
  }
}

TEST(KeptCalls, AreOfOneScheduleScaleAndKernel) {
  const auto matters = [](const auto& change) {
    return is_made_anew(
        [&](AttentionArguments&, TileSchedule& schedule, Kernel&) { change(schedule); });
  };
  EXPECT_FALSE(matters([](TileSchedule&) {}));
  EXPECT_TRUE(matters([](TileSchedule& schedule) { ++schedule.n_queries; }));
  EXPECT_TRUE(matters([](TileSchedule& schedule) { ++schedule.n_keys; }));
  EXPECT_TRUE(matters([](TileSchedule& schedule) { schedule.tiles.pop_back(); }));
  EXPECT_TRUE(matters([](TileSchedule& schedule) { ++schedule.tiles[0].begin; }));
  EXPECT_TRUE(matters([](TileSchedule& schedule) { ++schedule.tiles[0].end; }));
  EXPECT_TRUE(matters([](TileSchedule& schedule) { ++schedule.tiles[0].first_span; }));
  EXPECT_TRUE(matters([](TileSchedule& schedule) { ++schedule.tiles[0].n_spans; }));
  EXPECT_TRUE(matters([](TileSchedule& schedule) { ++schedule.spans[0].end; }));
  EXPECT_TRUE(matters([](TileSchedule& schedule) { schedule.words.push_back(1); }));
  EXPECT_TRUE(
      is_made_anew([](AttentionArguments& call, TileSchedule&, Kernel&) { call.scale *= 2.0; }));
  EXPECT_TRUE(is_made_anew(
      [](AttentionArguments&, TileSchedule&, Kernel& kernel) { kernel = Kernel::reference; }));
}

// A backward call of 20 rows over 40 keys, with its exact gradients.
GradientTrial backward_trial() {
  GradientTrial trial(
      make_plan("dense", make_problem({1, 2, 1, 20, 40, 16, 16}, MaskKind::full, DType::bf16, 3),
                {.pass = Pass::backward}));
  trial.call.schedule = rows_of_keys(20, 40);
  return trial;
}

// A repeat of `pass: both` runs one pass after the other.
TEST(KeptCalls, OfTheTwoPassesAreKeptApart) {
  CallScene scene;
  const TileSchedule schedule = rows_of_keys(33, 40);
  Call forward(33, 5, heap_allocator());
  const GradientTrial trial = backward_trial();
  for (int execution = 0; execution < 3; ++execution) {
    scene.kept.rewind();
    scene.kept.attend(scene.device, Kernel::flash, forward.arguments(schedule), scene.ledger, 3);
    forward.expect_right(schedule);
    scene.kept.rewind();
    trial.call.clear();
    scene.kept.attend_backward(scene.device, Kernel::flash, trial.call.arguments(), scene.ledger,
                               3);
    trial.expect_exact();
  }
  EXPECT_EQ(scene.device.counts["keep_schedule"], 1);
  EXPECT_EQ(scene.device.counts["keep_backward_schedule"], 1);
  EXPECT_EQ(scene.device.counts["attention_backward"], 3);
}

TEST(KeptCalls, OfABackwardPassAreMadeAnewForTensorsOfAnotherForm) {
  CallScene scene;
  const GradientTrial trial = backward_trial();
  const auto n_made = [&](const BackwardArguments& arguments) {
    scene.kept.rewind();
    scene.kept.keep_backward(scene.device, Kernel::flash, arguments, scene.ledger, 3);
    return scene.device.counts["keep_backward_schedule"];
  };
  EXPECT_EQ(n_made(trial.call.arguments()), 1);
  BackwardArguments moved = trial.call.arguments();
  moved.delta.data = nullptr;
  EXPECT_EQ(n_made(moved), 1) << "it may have no memory yet";
  int made = 1;
  for (TensorView BackwardArguments::*tensor :
       {&BackwardArguments::q, &BackwardArguments::k, &BackwardArguments::v,
        &BackwardArguments::d_out, &BackwardArguments::lse, &BackwardArguments::delta,
        &BackwardArguments::d_q, &BackwardArguments::d_k, &BackwardArguments::d_v}) {
    BackwardArguments other = trial.call.arguments();
    ++(other.*tensor).token_stride;
    EXPECT_EQ(n_made(other), ++made);
  }
  BackwardArguments scaled = trial.call.arguments();
  scaled.scale = -scaled.scale;
  EXPECT_EQ(n_made(scaled), ++made);
  EXPECT_EQ(scene.device.counts["attention_backward"], 0);
}

TEST(KeptCalls, HoldTheirListsUntilTheyGoAndNoOtherKernelKeepsAny) {
  CallScene scene;
  scene.execute({{20, 40}, {33, 40}});
  const std::int64_t lists = rows_of_keys(20, 40).bytes() + rows_of_keys(33, 40).bytes();
  EXPECT_EQ(static_cast<std::int64_t>(scene.ledger.active_bytes()), lists);
  scene.kept.rewind();
  const TileSchedule schedule = rows_of_keys(20, 40);
  const Call call(20, 9, heap_allocator());
  scene.kept.attend(scene.device, Kernel::materialized, call.arguments(schedule), scene.ledger, 0);
  EXPECT_EQ(scene.device.counts["keep_schedule"], 2);
  scene.kept = {};
  EXPECT_EQ(scene.ledger.active_bytes(), 0u);
}

TEST(KeptCalls, AreAsBeforeAfterMemoryRanOut) {
  CallScene scene;
  scene.execute({{20, 40}});
  FailingAllocator memory(scene.ledger);
  memory.fail_at(1);
  const TileSchedule schedule = rows_of_keys(33, 40);
  const Call call(33, 9, heap_allocator());
  EXPECT_THROW(scene.kept.attend(scene.device, Kernel::flash, call.arguments(schedule), memory, 0),
               OutOfMemory);
  scene.execute({{20, 40}, {33, 40}});
  EXPECT_EQ(scene.device.counts["keep_schedule"], 2);
}

}  // namespace
}  // namespace qb
