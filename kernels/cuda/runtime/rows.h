// Moving rows on a device: gathers and scatters of token groups.
#pragma once

#include "kernels/tensor.h"

namespace qb::cuda {

// Copies rows between device views of equal extent and dtype. stream: a cudaStream_t.
void copy_rows(const TensorView& source, const TensorView& destination, void* stream);

// The same from f16 or bf16 into f32, and from f32, rounding to nearest even, into f16 or bf16.
void widen_rows(const TensorView& source, const TensorView& destination, void* stream);
void narrow_rows(const TensorView& source, const TensorView& destination, void* stream);

}  // namespace qb::cuda
