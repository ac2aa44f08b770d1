// SPDX-License-Identifier: Apache-2.0
// This is the arithmetic of tree decoding's all-reduces. The workers first agree on the maximum LSE
// of each row. Each then weighs its partial: the numerator is O exp(LSE - maximum), the denominator
// exp(LSE - maximum). The output is the sum of the numerators over that of the denominators.
// Tensors are contiguous f32: out is [b, h, n, e], the others are [b, h, n, 1]. An LSE of two
// numbers (lse.h) [b, h, n, 2] is agreed on by its maximum, in units of log 2, and nothing is
// rounded away.
#pragma once

#include "kernels/tensor.h"

namespace qb {

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
