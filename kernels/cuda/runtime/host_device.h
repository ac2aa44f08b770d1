// SPDX-License-Identifier: Apache-2.0
// The CUDA compiler and the host compiler both read this code: index functions, which tests check
// on the CPU, and whole kernels, which tests run on the CPU over emulated instructions.
#pragma once

#ifdef __CUDACC__
#define QB_HOST_DEVICE __host__ __device__ __forceinline__
#define QB_DEVICE __device__ __forceinline__
#define QB_UNROLL _Pragma("unroll")
#define QB_NO_UNROLL _Pragma("unroll 1")
#else
#define QB_HOST_DEVICE inline
#define QB_DEVICE inline
#define QB_UNROLL
#define QB_NO_UNROLL
#endif
