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

// The arithmetic of tree decoding's all-reduces (reduction.cpp). The workers first agree on the
// maximum LSE of each row. Each then weighs its partial: the numerator is O exp(LSE - maximum), the
// denominator exp(LSE - maximum). The output is the sum of the numerators over that of the
// denominators. Tensors are contiguous f32: out is [b, h, n, e], the others are [b, h, n, 1]. An
// LSE of two numbers (lse.h) [b, h, n, 2] is agreed on by its maximum, in units of log 2, and
// nothing is rounded away.
enum class Combine { maximum, sum };

// target := max(target, source) or target + source, element by element.
void combine(const TensorView& target, const TensorView& source, Combine how);

// denominator := exp(LSE - maximum), 0 for a row without keys; out := out * denominator.
void weigh_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                   const TensorView& denominator);

// out := out / denominator, lse := maximum + log(denominator); 0 and -inf for a row without keys.
void normalise_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                       const TensorView& denominator);

}  // namespace qb
