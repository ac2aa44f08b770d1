// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/flash/flash_maps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/status.h"
#include "kernels/cuda/testing/emulator/emulator.h"

namespace qb::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Records what the driver was told, call by call.
struct Told {
  unsigned type = 0;
  const void* address = nullptr;
  std::vector<std::uint64_t> extents;
  std::vector<std::uint64_t> strides;
  std::vector<std::uint32_t> box;
  std::vector<std::uint32_t> steps;
  std::vector<unsigned> modes;
};
std::vector<Told> told;
unsigned answer = driver::kSuccess;

unsigned record(TensorMap* map, unsigned type, std::uint32_t rank, void* address,
                const std::uint64_t* extents, const std::uint64_t* strides,
                const std::uint32_t* box, const std::uint32_t* steps, unsigned interleave,
                unsigned swizzle, unsigned promotion, unsigned fill) {
  told.push_back({type,
                  address,
                  {extents, extents + rank},
                  {strides, strides + rank - 1},
                  {box, box + rank},
                  {steps, steps + rank},
                  {interleave, swizzle, promotion, fill}});
  if (answer != driver::kSuccess) return answer;
  return emulator::encode_tiled(map, type, rank, address, extents, strides, box, steps, interleave,
                                swizzle, promotion, fill);
}

class FlashMaps : public ::testing::Test {
 protected:
  FlashMaps() {
    told.clear();
    answer = driver::kSuccess;
  }
  // Heads are 4096 elements apart and sequences 16384.
  static TensorView view(void* data, std::int64_t length, std::int64_t head_dim) {
    return {data, DType::bf16, {2, 3, length, head_dim}, 16384, 4096, 80};
  }
  GroupedCall call() {
    GroupedCall call;
    call.q = view(memory_, 48, 72);
    call.k = view(memory_ + 16, 36, 72);
    call.v = view(memory_ + 32, 36, 40);
    return call;
  }
  static WorkLists lists(std::int32_t k_stride) {
    WorkLists lists;
    lists.shape = flash_shape(FlashVariant::hopper, 72);
    lists.k_map_stride = k_stride;
    return lists;
  }
  alignas(16) std::byte memory_[48]{};
  TensorMaps maps_;
};

TEST_F(FlashMaps, TellTheDriverOfExtentsInElementsAndStridesInBytes) {
  encode(boxed_inputs(call(), lists(1)), record, maps_);
  ASSERT_EQ(told.size(), 3u);
  const Told& q = told[0];
  EXPECT_EQ(q.type, 9u);  // bfloat16
  EXPECT_EQ(q.address, memory_);
  EXPECT_THAT(q.extents, ElementsAre(72, 1, 48, 3, 2));
  EXPECT_THAT(q.strides, ElementsAre(160, 160, 8192, 32768));
  EXPECT_THAT(q.box, ElementsAre(64, 1, 128, 1, 1));
  EXPECT_THAT(q.steps, ElementsAre(1, 1, 1, 1, 1));
  EXPECT_THAT(q.modes, ElementsAre(0, 3, 3, 0));  // 128-byte swizzle, 256-byte promotion, zeros
  EXPECT_EQ(told[1].address, memory_ + 16);
  EXPECT_EQ(told[2].address, memory_ + 32);
  EXPECT_THAT(told[2].extents, ElementsAre(40, 1, 36, 3, 2));
}

TEST_F(FlashMaps, MakeBoxesOfEveryStridethToken) {
  encode(boxed_inputs(call(), lists(4)), record, maps_);
  ASSERT_EQ(told.size(), 3u);
  EXPECT_THAT(told[0].extents, ElementsAre(72, 1, 48, 3, 2));  // Q has a stride of its own
  EXPECT_THAT(told[1].extents, ElementsAre(72, 4, 9, 3, 2));
  EXPECT_THAT(told[1].strides, ElementsAre(160, 640, 8192, 32768));
  EXPECT_THAT(told[2].extents, ElementsAre(40, 4, 9, 3, 2));
}

TEST_F(FlashMaps, TakeTilesAsTallAsTheKernels) {
  WorkLists lists = this->lists(1);
  lists.shape = flash_shape(FlashVariant::hopper, 64);
  GroupedCall call = this->call();
  call.q.dtype = DType::f16;
  encode(boxed_inputs(call, lists), record, maps_);
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[0].type, 6u);  // float16
  EXPECT_THAT(told[0].box, ElementsAre(64, 1, 192, 1, 1));
  EXPECT_THAT(told[1].box, ElementsAre(64, 1, 128, 1, 1));
  EXPECT_THAT(told[2].box, ElementsAre(64, 1, 128, 1, 1));
  lists.shape = flash_shape(FlashVariant::hopper, 256);
  encode(boxed_inputs(call, lists), record, maps_);
  EXPECT_THAT(told[3].box, ElementsAre(64, 1, 128, 1, 1));
  EXPECT_THAT(told[4].box, ElementsAre(64, 1, 80, 1, 1));
}

TEST_F(FlashMaps, AreKeptWhileTheTensorsStayWhereTheyAre) {
  KeptMaps kept;
  const TensorMaps first = kept.of(boxed_inputs(call(), lists(1)), record);
  for (int repeat = 0; repeat < 5; ++repeat) {
    const TensorMaps& again = kept.of(boxed_inputs(call(), lists(1)), record);
    EXPECT_THAT(again.v.opaque, ElementsAreArray(first.v.opaque));
  }
  EXPECT_EQ(told.size(), 3u);
  GroupedCall moved = call();
  moved.v.data = memory_;
  EXPECT_NE(kept.of(boxed_inputs(moved, lists(1)), record).v.opaque[0], first.v.opaque[0]);
  EXPECT_EQ(told.size(), 6u);
  moved.q.dtype = DType::f16;
  (void)kept.of(boxed_inputs(moved, lists(1)), record);
  EXPECT_EQ(told.size(), 9u);
}

TEST_F(FlashMaps, SayWhichTensorTheDriverRefused) {
  answer = 801;
  KeptMaps kept;
  for (int repeat = 0; repeat < 2; ++repeat)
    EXPECT_THAT([&] { (void)kept.of(boxed_inputs(call(), lists(4)), record); },
                ThrowsMessage<EnvironmentError>(
                    HasSubstr("refused a tensor of 48 x 1 tokens and 72 columns: CUresult 801")));
  answer = driver::kSuccess;
  (void)kept.of(boxed_inputs(call(), lists(4)), record);
}

// The emulated driver is as strict as its manual.
TEST_F(FlashMaps, AreRefusedByTheEmulatedDriverWhereTheRealOneWould) {
  const auto refused = [&](auto change) {
    GroupedCall call = this->call();
    change(call.k);
    try {
      encode(boxed_inputs(call, lists(1)), emulator::encode_tiled, maps_);
    } catch (const EnvironmentError&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused([](TensorView&) {}));
  EXPECT_TRUE(refused([](TensorView& k) { k.extent.length = 0; }));
  EXPECT_TRUE(refused([](TensorView& k) { k.data = nullptr; }));
  EXPECT_TRUE(refused([](TensorView& k) { k.data = static_cast<std::byte*>(k.data) + 2; }));
  EXPECT_TRUE(refused([](TensorView& k) { k.token_stride += 4; }));
  EXPECT_TRUE(refused([](TensorView& k) { k.batch_stride = std::int64_t{1} << 39; }));
}

}  // namespace
}  // namespace qb::cuda
