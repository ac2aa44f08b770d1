// SPDX-License-Identifier: Apache-2.0
// The bytes of backward passes: closed forms, plans, and the leading terms of the literature.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "harness/plan/strategies/strategy.h"
#include "harness/plan/theory/sent_bytes.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

constexpr std::int64_t kHeadDim = 64;

// The letters are those of sent_bytes.h.
struct Sizes {
  std::int64_t new_tokens = 0;     // T
  std::int64_t cached_tokens = 0;  // P
  int workers = 8;                 // W
  std::int64_t q_heads = 8;        // NH
  std::int64_t kv_heads = 8;       // NKV
  DType dtype = DType::bf16;

  [[nodiscard]] Problem problem() const {
    const std::int64_t kv_len = new_tokens + cached_tokens;
    const Shape shape{1, q_heads, kv_heads, new_tokens, kv_len, kHeadDim, kHeadDim};
    return make_problem(shape, MaskKind::full, dtype, 0);
  }
  [[nodiscard]] std::vector<SentBytes> rows() const {
    return sent_bytes(problem(), workers, Pass::backward);
  }
  // Returns what a worker sends under the scheme, by its formulas.
  [[nodiscard]] std::int64_t sent(std::string_view scheme) const {
    std::int64_t bytes = 0;
    for (const SentBytes& row : rows())
      if (row.scheme == scheme && !row.received) bytes += row.total();
    return bytes;
  }
};

TEST(SentBytesBackward, FormulasAddUpToThePlanOrSayWhyTheyDoNot) {
  for (const int workers : {1, 2, 3, 4, 7, 8})
    for (const std::int64_t new_tokens : {1, 6, 168, 8191})
      for (const std::int64_t cached_tokens : {0, 168, 5001}) {
        const Sizes p{.new_tokens = new_tokens,
                      .cached_tokens = cached_tokens,
                      .workers = workers,
                      .q_heads = 168,  // a multiple of every number of workers
                      .kv_heads = 168};
        const bool even = new_tokens % workers == 0 && cached_tokens % workers == 0;
        const std::vector<SentBytes> rows = p.rows();
        std::map<std::string, std::int64_t> sums;
        for (const SentBytes& row : rows) sums[row.scheme] += row.received ? 0 : row.total();
        for (const SentBytes& row : rows) {
          SCOPED_TRACE(testing::Message() << row.scheme << " T=" << new_tokens
                                          << " P=" << cached_tokens << " W=" << workers);
          EXPECT_EQ(row.pass, Pass::backward);
          EXPECT_EQ(row.formula_bytes, sums[row.scheme]);
          EXPECT_EQ(row.difference.empty(), row.formula_bytes == row.planned_bytes);
          EXPECT_GE(sums[row.scheme], row.planned_bytes);
          const bool sends_as_it_is = row.scheme == "ulysses" || row.scheme == "all_gather_kv" ||
                                      is_grid(row.scheme) || row.scheme == "cqs_sharded";
          const bool may_differ =
              (sends_as_it_is && !even) || (row.scheme == "cqs_sharded" && workers % 2 == 0);
          if (!may_differ) {
            EXPECT_EQ(row.difference, "");
          }
        }
      }
}

// Shards of c tokens of width u = NH d, g = NKV / NH, e bytes an element, gradients in float32.
TEST(SentBytesBackward, LeadingTermsAreThoseOfTheSchemes) {
  for (const std::int64_t kv_heads : {8, 4, 1})
    for (const DType dtype : {DType::bf16, DType::f32}) {
      const Sizes p{.new_tokens = 7 * 64,
                    .workers = 7,
                    .q_heads = 56,
                    .kv_heads = 7 * kv_heads,
                    .dtype = dtype};
      const std::int64_t w = p.workers;
      const std::int64_t e = size_of(dtype);
      const std::int64_t c_u = 64 * p.q_heads * kHeadDim;
      const std::int64_t c_u_g = 64 * p.kv_heads * kHeadDim;
      const std::int64_t statistics = 64 * p.q_heads * 2 * 4;  // LSE and D of a shard
      EXPECT_EQ(p.sent("pass_kv"), c_u_g * (2 * e * (w - 1) + 8 * w));
      EXPECT_EQ(p.sent("burst"), c_u * ((2 * e + 4) * (w - 1) + 4) + statistics * (w - 1));
      EXPECT_EQ(p.sent("all_gather_kv"), c_u_g * (2 * e + 8) * (w - 1));
      EXPECT_EQ(p.sent("ulysses"), (2 * c_u + 2 * c_u_g) * e / w * (w - 1));
      const std::int64_t m = 3;  // groups of a worker
      EXPECT_EQ(p.sent("cqs_sharded"),
                ((2 * c_u + 2 * c_u_g) * e + 4 * (c_u + 2 * c_u_g) + statistics) * (m - 1));
      EXPECT_EQ(p.sent("cqs"), 4 * (c_u + 2 * c_u_g) * m);
    }
}

TEST(SentBytesBackward, ARingSendsThreeTimesItsForwardPassIn2ByteTypes) {
  const Sizes p{.new_tokens = 64 * 100, .workers = 64};
  const std::vector<SentBytes> forward = sent_bytes(p.problem(), p.workers);
  const auto ring = std::ranges::find(forward, "ring", &SentBytes::scheme);
  ASSERT_NE(ring, forward.end());
  EXPECT_NEAR(static_cast<double>(p.sent("pass_kv")) / static_cast<double>(ring->total()), 3.0,
              0.05);
}

TEST(SentBytesBackward, CqsIsWhatItsPlanMoves) {
  for (const int workers : {3, 7, 8, 10, 31})
    for (const std::int64_t cached_tokens : {0, 77}) {
      const Sizes p{
          .new_tokens = 8192, .cached_tokens = cached_tokens, .workers = workers, .kv_heads = 2};
      const Plan plan = make_plan("cqs", p.problem(), {.workers = workers, .pass = Pass::backward});
      std::int64_t most_in = 0;
      for (const WorkerWork& worker : model_work(plan, Kernel::flash).workers)
        most_in = std::max(most_in, worker.bytes_in);
      for (const SentBytes& row : p.rows()) {
        if (row.scheme != "cqs") continue;
        EXPECT_EQ(row.bytes, row.received ? most_in : row.planned_bytes) << workers;
      }
    }
}

TEST(SentBytesBackward, OneWorkerSendsNothing) {
  const Sizes p{.new_tokens = 100, .workers = 1};
  for (const SentBytes& row : p.rows()) {
    EXPECT_EQ(row.total(), 0) << row.scheme;
    EXPECT_EQ(row.planned_bytes, 0) << row.scheme;
  }
}

TEST(SentBytesBackward, ProblemsWhoseBytesFit63BitsAreTaken) {
  const Shape shape{1, 1'000'000, 1'000'000, 1, 1'000'000, 256, 256};
  const Problem problem = make_problem(shape, MaskKind::full, DType::f64, 0);
  for (const SentBytes& row : sent_bytes(problem, 64, Pass::backward)) {
    EXPECT_GE(row.bytes, 0) << row.scheme;
    EXPECT_GE(row.total(), 0) << row.scheme;
    EXPECT_GE(row.planned_bytes, 0) << row.scheme;
  }
}

}  // namespace
}  // namespace qb
