#include "harness/plan/theory/sent_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/status.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

SplitProblem grouped_query() {
  return {.new_tokens = 8192, .workers = 8, .q_heads = 8, .kv_heads = 2, .head_dim = 64};
}

SentBytes row_of(const SplitProblem& p, std::string_view scheme, std::string_view transfer) {
  for (const SentBytes& row : sent_bytes(p))
    if (row.scheme == scheme && row.transfer == transfer) return row;
  throw std::logic_error("there is no such row");
}

TEST(SentBytes, PassKvSendsKeysAndValuesOfAShardEachHop) {
  SplitProblem p = grouped_query();
  EXPECT_EQ(row_of(p, "pass_kv", "ring hop").bytes, 2 * 1024 * 2 * 64 * 2);
  p.cached_tokens = 8001;  // its largest shard: 1001
  EXPECT_EQ(row_of(p, "pass_kv", "ring hop").bytes, 2 * (1024 + 1001) * 2 * 64 * 2);
  p.new_tokens = 8193;  // padded to 1025
  EXPECT_EQ(row_of(p, "pass_kv", "ring hop").bytes, 2 * (1025 + 1001) * 2 * 64 * 2);
}

TEST(SentBytes, PassQSendsQueriesAndReturnsPartials) {
  SplitProblem p = grouped_query();
  EXPECT_EQ(row_of(p, "pass_q", "ring hop").bytes, 1024 * 8 * 64 * 2);
  EXPECT_EQ(row_of(p, "pass_q", "all-to-all").bytes, 7 * 1024 * (8 * 64 + 8) * 4);
  p.partial_bytes = 2;  // as the paper counts them
  EXPECT_EQ(row_of(p, "pass_q", "all-to-all").bytes, 7 * 1024 * (8 * 64 + 8) * 2);
}

// The messages of both rings are equal at the miss rate 2 NKV / NH: Algorithm 1's second bound.
TEST(SentBytes, HopsAreEqualWhereTheMissRateIsTwiceTheHeadRatio) {
  SplitProblem p = grouped_query();
  p.kv_heads = 1;  // m = 1/4
  p.cached_tokens = 3 * p.new_tokens;
  EXPECT_EQ(row_of(p, "pass_kv", "ring hop").bytes, row_of(p, "pass_q", "ring hop").bytes);
}

TEST(SentBytes, UlyssesDealsHeadsAndRepeatsKeyValueHeadsThatAreTooFew) {
  SplitProblem p = grouped_query();
  p.kv_heads = 8;
  EXPECT_EQ(row_of(p, "ulysses", "all-to-all").bytes, (2 * 8 + 2 * 8) * 64 * 1024 * 2 * 7 / 8);
  const std::int64_t full = row_of(p, "ulysses", "all-to-all").bytes;
  p.kv_heads = 2;
  EXPECT_EQ(row_of(p, "ulysses", "all-to-all").bytes, full);
  p.workers = 2;
  EXPECT_EQ(row_of(p, "ulysses", "all-to-all").bytes, (2 * 8 + 2 * 2) * 64 * 4096 * 2 / 2);
  p.workers = 3;
  EXPECT_NE(row_of(p, "ulysses", "all-to-all").unsupported, "");
}

TEST(SentBytes, TreeDecodingDoesNotGrowWithTheCache) {
  SplitProblem p = grouped_query();
  p.new_tokens = 1;
  p.cached_tokens = 1'000'000;
  EXPECT_EQ(row_of(p, "tree_decode", "all-reduce").bytes, 2 * 7 * (8 * 64 + 2 * 8) * 4 / 8);
  EXPECT_GT(row_of(p, "pass_kv", "ring hop").bytes,
            1000 * row_of(p, "tree_decode", "all-reduce").bytes);
}

TEST(SentBytes, CqsIsWhatItsPlanMoves) {
  for (const int workers : {3, 7, 8, 10, 31, 112}) {
    SplitProblem p = grouped_query();
    p.workers = workers;
    const Problem problem =
        make_problem({1, 8, 2, p.new_tokens, p.new_tokens, 64, 64}, MaskKind::full, DType::bf16, 0);
    const Plan plan = make_plan("cqs", problem, {workers, {}});
    std::int64_t most_out = 0;
    std::int64_t most_in = 0;
    for (const WorkerWork& worker : model_work(plan, Kernel::flash).workers) {
      most_out = std::max(most_out, worker.bytes_out);
      most_in = std::max(most_in, worker.bytes_in);
    }
    EXPECT_EQ(row_of(p, "cqs", "gather").bytes, most_out) << workers;
    EXPECT_EQ(row_of(p, "cqs", "scatter").bytes, most_in) << workers;
  }
}

TEST(SentBytes, OneWorkerSendsNothing) {
  SplitProblem p = grouped_query();
  p.workers = 1;
  for (const SentBytes& row : sent_bytes(p)) EXPECT_EQ(row.total(), 0) << row.scheme;
}

TEST(SentBytes, AnUnsupportedSchemeIsARowThatSaysWhy) {
  SplitProblem p = grouped_query();
  p.workers = 2;
  const auto rows = sent_bytes(p);
  const auto cqs = std::find_if(rows.begin(), rows.end(),
                                [](const SentBytes& row) { return row.scheme == "cqs"; });
  ASSERT_NE(cqs, rows.end());
  EXPECT_NE(cqs->unsupported.find("3 workers"), std::string::npos);
}

TEST(SentBytes, ImpossibleProblemsAreRefused) {
  const auto refused = [](auto change) {
    SplitProblem p = grouped_query();
    change(p);
    EXPECT_THROW((void)sent_bytes(p), UsageError);
  };
  refused([](SplitProblem& p) { p.new_tokens = 0; });
  refused([](SplitProblem& p) { p.new_tokens = -5; });
  refused([](SplitProblem& p) { p.cached_tokens = -1; });
  refused([](SplitProblem& p) { p.workers = 0; });
  refused([](SplitProblem& p) { p.kv_heads = 3; });
  refused([](SplitProblem& p) { p.kv_heads = 16; });
  refused([](SplitProblem& p) { p.head_dim = 0; });
  refused([](SplitProblem& p) {
    p.new_tokens = 3'000'000'000;
    p.workers = 65536;
    p.q_heads = 65536;
  });
}

TEST(SentBytes, EverySizeHasItsLimits) {
  struct Size {
    std::int64_t SplitProblem::*member;
    std::int64_t least;
    std::int64_t most;
  };
  const Size sizes[] = {{&SplitProblem::new_tokens, 1, 3'000'000'000},
                        {&SplitProblem::cached_tokens, 0, 3'000'000'000},
                        {&SplitProblem::workers, 1, 65536},
                        {&SplitProblem::q_heads, 1, 65536},
                        {&SplitProblem::kv_heads, 1, 1},
                        {&SplitProblem::head_dim, 1, 65536},
                        {&SplitProblem::element_bytes, 1, 8},
                        {&SplitProblem::partial_bytes, 1, 8}};
  for (const Size& size : sizes) {
    SplitProblem p{.new_tokens = 1};
    for (const std::int64_t value : {size.least, size.most}) {
      p.*size.member = value;
      EXPECT_NO_THROW(validate(p)) << value;
    }
    for (const std::int64_t value : {size.least - 1, size.most + 1}) {
      p.*size.member = value;
      EXPECT_THROW(validate(p), UsageError) << value;
    }
  }
}

// The bound is 32 (T + P + W) W NH (d + 2) < 9e18.
TEST(SentBytes, ProblemsWhoseBytesFit63BitsAreTakenAndNoLarger) {
  struct Edge {
    std::int64_t new_tokens;
    std::int64_t cached_tokens;
    std::int64_t workers;
    std::int64_t head_dim;  // the largest with 65536 heads
  };
  for (const Edge& edge : {Edge{1'000'000'000, 0, 1, 4289}, Edge{300'000'000, 700'000'000, 1, 4289},
                           Edge{1, 0, 65536, 997}}) {
    SplitProblem p{.new_tokens = edge.new_tokens,
                   .cached_tokens = edge.cached_tokens,
                   .workers = edge.workers,
                   .q_heads = 65536,
                   .kv_heads = 65536,
                   .head_dim = edge.head_dim,
                   .element_bytes = 8,
                   .partial_bytes = 8};
    for (const SentBytes& row : sent_bytes(p)) {
      EXPECT_GE(row.bytes, 0) << row.scheme;
      EXPECT_GE(row.total(), 0) << row.scheme;
    }
    ++p.head_dim;
    EXPECT_THROW(validate(p), UsageError) << edge.workers;
  }
}

TEST(SentBytes, TheMinimumBlockOfMultiHeadAttentionIsComputeOverBandwidth) {
  EXPECT_DOUBLE_EQ(min_block_tokens(312e12, 300e9, 2, 32, 32, false), 1040.0);
  EXPECT_DOUBLE_EQ(min_block_tokens(312e12, 300e9, 2, 32, 32, true), 2080.0);
  EXPECT_DOUBLE_EQ(min_block_tokens(312e12, 300e9, 4, 32, 8, false), 520.0);
}

// At that block size the hop takes as long as the block's products: 4 c^2 NH d FLOP.
TEST(SentBytes, AtTheMinimumBlockTransferAndComputeTakeAsLong) {
  SplitProblem p = grouped_query();
  const double compute = 1e12;
  const double link = 1e9;
  const double block = min_block_tokens(compute, link, 2, 8, 2, false);
  p.new_tokens = static_cast<std::int64_t>(block) * p.workers;
  const double compute_s = 4.0 * block * block * 8 * 64 / compute;
  EXPECT_NEAR(static_cast<double>(row_of(p, "pass_kv", "ring hop").bytes) / link, compute_s, 1e-9);
}

}  // namespace
}  // namespace qb
