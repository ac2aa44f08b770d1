// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/pipeline/pipeline_verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <type_traits>
#include <utility>

#include "base/integers.h"
#include "harness/execute/verify/worst_error.h"
#include "kernels/reference.h"
#include "kernels/reference_gradients.h"

namespace qb {
namespace {

constexpr double kLayerRoundoffs = 64.0;  // of a layer, as for others (layer_gradients.h)

std::span<const float> floats(const TensorView& view) {
  return {static_cast<const float*>(view.data), static_cast<std::size_t>(view.extent.elements())};
}

// The output and d_x, in float64 or, as a naive computation, in float32.
template <class T>
std::pair<std::vector<T>, std::vector<T>> compute_stack(const Problem& problem, int layers,
                                                        const StackViews& stack, int threads) {
  constexpr bool kExact = std::is_same_v<T, double>;
  const Extent extent = problem.shape.out();
  const auto view = [&](std::vector<T>& values) {
    return contiguous_view(values.data(), kExact ? DType::f64 : DType::f32, extent);
  };
  const auto copy = [](const auto& of) { return std::vector<T>(of.begin(), of.end()); };
  const std::int64_t kv_heads = problem.shape.kv_heads;
  const std::vector<std::int64_t> rows = integers_below(extent.length);
  std::vector<std::vector<T>> x = {copy(floats(stack.x))};
  for (int layer = 0; layer < layers; ++layer) {
    const TensorView q = view(x.back());
    const TensorView keys = q.heads(0, kv_heads);
    x.push_back(
        copy((kExact ? reference_rows(q, keys, keys, problem.mask, problem.scale, rows, threads)
                     : naive_rows(q, keys, keys, problem.mask, problem.scale, rows, threads))
                 .out));
  }
  std::vector<T> d_x = copy(floats(stack.d_y));
  const auto batch = static_cast<std::size_t>(extent.elements() / extent.batch);
  const auto of_keys = batch / static_cast<std::size_t>(extent.heads / kv_heads);
  for (int layer = layers - 1; layer >= 0; --layer) {
    const TensorView q = view(x[static_cast<std::size_t>(layer)]);
    const TensorView keys = q.heads(0, kv_heads);
    const GradientProblem gradient{q, keys, keys, view(d_x), problem.mask, problem.scale};
    const ReferenceGradients found =
        kExact ? reference_gradients(gradient, threads) : naive_gradients(gradient, threads);
    d_x = copy(found.d_q);
    for (std::size_t i = 0; i < found.d_k.size(); ++i)
      d_x[i / of_keys * batch + i % of_keys] += static_cast<T>(found.d_k[i] + found.d_v[i]);
  }
  return {std::move(x.back()), std::move(d_x)};
}

}  // namespace

Verification verify_pipeline(const Problem& problem, int layers, const StackViews& stack,
                             const std::vector<std::int64_t>& rows, int threads) {
  const auto exact = compute_stack<double>(problem, layers, stack, threads);
  const auto naive = compute_stack<float>(problem, layers, stack, threads);
  const Extent extent = problem.shape.out();
  const auto place_of = [&](std::size_t i) {
    const std::int64_t row = static_cast<std::int64_t>(i) / extent.head_dim;
    const std::int64_t head = row / extent.length;
    return RowPlace{head / extent.heads, head % extent.heads, row % extent.length};
  };
  const auto name_of = [&](bool is_gradient, std::int64_t i) {
    return fmt::format("{} at {}, element {}",
                       is_gradient ? "the gradient of the input" : "the output",
                       place_of(static_cast<std::size_t>(i)).text(), i % extent.head_dim);
  };
  Verification verification;
  RelativeL2 l2;
  std::map<int, WorstError> classes;  // by twice the bit width of the tokens, odd for gradients
  for (const bool is_gradient : {false, true}) {
    const auto found = floats(is_gradient ? stack.d_x : stack.y);
    const std::vector<double>& want = is_gradient ? exact.second : exact.first;
    const std::vector<float>& like = is_gradient ? naive.second : naive.first;
    verification =
        verify_finite(found, rows.size(), [&](std::int64_t i) { return name_of(is_gradient, i); });
    if (!verification.message.empty()) return verification;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::int64_t row = place_of(i).row;
      if (!std::ranges::binary_search(rows, row)) continue;
      const auto tokens = static_cast<std::uint64_t>(is_gradient ? extent.length - row : row + 1);
      const auto value = static_cast<double>(found[i]);
      l2.add(value, want[i]);
      classes[2 * static_cast<int>(std::bit_width(tokens)) + (is_gradient ? 1 : 0)].add(
          {}, static_cast<std::int64_t>(i), value, static_cast<double>(like[i]), want[i]);
    }
  }
  if (verification.correct) return verification;  // there are no rows to compare
  verification.relative_l2_error = l2.error();
  // A gradient passes more sums than an output, and the roundings of layers add up.
  const double of_layers = kLayerRoundoffs * layers * unit_roundoff(DType::f32);
  conclude(
      verification, classes,
      [&](int of, const WorstError& worst) {
        return out_tolerance(worst, DType::f32) + (of % 2 == 1 ? of_layers * worst.magnitude : 0.0);
      },
      [&](int of, const WorstError& worst) { return name_of(of % 2 == 1, worst.element); });
  return verification;
}

}  // namespace qb
