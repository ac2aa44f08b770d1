// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/gemm.h"

#include <dnnl.h>
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace qb::cpu {
namespace {

// oneDNN takes the size of its team from OpenMP, whose setting belongs to the calling thread. Its
// own teams would spin at the end of every call on the cores that our other threads use.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

}  // namespace

void require_gemm(std::string_view) {}

void gemm(std::int64_t rows, std::int64_t columns, std::int64_t depth, const Matrix& a,
          const Matrix& b, float* c, std::int64_t c_row_stride, bool add) {
  if (rows == 0 || columns == 0) return;
  if (depth == 0 && add) return;
  if (depth == 0) {  // the library refuses an empty sum
    for (std::int64_t row = 0; row < rows; ++row)
      std::fill_n(c + row * c_row_stride, columns, 0.0f);
    return;
  }
  const OneThread one_thread;
  const dnnl_status_t status =
      dnnl_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', rows, columns, depth, 1.0f,
                 a.data, a.row_stride, b.data, b.row_stride, add ? 1.0f : 0.0f, c, c_row_stride);
  if (status != dnnl_success)
    throw std::runtime_error(fmt::format("dnnl_sgemm of [{}, {}] x [{}, {}] failed: status {}",
                                         rows, depth, depth, columns, static_cast<int>(status)));
}

void limit_gemm(InstructionSet set) {
  // The library has no set below SSE4.1.
  (void)dnnl_set_max_cpu_isa(set == InstructionSet::avx2          ? dnnl_cpu_isa_avx2
                             : set == InstructionSet::avx512      ? dnnl_cpu_isa_avx512_core
                             : set == InstructionSet::avx512_bf16 ? dnnl_cpu_isa_avx512_core_bf16
                             : set == InstructionSet::avx512_amx  ? dnnl_cpu_isa_avx512_core_amx
                                                                  : dnnl_cpu_isa_sse41);
}

std::string_view gemm_isa() {
  static constexpr std::pair<dnnl_cpu_isa_t, std::string_view> kNames[] = {
      {dnnl_cpu_isa_sse41, "sse41"},
      {dnnl_cpu_isa_avx, "avx"},
      {dnnl_cpu_isa_avx2, "avx2"},
      {dnnl_cpu_isa_avx2_vnni, "avx2_vnni"},
      {dnnl_cpu_isa_avx512_core, "avx512_core"},
      {dnnl_cpu_isa_avx512_core_vnni, "avx512_core_vnni"},
      {dnnl_cpu_isa_avx512_core_bf16, "avx512_core_bf16"},
      {dnnl_cpu_isa_avx512_core_amx, "avx512_core_amx"}};
  const auto* const known = std::ranges::find(kNames, dnnl_get_effective_cpu_isa(),
                                              &std::pair<dnnl_cpu_isa_t, std::string_view>::first);
  return known == std::end(kNames) ? "generic" : known->second;
}

}  // namespace qb::cpu
