// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/mixer_verify.h"

#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/integers.h"
#include "harness/verify/compared_gradient.h"
#include "harness/verify/verify_gradients.h"
#include "harness/verify/worst_error.h"
#include "kernels/parallel.h"
#include "kernels/reference.h"

namespace qb {
namespace {

// Calls visit(place, element, i) for the elements of these rows, of which i counts all.
template <class Visit>
void for_each_element(const Extent& extent, const std::vector<std::int64_t>& rows,
                      const Visit& visit) {
  std::size_t i = 0;
  for (std::int64_t b = 0; b < extent.batch; ++b)
    for (std::int64_t h = 0; h < extent.heads; ++h)
      for (const std::int64_t row : rows)
        for (std::int64_t x = 0; x < extent.head_dim; ++x, ++i) visit(RowPlace{b, h, row}, x, i);
}

double at(const TensorView& out, const RowPlace& place, std::int64_t x) {
  return static_cast<double>(out.row_as<float>(place.batch, place.head, place.row)[x]);
}

std::string name_of(const RowPlace& place, std::int64_t x) {
  return fmt::format("output at {}, element {}", place.text(), x);
}

bool sees_later_keys(const Mask& mask, std::int64_t row, std::int64_t n_keys) {
  for (std::int64_t key = row + mask.offset + 1; key < n_keys; ++key)
    if (mask.allows(row, key)) return true;
  return false;
}

// The factor of q.k in a recurrence.
double scale_of(const MixerProblem& problem, const MixerArguments& a) {
  const bool has_none =
      problem.options.kind == Mixer::ssd || problem.options.kind == Mixer::selective_scan;
  return has_none ? 1.0 : std::abs(a.scale);
}

// Returns the size of a term of the sum that an output is; terms, and products q.k, may cancel.
double size_of_term(const MixerProblem& problem, const MixerArguments& a) {
  const double of_values = root_mean_square(a.v);
  if (!is_only_causal(problem.options.kind) || a.q.data == nullptr) return of_values;
  return scale_of(problem, a) * static_cast<double>(a.q.extent.head_dim) * root_mean_square(a.q) *
         root_mean_square(a.k) * of_values;
}

// Pairs of the reference, whose loops are plain: two heads of 4,096 tokens.
constexpr std::int64_t kMostPairs = std::int64_t{1} << 25;

// What the limits need: each gradient in its order, and where float64 has it.
struct Question {
  std::string_view name;
  std::string_view token_word;
  const TensorView& found;
  std::vector<double> MixerGradientValues::*values;
  double size;
  std::optional<TensorRole> column;
};

}  // namespace

Verification verify_mixer(const MixerProblem& problem, const MixerArguments& arguments,
                          const std::vector<std::int64_t>& rows, int threads) {
  const TensorView& out = arguments.out;
  const Extent& extent = out.extent;
  Verification verification = verify_finite(
      {static_cast<const float*>(out.data), static_cast<std::size_t>(extent.elements())},
      rows.size(), [&](std::int64_t i) {
        const std::int64_t row = i / extent.head_dim;
        const std::int64_t head = row / extent.length;
        return name_of({head / extent.heads, head % extent.heads, row % extent.length},
                       i % extent.head_dim);
      });
  if (verification.correct || !verification.message.empty()) return verification;
  const std::vector<double> reference = mix_reference(problem.options, arguments, rows, threads);
  const std::vector<double> naive = mix_naive(problem.options, arguments, rows, threads);
  RelativeL2 l2;
  std::map<int, WorstError> classes;  // by class_of_row() of the tokens seen
  for_each_element(extent, rows, [&](const RowPlace& place, std::int64_t x, std::size_t i) {
    const std::int64_t seen = problem.options.causal ? place.row + 1 : extent.length;
    l2.add(at(out, place, x), reference[i]);
    classes[class_of_row(seen)].add(place, x, at(out, place, x), naive[i], reference[i]);
  });
  verification.relative_l2_error = l2.error();
  const double roundings = 4.0 * unit_roundoff(DType::f32) * size_of_term(problem, arguments);
  conclude(
      verification, classes,
      [&](int, const WorstError& worst) {
        return out_tolerance(worst, arguments.v.dtype) + roundings;
      },
      [](int, const WorstError& worst) { return name_of(worst.place, worst.element); });
  return verification;
}

double distance_to_attention(const TensorView& q, const TensorView& k, const TensorView& v,
                             const TensorView& out, const Mask& mask, double scale,
                             const std::vector<std::int64_t>& rows, int threads) {
  Mask exact = Mask::causal(q.extent.length, k.extent.length);
  for (const std::int64_t row : rows)
    if (sees_later_keys(mask, row, k.extent.length)) exact = Mask::full();
  exact.segments = mask.segments;
  const ReferenceRows reference = reference_rows(q, k, v, exact, scale, rows, threads);
  RelativeL2 l2;
  for_each_element(out.extent, rows, [&](const RowPlace& place, std::int64_t x, std::size_t i) {
    l2.add(at(out, place, x), reference.out[i]);
  });
  return l2.error();
}

double distance_to_attention(const MixerProblem& problem, const MixerArguments& a,
                             const std::vector<std::int64_t>& rows, int threads) {
  const auto for_all_heads = [&](TensorView view) {
    if (problem.scans()) {
      view.extent.heads = a.v.extent.heads;
      view.head_stride = 0;
    }
    return view;
  };
  return distance_to_attention(for_all_heads(a.q), for_all_heads(a.k), a.v, a.out,
                               problem.problem.mask, a.scale, rows, threads);
}

void verify_mixer_gradients(const MixerProblem& problem, const MixerTensors& tensors, bool compares,
                            int threads, Verification& verification) {
  const MixerArguments& a = tensors.arguments();
  const MixerGradients& gradients = tensors.gradients();
  const bool is_recurrence = gradients.d_decay.data != nullptr;
  const double of_d_out = root_mean_square(gradients.d_out);
  const double of_q = root_mean_square(a.q);
  const double of_k = root_mean_square(a.k);
  const auto root = [](const TensorView& view) {
    return std::sqrt(static_cast<double>(view.extent.head_dim));
  };
  const double of_weights = of_d_out * root_mean_square(a.v) * root(a.v);
  const double scale = scale_of(problem, a);
  const double of_scores = scale * of_weights;
  const double of_products = scale * root(a.q) * of_q * of_k;
  std::vector<Question> questions;
  const auto ask = [&](std::string_view name, std::string_view token_word, const TensorView& found,
                       std::vector<double> MixerGradientValues::*values, double size,
                       std::optional<TensorRole> column = std::nullopt) {
    if (found.data != nullptr) questions.push_back({name, token_word, found, values, size, column});
  };
  ask("dQ", "row", gradients.d_q, &MixerGradientValues::d_q, of_scores * of_k, TensorRole::d_q);
  ask("dK", "key", gradients.d_k, &MixerGradientValues::d_k, of_scores * of_q, TensorRole::d_k);
  ask("dV", "key", gradients.d_v, &MixerGradientValues::d_v,
      is_recurrence ? of_d_out * of_products : of_d_out, TensorRole::d_v);
  ask("ddecay", "row", gradients.d_decay, &MixerGradientValues::d_decay, of_weights * of_products);
  ask("dbeta", "row", gradients.d_beta, &MixerGradientValues::d_beta, of_weights * of_products);
  ask("dW", "tap", gradients.d_projection, &MixerGradientValues::d_projection,
      of_d_out * root_mean_square(a.v));
  for (const Question& q : questions)
    if (!require_finite(q.name, q.token_word, q.found, threads, verification)) return;
  if (!compares) return;

  verification.keys = a.v.extent.length;
  const std::int64_t kv_heads = a.v.extent.heads;
  const std::vector<std::int64_t> groups = groups_to_verify(
      {.q = gradients.d_out, .k = a.v, .v = a.v, .d_out = gradients.d_out}, kMostPairs);
  std::vector<std::pair<MixerGradientValues, MixerGradientValues>> values(groups.size());
  parallel_for(std::ssize(groups), threads, 1, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t group = groups[static_cast<std::size_t>(i)];
      const auto part_of = [&](const TensorView& view) {
        return group_of(view, group / kv_heads, group % kv_heads, kv_heads);
      };
      MixerArguments part = a;
      for (TensorView* const view : {&part.q, &part.k, &part.v, &part.decay, &part.beta})
        if (view->data != nullptr) *view = part_of(*view);
      if (part.projection.data != nullptr)
        part.projection = part.projection.heads(group % kv_heads, 1);
      const TensorView d_out = part_of(gradients.d_out);
      values[static_cast<std::size_t>(i)] = {mix_backward_reference(problem.options, part, d_out),
                                             mix_backward_naive(problem.options, part, d_out)};
    }
  });
  for (const Question& q : questions) {
    const std::vector<std::int64_t> rows = integers_below(q.found.extent.length);
    ComparedGradient compared{q.name, q.token_word, q.found, rows, q.size};
    for (std::size_t i = 0; i < groups.size(); ++i)
      compared.add(groups[i] / kv_heads, groups[i] % kv_heads * (q.found.extent.heads / kv_heads),
                   values[i].first.*q.values, values[i].second.*q.values);
    const GradientErrors errors =
        judge_gradient(q.column.value_or(TensorRole::d_v), compared,
                       {.roundoff = unit_roundoff(a.v.dtype)}, verification);
    if (q.column) verification.gradients.push_back(errors);
  }
  verification.correct = verification.correct && verification.message.empty();
}

}  // namespace qb
