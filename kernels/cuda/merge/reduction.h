// These do what kernels/reduction.h does, over device views. stream is a cudaStream_t.
#pragma once

#include "kernels/reduction.h"

namespace qb::cuda {

void combine(const TensorView& target, const TensorView& source, Combine how, void* stream);
void weigh_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                   const TensorView& denominator, void* stream);
void normalise_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                       const TensorView& denominator, void* stream);

}  // namespace qb::cuda
