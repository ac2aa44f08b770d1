// Packing for the flash kernel: inputs of any type and stride become float32 in the order in which
// the product kernel reads them.
#if defined(QB_KERNELS_CPU_FLASH_PACK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QB_KERNELS_CPU_FLASH_PACK_INL_H
#undef QB_KERNELS_CPU_FLASH_PACK_INL_H
#else
#define QB_KERNELS_CPU_FLASH_PACK_INL_H
#endif

#include <algorithm>
#include <cstdint>

#include <hwy/highway.h>

#include "kernels/tensor.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {

// Rows of one head, in float32 wherever they are read.
class HeadRows {
 public:
  HeadRows(const TensorView& view, std::int64_t batch, std::int64_t head)
      : view_(view), batch_(batch), head_(head) {}

  // The row itself where it is float32 already, else its conversion into `buffer`.
  [[nodiscard]] const float* get(std::int64_t token, float* buffer) const {
    const std::byte* const row = view_.row(batch_, head_, token);
    if (view_.dtype == DType::f32) return reinterpret_cast<const float*>(row);
    convert(row, view_.dtype, buffer, DType::f32, view_.extent.head_dim);
    return buffer;
  }
  [[nodiscard]] std::int64_t dim() const { return view_.extent.head_dim; }

 private:
  const TensorView& view_;
  std::int64_t batch_;
  std::int64_t head_;
};

// packed[block][x][i] = factor * rows[begin + block * width + i][x]: `width` rows interleaved, so
// that one coordinate of all of them is contiguous. The last block is filled up with zero rows.
HWY_INLINE void pack_interleaved(const HeadRows& rows, std::int64_t begin, std::int64_t count,
                                 std::int64_t width, float factor, float* HWY_RESTRICT packed) {
  constexpr std::int64_t kGroup = 4;  // rows read at once: their stores share cache lines
  const std::int64_t d = rows.dim();
  alignas(64) float buffers[kGroup][256];
  alignas(64) static constexpr float kZeroRow[256] = {};
  for (std::int64_t first = 0; first < count; first += width)
    for (std::int64_t i = 0; i < width; i += kGroup) {
      const std::int64_t group = std::min(kGroup, width - i);
      const float* source[kGroup];
      for (std::int64_t g = 0; g < group; ++g)
        source[g] = first + i + g < count ? rows.get(begin + first + i + g, buffers[g]) : kZeroRow;
      float* const to = packed + first * d + i;
      if (group == kGroup) {
        for (std::int64_t x = 0; x < d; ++x)
          for (std::int64_t g = 0; g < kGroup; ++g) to[x * width + g] = source[g][x] * factor;
      } else {
        for (std::int64_t x = 0; x < d; ++x)
          for (std::int64_t g = 0; g < group; ++g) to[x * width + g] = source[g][x] * factor;
      }
    }
}

// packed[j][x] = rows[begin + j][x], columns filled up with zeros to `stride`.
HWY_INLINE void pack_rows(const HeadRows& rows, std::int64_t begin, std::int64_t count,
                          std::int64_t stride, float* HWY_RESTRICT packed) {
  alignas(64) float buffer[256];
  for (std::int64_t j = 0; j < count; ++j) {
    float* const to = packed + j * stride;
    std::fill(std::copy_n(rows.get(begin + j, buffer), rows.dim(), to), to + stride, 0.0f);
  }
}

}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
