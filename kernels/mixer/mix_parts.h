// SPDX-License-Identifier: Apache-2.0
// What mix() and mix_backward() are made of: their checks, and the operators that they hand on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/integers.h"
#include "kernels/mixer/chunks.h"
#include "kernels/mixer/mixer.h"

namespace qb {

// What the calls of mixing operators check. Each throws with `who`, the function that was called,
// in front: std::invalid_argument for what does not fit together, Unsupported for what no kernel
// computes.
void check_mixer(std::string_view who, const MixerOptions& options, const MixerArguments& arguments,
                 int threads);
void check_output(std::string_view who, const MixerOptions& options,
                  const MixerArguments& arguments);
void check_state(std::string_view who, const MixerOptions& options, const MixerArguments& arguments,
                 const MixerState& state);

// Throws unless the tensor is f32 and has this extent.
void require_floats(std::string_view who, std::string_view name, const TensorView& tensor,
                    const Extent& expected);

}  // namespace qb

namespace qb::cpu {

// Axial attention, on checked arguments. Both of its passes are the CPU's flash attention, unless
// rows have a pair bias; rows and columns are batches of strided views of the tensors.

// The CPU's flash attention, or the memory alone that it takes.
void attend_flash(const AttentionArguments& arguments, const KernelContext& context);

// out := softmax(scale Q K^T + pair_bias) V within each line of `length` consecutive tokens.
void attend_biased_lines(const MixerArguments& a, std::int64_t length,
                         const KernelContext& context);

void mix_axial(const MixerOptions& options, const MixerArguments& arguments,
               const KernelContext& context);
// Computes both passes forward again and keeps their LSE. As in training, what one pass hands to
// the other is rounded to the inputs' type: Y, and the gradient of Y.
void axial_backward(const MixerOptions& options, const MixerArguments& arguments,
                    const MixerGradients& gradients, const KernelContext& context);

// The selective scan of Mamba-1, on checked arguments: some channels of a head over all tokens.
struct ScanTask {
  const MixerArguments& a;
  std::int64_t batch;
  std::int64_t head;
  std::int64_t first_channel;
  const MixerState* before;  // nullptr: no tokens
  const MixerState* after;   // nullptr: it is not wanted

  static constexpr std::int64_t kTokens = 64;  // of a block
  static constexpr std::int64_t kChannels = 64;

  [[nodiscard]] std::int64_t channels() const {
    return std::min(kChannels, a.v.extent.head_dim - first_channel);
  }
};

// Computes out unless it has no data. before and after may be nullptr.
void scan(const MixerArguments& arguments, const KernelContext& context, const MixerState* before,
          const MixerState* after);

// A short convolution, on checked arguments: one head. Tensors without data are not there.
struct ConvolutionTask {
  const MixerArguments& a;
  MixerGradients gradients{};
  TensorView before{};
  TensorView later{};
  TensorView earlier{};
  std::int64_t batch = 0;
  std::int64_t head = 0;

  static constexpr std::int64_t kTokens = 64;  // of a block

  [[nodiscard]] bool is_backward() const { return gradients.d_out.data != nullptr; }
  [[nodiscard]] std::int64_t n() const { return a.v.extent.length; }
  // Tokens before each that its taps see.
  [[nodiscard]] std::int64_t halo() const { return a.projection.extent.length - 1; }
  [[nodiscard]] std::int64_t stride() const { return round_up(a.v.extent.head_dim, kMixerColumns); }
  // The first token that later ones see: other documents are not in the state.
  [[nodiscard]] std::int64_t first_kept() const {
    return std::max(n() - halo(), a.begins.empty() ? 0 : a.begins.back());
  }
  // How many taps see a token of i's document, or one before these tokens.
  [[nodiscard]] std::int64_t taps(std::int64_t i) const {
    const auto next = std::ranges::upper_bound(a.begins, i);
    return next == a.begins.begin() ? halo() + 1 : std::min(halo() + 1, i - next[-1] + 1);
  }
};

// Computes out, if it has data, and the matrix of `after`. before and after may be nullptr.
void convolve(const MixerArguments& arguments, const KernelContext& context,
              const MixerState* before, const MixerState* after);
// Computes the gradients that have data, with `later` that of the state after the tokens, and
// `earlier`, that of the state before them.
void convolve_backward(const MixerArguments& arguments, const MixerGradients& gradients,
                       const KernelContext& context, const TensorView& before,
                       const TensorView& later, const TensorView& earlier);

}  // namespace qb::cpu
