// SPDX-License-Identifier: Apache-2.0
// The list of all attention kernels. A new kernel is one entry here and one file that defines its
// functions (CpuKernel in kernels/cpu/cpu_kernels.h). Its word in specs and on the command line,
// the checks of its types, the work model, the documentation and its look in figures follow from
// the entry. It is in the lowest room, so that the kernels and the plots, which do not include each
// other, read the same list.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/words.h"

namespace qb {

// Which pairs of a causal or sparse block a kernel computes.
enum class Computes {
  unmasked,  // those that the mask keeps
  tiles,     // whole tiles of rows, up to the last key that one of the rows sees
  matrix,    // all rows of the call times all of its keys
};

// How a CPU kernel multiplies, which decides the ceiling that it is compared with.
enum class Products {
  scalar,  // one by one; the kernel is compared with no ceiling
  gemm,    // oneDNN multiplies in float32; a build without oneDNN refuses the kernel
  own,     // its own loops multiply in float32 or, where the CPU can, in pairs of bf16
};

// An entry is: word, meaning for the documentation, facts of KernelRow.
#define QB_KERNELS(ENTRY)                                                                      \
  ENTRY(reference, "float64", .cpu_types = "f16 bf16 f32 f64", .colour = 0x6A6967, .mark = 0)  \
  ENTRY(materialized, "whole score matrix", .cpu_types = "f16 bf16 f32",                       \
        .gpu_types = "f16 bf16 f32", .computes = Computes::matrix, .products = Products::gemm, \
        .colour = 0xE6A216, .mark = 1)                                                         \
  ENTRY(flash, "tiled", .cpu_types = "f16 bf16 f32", .gpu_types = "f16 bf16",                  \
        .computes = Computes::tiles, .products = Products::own, .colour = 0xD46207, .mark = 4) \
  ENTRY(staged, "three stages", .cpu_types = "f32", .gpu_types = "f16 bf16 f32",               \
        .computes = Computes::tiles, .products = Products::gemm, .colour = 0x409877, .mark = 5)

#define QB_KERNEL_WORD(name, ...) name,
enum class Kernel { QB_KERNELS(QB_KERNEL_WORD) };
#undef QB_KERNEL_WORD

struct KernelRow {
  Kernel kernel;
  std::string_view name;
  // The input types that it takes, such as "f16 bf16"; empty where it does not run.
  std::string_view cpu_types{};
  std::string_view gpu_types{};
  Computes computes = Computes::unmasked;
  Products products = Products::scalar;
  // The RGB colour of its line in figures, and its mark, one of those of plots/frame/palette.h.
  std::uint32_t colour = 0;
  int mark = 0;

  [[nodiscard]] static constexpr bool lists(std::string_view types, std::string_view type) {
    for (std::size_t at = 0; at < types.size();) {
      const std::size_t end = std::min(types.find(' ', at), types.size());
      if (types.substr(at, end - at) == type) return true;
      at = end + 1;
    }
    return false;
  }
};

#define QB_KERNEL_ROW(word, meaning, ...) {.kernel = Kernel::word, .name = #word, __VA_ARGS__},
inline constexpr KernelRow kKernelRows[] = {QB_KERNELS(QB_KERNEL_ROW)};
#undef QB_KERNEL_ROW

// Rows are in the order of the enum.
[[nodiscard]] constexpr const KernelRow& row_of(Kernel kernel) {
  return kKernelRows[static_cast<std::size_t>(kernel)];
}

#define QB_KERNEL_PAIR(word, ...) {Kernel::word, #word},
template <>
inline constexpr auto kWords<Kernel> = word_table<Kernel>("kernel", {QB_KERNELS(QB_KERNEL_PAIR)});
#undef QB_KERNEL_PAIR

// `reference` (float64), `materialized` (whole score matrix), …
#define QB_KERNEL_MEANING(word, meaning, ...) ", `" #word "` (" meaning ")"
inline constexpr std::string_view kKernelMeanings =
    std::string_view(QB_KERNELS(QB_KERNEL_MEANING)).substr(2);
#undef QB_KERNEL_MEANING

}  // namespace qb
