// SPDX-License-Identifier: Apache-2.0
// Merges partials, and moves and adds rows. This is CQS-Attention's Tiler, and the last step of
// every scheme.
//
// O = sum_s O_s exp(LSE_s - M) / sum_s exp(LSE_s - M), M = max_s LSE_s, LSE = M + log sum_s
// exp(LSE_s - M). The order of the partials changes the result by rounding only; (0, -inf) is the
// identity; exp(LSE) is never formed.
#pragma once

#include "kernels/tensor.h"

namespace qb {

// Sets O = 0, of any type, and LSE = -inf, f32: the identity.
void clear_partial(const TensorView& out, const TensorView& lse);

// acc := merge(acc, part), row by row over f32 views of equal extent. Views may have any token
// stride, so that a group of a strided layout merges straight into the global output.
void merge_partial(const TensorView& acc_out, const TensorView& acc_lse, const TensorView& part_out,
                   const TensorView& part_lse);

// Copies rows between views of equal extent (gather and scatter of token groups), converting where
// their types differ; also LSE between one number a row and two (lse.h). Uses at most this many
// threads.
void copy_rows(const TensorView& source, const TensorView& destination, int threads = 1);

// Sums of gradients need no weights: their rows are cleared, and added to.
// rows := 0, over an f32 view with any token stride.
void clear_rows(const TensorView& rows);
// sum += part, row by row over views of equal extent; sum is f32, part of any type.
void add_rows(const TensorView& sum, const TensorView& part);

}  // namespace qb
