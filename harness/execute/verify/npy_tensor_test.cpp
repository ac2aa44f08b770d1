// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/verify/npy.h"

#include <gtest/gtest.h>

#include <limits>

#include "harness/execute/testing/npy_fakes.h"

namespace qb {
namespace {

using testing_support::named;
using testing_support::refusal;

NpyArray f32(const std::string& name, std::vector<std::int64_t> shape) {
  return named(name, DType::f32, std::move(shape));
}

TEST(TensorOf, NamesTheIndexOfWhatIsNotFinite) {
  NpyArray array = f32("k.npy", {2, 3, 4});
  const Extent extent{1, 2, 3, 4};
  const Tensor tensor = tensor_of(array, DType::f16, extent, heap_allocator(), "k");
  EXPECT_EQ(load_element(tensor.view().row(0, 1, 2), DType::f16), 20.0);

  store_element(array.data.data() + 4 * 21, DType::f32, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(refusal([&] { (void)tensor_of(array, DType::f32, extent, heap_allocator(), "k"); }),
            "k.npy holds nan at [1, 2, 1]; finite numbers are needed");
  store_element(array.data.data() + 4 * 2, DType::f32, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(refusal([&] { (void)tensor_of(array, DType::f32, extent, heap_allocator(), "k"); }),
            "k.npy holds -inf at [0, 0, 2]; finite numbers are needed");
}

TEST(TensorOf, RefusesNumbersThatRoundToInfinity) {
  NpyArray array = named("q.npy", DType::f64, {1, 2});
  store_element(array.data.data() + 8, DType::f64, 1e300);
  EXPECT_EQ(refusal([&] {
              (void)tensor_of(array, DType::f32, {1, 1, 1, 2}, heap_allocator(), "q");
            }),
            "q.npy holds 1e+300 at [0, 1], which is infinite as f32");
}

TEST(NpyOf, RoundTripsAndRefusesWhatTheTypeCannotHold) {
  float values[] = {1.5f, -2.0f, 70000.0f, -std::numeric_limits<float>::infinity()};
  const TensorView view = contiguous_view(values, DType::f32, {1, 1, 2, 2});
  const NpyArray back = parse_npy(npy_of(view, DType::f64, {2, 2}, "O"), "o.npy");
  EXPECT_EQ(back.shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(load_element(back.data.data() + 16, DType::f64), 70000.0);
  EXPECT_EQ(load_element(back.data.data() + 24, DType::f64),
            -std::numeric_limits<double>::infinity());
  EXPECT_EQ(refusal([&] {
              (void)npy_of(view, DType::f16, {2, 2}, "O");
            }),
            "O holds 70000 at [1, 0], which is infinite as f16; choose a wider --out-dtype");
}

}  // namespace
}  // namespace qb
