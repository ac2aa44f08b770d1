// SPDX-License-Identifier: Apache-2.0
// Tests that the emulator detects the mistakes that it should.
#include "kernels/cuda/testing/emulator/emulator.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "kernels/cuda/testing/emulator/emulated_kernels.h"

namespace qb::cuda {
namespace {

template <class Kernel>
std::string complaint(int threads, Kernel kernel, std::uint32_t shared_bytes = 4096) {
  try {
    emulator::launch(1, threads, shared_bytes, 1, kernel);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Emulator, ReadsPoisonBeforeACopyHasBeenWaitedFor) {
  alignas(16) const float source[4] = {1, 2, 3, 4};
  float early = 0.0F;
  float late = 0.0F;
  EXPECT_EQ(complaint(32,
                      [&] {
                        if (ptx::thread_index() != 0) return;
                        ptx::copy_async(0, source, true);
                        ptx::copy_commit();
                        early = ptx::load_shared(4);
                        ptx::copy_wait<0>();
                        late = ptx::load_shared(4);
                      }),
            "");
  EXPECT_TRUE(std::isnan(early));
  EXPECT_EQ(late, 2.0F);
}

TEST(Emulator, NamesDeadlocksAndDivergentWarps) {
  EXPECT_NE(complaint(64, [] { ptx::named_sync(1, 128); }).find("nobody can go on"),
            std::string::npos);
  EXPECT_NE(complaint(32,
                      [] {
                        std::uint32_t r[4];
                        if (ptx::thread_index() < 16)
                          ptx::load_matrices(r, 0);
                        else
                          (void)ptx::shuffle_xor(0.0F, 1);
                      })
                .find("different instructions"),
            std::string::npos);
  EXPECT_NE(complaint(32,
                      [] {
                        if (ptx::thread_index() == 0) (void)ptx::uniform(1);
                        ptx::sync_warp();
                      })
                .find("a part of a warp asked"),
            std::string::npos);
}

// A tensor of 20 rows and 40 columns; the box begins at row 10 and column 32.
TEST(Emulator, AddsABoxWithoutWhatIsOutsideTheTensorAndRefusesOneThatChanges) {
  alignas(16) std::array<float, 20 * 40> sums;
  TensorMap map;
  const std::uint64_t extents[5] = {40, 1, 20, 1, 1};
  const std::uint64_t strides[4] = {160, 160, 3200, 3200};
  const std::uint32_t box[5] = {32, 1, 16, 1, 1};
  const std::uint32_t steps[5] = {1, 1, 1, 1, 1};
  ASSERT_EQ(emulator::encode_tiled(&map, driver::kFloat32, 5, sums.data(), extents, strides, box,
                                   steps, driver::kNoInterleave, driver::kSwizzle128Bytes,
                                   driver::kPromoteTo256Bytes, driver::kFillWithZeros),
            driver::kSuccess);
  const auto add = [&](bool waits, bool changes) {
    sums.fill(1.0F);
    return complaint(32, [&, waits, changes] {
      if (ptx::thread_index() != 0) return;
      for (int row = 0; row < 16; ++row)
        for (int column = 0; column < 32; ++column)
          ptx::store_shared(tile_address(16, row, 2 * column), static_cast<float>(row));
      ptx::add_box(&map, 0, 32, 0, 10, 0, 0);
      ptx::commit_sums();
      if (changes) ptx::store_shared(0, 5.0F);
      if (waits) ptx::wait_for_sums();
    });
  };
  EXPECT_EQ(add(true, false), "");
  for (int row = 0; row < 20; ++row)
    for (int column = 0; column < 40; ++column)
      EXPECT_EQ(sums[static_cast<std::size_t>(40 * row + column)],
                1.0F + (row >= 10 && column >= 32 ? static_cast<float>(row - 10) : 0.0F));
  EXPECT_NE(add(true, true).find("a box changes"), std::string::npos);
  EXPECT_NE(add(false, false).find("never waited for"), std::string::npos);
}

// Two warps tell each other their step, which the other reads some instructions after the barrier.
// With one place for it, a warp that is ahead writes its next step too early; with two it waits at
// the next barrier before it writes there again.
TEST(Emulator, LetsWarpsGetAheadOfOneAnotherAsFarAsBarriersAllow) {
  const auto misread = [](int n_places) {
    bool wrong = false;
    const auto pause = [] {
      for (int i = 0; i < 8; ++i) ptx::sync_warp();
    };
    for (unsigned seed = 1; seed <= 8; ++seed)
      emulator::launch(1, 64, 4096, seed, [&] {
        const int warp = ptx::thread_index() / 32;
        for (int step = 0; step < 8; ++step) {
          const auto place = static_cast<std::uint32_t>(8 * (step % n_places));
          ptx::store_shared(place + static_cast<std::uint32_t>(4 * warp), step);
          ptx::named_sync(1, 64);
          pause();
          wrong |= ptx::load_shared_int(place + static_cast<std::uint32_t>(4 * (1 - warp))) != step;
          pause();
        }
      });
    return wrong;
  };
  EXPECT_TRUE(misread(1));
  EXPECT_FALSE(misread(2));
}

TEST(Emulator, RefusesOperandsThatChangeUnderAProduct) {
  const auto change = [](bool too_early) {
    return complaint(128, [too_early] {
      float c[32] = {};
      const std::uint32_t a[4] = {};
      const std::uint64_t v = column_major_descriptor(0, 16);
      if (ptx::thread_index() == 0)
        for (std::uint32_t at = 0; at < 2048; at += 4) ptx::store_shared(at, 0.0F);
      ptx::named_sync(1, 128);
      ptx::product_of_registers<true>(c, a, v);
      ptx::product_commit();
      if (too_early) ptx::store_shared(0, 1.0F);
      ptx::product_wait<0>();
      if (!too_early) ptx::store_shared(0, 1.0F);
    });
  };
  EXPECT_EQ(change(false), "");
  EXPECT_NE(change(true).find("changed while it was under way"), std::string::npos);
}

TEST(Emulator, RefusesRegistersThatChangeUnderAProduct) {
  const auto change = [](bool too_early) {
    return complaint(128, [too_early] {
      float c[32] = {};
      std::uint32_t a[4] = {};
      for (std::uint32_t at = 4 * static_cast<std::uint32_t>(ptx::thread_index()); at < 2048;
           at += 512)
        ptx::store_shared(at, 0.0F);
      ptx::named_sync(1, 128);
      ptx::product_of_registers<true>(c, a, column_major_descriptor(0, 16));
      ptx::product_commit();
      if (too_early && ptx::thread_index() == 77) a[3] = 1;
      ptx::product_wait<0>();
      a[3] = 1;
    });
  };
  EXPECT_EQ(change(false), "");
  EXPECT_NE(change(true).find("registers that a product reads changed"), std::string::npos);
}

TEST(Emulator, KnowsSixteenNamedBarriersOfWholeWarpsEachWithOneMeaning) {
  const auto meets = [](const std::string& text, int threads, auto kernel) {
    EXPECT_NE(complaint(threads, kernel).find(text), std::string::npos)
        << text << ", but: " << complaint(threads, kernel);
  };
  meets("named barrier 16: a block has 0 to 15", 32, [] { ptx::named_sync(16, 32); });
  meets("named barrier -1", 32, [] { ptx::named_arrive(-1, 32); });
  meets("does not count whole warps", 64, [] { ptx::named_sync(1, 40); });
  meets("is of 64 and of 96 threads", 96,
        [] { ptx::named_sync(1, ptx::thread_index() < 64 ? 64 : 96); });
  meets("a part of a warp", 64, [] {
    if (ptx::thread_index() % 32 < 16) ptx::named_sync(1, 32);
  });
  meets("it has two meanings", 64, [] {  // the two meetings have different warps
    const int warp = ptx::thread_index() / 32;
    if (warp == 1) ptx::named_sync(2, 64);
    if (warp == 0) ptx::named_arrive(2, 64);
    if (warp == 0) ptx::named_sync(3, 64);
    if (warp == 1) ptx::named_arrive(3, 64);
    if (warp == 0) ptx::named_sync(2, 64);
    if (warp == 1) ptx::named_arrive(2, 64);
  });
  EXPECT_EQ(complaint(64,
                      [] {
                        const int warp = ptx::thread_index() / 32;
                        for (int turn = 0; turn < 3; ++turn) {
                          if (warp == 1) ptx::named_sync(2, 64);
                          if (warp == 0) ptx::named_arrive(2, 64);
                          ptx::sync_threads();
                        }
                      }),
            "");
}

// Descriptors and swizzles would name other bytes.
TEST(Emulator, TrapsWhereSharedMemoryDoesNotBeginAtAnAtom) {
  using C = Sm90<true, 64>;
  const auto begin_at = [](std::uint32_t base) {
    const auto begin = [base] {
      if (ptx::thread_index() == 0) Sm90Shared<C>(base).init_barriers();
    };
    return complaint(32, begin, C::kSharedBytes + 1024);
  };
  EXPECT_EQ(begin_at(0), "");
  EXPECT_EQ(begin_at(1024), "");
  EXPECT_NE(begin_at(512).find("trap"), std::string::npos);
}

}  // namespace
}  // namespace qb::cuda
