// SPDX-License-Identifier: Apache-2.0
#include "harness/run/device/compute_device.h"

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>

#include "harness/run/device/cpu_device.h"
#include "harness/run/testing/device_probe.h"

namespace qb {
namespace {

// A tensor of 600 tokens in two heads of two sequences, each element another number.
Tensor numbered(std::int64_t head_dim) {
  Tensor whole(heap_allocator(), DType::f32, {2, 2, 600, head_dim}, "whole");
  for (std::int64_t i = 0; i < whole.view().extent.elements(); ++i)
    static_cast<float*>(whole.view().data)[i] = static_cast<float>(i);
  return whole;
}

TEST(ComputeDevice, GathersGroupsOneAfterAnotherWithAnyNumberOfThreads) {
  const std::vector<TokenGroup> groups = {{300, 201}, {0, 1}, {7, 98, 3}};
  // Four threads get one part of few bytes, and parts of 3 MiB, which no group divides into evenly.
  for (const std::int64_t head_dim : {3, 700})
    for (const int threads : {1, 4}) {
      SCOPED_TRACE(testing::Message() << head_dim << ' ' << threads);
      const Tensor whole = numbered(head_dim);
      const Tensor local(heap_allocator(), DType::f32, {2, 2, 300, head_dim}, "local");
      CpuDevice(threads).gather(groups, whole.view(), local.view());
      for (std::int64_t b = 0; b < 2; ++b)
        for (std::int64_t h = 0; h < 2; ++h) {
          std::int64_t row = 0;
          for (const TokenGroup& group : groups)
            for (std::int64_t t = 0; t < group.count; ++t, ++row)
              for (const std::int64_t e : {std::int64_t{0}, head_dim - 1})
                ASSERT_EQ(local.view().row_as<float>(b, h, row)[e],
                          whole.view().row_as<float>(b, h, group.token(t))[e])
                    << row;
        }
    }
}

TEST(ComputeDevice, RefusesGroupsThatAreNotTheLocalRows) {
  const Tensor whole = numbered(2);
  const Tensor local(heap_allocator(), DType::f32, {2, 2, 30, 2}, "local");
  EXPECT_THROW(CpuDevice(1).gather({{0, 20}, {50, 9}}, whole.view(), local.view()),
               std::logic_error);
}

// Calls `ask`, which must be refused, and returns the reason.
std::string refusal(const std::function<void()>& ask) {
  try {
    ask();
  } catch (const Unsupported& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(ComputeDevice, GivesTheFacetsThatItHasAndRefusesTheOthers) {
  CpuDevice cpu(1);
  DeviceProbe probe;
  for (ComputeDevice* const device : std::initializer_list<ComputeDevice*>{&cpu, &probe}) {
    EXPECT_EQ(&device->as<AttentionDevice>().facts(), &device->facts());
    EXPECT_EQ(&device->as<LayerDevice>().facts(), &device->facts());
    EXPECT_EQ(refusal([&] { (void)device->as<LinkedDevice>(); }),
              "this device has no link to others");
  }
  EXPECT_NO_THROW((void)cpu.as<LayerGradientsDevice>());
  EXPECT_EQ(refusal([&] { (void)probe.as<LayerGradientsDevice>(); }),
            "this device has no backward pass; the nearest is the CPU's");
}

}  // namespace
}  // namespace qb
