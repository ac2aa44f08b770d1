// SPDX-License-Identifier: Apache-2.0
// What an operator mixes: the tensors of some consecutive tokens, made from the seed of a problem.
// Q, K and V are those of attention over the same problem (verify/inputs.h), so that the two can be
// compared; C, B and X are the names that ssd and selective_scan have for them. Besides:
//   ssd             decay = -|normal| / 16: a state halves in some ten tokens; -inf where a packed
//                   sequence begins, as of gated_delta
//   gated_delta     rows of q and k of length 1, beta = 1 / (1 + exp(-normal)), and decays as of
//                   ssd, or one for each channel
//   selective_scan  q and k of one head and of width rank, delta = |normal| / 16, and a = -1 …
//   -rank
//                   in each channel, as Mamba begins (Gu and Dao 2023, section 3.6)
//   performer       orthogonal omega; linformer  E of N(0, 1 / rank), and F = E (Wang et al. 2020)
//   perceiver       latents of N(0, 1)
//   short_convolution  V alone, and weights of N(0, 1 / rank)
//   axial           the whole pair bias, of N(0, 1) rounded to the inputs' type
// A backward pass has dO, the seeded one of attention over the same problem, and the gradients.
#pragma once

#include "harness/plan/pass.h"
#include "harness/plan/problem.h"
#include "harness/workload/case.h"
#include "kernels/allocator.h"
#include "kernels/mixer/mixer.h"

namespace qb {

// An operator over a whole problem. A selective_scan has other queries and keys than attention over
// its channels would have: those of of_queries().
struct MixerProblem {
  Problem problem;
  MixerOptions options;
  bool has_pair_bias = false;
  DecayGate gate = DecayGate::head;

  // The operator with one of its exchanges of states.
  [[nodiscard]] MixerOptions of_exchange(int exchange) const {
    MixerOptions with = options;
    with.exchange = exchange;
    return with;
  }
  [[nodiscard]] bool scans() const { return options.kind == Mixer::selective_scan; }
  [[nodiscard]] Problem of_queries() const;
  [[nodiscard]] MixerShape shape(std::int64_t n_tokens) const;
};

// Throws Unsupported where the operator does not take such a problem.
[[nodiscard]] MixerProblem mixer_problem_of(const Case& c);

// The tensors of consecutive tokens.
class MixerViews {
 public:
  [[nodiscard]] const Range& tokens() const { return tokens_; }
  [[nodiscard]] const MixerArguments& arguments() const { return arguments_; }
  [[nodiscard]] const MixerGradients& gradients() const { return gradients_; }
  // What the pass reads of each token: inputs, or dO, without what it has from the forward pass.
  [[nodiscard]] std::vector<TensorView> read(Pass pass) const;
  // What the pass writes: the output, or the gradients in the order of MixerGradients.
  [[nodiscard]] std::vector<TensorView> written(Pass pass) const;
  // It is no row of each token, but a sum over these.
  [[nodiscard]] bool is_sum(const TensorView& view) const {
    return view.data == gradients_.d_projection.data;
  }

 protected:
  explicit MixerViews(const Range& tokens) : tokens_(tokens) {}
  const Range tokens_;
  MixerArguments arguments_;
  MixerGradients gradients_;
};

// They own their memory.
class MixerTensors : public MixerViews {
 public:
  // Takes memory without contents; with_gradients for a backward pass.
  MixerTensors(const MixerProblem& problem, const Range& tokens, Allocator& memory, int worker,
               bool with_gradients = false);
  // Fills the inputs, and what a pass writes with a pattern that shows what is never written.
  void fill(int threads);

 private:
  [[nodiscard]] TensorView take(DType dtype, const Extent& extent, const char* label);

  const MixerProblem& problem_;
  Allocator& memory_;
  const int worker_;
  std::vector<std::int64_t> begins_;  // of documents, among these tokens
  std::vector<Tensor> owned_;
};

}  // namespace qb
