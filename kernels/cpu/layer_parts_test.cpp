#include "kernels/cpu/layer_parts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "kernels/cpu/instruction_set.h"

namespace qb::cpu {
namespace {

constexpr double kRoundoff = 0x1p-24;

std::vector<float> normal(std::size_t n, std::uint64_t seed, double deviation = 1.0) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> values(0.0, deviation);
  std::vector<float> result(n);
  for (float& value : result) value = static_cast<float>(values(engine));
  return result;
}

std::vector<float> zeros(std::size_t n) { return std::vector<float>(n, 0.0f); }

double exact_gelu(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }

// Runs `check` with every instruction set that this CPU has.
template <class Check>
void with_every_instruction_set(Check check) {
  const InstructionSet best = instruction_set();
  for (const InstructionSet set : available_instruction_sets()) {
    SCOPED_TRACE(word(set));
    use_instruction_set(set);
    check();
  }
  use_instruction_set(best);
}

TEST(LayerParts, GeluIsExactToRoundingOverTheWholeLine) {
  with_every_instruction_set([] {
    std::vector<float> x;
    for (double value = -16.0; value <= 16.0; value += 1.0 / 512) x.push_back(float(value));
    for (const float value : {1e-30f, -1e-30f, 1e-4f, -1e-4f, 80.0f, -80.0f, 3e38f, -3e38f, 0.0f})
      x.push_back(value);
    std::vector<float> y = x;
    bias_gelu({DType::f32, 1, std::ssize(y), y.data(), zeros(y.size()).data()}, 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
      // The exponential's argument is rounded too; below 2^-126 the exponential may be 0.
      const double exact = exact_gelu(double{x[i]});
      const double tolerance =
          (8.0 + double{x[i]} * double{x[i]}) * kRoundoff * std::abs(exact) + 1e-36;
      ASSERT_LE(std::abs(double{y[i]} - exact), tolerance) << x[i];
    }
  });
}

TEST(LayerParts, GeluKeepsNaN) {
  std::vector<float> y(37, std::numeric_limits<float>::quiet_NaN());
  bias_gelu({DType::f32, 1, 37, y.data(), zeros(37).data()}, 1);
  for (const float value : y) EXPECT_TRUE(std::isnan(value));
}

TEST(LayerParts, GeluAddsTheBiasOfItsColumnFirst) {
  constexpr std::int64_t kRows = 35;
  constexpr std::int64_t kWidth = 19;
  const std::vector<float> x = normal(kRows * kWidth, 1);
  const std::vector<float> bias = normal(kWidth, 2);
  std::vector<float> y = x;
  bias_gelu({DType::f32, kRows, kWidth, y.data(), bias.data()}, 3);
  for (std::size_t i = 0; i < y.size(); ++i)
    EXPECT_NEAR(y[i], exact_gelu(double{x[i]} + double{bias[i % kWidth]}), 1e-6);
}

// The rows have an outlier a thousand times as large as the rest, and a large common offset.
TEST(LayerParts, NormOfASumIsThatOfFloat64) {
  with_every_instruction_set([] {
    for (const std::int64_t width : {1, 7, 16, 67, 768}) {
      constexpr std::int64_t kRows = 33;
      const auto n = static_cast<std::size_t>(width);
      std::vector<float> y = normal(kRows * n, 3);
      for (std::size_t row = 0; row < kRows; ++row) {
        if (row % 3 == 1) y[row * n + n / 2] = 1000.0f;
        if (row % 3 == 2)
          for (std::size_t j = 0; j < n; ++j) y[row * n + j] += 50.0f;
      }
      const std::vector<float> bias = normal(n, 4);
      const std::vector<float> residual = normal(kRows * n, 5);
      const std::vector<float> scale = normal(n, 6);
      const std::vector<float> shift = normal(n, 7);
      std::vector<double> sum(kRows * n);
      for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] = double{y[i]} + double{bias[i % n]} + double{residual[i]};
      add_norm({DType::f32, kRows, width, y.data(), bias.data(), residual.data(), scale.data(),
                shift.data()},
               2);
      for (std::size_t row = 0; row < kRows; ++row) {
        double mean = 0.0;
        double square = 0.0;
        double largest = 0.0;
        for (std::size_t j = 0; j < n; ++j) mean += sum[row * n + j] / double(n);
        for (std::size_t j = 0; j < n; ++j) {
          square += std::pow(sum[row * n + j] - mean, 2) / double(n);
          largest = std::max(largest, std::abs(sum[row * n + j]));
        }
        const double deviation = std::sqrt(square + 1e-12);
        for (std::size_t j = 0; j < n; ++j) {
          const double exact =
              (sum[row * n + j] - mean) / deviation * double{scale[j]} + double{shift[j]};
          // It is a rounding of the largest element, in deviations; a row of one is its own mean.
          const double tolerance =
              width == 1 ? 0.0
                         : (largest / deviation + 1.0) * 16 * kRoundoff *
                               (std::abs(double{scale[j]}) + std::abs(double{shift[j]}));
          ASSERT_NEAR(y[row * n + j], exact, tolerance) << row << ' ' << j;
        }
      }
    }
  });
}

TEST(LayerParts, EpsilonStandsUnderTheRootBesideTheVariance) {
  const std::vector<float> one(4, 1.0f);
  std::vector<float> y = {1e-6f, -1e-6f, 1e-6f, -1e-6f};  // variance 1e-12
  const std::vector<float> zero = zeros(4);
  add_norm({DType::f32, 1, 4, y.data(), zero.data(), zero.data(), one.data(), zero.data()}, 1);
  EXPECT_NEAR(y[0], 1.0 / std::sqrt(2.0), 1e-6);
  EXPECT_NEAR(y[1], -1.0 / std::sqrt(2.0), 1e-6);
  std::vector<float> constant(4, 3.0f);
  add_norm({DType::f32, 1, 4, constant.data(), zero.data(), zero.data(), one.data(), one.data()},
           1);
  for (const float value : constant) EXPECT_EQ(value, 1.0f) << "no deviation: the shift alone";
}

TEST(LayerParts, LinearIsTheProductWithTheTransposedWeightPlusBias) {
  for (const std::int64_t rows : {1, 5, 513, 1100}) {
    for (const int threads : {1, 2, 3, 8}) {
      constexpr std::int64_t kIn = 11;
      constexpr std::int64_t kOut = 5;
      constexpr std::int64_t kStride = 7;
      const std::vector<float> x = normal(static_cast<std::size_t>(rows * kIn), 8);
      const std::vector<float> weight = normal(kIn * kOut, 9);
      const std::vector<float> bias = normal(kOut, 10);
      std::vector<float> y(static_cast<std::size_t>(rows * kStride), -7.0f);
      for (const bool biased : {true, false}) {
        linear({DType::f32, rows, kIn, kOut, x.data(), weight.data(),
                biased ? bias.data() : nullptr, y.data(), kStride},
               threads, heap_allocator());
        for (std::int64_t i = 0; i < rows; ++i) {
          for (std::int64_t j = 0; j < kOut; ++j) {
            double exact = biased ? double{bias[std::size_t(j)]} : 0.0;
            for (std::int64_t k = 0; k < kIn; ++k)
              exact +=
                  double{x[std::size_t(i * kIn + k)]} * double{weight[std::size_t(j * kIn + k)]};
            ASSERT_NEAR(y[std::size_t(i * kStride + j)], exact, 1e-5) << rows << ' ' << threads;
          }
          ASSERT_EQ(y[std::size_t(i * kStride + kOut)], -7.0f) << "between the rows";
        }
      }
    }
  }
}

// Values of a type, in its memory and as float32.
struct Typed {
  Typed(DType dtype, std::int64_t n, std::uint64_t seed)
      : type(dtype),
        values(normal(static_cast<std::size_t>(n), seed)),
        kept(static_cast<std::size_t>(n)) {
    convert(values.data(), DType::f32, kept.data(), dtype, n);
    convert(kept.data(), dtype, values.data(), DType::f32, n);
  }
  // What the kept values are after the same call in float32 and in their type.
  void expect_rounded() const {
    std::vector<std::uint16_t> rounded(values.size());
    convert(values.data(), DType::f32, rounded.data(), type, std::ssize(values));
    EXPECT_EQ(kept, rounded);
  }
  DType type;
  std::vector<float> values;
  std::vector<std::uint16_t> kept;
};

// Counts the most bytes that are taken at once.
class Counted final : public Allocator {
 public:
  [[nodiscard]] void* allocate(std::size_t bytes, std::string_view label, int worker) override {
    void* const memory = heap_allocator().allocate(bytes, label, worker);
    taken_[memory] = static_cast<std::int64_t>(bytes);
    held_ += taken_[memory];
    peak_ = std::max(peak_, held_);
    return memory;
  }
  void deallocate(void* memory) noexcept override {
    held_ -= taken_[memory];
    heap_allocator().deallocate(memory);
  }
  [[nodiscard]] std::int64_t peak() const { return peak_; }

 private:
  std::map<void*, std::int64_t> taken_;
  std::int64_t held_ = 0;
  std::int64_t peak_ = 0;
};

TEST(LayerParts, OfSixteenBitsAreThoseOfFloat32Rounded) {
  for (const DType dtype : {DType::f16, DType::bf16})
    for (const std::int64_t rows : {1, 16, 513, 1100})
      for (const int threads : {1, 3}) {
        constexpr std::int64_t kIn = 11;
        constexpr std::int64_t kOut = 37;
        constexpr std::int64_t kStride = 40;
        const Typed x(dtype, rows * kIn, 1);
        const Typed weight(dtype, kOut * kIn, 2);
        const Typed bias(dtype, kOut, 3);
        const Typed scale(dtype, kOut, 4);
        const Typed shift(dtype, kOut, 5);
        const Typed residual(dtype, rows * kOut, 6);
        SCOPED_TRACE(testing::Message() << word(dtype) << ' ' << rows << ' ' << threads);
        for (const bool biased : {true, false}) {
          Typed y(dtype, rows * kStride, 7);
          linear({DType::f32, rows, kIn, kOut, x.values.data(), weight.values.data(),
                  biased ? bias.values.data() : nullptr, y.values.data(), kStride},
                 threads, heap_allocator());
          const LinearCall call{dtype,
                                rows,
                                kIn,
                                kOut,
                                x.kept.data(),
                                weight.kept.data(),
                                biased ? bias.kept.data() : nullptr,
                                y.kept.data(),
                                kStride};
          Counted workspace;
          linear(call, threads, workspace);
          y.expect_rounded();
          EXPECT_EQ(workspace.peak(), linear_workspace_bytes(call));
        }
        Typed y(dtype, rows * kOut, 8);
        bias_gelu({DType::f32, rows, kOut, y.values.data(), bias.values.data()}, threads);
        bias_gelu({dtype, rows, kOut, y.kept.data(), bias.kept.data()}, threads);
        y.expect_rounded();
        Typed z(dtype, rows * kOut, 9);
        add_norm({DType::f32, rows, kOut, z.values.data(), bias.values.data(),
                  residual.values.data(), scale.values.data(), shift.values.data()},
                 threads);
        add_norm({dtype, rows, kOut, z.kept.data(), bias.kept.data(), residual.kept.data(),
                  scale.kept.data(), shift.kept.data()},
                 threads);
        z.expect_rounded();
      }
}

}  // namespace
}  // namespace qb::cpu
