// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/mixer_verify_gradients.h"

#include <cmath>
#include <utility>

#include "base/integers.h"
#include "harness/verify/compared_gradient.h"
#include "harness/verify/verify_gradients.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

// Pairs of the reference, whose loops are plain: two heads of 4,096 tokens.
constexpr std::int64_t kMostPairs = std::int64_t{1} << 25;

// What the limits need: each gradient in its order, and where float64 has it.
struct Question {
  std::string_view name;
  std::string_view token_word;
  const TensorView& found;
  std::vector<double> MixerGradientValues::*values;
  double size;
};

}  // namespace

void verify_mixer_gradients(const MixerProblem& problem, const MixerTensors& tensors, bool compares,
                            int threads, Verification& verification) {
  const MixerArguments& a = tensors.arguments();
  const MixerGradients& gradients = tensors.gradients();
  const bool is_ssd = problem.options.kind == Mixer::ssd;
  const double of_d_out = root_mean_square(gradients.d_out);
  const double of_q = root_mean_square(a.q);
  const double of_k = root_mean_square(a.k);
  const auto root = [](const TensorView& view) {
    return std::sqrt(static_cast<double>(view.extent.head_dim));
  };
  const double of_weights = of_d_out * root_mean_square(a.v) * root(a.v);
  const double of_scores = is_ssd ? of_weights : std::abs(a.scale) * of_weights;
  const double of_products = root(a.q) * of_q * of_k;
  std::vector<Question> questions = {
      {"dQ", "row", gradients.d_q, &MixerGradientValues::d_q, of_scores * of_k},
      {"dK", "key", gradients.d_k, &MixerGradientValues::d_k, of_scores * of_q},
      {"dV", "key", gradients.d_v, &MixerGradientValues::d_v,
       is_ssd ? of_d_out * of_products : of_d_out}};
  if (is_ssd)
    questions.push_back({"ddecay", "row", gradients.d_decay, &MixerGradientValues::d_decay,
                         of_weights * of_products});
  for (const Question& q : questions)
    if (!require_finite(q.name, q.token_word, q.found, threads, verification)) return;
  if (!compares) return;

  const std::vector<std::int64_t> tokens = integers_below(a.v.extent.length);
  verification.keys = std::ssize(tokens);
  const std::int64_t kv_heads = a.k.extent.heads;
  const std::vector<std::int64_t> groups =
      groups_to_verify({.q = a.q, .k = a.k, .v = a.v, .d_out = gradients.d_out}, kMostPairs);
  std::vector<std::pair<MixerGradientValues, MixerGradientValues>> values(groups.size());
  parallel_for(std::ssize(groups), threads, 1, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t group = groups[static_cast<std::size_t>(i)];
      const auto part_of = [&](const TensorView& view) {
        return group_of(view, group / kv_heads, group % kv_heads, kv_heads);
      };
      MixerArguments part = a;
      for (TensorView* const view : {&part.q, &part.k, &part.v, &part.decay})
        if (view->data != nullptr) *view = part_of(*view);
      const TensorView d_out = part_of(gradients.d_out);
      values[static_cast<std::size_t>(i)] = {mix_backward_reference(problem.options, part, d_out),
                                             mix_backward_naive(problem.options, part, d_out)};
    }
  });
  for (std::size_t at = 0; at < questions.size(); ++at) {
    const Question& q = questions[at];
    ComparedGradient compared{q.name, q.token_word, q.found, tokens, q.size};
    for (std::size_t i = 0; i < groups.size(); ++i)
      compared.add(groups[i] / kv_heads, groups[i] % kv_heads * (q.found.extent.heads / kv_heads),
                   values[i].first.*q.values, values[i].second.*q.values);
    const bool has_columns = at < std::size(kGradients);
    const GradientErrors errors =
        judge_gradient(has_columns ? kGradients[at] : TensorRole::d_v, compared,
                       {.roundoff = unit_roundoff(a.v.dtype)}, verification);
    if (has_columns) verification.gradients.push_back(errors);
  }
  verification.correct = verification.correct && verification.message.empty();
}

}  // namespace qb
