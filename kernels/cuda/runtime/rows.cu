// A copy, sum or clearing of rows is one launch: a grid of heads times words. Words of a copy are
// as wide as the addresses and strides of both sides allow, and tokens that follow one another in
// both are one long row. So in a gather of contiguous groups each thread moves 16 bytes without a
// division.
#include <algorithm>
#include <stdexcept>

#include "kernels/cuda/runtime/check.cuh"
#include "kernels/cuda/runtime/element.cuh"
#include "kernels/cuda/runtime/runtime.h"

namespace qb::cuda {
namespace {

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

template <class To, class From>
__device__ To converted(From value) {
  if constexpr (sizeof(To) == sizeof(From))
    return value;
  else if constexpr (sizeof(To) == sizeof(float))
    return to_float(value);
  else
    return from_float<To>(value);
}

// What is done with each word.
struct Move {
  template <class To, class From>
  __device__ static void apply(To* to, const From* from) {
    *to = converted<To>(*from);
  }
};
struct Add {
  template <class From>
  __device__ static void apply(float* to, const From* from) {
    *to += to_float(*from);
  }
};
struct Clear {  // does not read
  __device__ static void apply(float* to, const float*) { *to = 0.0F; }
};

template <class Operation, class To, class From>
__global__ void for_each_word(const Copy copy) {
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
    const std::int64_t column = i - row * copy.words_per_row;
    Operation::apply(reinterpret_cast<To*>(to + row * copy.to.token_bytes) + column,
                     reinterpret_cast<const From*>(from + row * copy.from.token_bytes) + column);
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

using CopyKernel = void (*)(Copy);

void launch(CopyKernel kernel, Copy copy, std::int64_t words_per_row, std::int64_t rows,
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

// `joins`: tokens follow one another in both views, so that they are one long row.
void launch_on_elements(CopyKernel kernel, const Copy& copy, const Extent& extent, bool joins,
                        void* stream) {
  if (extent.elements() == 0) return;
  const std::int64_t slices = extent.batch * extent.heads;
  if (joins)
    launch(kernel, copy, extent.head_dim * extent.length, 1, slices, stream);
  else
    launch(kernel, copy, extent.head_dim, extent.length, slices, stream);
}

}  // namespace

void copy_rows(const TensorView& source, const TensorView& destination, void* stream) {
  const DType narrow = source.dtype == DType::f32 ? destination.dtype : source.dtype;
  const bool converts = source.dtype != destination.dtype;
  const bool known = (source.dtype == DType::f32 || destination.dtype == DType::f32) &&
                     (narrow == DType::f16 || narrow == DType::bf16);
  if (source.extent != destination.extent || (converts && !known))
    throw std::invalid_argument("copy_rows: the views differ in shape or have unlike types");
  if (source.extent.elements() == 0) return;
  const Copy copy{side(source), side(destination), 0, source.extent.heads, 0, 0};
  std::int64_t rows = source.extent.length;
  const std::int64_t slices = source.extent.batch * source.extent.heads;
  if (converts) {
    const CopyKernel widen = narrow == DType::f16 ? for_each_word<Move, float, Half>
                                                  : for_each_word<Move, float, Bfloat16>;
    const CopyKernel round = narrow == DType::f16 ? for_each_word<Move, Half, float>
                                                  : for_each_word<Move, Bfloat16, float>;
    return launch(source.dtype == DType::f32 ? round : widen, copy, source.extent.head_dim, rows,
                  slices, stream);
  }
  std::int64_t row_bytes = source.extent.head_dim * size_of(source.dtype);
  if (copy.from.token_bytes == row_bytes && copy.to.token_bytes == row_bytes) {
    row_bytes *= rows;
    rows = 1;
  }
  const auto fits = [&](std::int64_t width) {
    return row_bytes % width == 0 && divides(width, copy.from) && divides(width, copy.to);
  };
  if (fits(16))
    launch(for_each_word<Move, uint4, uint4>, copy, row_bytes / 16, rows, slices, stream);
  else if (fits(4))
    launch(for_each_word<Move, unsigned, unsigned>, copy, row_bytes / 4, rows, slices, stream);
  else
    launch(for_each_word<Move, unsigned short, unsigned short>, copy, row_bytes / 2, rows, slices,
           stream);
}

void clear_rows(const TensorView& rows, void* stream) {
  if (rows.dtype != DType::f32) throw std::invalid_argument("clear_rows: sums are f32");
  launch_on_elements(for_each_word<Clear, float, float>,
                     {side(rows), side(rows), 0, rows.extent.heads, 0, 0}, rows.extent,
                     rows.token_stride == rows.extent.head_dim, stream);
}

void add_rows(const TensorView& sum, const TensorView& part, void* stream) {
  if (sum.dtype != DType::f32 || sum.extent != part.extent)
    throw std::invalid_argument("add_rows: the sum is f32 and has the shape of the part");
  const bool joins =
      sum.token_stride == sum.extent.head_dim && part.token_stride == part.extent.head_dim;
  of_type(part.dtype, "add_rows", [&](auto element) {
    launch_on_elements(for_each_word<Add, float, decltype(element)>,
                       {side(part), side(sum), 0, sum.extent.heads, 0, 0}, sum.extent, joins,
                       stream);
  });
}

}  // namespace qb::cuda
