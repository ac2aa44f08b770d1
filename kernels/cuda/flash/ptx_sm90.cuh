// SPDX-License-Identifier: Apache-2.0
// Wraps the instructions of sm_90a alone, as ptx.cuh does those of every device: barriers that
// count bytes, the copy engine, registers that move, and products of a warpgroup.
#pragma once

#include "kernels/cuda/flash/ptx.cuh"

#ifdef __CUDACC__

#include "kernels/cuda/flash/tensor_map.h"

namespace qb::cuda::ptx {

#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)

// ---- Barriers that count arrivals and bytes -----------------------------------------------------
// An mbarrier is eight bytes of shared memory. Its phase ends and the next begins when all expected
// arrivals and announced bytes have come. A waiter names the parity of the phase whose end it waits
// for, so a wait for parity 1 passes while the first phase lasts.

QB_DEVICE void barrier_init(std::uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
// Makes the initialised barriers visible to the copy engine.
QB_DEVICE void barrier_init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
QB_DEVICE void barrier_arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
QB_DEVICE void barrier_arrive_expecting(std::uint32_t barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
// The loop is inside the assembly, so that the compiler sees straight code around products that are
// still in progress. With QB_CUDA_DEBUG, a wait of more than ten seconds traps, so that a phase
// that never ends is an error; tools that slow a kernel down a thousandfold need less.
QB_DEVICE void barrier_wait(std::uint32_t barrier, int parity) {
#ifdef QB_CUDA_DEBUG
  constexpr std::uint64_t kMostNanoseconds = 10'000'000'000;
  asm volatile(
      "{\n"
      ".reg .pred done, late;\n"
      ".reg .u64 begin, now;\n"
      "mov.u64 begin, %%globaltimer;\n"
      "QB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra.uni QB_DONE;\n"
      "mov.u64 now, %%globaltimer;\n"
      "sub.u64 now, now, begin;\n"
      "setp.gt.u64 late, now, %2;\n"
      "@late trap;\n"
      "bra.uni QB_WAIT;\n"
      "QB_DONE:\n"
      "}" ::"r"(barrier),
      "r"(parity), "n"(kMostNanoseconds)
      : "memory");
#else
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "QB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra.uni QB_DONE;\n"
      "bra.uni QB_WAIT;\n"
      "QB_DONE:\n"
      "}" ::"r"(barrier),
      "r"(parity)
      : "memory");
#endif
}

// A block has sixteen named barriers. `threads` counts those that wait and those that only arrive.
QB_DEVICE void named_sync(int name, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(name), "r"(threads) : "memory");
}
QB_DEVICE void named_arrive(int name, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(name), "r"(threads) : "memory");
}

// ---- The copy engine ----------------------------------------------------------------------------
// One thread hands over a tensor map, which the host made, and the coordinates of a box. The box
// lands swizzled, elements outside the tensor as zeros, and its bytes are counted on the barrier.

QB_DEVICE void prefetch_map(const TensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}
QB_DEVICE void copy_box(std::uint32_t shared, const TensorMap* map, std::uint32_t barrier, int c0,
                        int c1, int c2, int c3, int c4) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5, %6, %7}], [%2];" ::"r"(shared),
      "l"(map), "r"(barrier), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4)
      : "memory");
}

// Adds a box in shared memory, swizzled in the same way, to a tensor in device memory; elements
// outside it are left out. The box may be written again after wait_for_sums() of the same thread.
// The order of additions differs from run to run, as that of add_atomically().
QB_DEVICE void add_box(const TensorMap* map, std::uint32_t shared, int c0, int c1, int c2, int c3,
                       int c4) {
  asm volatile(
      "cp.reduce.async.bulk.tensor.5d.global.shared::cta.add.tile.bulk_group "
      "[%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"(map),
      "r"(shared), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4)
      : "memory");
}
QB_DEVICE void commit_sums() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
QB_DEVICE void wait_for_sums() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }

// ---- Registers move between warpgroups ----------------------------------------------------------

template <int kRegisters>
QB_DEVICE void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
QB_DEVICE void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

// ---- Products of a warpgroup --------------------------------------------------------------------
// Four warps multiply 64 x 16 by 16 x N while they do something else. fence: this thread's
// registers are ready; commit: the products issued so far form a group; wait<n>: at most the n
// newest groups are in progress. Meanwhile the hardware owns the accumulators (and A in registers).
// hold() tells the compiler where the owner changes: it pretends to change each register.

// After this, products read what this thread has stored in shared memory.
QB_DEVICE void store_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
QB_DEVICE void product_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
QB_DEVICE void product_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int kPending>
QB_DEVICE void product_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}
template <int kCount>
QB_DEVICE void hold(float (&r)[kCount]) {
  QB_UNROLL
  for (int i = 0; i < kCount; ++i) asm volatile("" : "+f"(r[i])::"memory");
}
template <int kCount>
QB_DEVICE void hold(std::uint32_t (&r)[kCount]) {
  QB_UNROLL
  for (int i = 0; i < kCount; ++i) asm volatile("" : "+r"(r[i])::"memory");
}

#define QB_F8(c, i)                                                                           \
  "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3]), "+f"(c[i + 4]), "+f"(c[i + 5]), \
      "+f"(c[i + 6]), "+f"(c[i + 7])
#define QB_F16(c, i) QB_F8(c, i), QB_F8(c, i + 8)
#define QB_F32(c, i) QB_F16(c, i), QB_F16(c, i + 16)
#define QB_F64(c, i) QB_F32(c, i), QB_F32(c, i + 32)
#define QB_F128(c) QB_F64(c, 0), QB_F64(c, 64)
#define QB_LIST_16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define QB_LIST_32 \
  QB_LIST_16       \
  ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define QB_LIST_40 QB_LIST_32 ", %32, %33, %34, %35, %36, %37, %38, %39"
#define QB_LIST_64                                                                     \
  QB_LIST_32                                                                           \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define QB_LIST_88                                                                     \
  QB_LIST_64                                                                           \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87"
#define QB_LIST_128                                                                              \
  QB_LIST_64                                                                                     \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, " \
  "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, "   \
  "%100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, "   \
  "%115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

// c (= or +=) A B with A and B in shared memory. `transposes` is "0, 0" where both are read as
// stored (depth-major), "1, 1" where both are transposed when read (column-major).
#define QB_SHARED_PRODUCT(type, n, list, sd, at_a, at_b, transposes, ...)                          \
  asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, " sd                                          \
               ", 0;\n"                                                                            \
               "wgmma.mma_async.sync.aligned.m64n" n "k16.f32." type "." type " {" list "}, " at_a \
               ", " at_b ", add, 1, 1, " transposes ";\n}"                                         \
               : __VA_ARGS__                                                                       \
               : "l"(a), "l"(b), "n"(add))
// c += A B with A in registers, B transposed when read (V: column-major). a0 to a3 and descriptor
// are the numbers of the operands that follow the accumulators c.
#define QB_REGISTER_PRODUCT(type, n, list, a0, a1, a2, a3, descriptor, ...)                       \
  asm volatile("wgmma.mma_async.sync.aligned.m64n" n "k16.f32." type "." type " {" list "}, {" a0 \
               ", " a1 ", " a2 ", " a3 "}, " descriptor ", 1, 1, 1, 1;"                           \
               : __VA_ARGS__                                                                      \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))
// One of the products above, of numbers of the type that kBf16 says; the accumulators come last.
#define QB_PRODUCT(PRODUCT, ...)  \
  if constexpr (kBf16)            \
    PRODUCT("bf16", __VA_ARGS__); \
  else                            \
    PRODUCT("f16", __VA_ARGS__)

// Each thread has kCount registers: N = 2 kCount columns.
template <bool kBf16, bool kAdd, int kCount>
QB_DEVICE void product_of_shared(float (&c)[kCount], std::uint64_t a, std::uint64_t b) {
  static_assert(kCount == 16 || kCount == 32 || kCount == 40 || kCount == 64 || kCount == 88);
  const int add = kAdd ? 1 : 0;
  if constexpr (kCount == 88) {
    QB_PRODUCT(QB_SHARED_PRODUCT, "176", QB_LIST_88, "%90", "%88", "%89", "0, 0", QB_F64(c, 0),
               QB_F16(c, 64), QB_F8(c, 80));
  } else if constexpr (kCount == 64) {
    QB_PRODUCT(QB_SHARED_PRODUCT, "128", QB_LIST_64, "%66", "%64", "%65", "0, 0", QB_F64(c, 0));
  } else if constexpr (kCount == 40) {
    QB_PRODUCT(QB_SHARED_PRODUCT, "80", QB_LIST_40, "%42", "%40", "%41", "0, 0", QB_F32(c, 0),
               QB_F8(c, 32));
  } else if constexpr (kCount == 16) {
    QB_PRODUCT(QB_SHARED_PRODUCT, "32", QB_LIST_16, "%18", "%16", "%17", "0, 0", QB_F16(c, 0));
  } else {
    QB_PRODUCT(QB_SHARED_PRODUCT, "64", QB_LIST_32, "%34", "%32", "%33", "0, 0", QB_F32(c, 0));
  }
}

// Multiplies tiles of which both are stored with their columns along the rows: A is 16 rows of the
// depth by 64 columns, B 16 by 64.
template <bool kBf16, bool kAdd>
QB_DEVICE void product_of_transposed(float (&c)[32], std::uint64_t a, std::uint64_t b) {
  const int add = kAdd ? 1 : 0;
  QB_PRODUCT(QB_SHARED_PRODUCT, "64", QB_LIST_32, "%34", "%32", "%33", "1, 1", QB_F32(c, 0));
}

template <bool kBf16, int kCount>
QB_DEVICE void product_of_registers(float (&c)[kCount], const std::uint32_t* a, std::uint64_t b) {
  static_assert(kCount == 32 || kCount == 64 || kCount == 128);
  if constexpr (kCount == 128) {
    QB_PRODUCT(QB_REGISTER_PRODUCT, "256", QB_LIST_128, "%128", "%129", "%130", "%131", "%132",
               QB_F128(c));
  } else if constexpr (kCount == 64) {
    QB_PRODUCT(QB_REGISTER_PRODUCT, "128", QB_LIST_64, "%64", "%65", "%66", "%67", "%68",
               QB_F64(c, 0));
  } else {
    QB_PRODUCT(QB_REGISTER_PRODUCT, "64", QB_LIST_32, "%32", "%33", "%34", "%35", "%36",
               QB_F32(c, 0));
  }
}

#undef QB_F8
#undef QB_F16
#undef QB_F32
#undef QB_F64
#undef QB_F128
#undef QB_LIST_16
#undef QB_LIST_32
#undef QB_LIST_40
#undef QB_LIST_64
#undef QB_LIST_88
#undef QB_LIST_128
#undef QB_SHARED_PRODUCT
#undef QB_REGISTER_PRODUCT
#undef QB_PRODUCT

#endif  // sm_90a

}  // namespace qb::cuda::ptx

#endif  // __CUDACC__
