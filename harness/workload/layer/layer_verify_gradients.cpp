// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "harness/verify/worst_error.h"
#include "harness/workload/layer/layer_reference.h"
#include "kernels/dtype.h"

namespace qb {
namespace {

constexpr double kGradientRoundoffs = 64.0;       // a gradient passes more sums than an output
constexpr double kScoreRoundoffs = 8.0;           // times LSE, of what passes through P
constexpr double kStoredGradientRoundoffs = 4.0;  // added where gradients are kept in 16 bits

// Gradients that have one tolerance: d_x, or neighbours in d_weights.
struct Judged {
  std::span<const float> got;
  std::span<const double> reference;
  std::span<const double> naive;
  bool passes_scores = false;
  WorstError worst{};
  double tolerance = 0.0;

  void compare(RelativeL2& l2) {
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto value = static_cast<double>(got[i]);
      l2.add(value, reference[i]);
      worst.add({}, static_cast<std::int64_t>(i), value, naive[i], reference[i]);
    }
  }
};

// Queries, keys and values follow one another in LayerWeights.
bool is_judged_with_the_one_before(LayerTensor tensor) {
  return is_of_keys_or_values(tensor) || tensor == LayerTensor::feed_forward_in_bias;
}

// Names element i of d_weights.
std::string weight_at(const LayerShape& shape, std::int64_t i) {
  for (const auto& [tensor, name] : kWords<LayerTensor>.rows) {
    const std::int64_t n = tensor_elements(shape, tensor);
    if (i < n) {
      const std::vector<std::int64_t> sizes = tensor_shape(shape, tensor);
      if (sizes.size() == 1) return fmt::format("the gradient of {} at {}", name, i);
      return fmt::format("the gradient of {} at row {}, column {}", name, i / sizes[1],
                         i % sizes[1]);
    }
    i -= n;
  }
  return "the gradient of no weight";
}

std::string state_at(const LayerShape& shape, std::int64_t i) {
  const std::int64_t width = shape.hidden();
  return fmt::format("the gradient of the hidden states at batch {}, row {}, element {}",
                     i / width / shape.n_tokens, i / width % shape.n_tokens, i % width);
}

double tolerance_of(const Judged& judged, DType dtype, double largest_lse) {
  const double of_scores = judged.passes_scores ? kScoreRoundoffs * largest_lse : 0.0;
  double roundoffs = (kGradientRoundoffs + of_scores) * unit_roundoff(DType::f32);
  if (dtype != DType::f32) roundoffs += kStoredGradientRoundoffs * unit_roundoff(dtype);
  return kNaiveFactor * judged.worst.naive_error + roundoffs * judged.worst.magnitude;
}

// Returns the one that is nearest to its tolerance, or furthest beyond it.
const Judged& nearest_to_tolerance(std::span<const Judged> all) {
  const Judged* nearest = &all.front();
  for (const Judged& judged : all.subspan(1))
    if (!std::isnan(nearest->worst.error) &&
        !(judged.worst.error * nearest->tolerance <= nearest->worst.error * judged.tolerance))
      nearest = &judged;
  return *nearest;
}

GradientErrors errors_of(std::span<const Judged> all, const RelativeL2& l2) {
  const Judged& nearest = nearest_to_tolerance(all);
  return {{}, nearest.worst.error, nearest.worst.naive_error, nearest.tolerance, l2.error()};
}

}  // namespace

Verification verify_layer_gradients(const LayerQuestion& question, const float* d_y,
                                    const float* d_x, const LayerWeights& d_weights, int threads) {
  const LayerShape& shape = question.shape;
  const auto tokens = static_cast<std::size_t>(shape.batch * shape.n_tokens);
  const std::span<const float> states(d_x, static_cast<std::size_t>(shape.states().elements()));
  const std::span<const float> weights(
      static_cast<const float*>(d_weights.view().data),
      static_cast<std::size_t>(d_weights.view().extent.elements()));
  const auto name_state = [&](std::int64_t i) { return state_at(shape, i); };
  const auto name_weight = [&](std::int64_t i) { return weight_at(shape, i); };
  Verification verification = verify_finite(states, tokens, name_state);
  if (!verification.message.empty()) return verification;
  verification = verify_finite(weights, tokens, name_weight);
  if (!verification.message.empty()) return verification;

  const LayerGradients reference = reference_layer_gradients(question, d_y, threads);
  const LayerGradients naive = naive_layer_gradients(question, d_y, threads);
  std::vector<Judged> all;
  all.push_back({states, reference.d_x, naive.d_x, true});
  std::size_t first = 0;
  for (const auto& entry : kWords<LayerTensor>.rows) {
    const LayerTensor tensor = entry.first;
    const auto n = static_cast<std::size_t>(tensor_elements(shape, tensor));
    const std::size_t before = is_judged_with_the_one_before(tensor) ? all.back().got.size() : 0;
    if (before > 0) all.pop_back();
    const std::size_t begin = first - before;
    all.push_back({weights.subspan(begin, before + n),
                   std::span(reference.d_weights).subspan(begin, before + n),
                   std::span(naive.d_weights).subspan(begin, before + n),
                   tensor <= LayerTensor::value_bias});
    first += n;
  }
  RelativeL2 of_states;
  RelativeL2 of_weights;
  for (Judged& judged : all) {
    judged.compare(&judged == &all.front() ? of_states : of_weights);
    judged.tolerance = tolerance_of(judged, question.dtype, reference.largest_lse);
  }
  const std::span<const Judged> judged(all);
  verification.layer_gradients = {errors_of(judged.first(1), of_states),
                                  errors_of(judged.subspan(1), of_weights)};
  const Judged& nearest = nearest_to_tolerance(judged);
  of_states.add(of_weights);
  verification.relative_l2_error = of_states.error();
  const std::int64_t at = nearest.worst.element;
  const std::string place = &nearest == &all.front()
                                ? name_state(at)
                                : name_weight(at + (nearest.got.data() - weights.data()));
  conclude(verification, nearest.worst, nearest.tolerance, place);
  return verification;
}

}  // namespace qb
