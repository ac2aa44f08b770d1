// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/blas/blas.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "base/status.h"

namespace qb::cuda {
namespace {

constexpr std::int64_t kSmallest = 1024;
constexpr int kRepeats = 5;

// Multiplies the first two of three adjacent matrices of n x n; the third is the product.
double fastest_product_s(std::byte* matrices, std::int64_t n, DType dtype, const Stream& stream) {
  const auto matrix = [&](std::int64_t i) {
    return Blas::Batch{matrices + i * n * n * size_of(dtype), dtype, n, 0};
  };
  const Blas blas(stream.get());
  Event begin;
  Event end;
  double fastest_s = 0.0;
  for (const bool transposed : {true, false})
    for (int repeat = 0; repeat <= kRepeats; ++repeat) {
      begin.record(stream);
      blas.multiply(n, n, n, matrix(0), matrix(1), transposed, matrix(2), 1);
      end.record(stream);
      stream.wait();
      const double seconds = end.seconds_since(begin);
      // The first one loads the kernel.
      if (repeat > 0 && !(fastest_s > 0.0 && fastest_s <= seconds)) fastest_s = seconds;
    }
  return fastest_s;
}

}  // namespace

void fill_random(void* device, DType dtype, std::size_t bytes, unsigned seed, void* stream) {
  constexpr std::size_t kNumbers = (1 << 20) - 7;
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(kNumbers);
  for (float& number : numbers) number = normal(random);
  std::vector<std::byte> block(kNumbers * static_cast<std::size_t>(size_of(dtype)));
  convert(numbers.data(), DType::f32, block.data(), dtype, kNumbers);
  for (std::size_t begin = 0; begin < bytes; begin += block.size())
    copy_to_device(block.data(), static_cast<std::byte*>(device) + begin,
                   std::min(block.size(), bytes - begin), stream);
}

std::optional<double> product_peak_flop_per_s(DType dtype, const Stream& stream) {
  if (dtype == DType::f64) return std::nullopt;
  const auto release = [&](void* memory) { DirectMemory::release(memory, stream.get()); };
  try {
    for (std::int64_t n = dtype == DType::f32 ? 4096 : 8192; n >= kSmallest; n /= 2) {
      const auto bytes = static_cast<std::size_t>(n * n * size_of(dtype));
      const std::unique_ptr<void, decltype(release)> matrices(DirectMemory::allocate(3 * bytes),
                                                              release);
      if (matrices == nullptr) continue;  // there is too little memory
      fill_random(matrices.get(), dtype, 2 * bytes, 1, stream.get());
      const double seconds =
          fastest_product_s(static_cast<std::byte*>(matrices.get()), n, dtype, stream);
      const auto side = static_cast<double>(n);
      return 2.0 * side * side * side / seconds;
    }
  } catch (const EnvironmentError&) {  // no cuBLAS
    return std::nullopt;
  } catch (const CaseError& error) {  // cuBLAS found no memory for itself
    if (error.status() != Status::oom) throw;
  }
  return std::nullopt;
}

}  // namespace qb::cuda
