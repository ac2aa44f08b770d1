// SPDX-License-Identifier: Apache-2.0
// Compares flash with the float64 kernel on random problems, in every instruction set: types,
// head_dims, grouped heads, views with strides, scales of either sign, spans, threads, split keys.
#include <gtest/gtest.h>

#include <random>

#include "base/testing/sanitized.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/testing/test_support.h"

namespace qb {
namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(limit));
  }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<std::int64_t>(values.size()))];
  }

 private:
  std::mt19937_64 engine_;
};

// Holds every `step`-th token of a tensor that holds the others too.
struct Strided {
  Tensor whole;
  TensorView view;
  Strided(DType dtype, Extent extent, std::int64_t step, std::uint64_t seed, int outlier_every) {
    const std::int64_t length = extent.length;
    extent.length = std::max<std::int64_t>(1, length * step);
    whole = testing_support::random_tensor(dtype, extent, seed, 1.0, outlier_every);
    view = whole.view().tokens(0, length, step);
  }
};

std::vector<ScheduleBlock> random_blocks(Random& random, std::int64_t n, std::int64_t m) {
  std::vector<ScheduleBlock> blocks;
  const bool dense = random.below(2) == 0;
  for (std::int64_t row = 0; row < n;) {
    const std::int64_t row_end = dense ? n : std::min(n, row + 1 + random.below(150));
    for (std::int64_t key = dense ? 0 : random.below(50); key < m;) {
      const std::int64_t key_end = dense ? m : std::min(m, key + 1 + random.below(300));
      const bool causal = random.below(2) == 0;
      blocks.push_back({row,
                        row_end,
                        {key, key_end, causal ? SpanKind::causal : SpanKind::full,
                         causal ? m - n + random.below(20) - 10 : 0}});
      key = key_end + random.below(60);
    }
    row = row_end + random.below(10);
  }
  return blocks;
}

std::vector<ScheduleBlock> among(std::vector<ScheduleBlock> blocks, const Range& keys) {
  for (ScheduleBlock& block : blocks) {
    block.keys.begin = std::max(block.keys.begin, keys.begin);
    block.keys.end = std::min(block.keys.end, keys.end);
  }
  std::erase_if(blocks, [](const ScheduleBlock& one) { return one.keys.begin >= one.keys.end; });
  return blocks;
}

// `spread` says how much larger than LSE a score may be.
void expect_close(const testing_support::Attended& found, const testing_support::Attended& exact,
                  std::int64_t d, const TensorView& v, double spread) {
  double largest_value = 0.0;
  for (const double value : testing_support::values(v))
    largest_value = std::max(largest_value, std::abs(value));
  double largest_lse = 1.0;
  for (const double value : exact.lse)
    if (std::isfinite(value)) largest_lse = std::max(largest_lse, std::abs(value));
  const double u = unit_roundoff(DType::f32);
  // A score is a sum of d products, each as large as the largest score; its error is that of every
  // weight. Weights of bf16 are rounded once more.
  const double score_error = (4.0 + std::sqrt(static_cast<double>(d))) * u * largest_lse * spread;
  const double rounding = v.dtype == DType::bf16 ? unit_roundoff(DType::bf16) : 0.0;
  EXPECT_LE(testing_support::max_difference(found.lse, exact.lse), 2.0 * score_error);
  EXPECT_LE(testing_support::max_difference(found.out, exact.out),
            (2.0 * rounding + 4.0 * score_error + 8.0 * u) * largest_value);
}

void expect_agreement(std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  const auto dtype = random.one_of({DType::f32, DType::f16, DType::bf16});
  const std::int64_t d = random.one_of<std::int64_t>({1, 5, 16, 24, 31, 64, 96, 128, 256});
  const std::int64_t e = random.below(3) == 0 ? 1 + random.below(256) : d;
  const std::int64_t kv_heads = 1 + random.below(2);
  const std::int64_t group = random.one_of<std::int64_t>({1, 1, 2, 3, 8});
  const std::int64_t n =
      random.one_of<std::int64_t>({1, 2, 5, 7, 16, 47, 49, 97, 200, 385}) + random.below(3);
  const std::int64_t m = 1 + random.below(random.below(3) == 0 ? 3000 : 300);
  const int threads = static_cast<int>(1 + random.below(4));
  const int outlier_every = random.below(3) == 0 ? 40 : 0;
  const double sign = random.one_of({1.0, 1.0, -1.0});
  const Extent q_extent{1 + random.below(2), kv_heads * group, n, d};
  const Extent k_extent{q_extent.batch, kv_heads, m, d};
  const Extent v_extent{q_extent.batch, kv_heads, m, e};
  const Strided q(dtype, q_extent, 1 + random.below(2), seed + 1, outlier_every);
  const Strided k(dtype, k_extent, 1 + random.below(2), seed + 2, outlier_every);
  const Strided v(dtype, v_extent, 1 + random.below(2), seed + 3, 0);
  const Tensor out(heap_allocator(), DType::f32, {q_extent.batch, q_extent.heads, n, e}, "out");
  const Tensor lse(heap_allocator(), DType::f32, {q_extent.batch, q_extent.heads, n, 1}, "lse");
  const std::vector<ScheduleBlock> blocks = random_blocks(random, n, m);
  const std::int64_t tile = random.one_of<std::int64_t>({16, 64, 192, 1000});
  const TileSchedule schedule = build_schedule(n, m, blocks, tile);
  const AttentionArguments arguments{
      q.view,     k.view,    v.view, &schedule, sign / std::sqrt(static_cast<double>(d)),
      out.view(), lse.view()};
  // Each call goes on from those before it, over the keys up to the next cut.
  const auto run = [&](Kernel kernel,
                       const std::vector<std::int64_t>& cuts) -> testing_support::Attended {
    testing_support::fill(out.view(), std::nan(""));
    testing_support::fill(lse.view(), std::nan(""));
    for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
      const TileSchedule part = build_schedule(n, m, among(blocks, {cuts[c], cuts[c + 1]}), tile);
      AttentionArguments call = arguments;
      call.schedule = cuts.size() == 2 ? &schedule : &part;
      call.resumes = c > 0;
      attention(kernel, call, {heap_allocator(), threads, 0});
    }
    return {testing_support::values(out.view()), testing_support::values(lse.view())};
  };
  const testing_support::Attended exact = run(Kernel::reference, {0, m});
  const double spread = outlier_every != 0 ? 8.0 : 1.0;
  expect_close(run(Kernel::flash, {0, m}), exact, d, v.view, spread);
  expect_close(run(Kernel::flash, {0, m / 3, m / 3, m / 2, m}), exact, d, v.view, spread);
}

class Flash : public ::testing::TestWithParam<InstructionSet> {
 protected:
  Flash() { use_instruction_set(GetParam()); }
  ~Flash() override { use_instruction_set(available_instruction_sets().front()); }
};

TEST_P(Flash, AgreesWithFloat64OnRandomProblems) {
  // The portable code takes twenty times as long, and minutes under sanitizers.
  const std::uint64_t seeds =
      GetParam() == InstructionSet::scalar || testing_support::kSanitized ? 6 : 25;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) expect_agreement(1000 * seed);
}

TEST(Attention, OnlyAKernelThatSaysSoGoesOnFromOtherKeys) {
  testing_support::Call call(testing_support::random_tensor(DType::f32, {1, 1, 3, 16}, 1),
                             testing_support::random_tensor(DType::f32, {1, 1, 5, 16}, 2),
                             testing_support::random_tensor(DType::f32, {1, 1, 5, 16}, 3),
                             build_schedule(3, 5, {{0, 3, {0, 5}}}, 64));
  EXPECT_TRUE(kernel_tiles(Kernel::flash, 16).resumes);
  const Tensor out(heap_allocator(), DType::f32, {1, 1, 3, 16}, "out");
  const Tensor lse(heap_allocator(), DType::f32, {1, 1, 3, 1}, "lse");
  EXPECT_THROW(attention(Kernel::reference,
                         {call.q.view(), call.k.view(), call.v.view(), &call.schedule, 1.0,
                          out.view(), lse.view(), true},
                         {heap_allocator(), 1, 0}),
               std::invalid_argument);
}

// Rows and keys here mostly end amid a vector, a pair or a tile of the products.
TEST_P(Flash, AgreesWithFloat64OnShortLengths) {
  const std::int64_t dims[] = {31, 32, 64, 72};
  const std::int64_t value_dims[] = {64, 17, 32, 1, 96};
  const double scales[] = {0.2, -0.2, 0.0};
  for (const std::int64_t n : {1, 7, 15, 16, 17, 33, 48, 50})
    for (std::int64_t m = 1; m <= 40; ++m) {
      SCOPED_TRACE(std::to_string(n) + " rows, " + std::to_string(m) + " keys");
      const std::int64_t d = dims[m % 4];
      const SpanKind kind = m % 2 == 0 ? SpanKind::causal : SpanKind::full;
      testing_support::Call call(
          testing_support::random_tensor(DType::bf16, {1, 2, n, d}, 1),
          testing_support::random_tensor(DType::bf16, {1, 1, m, d}, 2),
          testing_support::random_tensor(DType::bf16, {1, 1, m, value_dims[m % 5]}, 3),
          build_schedule(n, m, {{0, n, {0, m, kind, m - n}}}, 64));
      call.scale = scales[m % 3];
      const testing_support::Attended exact = call.run(Kernel::reference);
      expect_close(call.run(Kernel::flash), exact, d, call.v.view(), 1.0);
    }
}

// With one key-value head and one query there are no tiles to divide, so the keys are divided.
TEST_P(Flash, SplitsKeysWhereTilesAreTooFewAndGetsTheSame) {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    testing_support::Call call(
        testing_support::random_tensor(dtype, {1, 3, 2, 64}, 1),
        testing_support::random_tensor(dtype, {1, 1, 4001, 64}, 2),
        testing_support::random_tensor(dtype, {1, 1, 4001, 64}, 3),
        build_schedule(2, 4001, {{0, 2, {0, 4001, SpanKind::causal, 3999}}}, 64));
    testing_support::CountingAllocator one_thread;
    testing_support::CountingAllocator three_threads;
    const testing_support::Attended together = call.run(Kernel::flash, 1, one_thread);
    const testing_support::Attended split = call.run(Kernel::flash, 3, three_threads);
    EXPECT_LE(testing_support::max_difference(split.out, together.out),
              dtype == DType::f32 ? 1e-6 : 4e-3);
    // LSE is about 9, and each of the parts that are merged rounds it once.
    EXPECT_LE(testing_support::max_difference(split.lse, together.lse), 6e-6);
    EXPECT_EQ(one_thread.labels().size(), 1u);
    EXPECT_EQ(three_threads.labels().back(), "flash_parts");
  }
}

// With m equal keys, LSE = score + log m. Whatever a block adds to the sum besides its keys shows
// after a thousand blocks.
TEST_P(Flash, ManyEqualKeysAreCountedExactly) {
  constexpr std::int64_t kKeys = testing_support::kSanitized ? 20'000 : 200'000;
  for (const std::int64_t queries : {1, 20}) {
    testing_support::Call call(testing_support::random_tensor(DType::f32, {1, 1, queries, 16}, 1),
                               testing_support::random_tensor(DType::f32, {1, 1, kKeys, 16}, 2),
                               testing_support::random_tensor(DType::f32, {1, 1, kKeys, 16}, 3),
                               build_schedule(queries, kKeys, {{0, queries, {0, kKeys}}}, 64));
    testing_support::fill(call.q.view(), 0.61);
    testing_support::fill(call.k.view(), 0.37);
    testing_support::fill(call.v.view(), 1.0);
    call.scale = 0.7;
    const testing_support::Attended found = call.run(Kernel::flash, 1);
    const double score = 16.0 * static_cast<double>(0.61f) * static_cast<double>(0.37f) * 0.7;
    for (const double lse : found.lse) EXPECT_NEAR(lse, score + std::log(double{kKeys}), 4e-6);
    for (const double out : found.out) EXPECT_NEAR(out, 1.0, 1e-5);
  }
}

// Memory after the last row of a tensor must not be read: where the tensor ends a page, the next
// page may not exist. Here it is NaN, which would show.
TEST_P(Flash, ReadsNothingBehindARow) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    for (const std::int64_t d : {8, 24, 40, 64}) {
      const Tensor wide = testing_support::random_tensor(dtype, {1, 1, 75, 2 * d}, 1);
      for (std::int64_t t = 0; t < 75; ++t)
        for (std::int64_t x = d; x < 2 * d; ++x)
          store_element(wide.view().row(0, 0, t) + x * size_of(dtype), dtype, std::nan(""));
      TensorView rows = wide.view();
      rows.extent.head_dim = d;
      const Tensor out(heap_allocator(), DType::f32, {1, 1, 75, d}, "out");
      const Tensor lse(heap_allocator(), DType::f32, {1, 1, 75, 1}, "lse");
      const TileSchedule schedule = build_schedule(75, 75, {{0, 75, {0, 75}}}, 64);
      attention(Kernel::flash, {rows, rows, rows, &schedule, 0.1, out.view(), lse.view()},
                {heap_allocator(), 1, 0});
      for (const double value : testing_support::values(out.view()))
        ASSERT_TRUE(std::isfinite(value));
    }
}

INSTANTIATE_TEST_SUITE_P(All, Flash, ::testing::ValuesIn(available_instruction_sets()),
                         [](const auto& set) { return std::string(word(set.param)); });

}  // namespace
}  // namespace qb
