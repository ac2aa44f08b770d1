// SPDX-License-Identifier: Apache-2.0
// The tests of a transformer layer's parts share this: random values, values of a 16-bit type
// beside their float32, and a loop over the instruction sets of this CPU.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "kernels/cpu/instruction_set.h"
#include "kernels/dtype.h"

namespace qb::testing_support {

inline constexpr double kRoundoff = 0x1p-24;  // of float32

inline std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

inline std::vector<float> normal(std::size_t n, std::uint64_t seed, double deviation = 1.0) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> values(0.0, deviation);
  std::vector<float> result(n);
  for (float& value : result) value = static_cast<float>(values(engine));
  return result;
}

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

}  // namespace qb::testing_support
