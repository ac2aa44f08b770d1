// One copy of rows is one launch: a grid of heads times words. Words are as wide as the addresses
// and strides of both sides allow, and tokens that follow one another in both are one long row. So
// in a gather of contiguous groups each thread moves 16 bytes without a division.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "kernels/cuda/runtime/check.cuh"
#include "kernels/cuda/runtime/element.cuh"
#include "kernels/cuda/runtime/runtime.h"

namespace qb::cuda {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kMaxGridY = 65535;

struct Side {
  char* data;
  std::int64_t batch_bytes;
  std::int64_t head_bytes;
  std::int64_t token_bytes;
};

struct Copy {
  Side from;
  Side to;
  std::int64_t first_slice;  // first of batch x heads
  std::int64_t heads;
  std::int64_t words;  // words of a slice
  std::int64_t words_per_row;
};

// Copies one word of a row from its place in the source row to its place in the destination row.
template <class Word>
struct CopyWord {
  static __device__ void move(const char* from, char* to, std::int64_t at) {
    reinterpret_cast<Word*>(to)[at] = reinterpret_cast<const Word*>(from)[at];
  }
};
template <class Element>
struct WidenElement {
  static __device__ void move(const char* from, char* to, std::int64_t at) {
    reinterpret_cast<float*>(to)[at] = to_float(reinterpret_cast<const Element*>(from)[at]);
  }
};
template <class Element>
struct NarrowElement {
  static __device__ void move(const char* from, char* to, std::int64_t at) {
    reinterpret_cast<Element*>(to)[at] =
        from_float<Element>(reinterpret_cast<const float*>(from)[at]);
  }
};

template <class Mover>
__global__ void move_words(const Copy copy) {
  const std::int64_t slice = copy.first_slice + blockIdx.y;
  const std::int64_t batch = slice / copy.heads;
  const std::int64_t head = slice % copy.heads;
  const char* const from =
      copy.from.data + batch * copy.from.batch_bytes + head * copy.from.head_bytes;
  char* const to = copy.to.data + batch * copy.to.batch_bytes + head * copy.to.head_bytes;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
       i < copy.words; i += step) {
    const std::int64_t row = copy.words == copy.words_per_row ? 0 : i / copy.words_per_row;
    Mover::move(from + row * copy.from.token_bytes, to + row * copy.to.token_bytes,
                i - row * copy.words_per_row);
  }
}

Side side(const TensorView& view) {
  const std::int64_t size = size_of(view.dtype);
  return {static_cast<char*>(view.data), view.batch_stride * size, view.head_stride * size,
          view.token_stride * size};
}

bool divides(std::int64_t width, const Side& side) {
  return reinterpret_cast<std::uintptr_t>(side.data) % static_cast<std::uintptr_t>(width) == 0 &&
         side.batch_bytes % width == 0 && side.head_bytes % width == 0 &&
         side.token_bytes % width == 0;
}

using Kernel = void (*)(Copy);

void launch(Kernel kernel, Copy copy, std::int64_t words_per_row, std::int64_t rows,
            std::int64_t slices, void* stream) {
  copy.words_per_row = words_per_row;
  copy.words = words_per_row * rows;
  const std::int64_t blocks = std::min<std::int64_t>((copy.words + kThreads - 1) / kThreads, 4096);
  for (; copy.first_slice < slices; copy.first_slice += kMaxGridY) {
    const std::int64_t now = std::min(slices - copy.first_slice, kMaxGridY);
    kernel<<<dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(now)), kThreads, 0,
             static_cast<cudaStream_t>(stream)>>>(copy);
    QB_CUDA_CHECK(cudaGetLastError());
  }
}

}  // namespace

void copy_rows(const TensorView& source, const TensorView& destination, void* stream) {
  if (source.extent != destination.extent || source.dtype != destination.dtype)
    throw std::invalid_argument("copy_rows: the views differ in shape or dtype");
  if (source.extent.elements() == 0) return;
  const Copy copy{side(source), side(destination), 0, source.extent.heads, 0, 0};
  std::int64_t row_bytes = source.extent.head_dim * size_of(source.dtype);
  std::int64_t rows = source.extent.length;
  if (copy.from.token_bytes == row_bytes && copy.to.token_bytes == row_bytes) {
    row_bytes *= rows;
    rows = 1;
  }
  const std::int64_t slices = source.extent.batch * source.extent.heads;
  const auto fits = [&](std::int64_t width) {
    return row_bytes % width == 0 && divides(width, copy.from) && divides(width, copy.to);
  };
  if (fits(16))
    launch(move_words<CopyWord<uint4>>, copy, row_bytes / 16, rows, slices, stream);
  else if (fits(4))
    launch(move_words<CopyWord<unsigned>>, copy, row_bytes / 4, rows, slices, stream);
  else
    launch(move_words<CopyWord<unsigned short>>, copy, row_bytes / 2, rows, slices, stream);
}

namespace {

void convert_rows(const char* what, const TensorView& source, const TensorView& destination,
                  bool fits, Kernel kernel, void* stream) {
  if (source.extent != destination.extent || !fits)
    throw std::invalid_argument(std::string(what) + ": the views differ in shape or type");
  if (source.extent.elements() == 0) return;
  launch(kernel, {side(source), side(destination), 0, source.extent.heads, 0, 0},
         source.extent.head_dim, source.extent.length, source.extent.batch * source.extent.heads,
         stream);
}

bool is_narrow(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16; }

}  // namespace

void widen_rows(const TensorView& source, const TensorView& destination, void* stream) {
  convert_rows("widen_rows", source, destination,
               is_narrow(source.dtype) && destination.dtype == DType::f32,
               source.dtype == DType::f16 ? move_words<WidenElement<Half>>
                                          : move_words<WidenElement<Bfloat16>>,
               stream);
}

void narrow_rows(const TensorView& source, const TensorView& destination, void* stream) {
  convert_rows("narrow_rows", source, destination,
               source.dtype == DType::f32 && is_narrow(destination.dtype),
               destination.dtype == DType::f16 ? move_words<NarrowElement<Half>>
                                               : move_words<NarrowElement<Bfloat16>>,
               stream);
}

}  // namespace qb::cuda
