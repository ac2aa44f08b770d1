// What rates of kernels are held against on a GPU: a product of large matrices by cuBLAS. A plain
// host header.
//
// A vendor's number is of a clock that no GPU keeps, so the ceiling is measured, as it is on the
// CPU. It is the fastest cuBLAS product, not a bound: a kernel that cuBLAS could not write may do
// more, and attention, which has a softmax between its products, usually does less.
#pragma once

#include <optional>

#include "kernels/cuda/runtime/runtime.h"
#include "kernels/dtype.h"

namespace qb::cuda {

// FLOP/s of the fastest of a few products of that type, A B and A B^T, by the stream's events:
// 8192 x 8192 matrices in 16-bit types on the tensor cores, 4096 x 4096 in float32 without them, of
// random numbers (zeros take less power and run faster). Some tenths of a second at most and, for
// that long, 400 MB of the device's own memory, of no ledger; smaller matrices where less is free.
// Nothing for f64, without cuBLAS, or where not even small matrices fit. Throws where the device is
// lost.
[[nodiscard]] std::optional<double> product_peak_flop_per_s(DType dtype, const Stream& stream);

}  // namespace qb::cuda
