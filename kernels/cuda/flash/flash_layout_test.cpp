// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/flash/flash_layout.h"

#include <gtest/gtest.h>

#include <set>

#include "kernels/cuda/flash/flash_parameters.h"

namespace qb::cuda {
namespace {

TEST(TileAddress, EveryElementHasAPlaceOfItsOwnAndTilesHaveNoHoles) {
  for (const int rows : {16, 64, 128, 192})
    for (const int columns : {64, 128, 256}) {
      std::set<std::uint32_t> seen;
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column)
          seen.insert(tile_address(rows, row, column));
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(rows * columns));
      EXPECT_EQ(*seen.rbegin(), static_cast<std::uint32_t>(rows * columns * 2 - 2));
    }
}

// In a 128-byte swizzle of the PTX manual, address bits 4-6 are exclusive-ored with bits 7-9.
TEST(TileAddress, IsTheHardwaresSwizzle) {
  for (const int rows : {64, 128})
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < 128; ++column) {
        const auto plain =
            static_cast<std::uint32_t>(column / 64 * rows * 128 + row * 128 + column % 64 * 2);
        EXPECT_EQ(tile_address(rows, row, column), plain ^ (plain >> 7 & 7) << 4);
      }
}

// ldmatrix reads eight rows of 16 bytes at a time, without conflicts iff they use different banks.
TEST(TileAddress, EightRowsOfAnyFragmentCoverAllBanks) {
  const auto free_of_conflicts = [](auto fragment) {
    for (int column = 0; column < 128; column += 16)
      for (int matrix = 0; matrix < 4; ++matrix) {
        std::set<std::uint32_t> banks;
        for (int lane = 8 * matrix; lane < 8 * matrix + 8; ++lane) {
          const Place at = fragment(lane);
          banks.insert(tile_address(64, at.row, column + at.column) % 128 / 16);
        }
        if (banks.size() != 8) return false;
      }
    return true;
  };
  EXPECT_TRUE(free_of_conflicts(query_fragment));
  EXPECT_TRUE(free_of_conflicts(key_fragment));
  EXPECT_TRUE(free_of_conflicts(value_fragment));
}

// When writing, eight neighbouring threads of cp.async fill a row of 128 bytes.
TEST(TileAddress, EightNeighbouringChunksOfARowCoverAllBanks) {
  for (int row = 0; row < 16; ++row) {
    std::set<std::uint32_t> banks;
    for (int chunk = 0; chunk < 8; ++chunk)
      banks.insert(tile_address(64, row, 8 * chunk) % 128 / 16);
    EXPECT_EQ(banks.size(), 8u);
  }
}

TEST(TileAddress, AStepAlongARowIsOneExclusiveOr) {
  for (const std::uint32_t tile : {0U, 1024U, 81920U})
    for (const int rows : {16, 64, 128})
      for (int row = 0; row < rows; ++row)
        for (const int odd : {0, 8})
          for (int column = 0; column < 256; column += 16)
            EXPECT_EQ(along_row(tile + tile_address(rows, row, odd), rows, column),
                      tile + tile_address(rows, row, column + odd));
}

TEST(TileAddress, StepsDownTheRowsAreConstants) {
  for (int column = 0; column < 256; column += 8) {
    for (int row = 0; row < 4; ++row)
      for (int i = 0; i < 16; ++i)
        EXPECT_EQ(down_rows<4>(tile_address(64, row, column), i),
                  tile_address(64, row + 4 * i, column));
    for (int row = 0; row < 8; ++row)
      for (int i = 0; i < 8; ++i)
        EXPECT_EQ(down_rows<8>(tile_address(64, row, column), i),
                  tile_address(64, row + 8 * i, column));
    for (int row = 0; row < 16; ++row)
      for (int i = 0; i < 8; ++i)
        EXPECT_EQ(down_rows<16>(tile_address(128, row, column), i),
                  tile_address(128, row + 16 * i, column));
  }
}

// These are the PTX manual's fragments of mma.m16n8k16 with 16-bit elements. ldmatrix gives lane l
// of matrix i, in register i, the pair at row l / 4, columns from 2 (l % 4); transposed, at column
// l / 4, rows from 2 (l % 4). Lanes 8 i … 8 i + 7 name the rows of matrix i.
Place loaded(Place (*fragment)(int), int lane, int i, int half, bool transposed) {
  const int row = transposed ? lane % 4 * 2 + half : lane / 4;
  const int column = transposed ? lane / 4 : lane % 4 * 2 + half;
  const Place from = fragment(8 * i + row);
  return {from.row, from.column + column};
}

TEST(Fragments, QueriesAreTheAOperand) {
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i)
      for (int half = 0; half < 2; ++half) {
        const Place expected{lane / 4 + (i % 2 == 1 ? 8 : 0),
                             lane % 4 * 2 + half + (i >= 2 ? 8 : 0)};
        EXPECT_EQ(loaded(query_fragment, lane, i, half, false), expected);
      }
}

// This is B[depth][key], a pair of registers for keys 0-7 and one for keys 8-15.
TEST(Fragments, KeysAreTheBOperandOfTwoTiles) {
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i)
      for (int half = 0; half < 2; ++half) {
        const int depth = lane % 4 * 2 + half + i % 2 * 8;
        const int key = lane / 4 + i / 2 * 8;
        EXPECT_EQ(loaded(key_fragment, lane, i, half, false), (Place{key, depth}));
      }
}

// This is B[key][column], a pair of registers for columns 0-7 and one for columns 8-15.
TEST(Fragments, ValuesAreTheTransposedBOperandOfTwoTiles) {
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i)
      for (int half = 0; half < 2; ++half) {
        const int key = lane % 4 * 2 + half + i % 2 * 8;
        const int column = lane / 4 + i / 2 * 8;
        EXPECT_EQ(loaded(value_fragment, lane, i, half, true), (Place{key, column}));
      }
}

// This is A[row][depth], stored depth by depth: dS^T of the backward pass, of which the product for
// dQ takes the transpose.
TEST(Fragments, KeysTransposedAreAnAOperandThatIsStoredByItsDepth) {
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i)
      for (int half = 0; half < 2; ++half) {
        const int row = lane / 4 + i % 2 * 8;
        const int depth = lane % 4 * 2 + half + i / 2 * 8;
        EXPECT_EQ(loaded(key_fragment, lane, i, half, true), (Place{depth, row}));
      }
}

// Two neighbouring 16x8 score tiles, packed in pairs, are the A operand of 16 keys, register by
// register: no value has to change lanes between the products.
TEST(Fragments, ScoresComeOutWhereProbabilitiesGoIn) {
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i)
      for (int half = 0; half < 2; ++half) {
        const int element = 2 * i + half;  // index over two tiles of four
        const Place score = accumulator_place(lane, element % 4);
        const Place operand = loaded(query_fragment, lane, i, half, false);
        EXPECT_EQ(score.row, operand.row);
        EXPECT_EQ(score.column + element / 4 * 8, operand.column);
      }
}

TEST(MatrixDescriptor, HasItsFieldsWhereTheManualSays) {
  const std::uint64_t d = matrix_descriptor(0x2C400, 16384, 1024);
  EXPECT_EQ(d & 0x3FFF, 0x2C400U >> 4);
  EXPECT_EQ(d >> 16 & 0x3FFF, 16384U >> 4);
  EXPECT_EQ(d >> 32 & 0x3FFF, 1024U >> 4);
  EXPECT_EQ(d >> 49 & 7, 0U);
  EXPECT_EQ(d >> 62, 1U);
  EXPECT_EQ(advance(d, 4096) & 0x3FFF, (0x2C400U + 4096) >> 4);
  EXPECT_EQ(advance(d, 4096) >> 14, d >> 14);
}

}  // namespace
}  // namespace qb::cuda
