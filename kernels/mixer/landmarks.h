// SPDX-License-Identifier: Apache-2.0
// The operators that are attention over a few rows that stand for all tokens, on checked arguments:
// landmarks (nystrom), projections (linformer) and random features (performer, not causal). Their
// products with scores are those of `flash`.
#pragma once

#include "kernels/mixer/mixer.h"

namespace qb::cpu {

void mix_nystrom(const MixerOptions& options, const MixerArguments& arguments,
                 const KernelContext& context);
void mix_linformer(const MixerOptions& options, const MixerArguments& arguments,
                   const KernelContext& context);

// A feature r of performer is a query omega_r over keys k_j with scores sqrt(c) omega_r.k_j - c
// |k_j|^2 / 2: its attention is the matrix of the state and its LSE the vector. A query of
// performer is a query over the features with scores sqrt(c) omega_r.q + LSE_r, and its values are
// their attention. So nothing can overflow. before and after may be nullptr.
void mix_performer(const MixerOptions& options, const MixerArguments& arguments,
                   const KernelContext& context, const MixerState* before, const MixerState* after);
void sum_performer(const MixerArguments& arguments, const KernelContext& context,
                   const MixerState& state);

inline constexpr std::int64_t kProjectedTokens = 128;  // of a block of project_tokens()

// One head of apply_nystrom_inverse(): [1,1,rank,…] views.
struct InverseTask {
  TensorView queries;
  TensorView keys;
  TensorView values;
  TensorView out;
  double scale;
};

}  // namespace qb::cpu
