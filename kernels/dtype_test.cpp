// SPDX-License-Identifier: Apache-2.0
#include "kernels/dtype.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace qb {
namespace {

constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();

// Decodes sign, exponent and mantissa: (-1)^s 2^(e - bias) 1.m, 0.m for subnormal numbers.
double decode(std::uint32_t bits, int exponent_bits, int mantissa_bits) {
  const std::uint32_t mantissa = bits & ((1u << mantissa_bits) - 1u);
  const int exponent = static_cast<int>(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const double sign = (bits >> 15) != 0 ? -1.0 : 1.0;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (exponent == (1 << exponent_bits) - 1)
    return mantissa != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  const double fraction = std::ldexp(static_cast<double>(mantissa), -mantissa_bits);
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias);
  return sign * std::ldexp(1.0 + fraction, exponent - bias);
}

struct Half {
  DType dtype;
  int exponent_bits;
  int mantissa_bits;
  float (*widen)(std::uint16_t);
  std::uint16_t (*round)(float);

  [[nodiscard]] double exact(std::uint32_t bits) const {
    return decode(bits, exponent_bits, mantissa_bits);
  }
  [[nodiscard]] std::uint32_t infinity() const {
    return ((1u << exponent_bits) - 1u) << mantissa_bits;
  }
};

constexpr Half kHalves[] = {{DType::f16, 5, 10, f16_to_f32, f32_to_f16},
                            {DType::bf16, 8, 7, bf16_to_f32, f32_to_bf16}};

TEST(DType, EveryHalfWidensExactlyAndRoundsBackToItself) {
  for (const Half& half : kHalves)
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
      const double exact = half.exact(bits);
      const float wide = half.widen(static_cast<std::uint16_t>(bits));
      if (std::isnan(exact)) {
        ASSERT_TRUE(std::isnan(wide)) << word(half.dtype) << " " << bits;
        ASSERT_TRUE(std::isnan(half.widen(half.round(wide)))) << word(half.dtype) << " " << bits;
        continue;
      }
      ASSERT_EQ(static_cast<double>(wide), exact) << word(half.dtype) << " " << bits;
      ASSERT_EQ(std::signbit(wide), (bits >> 15) != 0) << word(half.dtype) << " " << bits;
      ASSERT_EQ(half.round(wide), bits) << word(half.dtype);
    }
}

TEST(DType, BetweenNeighboursRoundsToTheNearerAndOnATieToTheEvenOne) {
  for (const Half& half : kHalves)
    for (std::uint32_t low = 0; low < half.infinity(); ++low) {
      // Above the largest number, the next step of the same size replaces infinity.
      const double a = half.exact(low);
      const double step =
          low + 1 == half.infinity() ? a - half.exact(low - 1) : half.exact(low + 1) - a;
      const auto tie = static_cast<float>(a + step / 2);
      ASSERT_EQ(static_cast<double>(tie), a + step / 2);
      const std::uint32_t even = low % 2 == 0 ? low : low + 1;
      ASSERT_EQ(half.round(tie), even) << word(half.dtype) << " " << low;
      ASSERT_EQ(half.round(std::nextafter(tie, 0.0f)), low) << word(half.dtype) << " " << low;
      ASSERT_EQ(half.round(std::nextafter(tie, kFloatInfinity)), low + 1) << word(half.dtype);
      ASSERT_EQ(half.round(-tie), even | 0x8000u) << word(half.dtype) << " " << low;
    }
}

TEST(DType, OverflowGivesInfinityAndUnderflowSignedZero) {
  EXPECT_EQ(f32_to_f16(65519.0f), 0x7BFF);
  EXPECT_EQ(f32_to_f16(65520.0f), 0x7C00);
  EXPECT_EQ(f32_to_f16(-1e30f), 0xFC00);
  EXPECT_EQ(f32_to_f16(kFloatInfinity), 0x7C00);
  EXPECT_EQ(f32_to_f16(-1e-30f), 0x8000);
  EXPECT_EQ(f32_to_bf16(std::numeric_limits<float>::max()), 0x7F80);
  EXPECT_EQ(f32_to_bf16(-kFloatInfinity), 0xFF80);
}

TEST(DType, NanStaysNanWhateverItsPayload) {
  for (const std::uint32_t bits :
       {0x7F800001u, 0x7FC00000u, 0x7FFFFFFFu, 0xFF800001u, 0xFFFFFFFFu}) {
    const auto nan = std::bit_cast<float>(bits);
    EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(nan)))) << bits;
    EXPECT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(nan)))) << bits;
  }
}

TEST(DType, ConvertGivesTheBitsOfTheScalarFunctions) {
  std::vector<std::uint16_t> bits(65536);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i);
  std::mt19937 engine(7);
  std::vector<float> floats(100'003);
  for (float& value : floats) value = std::bit_cast<float>(static_cast<std::uint32_t>(engine()));
  for (const Half& half : kHalves) {
    std::vector<float> wide(bits.size());
    convert(bits.data(), half.dtype, wide.data(), DType::f32, 65536);
    for (std::size_t i = 0; i < bits.size(); ++i)
      ASSERT_EQ(std::bit_cast<std::uint32_t>(wide[i]),
                std::bit_cast<std::uint32_t>(half.widen(bits[i])));
    std::vector<std::uint16_t> rounded(floats.size());
    convert(floats.data(), DType::f32, rounded.data(), half.dtype,
            static_cast<std::int64_t>(floats.size()));
    for (std::size_t i = 0; i < floats.size(); ++i)
      ASSERT_EQ(rounded[i], half.round(floats[i])) << floats[i];
  }
}

TEST(DType, ConvertBetweenAnyTwoTypesKeepsWhatBothHold) {
  constexpr DType kTypes[] = {DType::f16, DType::bf16, DType::f32, DType::f64};
  constexpr std::int64_t kCount = 2500;  // more than one internal chunk
  for (const DType from : kTypes)
    for (const DType to : kTypes) {
      std::vector<std::byte> source(static_cast<std::size_t>(kCount * size_of(from)));
      std::vector<std::byte> destination(static_cast<std::size_t>(kCount * size_of(to)));
      for (std::int64_t i = 0; i < kCount; ++i)
        store_element(source.data() + i * size_of(from), from, static_cast<double>(i % 256) / 4.0);
      convert(source.data(), from, destination.data(), to, kCount);
      for (std::int64_t i = 0; i < kCount; ++i)
        ASSERT_EQ(load_element(destination.data() + i * size_of(to), to),
                  static_cast<double>(i % 256) / 4.0)
            << word(from) << " to " << word(to) << " element " << i;
      convert(source.data(), from, destination.data(), to, 0);
    }
}

// The value of the numbers of 16 bits around a double that is nearest, the even one of two.
std::uint16_t nearest_of_all(const Half& half, double value) {
  std::uint16_t low = 0;  // the largest magnitude that is not above
  for (std::uint16_t bit = 0x4000; bit != 0; bit >>= 1)
    if (const auto next = static_cast<std::uint16_t>(low | bit);
        !std::isnan(half.widen(next)) && static_cast<double>(half.widen(next)) <= std::abs(value))
      low = next;
  const auto high = static_cast<std::uint16_t>(low + 1);
  const auto of = [&](std::uint16_t bits) { return static_cast<double>(half.widen(bits)); };
  // Infinity begins where the next number would have been.
  const double above =
      std::isinf(of(high)) ? 2.0 * of(low) - of(static_cast<std::uint16_t>(low - 1)) : of(high);
  const double middle = 0.5 * (of(low) + above);
  const bool up = std::abs(value) > middle || (std::abs(value) == middle && low % 2 == 1);
  return static_cast<std::uint16_t>((up ? high : low) | (std::signbit(value) ? 0x8000 : 0));
}

TEST(DType, DoublesAreRoundedOnce) {
  std::mt19937_64 engine(11);
  for (const Half& half : kHalves) {
    std::vector<double> values = {1.0 + 0x1p-8 + 0x1p-40,
                                  1.0 + 0x1p-11 + 0x1p-40,
                                  0x1p-150,
                                  1e-320,
                                  65519.999999999,
                                  65520.0,
                                  0x1.ff7fffffffp127,
                                  0x1.ff8p127};
    for (int i = 0; i < 20'000; ++i) {
      // Next to a middle of two numbers, which float32 cannot tell from it.
      const auto bits = static_cast<std::uint16_t>(engine() % 0x7B00);
      const double middle =
          0.5 * (static_cast<double>(half.widen(bits)) +
                 static_cast<double>(half.widen(static_cast<std::uint16_t>(bits + 1))));
      values.push_back(std::nextafter(middle, engine() % 2 == 0 ? 0.0 : 1e300) *
                       (engine() % 2 == 0 ? 1.0 : -1.0));
    }
    std::vector<std::uint16_t> rounded(values.size());
    convert(values.data(), DType::f64, rounded.data(), half.dtype, std::ssize(values));
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(rounded[i], nearest_of_all(half, values[i])) << values[i];
      std::uint16_t one = 0;
      store_element(&one, half.dtype, values[i]);
      ASSERT_EQ(one, rounded[i]);
    }
  }
}

TEST(DType, ConvertKeepsDoublesExactlyOnlyInDoubles) {
  const double third = 1.0 / 3.0;
  double copy = 0.0;
  convert(&third, DType::f64, &copy, DType::f64, 1);
  EXPECT_EQ(copy, third);
  float narrow = 0.0f;
  convert(&third, DType::f64, &narrow, DType::f32, 1);
  EXPECT_EQ(narrow, static_cast<float>(third));
}

}  // namespace
}  // namespace qb
