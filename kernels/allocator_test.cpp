// SPDX-License-Identifier: Apache-2.0
#include "kernels/allocator.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "base/status.h"
#include "kernels/testing/test_support.h"

namespace qb {
namespace {

TEST(HeapAllocator, GivesAlignedMemoryAlsoForNothing) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1000}}) {
    const Buffer buffer(heap_allocator(), bytes, "test");
    EXPECT_NE(buffer.data(), nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0u);
    if (bytes != 0) std::memset(buffer.data(), 1, bytes);
  }
}

TEST(HeapAllocator, ARequestBeyondTheAddressSpaceIsOutOfMemoryByLabel) {
  try {
    const Buffer buffer(heap_allocator(), SIZE_MAX / 2 + 1, "scores");
    FAIL() << "was given";
  } catch (const OutOfMemory& error) {
    EXPECT_NE(std::string(error.what()).find("scores"), std::string::npos) << error.what();
  }
}

TEST(Buffer, MovesGiveBackExactlyOnce) {
  testing_support::CountingAllocator allocator;
  {
    Buffer a(allocator, 100, "a");
    Buffer b(allocator, 50, "b");
    Buffer c(std::move(a));
    b = std::move(c);
    EXPECT_EQ(allocator.active(), 100u);
    EXPECT_EQ(b.bytes(), 100u);
  }
  EXPECT_EQ(allocator.active(), 0u);
  EXPECT_EQ(allocator.peak(), 150u);
}

}  // namespace
}  // namespace qb
