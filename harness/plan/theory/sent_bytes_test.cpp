// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/theory/sent_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/status.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

constexpr std::int64_t kDimOfHead = 64;

// Grouped-query attention in bf16, with the letters of sent_bytes.h.
struct SentSizes {
  std::int64_t new_tokens = 8192;  // T
  std::int64_t cached_tokens = 0;  // P
  int workers = 8;                 // W
  std::int64_t q_heads = 8;        // NH
  std::int64_t kv_heads = 2;       // NKV

  [[nodiscard]] std::vector<SentBytes> rows() const {
    const std::int64_t kv_len = new_tokens + cached_tokens;
    const Shape shape{1, q_heads, kv_heads, new_tokens, kv_len, kDimOfHead, kDimOfHead};
    return sent_bytes(make_problem(shape, MaskKind::full, DType::bf16, 0), workers);
  }
  [[nodiscard]] SentBytes row(std::string_view scheme, std::string_view transfer) const {
    for (const SentBytes& each : rows())
      if (each.scheme == scheme && each.transfer == transfer) return each;
    throw std::logic_error("there is no such row");
  }
};

TEST(SentBytes, PassKvSendsKeysAndValuesOfAShardEachHop) {
  SentSizes p;
  EXPECT_EQ(p.row("pass_kv", "ring hop").bytes, 2 * 1024 * 2 * 64 * 2);
  p.cached_tokens = 8001;  // its largest shard: 1001
  EXPECT_EQ(p.row("pass_kv", "ring hop").bytes, 2 * (1024 + 1001) * 2 * 64 * 2);
  p.new_tokens = 8193;  // padded to 1025
  EXPECT_EQ(p.row("pass_kv", "ring hop").bytes, 2 * (1025 + 1001) * 2 * 64 * 2);
}

TEST(SentBytes, PassQSendsQueriesAndReturnsPartials) {
  SentSizes p;
  EXPECT_EQ(p.row("pass_q", "ring hop").bytes, 1024 * 8 * 64 * 2);
  EXPECT_EQ(p.row("pass_q", "all-to-all").bytes, 7 * 1024 * (8 * 64 + 8) * 4);
}

// The messages of both rings are equal at the miss rate 2 NKV / NH: Algorithm 1's second bound.
TEST(SentBytes, HopsAreEqualWhereTheMissRateIsTwiceTheHeadRatio) {
  SentSizes p;
  p.kv_heads = 1;  // m = 1/4
  p.cached_tokens = 3 * p.new_tokens;
  EXPECT_EQ(p.row("pass_kv", "ring hop").bytes, p.row("pass_q", "ring hop").bytes);
}

TEST(SentBytes, UlyssesDealsHeadsAndReturnsPartials) {
  SentSizes p;
  p.kv_heads = 8;
  EXPECT_EQ(p.row("ulysses", "all-to-all to heads").bytes, (8 + 2 * 8) * 64 * 1024 * 2 * 7 / 8);
  EXPECT_EQ(p.row("ulysses", "all-to-all back").bytes, 1024 * (8 * 64 + 8) * 4 * 7 / 8);
  p.cached_tokens = 8192;  // keys and values of 2048 tokens a worker
  EXPECT_EQ(p.row("ulysses", "all-to-all to heads").bytes, (8 + 4 * 8) * 64 * 1024 * 2 * 7 / 8);
  p.kv_heads = 4;  // each is sent to two workers
  EXPECT_EQ(p.row("ulysses", "all-to-all to heads").bytes, (7 * 1024 + 2 * 7 * 2048) * 64 * 2);
  p.q_heads = p.kv_heads = 7;
  EXPECT_EQ(p.row("ulysses", "all-to-all back").unsupported,
            "ulysses gives each worker whole groups of query heads that share keys, or a part of "
            "one: 7 query heads on 7 key-value heads are not dealt so to 8 workers");
}

TEST(SentBytes, TreeDecodingDoesNotGrowWithTheCache) {
  SentSizes p;
  p.new_tokens = 1;
  p.cached_tokens = 1'000'000;
  EXPECT_EQ(p.row("tree_decode", "all-reduce").bytes, 2 * 7 * (8 * 64 + 2 * 8) * 4 / 8);
  EXPECT_GT(p.row("pass_kv", "ring hop").bytes, 1000 * p.row("tree_decode", "all-reduce").bytes);
}

TEST(SentBytes, CqsIsWhatItsPlanMoves) {
  for (const int workers : {3, 7, 8, 10, 31, 112}) {
    SentSizes p;
    p.workers = workers;
    const Problem problem =
        make_problem({1, 8, 2, p.new_tokens, p.new_tokens, 64, 64}, MaskKind::full, DType::bf16, 0);
    const Plan plan = make_plan("cqs", problem, {workers, {}});
    std::int64_t most_in = 0;
    for (const WorkerWork& worker : model_work(plan, Kernel::flash).workers)
      most_in = std::max(most_in, worker.bytes_in);
    const SentBytes gather = p.row("cqs", "gather");
    EXPECT_EQ(gather.bytes, gather.planned_bytes) << workers;
    EXPECT_EQ(p.row("cqs", "scatter").bytes, most_in) << workers;
  }
}

// Formulas count padded shards and the all-reduce of least bytes; some plans do otherwise.
TEST(SentBytes, FormulasAddUpToThePlanOrSayWhyTheyDoNot) {
  for (const int workers : {1, 2, 3, 4, 7, 8})
    for (const std::int64_t new_tokens : {1, 6, 168, 8191})
      for (const std::int64_t cached_tokens : {0, 168, 5001}) {
        SentSizes p;
        p.new_tokens = new_tokens;
        p.cached_tokens = cached_tokens;
        p.workers = workers;
        p.q_heads = p.kv_heads = 168;  // a multiple of every number of workers
        const bool even = new_tokens % workers == 0 && cached_tokens % workers == 0;
        std::map<std::string, std::int64_t> sums;
        const std::vector<SentBytes> rows = p.rows();
        for (const SentBytes& row : rows) sums[row.scheme] += row.received ? 0 : row.total();
        for (const SentBytes& row : rows) {
          SCOPED_TRACE(testing::Message() << row.scheme << " T=" << new_tokens
                                          << " P=" << cached_tokens << " W=" << workers);
          EXPECT_EQ(row.difference.empty(), sums[row.scheme] == row.planned_bytes);
          const bool sends_as_it_is = row.scheme == "ulysses" || row.scheme == "all_gather_kv" ||
                                      is_grid(row.scheme) || row.scheme == "cqs_sharded";
          const bool may_differ = (sends_as_it_is && !even) ||
                                  (row.scheme == "cqs_sharded" && workers % 2 == 0) ||
                                  (row.scheme == "tree_decode" && workers > 2);
          if (!may_differ) {
            EXPECT_EQ(row.difference, "");
          }
        }
      }
}

TEST(SentBytes, EverySchemeHasARowInBothPassesUnderItsOwnName) {
  const Problem problem = make_problem({1, 8, 8, 64, 64, 64, 64}, MaskKind::full, DType::bf16, 0);
  for (const Pass pass : kEveryPass) {
    const std::vector<SentBytes> rows = sent_bytes(problem, 8, pass);
    for (const Strategy& strategy : strategies())
      EXPECT_TRUE(std::ranges::any_of(rows, [&](const SentBytes& row) {
        return row.scheme == strategy.name;
      })) << strategy.name;
    const auto ring = std::ranges::find(rows, "ring", &SentBytes::scheme);
    for (const SentBytes& row : rows)
      if (row.scheme == "striped" || row.scheme == "zigzag") {
        EXPECT_EQ(row.planned_bytes, ring->planned_bytes) << row.scheme;
      }
  }
}

TEST(SentBytes, OneWorkerSendsNothing) {
  SentSizes p;
  p.workers = 1;
  for (const SentBytes& row : p.rows()) {
    EXPECT_EQ(row.total(), 0) << row.scheme;
    EXPECT_EQ(row.planned_bytes, 0) << row.scheme;
  }
}

TEST(SentBytes, AnUnsupportedSchemeIsARowThatSaysWhy) {
  SentSizes p;
  p.workers = 2;
  const auto rows = p.rows();
  const auto cqs = std::find_if(rows.begin(), rows.end(),
                                [](const SentBytes& row) { return row.scheme == "cqs"; });
  ASSERT_NE(cqs, rows.end());
  EXPECT_NE(cqs->unsupported.find("at least 3 workers"), std::string::npos);
}

TEST(SentBytes, NoWorkersAreRefused) {
  SentSizes p;
  for (const int workers : {0, -1}) {
    p.workers = workers;
    EXPECT_THROW((void)p.rows(), UsageError) << workers;
  }
}

// The bound is 32 (T + P + W) W NH (d + 2) < 9e18.
TEST(SentBytes, ProblemsWhoseBytesFit63BitsAreTakenAndNoLarger) {
  struct Edge {
    std::int64_t cached_tokens;  // the most
    int workers;
  };
  for (const Edge& edge : {Edge{1'090'116'277, 1}, Edge{17'033'001, 64}}) {
    const auto rows = [&](std::int64_t cached_tokens) {
      const Shape shape{1, 1'000'000, 1'000'000, 1, 1 + cached_tokens, 256, 256};
      return sent_bytes(make_problem(shape, MaskKind::full, DType::f64, 0), edge.workers);
    };
    for (const SentBytes& row : rows(edge.cached_tokens)) {
      EXPECT_GE(row.bytes, 0) << row.scheme;
      EXPECT_GE(row.total(), 0) << row.scheme;
      EXPECT_GE(row.planned_bytes, 0) << row.scheme;
    }
    EXPECT_THROW((void)rows(edge.cached_tokens + 1), UsageError) << edge.workers;
  }
}

TEST(SentBytes, TheMinimumBlockOfMultiHeadAttentionIsComputeOverBandwidth) {
  EXPECT_DOUBLE_EQ(min_block_tokens(312e12, 300e9, 2, 32, 32, false), 1040.0);
  EXPECT_DOUBLE_EQ(min_block_tokens(312e12, 300e9, 2, 32, 32, true), 2080.0);
  EXPECT_DOUBLE_EQ(min_block_tokens(312e12, 300e9, 4, 32, 8, false), 520.0);
}

// At that block size the hop takes as long as the block's products: 4 c^2 NH d FLOP.
TEST(SentBytes, AtTheMinimumBlockTransferAndComputeTakeAsLong) {
  SentSizes p;
  const double compute = 1e12;
  const double link = 1e9;
  const double block = min_block_tokens(compute, link, 2, 8, 2, false);
  p.new_tokens = static_cast<std::int64_t>(block) * p.workers;
  const double compute_s = 4.0 * block * block * 8 * 64 / compute;
  EXPECT_NEAR(static_cast<double>(p.row("pass_kv", "ring hop").bytes) / link, compute_s, 1e-9);
}

}  // namespace
}  // namespace qb
