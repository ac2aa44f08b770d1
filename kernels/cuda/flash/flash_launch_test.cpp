// SPDX-License-Identifier: Apache-2.0
// Tests what the host does for a launch. It is linked with flash.cpp and without CUDA: a fake
// runtime takes notes, and kernels run over emulated instructions.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "kernels/cuda/flash/flash_kernels.h"
#include "kernels/cuda/testing/emulator/emulated_kernels.h"
#include "kernels/cuda/testing/emulator/emulator.h"
#include "kernels/cuda/testing/flash_test_support.h"

namespace {

struct Notes {
  bool runs_kernels = false;
  int encoded = 0;
  int allowed = 0;  // shared memory
  int device = 0;
  std::vector<const void*> sm90;  // address in K's map, for each launch
  int sm80 = 0;
};
Notes notes;

const void* address_in(const qb::cuda::TensorMap& map) {
  const void* address = nullptr;
  std::memcpy(&address, map.opaque, sizeof address);
  return address;
}

}  // namespace

// ---- The runtime --------------------------------------------------------------------------------

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = notes.device;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) {
  ++notes.allowed;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return ""; }
const char* cudaGetErrorName(cudaError_t) { return ""; }

namespace qb::cuda {

// ---- The kernels --------------------------------------------------------------------------------

void prepare_sm80(const FlashShape&, bool) {
  static const char kKernel = 0;
  allow_shared_memory(&kKernel, 100 << 10);
}
void prepare_sm90(const FlashShape& shape, bool bf16) {
  static const char kKernels[4] = {};
  allow_shared_memory(&kKernels[(shape.padded_dim == 64 ? 0 : 2) + (bf16 ? 1 : 0)], 100 << 10);
}
EncodeTiled tensor_map_encoder() {
  return [](auto... arguments) {
    ++notes.encoded;
    return emulator::encode_tiled(arguments...);
  };
}
// Handles bf16, wide, d = 64.
void launch_sm80(const FlashParameters& p, const FlashShape&, bool, int n_items, void*) {
  ++notes.sm80;
  using C = Sm80<true, 64, false>;
  if (notes.runs_kernels)
    emulator::launch(n_items, C::kThreads, C::kSharedBytes, 1,
                     [&p] { Sm80Block<C>(p, ptx::shared_base()).run(); });
}
// Handles bf16, d = 64.
void launch_sm90(const FlashParameters& p, const TensorMaps& maps, const FlashShape&, bool,
                 int n_blocks, void*) {
  notes.sm90.push_back(address_in(maps.k));
  using C = Sm90<true, 64>;
  if (notes.runs_kernels)
    emulator::launch(n_blocks, C::kThreads, C::kSharedBytes, 1,
                     [&] { Sm90Block<C>(p, maps, ptx::shared_base()).run(); });
}
void launch_merge(const MergeParameters& p, int n_head_slots, void*) {
  if (notes.runs_kernels)
    emulator::launch(p.n_tiles * n_head_slots, kMergeThreads, 0, 1, [&] {
      merge_block(p, p.tiles[ptx::block_index() / n_head_slots], ptx::block_index() % n_head_slots);
    });
}
void launch_merge_rows(const MergeParameters&, std::int64_t, int, void*) {}
void launch_pad(const PadParameters&, int, void*) {}

namespace {

class FlashLaunches : public ::testing::Test {
 protected:
  FlashLaunches() { notes = {}; }
  static LaunchContext context(int capability = 90) {
    return {heap_allocator(), nullptr, capability, 132};
  }
  static flash_support::Problem problem() {
    flash_support::Problem problem({.q = {1, 2, 200, 64}, .n_keys = 300}, 1);
    problem.add_whole({{0, 200, {0, 300}}});
    return problem;
  }
};

// The executor's launches `together` and `graph` do this, and `alone` for one worker.
TEST_F(FlashLaunches, OfOneCallSiteEncodeItsTensorsOnce) {
  const flash_support::Problem problem = this->problem();
  const FlashLaunch launch(problem.call(), context());
  EXPECT_EQ(notes.encoded, 3);
  for (int repeat = 0; repeat < 5; ++repeat) {
    launch.attend();
    launch.merge();
  }
  EXPECT_EQ(notes.encoded, 3);
  EXPECT_EQ(notes.sm90, std::vector<const void*>(5, problem.k.view().data));
}

// A rank of several GPUs and a layer do this: they keep the lists and make a launch each time.
TEST_F(FlashLaunches, WithKeptListsEncodeTensorsThatMovedAndNoOthers) {
  const flash_support::Problem problem = this->problem();
  const flash_support::Problem elsewhere = this->problem();
  const FlashLists lists(problem.call(), context());
  EXPECT_EQ(notes.encoded, 0);
  for (int repeat = 0; repeat < 4; ++repeat) FlashLaunch(problem.call(), lists, context()).attend();
  EXPECT_EQ(notes.encoded, 3);
  FlashLaunch(elsewhere.call(), lists, context()).attend();
  EXPECT_EQ(notes.encoded, 6);
  EXPECT_EQ(notes.sm90.at(3), problem.k.view().data);
  EXPECT_EQ(notes.sm90.at(4), elsewhere.k.view().data);
}

TEST_F(FlashLaunches, OfTheOtherPathEncodeNothing) {
  const flash_support::Problem problem = this->problem();
  FlashLaunch(problem.call(), context(80)).attend();
  EXPECT_EQ(notes.sm80, 1);
  EXPECT_EQ(notes.encoded, 0);
}

// Groups whose strides differ are not boxes of one map.
TEST_F(FlashLaunches, OfGroupsThatAreNoBoxesEncodeNothing) {
  flash_support::Problem problem({.q = {1, 1, 200, 64}, .n_keys = 300}, 1);
  problem.add_worker({{0, 200, 1}}, {{0, 50, 1}, {50, 125, 2}},
                     build_schedule(200, 175, {{0, 200, {0, 175}}}, 128));
  FlashLaunch(problem.call(), context()).attend();
  EXPECT_EQ(notes.sm80, 1);
  EXPECT_EQ(notes.encoded, 0);
}

TEST_F(FlashLaunches, OverNoKeysEncodeNothing) {
  flash_support::Problem problem({.q = {1, 2, 200, 64}, .n_keys = 0}, 1);
  problem.add_whole({});
  FlashLaunch(problem.call(), context()).attend();
  EXPECT_EQ(notes.sm80, 1);
  EXPECT_TRUE(notes.sm90.empty());
}

// Two workers' partials are merged; the call runs twice with its own lists and with kept ones.
TEST_F(FlashLaunches, AgreeWithFloat64OnBothPaths) {
  notes.runs_kernels = true;
  flash_support::Problem problem({.q = {1, 2, 100, 64}, .n_keys = 200}, 3);
  const TileSchedule schedule = build_schedule(100, 100, {{0, 100, {0, 100}}}, 128);
  for (const std::int64_t first : {0, 100})
    problem.add_worker({{0, 100, 1}}, {{first, 100, 1}}, schedule);
  const qb::testing_support::Attended expected = flash_support::expected(problem);
  const flash_support::Tolerance tolerance = flash_support::tolerance(problem);
  for (const int capability : {80, 90}) {
    const FlashLists lists(problem.call(), context(capability));
    const FlashLaunch own(problem.call(), context(capability));
    const FlashLaunch kept(problem.call(), lists, context(capability));
    for (const FlashLaunch* launch : {&own, &own, &kept, &kept}) {
      problem.poison();
      launch->attend();
      launch->merge();
      EXPECT_LE(qb::testing_support::max_difference(qb::testing_support::values(problem.out.view()),
                                                    expected.out),
                tolerance.out);
      EXPECT_LE(qb::testing_support::max_difference(qb::testing_support::values(problem.lse.view()),
                                                    expected.lse),
                tolerance.lse);
    }
  }
  EXPECT_EQ(notes.sm80, 4);
  EXPECT_EQ(notes.sm90.size(), 4u);
}

TEST_F(FlashLaunches, AskForSharedMemoryOnceAKernelAndDevice) {
  const flash_support::Problem problem = this->problem();
  (void)FlashLaunch(problem.call(), context());
  (void)FlashLaunch(problem.call(), context(80));
  const int before = notes.allowed;  // an earlier test may have asked already
  for (int repeat = 0; repeat < 3; ++repeat) {
    FlashLaunch(problem.call(), context()).attend();
    FlashLaunch(problem.call(), context(80)).attend();
  }
  EXPECT_EQ(notes.allowed, before);
  notes.device = 1;
  for (int repeat = 0; repeat < 3; ++repeat) FlashLaunch(problem.call(), context()).attend();
  EXPECT_EQ(notes.allowed, before + 1);
}

}  // namespace
}  // namespace qb::cuda
