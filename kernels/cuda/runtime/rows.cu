// SPDX-License-Identifier: Apache-2.0
// A copy, sum or clearing of rows is one launch: a grid of heads times words. Words of a copy
// without conversion are as wide as the addresses and strides of both sides allow. Tokens that
// follow one another in both are one long row, in which no thread divides.
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

// The words of a slice.
struct WordRows {
  std::int64_t words;  // of a row
  std::int64_t count;
};

// Returns rows with a word for each element. Tokens that follow one another in both views are one
// row.
WordRows word_rows(const TensorView& a, const TensorView& b) {
  const Extent& e = a.extent;
  if (a.token_stride == e.head_dim && b.token_stride == e.head_dim)
    return {e.head_dim * e.length, 1};
  return {e.head_dim, e.length};
}

void launch(void (*kernel)(Copy), const TensorView& from, const TensorView& to,
            const WordRows& rows, void* stream) {
  Copy copy{side(from), side(to), 0, to.extent.heads, rows.words * rows.count, rows.words};
  if (copy.words == 0) return;
  const std::int64_t slices = to.extent.batch * to.extent.heads;
  const std::int64_t blocks = std::min<std::int64_t>((copy.words + kThreads - 1) / kThreads, 4096);
  for (; copy.first_slice < slices; copy.first_slice += kMaxGridY) {
    const std::int64_t now = std::min(slices - copy.first_slice, kMaxGridY);
    kernel<<<dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(now)), kThreads, 0,
             static_cast<cudaStream_t>(stream)>>>(copy);
    QB_CUDA_CHECK(cudaGetLastError());
  }
}

template <class Narrow>
void convert(const TensorView& from, const TensorView& to, void* stream) {
  const auto kernel = from.dtype == DType::f32 ? for_each_word<Move, Narrow, float>
                                               : for_each_word<Move, float, Narrow>;
  launch(kernel, from, to, word_rows(from, to), stream);
}

// Moves words of the widest type that fits.
void move(const TensorView& from, const TensorView& to, void* stream) {
  const WordRows rows = word_rows(from, to);
  const std::int64_t row_bytes = rows.words * size_of(from.dtype);
  const auto fits = [&](std::int64_t width) {
    return row_bytes % width == 0 && divides(width, side(from)) && divides(width, side(to));
  };
  const auto move_words = [&](auto word) {
    using Word = decltype(word);
    launch(for_each_word<Move, Word, Word>, from, to,
           {row_bytes / static_cast<std::int64_t>(sizeof(Word)), rows.count}, stream);
  };
  if (fits(16))
    move_words(uint4{});
  else if (fits(4))
    move_words(unsigned{});
  else
    move_words(static_cast<unsigned short>(0));
}

}  // namespace

void copy_rows(const TensorView& source, const TensorView& destination, void* stream) {
  const DType narrow = source.dtype == DType::f32 ? destination.dtype : source.dtype;
  const bool converts = source.dtype != destination.dtype;
  const bool known = (source.dtype == DType::f32 || destination.dtype == DType::f32) &&
                     (narrow == DType::f16 || narrow == DType::bf16);
  if (source.extent != destination.extent || (converts && !known))
    throw std::invalid_argument("copy_rows: the views differ in shape or have unlike types");
  if (!converts) return move(source, destination, stream);
  if (narrow == DType::f16) return convert<Half>(source, destination, stream);
  convert<Bfloat16>(source, destination, stream);
}

void clear_rows(const TensorView& rows, void* stream) {
  if (rows.dtype != DType::f32) throw std::invalid_argument("clear_rows: sums are f32");
  launch(for_each_word<Clear, float, float>, rows, rows, word_rows(rows, rows), stream);
}

void add_rows(const TensorView& sum, const TensorView& part, void* stream) {
  if (sum.dtype != DType::f32 || sum.extent != part.extent)
    throw std::invalid_argument("add_rows: the sum is f32 and has the shape of the part");
  of_type(part.dtype, "add_rows", [&](auto element) {
    launch(for_each_word<Add, float, decltype(element)>, part, sum, word_rows(part, sum), stream);
  });
}

}  // namespace qb::cuda
