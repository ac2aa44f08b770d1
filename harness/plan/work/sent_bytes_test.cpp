// SPDX-License-Identifier: Apache-2.0
// The bytes that plans count against closed forms, and the forms against the literature's terms.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/status.h"
#include "harness/plan/testing/sent_bytes_forms.h"
#include "harness/plan/theory/speed_up_bound.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

using testing_support::is_grid;
using testing_support::sent_bytes_of;
using testing_support::sent_forms;
using testing_support::SentForm;

constexpr std::int64_t kDimOfHead = 64;

// Grouped-query attention, with the letters of sent_bytes_forms.h.
struct SentSizes {
  std::int64_t new_tokens = 8192;  // T
  std::int64_t cached_tokens = 0;  // P
  int workers = 8;                 // W
  std::int64_t q_heads = 8;        // NH
  std::int64_t kv_heads = 2;       // NKV
  DType dtype = DType::bf16;
  Pass pass = Pass::forward;

  [[nodiscard]] Problem problem() const {
    const std::int64_t kv_len = new_tokens + cached_tokens;
    const Shape shape{1, q_heads, kv_heads, new_tokens, kv_len, kDimOfHead, kDimOfHead};
    return make_problem(shape, MaskKind::full, dtype, 0);
  }
  // Returns the bytes of one message.
  [[nodiscard]] std::int64_t bytes(std::string_view scheme, std::string_view transfer) const {
    for (const SentForm& form : sent_forms(scheme, problem(), workers, pass))
      if (form.transfer == transfer) return form.bytes;
    throw std::logic_error("there is no such transfer");
  }
  // Returns what a worker sends, by the forms of the scheme.
  [[nodiscard]] std::int64_t sent(std::string_view scheme) const {
    return sent_bytes_of(sent_forms(scheme, problem(), workers, pass));
  }
  // Returns the work of the scheme's plan. The bytes are the same with every kernel.
  [[nodiscard]] Work planned(std::string_view scheme) const {
    return model_work(make_plan(scheme, problem(), {.workers = workers, .pass = pass}),
                      Kernel::reference);
  }
};

TEST(SentBytes, PassKvSendsKeysAndValuesOfAShardEachHop) {
  SentSizes p;
  EXPECT_EQ(p.bytes("pass_kv", "ring hop"), 2 * 1024 * 2 * 64 * 2);
  p.cached_tokens = 8001;  // its largest shard: 1001
  EXPECT_EQ(p.bytes("pass_kv", "ring hop"), 2 * (1024 + 1001) * 2 * 64 * 2);
  p.new_tokens = 8193;  // padded to 1025
  EXPECT_EQ(p.bytes("pass_kv", "ring hop"), 2 * (1025 + 1001) * 2 * 64 * 2);
}

TEST(SentBytes, PassQSendsQueriesAndReturnsPartials) {
  const SentSizes p;
  EXPECT_EQ(p.bytes("pass_q", "ring hop"), 1024 * 8 * 64 * 2);
  EXPECT_EQ(p.bytes("pass_q", "all-to-all"), 7 * 1024 * (8 * 64 + 8) * 4);
}

// The messages of both rings are equal at the miss rate 2 NKV / NH: Algorithm 1's second bound.
TEST(SentBytes, HopsAreEqualWhereTheMissRateIsTwiceTheHeadRatio) {
  SentSizes p;
  p.kv_heads = 1;  // m = 1/4
  p.cached_tokens = 3 * p.new_tokens;
  EXPECT_EQ(p.bytes("pass_kv", "ring hop"), p.bytes("pass_q", "ring hop"));
}

TEST(SentBytes, UlyssesDealsHeadsAndReturnsPartials) {
  SentSizes p;
  p.kv_heads = 8;
  EXPECT_EQ(p.bytes("ulysses", "all-to-all to heads"), (8 + 2 * 8) * 64 * 1024 * 2 * 7 / 8);
  EXPECT_EQ(p.bytes("ulysses", "all-to-all back"), 1024 * (8 * 64 + 8) * 4 * 7 / 8);
  p.cached_tokens = 8192;  // keys and values of 2048 tokens a worker
  EXPECT_EQ(p.bytes("ulysses", "all-to-all to heads"), (8 + 4 * 8) * 64 * 1024 * 2 * 7 / 8);
  p.kv_heads = 4;  // each is sent to two workers
  EXPECT_EQ(p.bytes("ulysses", "all-to-all to heads"), (7 * 1024 + 2 * 7 * 2048) * 64 * 2);
}

TEST(SentBytes, TreeDecodingDoesNotGrowWithTheCache) {
  const SentSizes p{.new_tokens = 1, .cached_tokens = 1'000'000};
  EXPECT_EQ(p.bytes("tree_decode", "all-reduce"), 2 * 7 * (8 * 64 + 2 * 8) * 4 / 8);
  EXPECT_GT(p.planned("pass_kv").sent_bytes_max, 1000 * p.planned("tree_decode").sent_bytes_max);
}

TEST(SentBytes, CqsMovesWhatItsFormsSay) {
  for (const Pass pass : kEveryPass)
    for (const int workers : {3, 7, 8, 10, 31, 112})
      for (const std::int64_t cached_tokens : {0, 77}) {
        const SentSizes p{.cached_tokens = cached_tokens, .workers = workers, .pass = pass};
        const Work work = p.planned("cqs");
        EXPECT_EQ(p.bytes("cqs", "gather"), work.sent_bytes_max) << workers;
        EXPECT_EQ(p.bytes("cqs", "scatter"),
                  std::ranges::max(work.workers, {}, &WorkerWork::bytes_in).bytes_in)
            << workers;
      }
}

// Forms count padded shards, as many groups for each worker of CQS, and the all-reduce of least
// bytes; some plans send shorter shards and fewer groups as they are, or a tree's messages.
TEST(SentBytes, FormsAddUpToWhatPlansCount) {
  std::map<std::string_view, int> proved;
  for (const Pass pass : kEveryPass)
    for (const int workers : {1, 2, 3, 4, 7, 8})
      for (const std::int64_t new_tokens : {1, 6, 168, 8191})
        for (const std::int64_t cached_tokens : {0, 168, 5001})
          for (const Strategy& strategy : strategies()) {
            const SentSizes p{.new_tokens = new_tokens,
                              .cached_tokens = cached_tokens,
                              .workers = workers,
                              .q_heads = 168,  // a multiple of every number of workers
                              .kv_heads = 168,
                              .pass = pass};
            const std::string_view scheme = strategy.name;
            if (scheme == "decode" || scheme == "flash_decoding" || scheme == "rectangular")
              continue;  // without a form
            std::int64_t planned = 0;
            try {
              planned = p.planned(scheme).sent_bytes_max;
            } catch (const Unsupported&) {
              continue;
            }
            SCOPED_TRACE(testing::Message() << scheme << " T=" << new_tokens << " P="
                                            << cached_tokens << " W=" << workers << word(pass));
            const bool even = new_tokens % workers == 0 && cached_tokens % workers == 0;
            const bool sends_as_it_is = scheme == "ulysses" || scheme == "all_gather_kv" ||
                                        is_grid(scheme) || scheme == "cqs_sharded";
            const bool may_differ = (sends_as_it_is && !even) ||
                                    (scheme == "cqs_sharded" && workers % 2 == 0) ||
                                    (scheme == "tree_decode" && workers > 2);
            if (scheme != "tree_decode") {
              EXPECT_GE(p.sent(scheme), planned);
            }
            if (may_differ) continue;
            EXPECT_EQ(p.sent(scheme), planned);
            ++proved[scheme];
          }
  EXPECT_EQ(proved.size(), strategies().size() - 3);
}

TEST(SentBytes, StripedAndZigzagRingsSendAsMuchAsTheContiguousOne) {
  for (const Pass pass : kEveryPass) {
    const SentSizes p{.pass = pass};
    const std::int64_t ring = p.planned("ring").sent_bytes_max;
    for (const char* scheme : {"striped", "zigzag"})
      EXPECT_EQ(p.planned(scheme).sent_bytes_max, ring) << scheme;
  }
}

// Shards of c tokens of width u = NH d, g = NKV / NH, e bytes an element, gradients in float32.
TEST(SentBytes, LeadingTermsOfBackwardPassesAreThoseOfTheSchemes) {
  for (const std::int64_t kv_heads : {8, 4, 1})
    for (const DType dtype : {DType::bf16, DType::f32}) {
      const SentSizes p{.new_tokens = 7 * 64,
                        .workers = 7,
                        .q_heads = 56,
                        .kv_heads = 7 * kv_heads,
                        .dtype = dtype,
                        .pass = Pass::backward};
      const auto sent = [&](std::string_view scheme) { return p.planned(scheme).sent_bytes_max; };
      const std::int64_t w = p.workers;
      const std::int64_t e = size_of(dtype);
      const std::int64_t c_u = 64 * p.q_heads * kDimOfHead;
      const std::int64_t c_u_g = 64 * p.kv_heads * kDimOfHead;
      const std::int64_t statistics = 64 * p.q_heads * 2 * 4;  // LSE and D of a shard
      EXPECT_EQ(sent("pass_kv"), c_u_g * (2 * e * (w - 1) + 8 * w));
      EXPECT_EQ(sent("burst"), c_u * ((2 * e + 4) * (w - 1) + 4) + statistics * (w - 1));
      EXPECT_EQ(sent("all_gather_kv"), c_u_g * (2 * e + 8) * (w - 1));
      EXPECT_EQ(sent("ulysses"), (2 * c_u + 2 * c_u_g) * e / w * (w - 1));
      const std::int64_t m = 3;  // groups of a worker
      EXPECT_EQ(sent("cqs_sharded"),
                ((2 * c_u + 2 * c_u_g) * e + 4 * (c_u + 2 * c_u_g) + statistics) * (m - 1));
      EXPECT_EQ(sent("cqs"), 4 * (c_u + 2 * c_u_g) * m);
    }
}

TEST(SentBytes, ABackwardRingSendsThreeTimesItsForwardPassIn2ByteTypes) {
  SentSizes p{.new_tokens = 64 * 100, .workers = 64};
  const auto forward = static_cast<double>(p.planned("ring").sent_bytes_max);
  p.pass = Pass::backward;
  EXPECT_NEAR(static_cast<double>(p.planned("ring").sent_bytes_max) / forward, 3.0, 0.05);
}

// At that block size the hop takes as long as the block's products: 4 c^2 NH d FLOP.
TEST(SentBytes, AtTheMinimumBlockTransferAndComputeTakeAsLong) {
  SentSizes p;
  const double compute = 1e12;
  const double link = 1e9;
  const double block = min_block_tokens(compute, link, 2, 8, 2, false);
  p.new_tokens = static_cast<std::int64_t>(block) * p.workers;
  const double compute_s = 4.0 * block * block * 8 * 64 / compute;
  EXPECT_NEAR(static_cast<double>(p.bytes("pass_kv", "ring hop")) / link, compute_s, 1e-9);
}

}  // namespace
}  // namespace qb
