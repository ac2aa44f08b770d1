// What tree decoding's all-reduces do to a partial: the maximum LSE of a row over all workers, then
// what the worker's own partial comes to relative to it: numerator O exp(LSE - maximum),
// denominator exp(LSE - maximum). The sum of the numerators over the sum of the denominators is O
// of all keys.
//
// Tensors are contiguous f32: out [b, h, n, e], the others [b, h, n, 1].
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
