// SPDX-License-Identifier: Apache-2.0
// Lists the shapes on which every CPU kernel meets the float64 reference, forward and backward.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "kernels/mask/mask.h"
#include "kernels/testing/test_support.h"

namespace qb::testing_support {

struct ShapeCase {
  const char* name;
  Extent q;
  std::int64_t kv_heads;
  std::int64_t m;
  std::int64_t e;
  MaskKind mask = MaskKind::full;
  double deviation = 1.0;
  int outlier_every = 0;

  [[nodiscard]] Mask global_mask() const {
    return mask == MaskKind::full ? Mask::full() : Mask::causal(q.length, m);
  }
  [[nodiscard]] Tensor queries(DType dtype) const {
    return random_tensor(dtype, q, 1, deviation, outlier_every);
  }
  [[nodiscard]] Tensor keys(DType dtype) const {
    return random_tensor(dtype, {q.batch, kv_heads, m, q.head_dim}, 2, deviation, outlier_every);
  }
  [[nodiscard]] Tensor values(DType dtype) const {
    return random_tensor(dtype, {q.batch, kv_heads, m, e}, 3);
  }
};

inline constexpr ShapeCase kShapeCases[] = {
    {"one_token", {1, 1, 1, 1}, 1, 1, 1},
    {"one_token_causal", {1, 1, 1, 64}, 1, 1, 64, MaskKind::causal},
    {"head_dim_1", {1, 2, 67, 1}, 2, 67, 1},
    {"head_dim_7", {2, 1, 101, 7}, 1, 301, 7},
    {"head_dim_64", {1, 2, 257, 64}, 2, 263, 64},
    {"head_dim_80", {1, 2, 131, 80}, 2, 131, 80, MaskKind::causal},
    {"head_dim_128", {1, 1, 197, 128}, 1, 523, 128},
    {"head_dim_256", {1, 1, 199, 256}, 1, 131, 256},
    {"value_dim_differs", {1, 2, 97, 40}, 1, 103, 17},
    {"grouped_queries", {2, 8, 61, 16}, 2, 300, 16, MaskKind::causal},
    {"causal_with_cache", {1, 2, 37, 32}, 2, 777, 32, MaskKind::causal},
    {"causal_more_queries", {1, 1, 400, 16}, 1, 150, 16, MaskKind::causal},
    {"several_chunks", {1, 1, 130, 16}, 1, 1300, 16, MaskKind::causal},
    {"decode", {1, 4, 1, 64}, 2, 1000, 64, MaskKind::causal},
    {"outliers", {1, 2, 211, 64}, 2, 211, 64, MaskKind::causal, 1.0, 50},
    {"huge_scores", {1, 1, 150, 64}, 1, 290, 64, MaskKind::full, 30.0},
    {"tiny_inputs", {1, 1, 70, 64}, 1, 70, 64, MaskKind::full, 1e-4},
};

using KernelCase = std::tuple<Kernel, DType, ShapeCase>;

inline auto every_kernel_case() {
  return ::testing::Combine(::testing::ValuesIn(kKernels),
                            ::testing::Values(DType::f32, DType::f16, DType::bf16),
                            ::testing::ValuesIn(kShapeCases));
}

inline std::string kernel_case_name(const ::testing::TestParamInfo<KernelCase>& info) {
  const auto& [kernel, dtype, shape] = info.param;
  return std::string(word(kernel)) + "_" + std::string(word(dtype)) + "_" + shape.name;
}

}  // namespace qb::testing_support
