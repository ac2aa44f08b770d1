// SPDX-License-Identifier: Apache-2.0
// Changes of layout, stacks of layers and prefills in chunks: what they compute, and their bytes
// beside formulas written here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <numeric>
#include <random>

#include "base/files.h"
#include "harness/run/device/cpu_device.h"
#include "harness/workload/needs.h"
#include "harness/workload/sum_workload.h"
#include "harness/workload/testing/tiny_case.h"

namespace qb {
namespace {

using testing::HasSubstr;
struct Ran {
  RowValues predicted;
  SentBytes sent;
  Sample sample;
  Verification verification;
  Workload::Peaks peaks;
  CaseResult result;
};

Ran run_on(ComputeDevice& device, const Case& given) {
  const Case c = resolve_case(given);
  require_needs(c);
  const std::unique_ptr<Workload> workload = plan_workload(c);
  workload->require(device);
  EXPECT_EQ(workload->flaw(), std::nullopt);
  Ran ran;
  ran.predicted = workload->predict(nullptr);
  ran.sent = workload->sent();
  workload->open(&device, MemoryLedger::Options());
  workload->prepare();
  (void)workload->run(true);
  ran.result.samples = {ran.sample = workload->run(false)};
  ran.verification = workload->verify();
  ran.peaks = workload->peaks();
  workload->report(ran.result);
  return ran;
}

Case moved(int workers) {
  Case c = tiny("dense", workers);
  c.workload = WorkloadKind::relayout;
  c.device = Device::cpu;
  c.threads = 1;
  return c;
}

Ran run(const Case& c) {
  CpuDevice device(c.threads);
  return run_on(device, c);
}

// The worker that has token t, of n.
std::int64_t owner(TokenLayout layout, std::int64_t t, std::int64_t n, int workers,
                   std::int64_t block) {
  const auto part = [&](std::int64_t parts) {
    std::int64_t p = 0;
    while ((p + 1) * n / parts <= t) ++p;
    return p;
  };
  if (layout == TokenLayout::interleaved) return t / block % workers;
  if (layout == TokenLayout::contiguous) return part(workers);
  const std::int64_t p = part(2 * workers);
  return std::min(p, 2 * workers - 1 - p);
}

std::vector<std::int64_t> moved_tokens(TokenLayout from, TokenLayout to, std::int64_t n,
                                       int workers, std::int64_t block = 1) {
  std::vector<std::int64_t> sent(static_cast<std::size_t>(workers), 0);
  for (std::int64_t t = 0; t < n; ++t) {
    const std::int64_t before = owner(from, t, n, workers, block);
    if (before != owner(to, t, n, workers, block)) ++sent[static_cast<std::size_t>(before)];
  }
  return sent;
}

TEST(Relayout, OfRandomProblemsBringsEachTokenToItsWorker) {
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(n));
  };
  for (int i = 0; i < 300; ++i) {
    Case c = moved(1 + static_cast<int>(below(8)));
    c.shape = {1 + below(2), 1, 1, 0, 0, 5, 5};
    c.shape.kv_heads = 1 + below(2);
    c.shape.q_heads = c.shape.kv_heads * (1 + below(2));
    c.shape.q_len = c.shape.kv_len = 2 * c.workers + below(100);
    c.relayout.from = kWords<TokenLayout>.rows[random() % 3].first;
    c.relayout.to = kWords<TokenLayout>.rows[random() % 3].first;
    c.relayout.tensors = kWords<MovedTensors>.rows[random() % 3].first;
    if (c.relayout.from == TokenLayout::interleaved || c.relayout.to == TokenLayout::interleaved)
      c.relayout.block = 1 + below(7);
    c.dtype = random() % 2 == 0 ? DType::f32 : DType::bf16;
    c.ranks = random() % 2 == 0 ? Ranks::serial : Ranks::threads;
    SCOPED_TRACE(testing::Message()
                 << "seed " << seed << ": " << word(c.relayout.from) << " to "
                 << word(c.relayout.to) << ' ' << word(c.relayout.tensors) << " W=" << c.workers
                 << " N=" << c.shape.q_len << " block=" << c.relayout.block);
    const Ran ran = run(c);
    EXPECT_TRUE(ran.verification.correct);
    const std::int64_t heads = c.relayout.tensors == MovedTensors::kv ? 2 * c.shape.kv_heads
                               : c.relayout.tensors == MovedTensors::qkv
                                   ? c.shape.q_heads + 2 * c.shape.kv_heads
                                   : c.shape.q_heads;
    std::vector<std::int64_t> expected =
        moved_tokens(c.relayout.from, c.relayout.to, c.shape.q_len, c.workers, c.relayout.block);
    for (std::int64_t& bytes : expected)
      bytes *= c.shape.batch * heads * c.shape.head_dim * size_of(c.dtype);
    EXPECT_EQ(ran.sent.all, expected);
    EXPECT_EQ(ran.predicted.number("predicted_device_peak_bytes"), ran.peaks.device_bytes.value());
  }
}

// The token that comes last is lost.
class LosesTokens final : public CpuDevice {
 public:
  LosesTokens() : CpuDevice(1) {}
  void copy_rows(const TensorView& source, const TensorView& destination) override {
    const std::int64_t kept = source.extent.length - 1;
    CpuDevice::copy_rows(source.tokens(0, kept), destination.tokens(0, kept));
  }
};

TEST(Relayout, ThatLosesATokenIsFound) {
  for (const int workers : {1, 3}) {
    LosesTokens device;
    try {
      (void)run_on(device, moved(workers));
      ADD_FAILURE() << "no token was missed";
    } catch (const CaseError& error) {
      EXPECT_THAT(error.what(), HasSubstr("has other tokens than its layout says"));
    }
  }
}

// A prefill by a ring sends all keys and values W - 1 times; decoding wants most of them elsewhere.
TEST(Relayout, OfAPrefillIsASmallPartOfIt) {
  for (const int workers : {2, 4, 8}) {
    Case c = moved(workers);
    c.shape.q_len = c.shape.kv_len = 16 * workers;
    const SentBytes sent = plan_workload(resolve_case(c))->sent();
    Case ring = tiny("zigzag", workers);
    ring.shape = c.shape;
    ring.mask = MaskKind::causal;
    const SentBytes of_ring = plan_workload(resolve_case(ring))->sent();
    EXPECT_EQ(workers * std::accumulate(sent.all.begin(), sent.all.end(), std::int64_t{0}),
              std::accumulate(of_ring.all.begin(), of_ring.all.end(), std::int64_t{0}));
  }
}

constexpr std::string_view kTinyStack =
    "layer,count,q_heads,kv_heads,head_dim,gate,taps,hidden_dim,source\n"
    "gated_delta,3,8,8,16,channel,4,128,made up\n"
    "attention,1,4,2,16,,,128,made up\n";

class Stacks : public testing::Test {
 protected:
  Stacks() { write_file_atomically(path_, std::string(kTinyStack)); }
  [[nodiscard]] Case stack(int workers) const {
    Case c = tiny("dense", workers);
    c.workload = WorkloadKind::stack;
    c.stack.layers = path_;
    c.device = Device::cpu;
    c.threads = 1;
    c.mask = MaskKind::causal;
    c.shape = {1, 1, 1, 64, 64, 64, 64};
    return c;
  }
  const std::string path_ = testing::TempDir() +
                            testing::UnitTest::GetInstance()->current_test_info()->name() +
                            "_stack.csv";
};

// What each worker sends of states S and M of so many bytes each; of all tokens from the first one
// on it sends S alone.
std::vector<std::int64_t> states_sent(ScanKind scan, TokenLayout layout, int workers,
                                      std::int64_t bytes) {
  std::vector<std::int64_t> sent(static_cast<std::size_t>(workers), 0);
  const int parts = layout == TokenLayout::zigzag ? 2 * workers : workers;
  const auto worker = [&](int p) {
    return static_cast<std::size_t>(p < workers ? p : parts - 1 - p);
  };
  for (int p = 0; p < parts; ++p) {
    std::int64_t& own = sent[worker(p)];
    if (scan == ScanKind::all_gather) own += (p == 0 ? 1 : 2) * bytes * (workers - 1);
    if (scan == ScanKind::chain && p + 1 < parts && worker(p) != worker(p + 1)) own += bytes;
    for (int far = 1; scan == ScanKind::tree && p % workers + far < workers; far *= 2)
      own += (far > p % workers ? 1 : 2) * bytes;
  }
  return sent;
}

// A convolution gets the tokens before each part from the worker that has them.
std::vector<std::int64_t> halos_sent(TokenLayout layout, int workers, std::int64_t bytes) {
  std::vector<std::int64_t> sent(static_cast<std::size_t>(workers), 0);
  for (int w = 0; w < workers; ++w) {
    std::int64_t& own = sent[static_cast<std::size_t>(w)];
    if (w + 1 < workers) own += bytes;
    if (layout == TokenLayout::zigzag && w > 0) own += bytes;
  }
  return sent;
}

TEST_F(Stacks, SendTheBytesOfAFormula) {
  for (const auto& row : kWords<StackLayout>.rows)
    for (const ScanKind scan : {ScanKind::all_gather, ScanKind::tree, ScanKind::chain})
      for (const int workers : {2, 4, 8}) {
        if (row.first == StackLayout::best) continue;
        SCOPED_TRACE(testing::Message() << row.second << ' ' << word(scan) << ' ' << workers);
        Case c = stack(workers);
        c.dtype = DType::bf16;
        c.mixer.scan = scan;
        c.stack.layout = row.first;
        c.shape.q_len = c.shape.kv_len = 32 * workers;
        const std::int64_t n = c.shape.q_len;
        constexpr TokenLayout kZigzag = TokenLayout::zigzag;
        constexpr TokenLayout kContiguous = TokenLayout::contiguous;
        std::vector<std::int64_t> expected(static_cast<std::size_t>(workers), 0);
        const auto add = [&](std::int64_t times, const std::vector<std::int64_t>& bytes) {
          for (std::size_t w = 0; w < expected.size(); ++w) expected[w] += times * bytes[w];
        };
        // Keys and values of 2 heads of 16 go round, of two bytes each.
        add(n / workers * (workers - 1) * 2 * 2 * 16 * 2,
            std::vector<std::int64_t>(expected.size(), 1));
        const std::int64_t state = 8 * 16 * 16 * 4;
        const bool stays =
            row.first == StackLayout::zigzag || row.first == StackLayout::zigzag_heads;
        add(3, halos_sent(stays ? kZigzag : kContiguous, workers, 3 * (8 + 2 * 8) * 16 * 4));
        const auto changes = [&](TokenLayout home, TokenLayout other, std::int64_t enters,
                                 std::int64_t leaves) {
          add(enters, moved_tokens(home, other, n, workers));
          add(leaves, moved_tokens(other, home, n, workers));
        };
        switch (row.first) {
          case StackLayout::zigzag_home:
            changes(kZigzag, kContiguous, 3 * 128 * 2, 3 * 128 * 2);
            add(3, states_sent(scan, kContiguous, workers, state));
            break;
          case StackLayout::contiguous_home:
            changes(kContiguous, kZigzag, 128 * 2, 128 * 2);
            add(3, states_sent(scan, kContiguous, workers, state));
            break;
          case StackLayout::zigzag:
            add(3, states_sent(scan, kZigzag, workers, state));
            break;
          case StackLayout::contiguous:
            add(3, states_sent(scan, kContiguous, workers, state));
            break;
          case StackLayout::zigzag_heads:  // q, k, v, 16 decays and beta; then the output
            add(3 * n / workers * (workers - 1) * (8 / workers) * (4 * 16 * 2 + 17 * 4),
                std::vector<std::int64_t>(expected.size(), 1));
            break;
          case StackLayout::contiguous_qkv:
            changes(kContiguous, kZigzag, (4 + 2 + 2) * 16 * 2, 4 * 16 * 2);
            add(3, states_sent(scan, kContiguous, workers, state));
            break;
          case StackLayout::best:
            break;
        }
        const std::unique_ptr<Workload> workload = plan_workload(resolve_case(c));
        EXPECT_EQ(workload->sent().all, expected);
        const RowValues predicted = workload->predict(nullptr);
        EXPECT_EQ(predicted.number("device_sent_bytes"), std::ranges::max(expected));
        EXPECT_EQ(predicted.number("moved_bytes"),
                  std::accumulate(expected.begin(), expected.end(), std::int64_t{0}));
      }
}

TEST_F(Stacks, ComputeEachLayerInEachLayout) {
  for (const auto& row : kWords<StackLayout>.rows)
    for (const Ranks ranks : {Ranks::serial, Ranks::threads})
      for (const Passes pass : {Passes::forward, Passes::backward, Passes::both})
        for (const int workers : {1, 2, 4}) {
          if (row.first == StackLayout::best) continue;
          Case c = stack(workers);
          c.stack.layout = row.first;
          c.ranks = ranks;
          c.pass = pass;
          c.mixer.scan = workers == 1 ? ScanKind::chain : ScanKind::tree;
          SCOPED_TRACE(testing::Message()
                       << row.second << ' ' << word(ranks) << ' ' << word(pass) << ' ' << workers);
          const Ran ran = run(c);
          EXPECT_TRUE(ran.verification.correct) << ran.verification.message;
          double sum_s = 0.0;
          for (const RowValues& part : ran.result.parts) sum_s += part.number("time_s");
          EXPECT_DOUBLE_EQ(sum_s, ran.sample.wall_s);
          EXPECT_EQ(ran.predicted.number("predicted_device_peak_bytes"),
                    ran.peaks.device_bytes.value());
          if (pass == Passes::both) {
            EXPECT_NEAR(ran.sample.forward_s + ran.sample.backward_s, ran.sample.wall_s,
                        1e-9 * ran.sample.wall_s);
          }
        }
}

TEST_F(Stacks, OfTheBestLayoutHaveItsModelledTime) {
  Case c = stack(4);
  c.ranks = Ranks::model;
  c.threads = 0;
  c.model_device = "h100";
  c.dtype = DType::bf16;
  c.link_bandwidth_byte_per_s = 1e9;
  write_file_atomically(path_,
                        "layer,count,q_heads,kv_heads,head_dim,gate,taps,hidden_dim,source\n"
                        "gated_delta,3,8,8,128,head,,128,made up\n"
                        "attention,1,4,2,128,,,128,made up\n");
  double least_s = std::numeric_limits<double>::infinity();
  for (const auto& row : kWords<StackLayout>.rows) {
    c.stack.layout = row.first;
    const double modelled_s = plan_workload(resolve_case(c))->run(false).wall_s;
    if (row.first == StackLayout::best) {
      EXPECT_EQ(modelled_s, least_s);
    }
    least_s = std::min(least_s, modelled_s);
  }
}

TEST_F(Stacks, AreRefusedWhereTheyAreWrong) {
  const auto message = [&](const Case& c) -> std::string {
    try {
      (void)run(c);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "nothing was refused";
  };
  Case c = stack(2);
  c.stack.layers = "qwen";
  EXPECT_THAT(message(c), HasSubstr("stack.layers: qwen is no file and none of"));
  c = stack(2);
  c.shape.q_heads = 2;
  EXPECT_THAT(message(c), HasSubstr("stack.layers says those of each layer"));
  for (const auto& [text, reason] :
       {std::pair{"layer,count\nssd,1\n", "the header must be"},
        std::pair{"layer,count,q_heads,kv_heads,head_dim,gate,taps,hidden_dim,source\n"
                  "nystrom,1,1,1,16,,,64,x\n",
                  ":2: layer must be attention, gated_delta, ssd or linear, not nystrom"},
        std::pair{"layer,count,q_heads,kv_heads,head_dim,gate,taps,hidden_dim,source\n"
                  "ssd,0,1,1,16,,,64,x\n",
                  ":2: count must be an integer from 1 to 10000"},
        std::pair{"layer,count,q_heads,kv_heads,head_dim,gate,taps,hidden_dim,source\n"
                  "ssd,1,1,1,16,,,65,x\n",
                  "hidden_dim must be a multiple of 64"}}) {
    write_file_atomically(path_, text);
    EXPECT_THAT(message(stack(2)), HasSubstr(reason));
  }
}

// Keys and values of the chunks before go round in each chunk, or queries and partials.
TEST(ChunkedPrefill, SendsTheBytesOfItsChunks) {
  for (const PrefillPass pass : {PrefillPass::kv, PrefillPass::q, PrefillPass::fewer_bytes})
    for (const Ranks ranks : {Ranks::serial, Ranks::threads}) {
      constexpr int kWorkers = 4;
      constexpr std::int64_t kChunk = 32;
      Case c = tiny("dense", kWorkers);
      c.workload = WorkloadKind::chunked_prefill;
      c.device = Device::cpu;
      c.threads = 1;
      c.ranks = ranks;
      c.mask = MaskKind::causal;
      c.shape = {1, 8, 1, 6 * kChunk, 6 * kChunk, 16, 16};
      c.prefill = {kChunk, pass};
      const Ran ran = run(c);
      EXPECT_TRUE(ran.verification.correct) << ran.verification.message;
      EXPECT_EQ(ran.result.parts.size(), 6U);
      std::int64_t expected = 0;
      for (std::int64_t t = 0; t < 6; ++t) {
        const std::int64_t of_kv = 2 * (t + 1) * kChunk * 16 * 4;
        const std::int64_t of_q = 8 * kChunk * (2 * 16 * 4 + 4);  // Q, O and LSE
        const bool sends_q =
            pass == PrefillPass::q || (pass == PrefillPass::fewer_bytes && t > 8 / 2 - 1);
        expected += (sends_q ? of_q : of_kv) * (kWorkers - 1);
      }
      EXPECT_EQ(ran.predicted.number("moved_bytes"), expected) << word(pass);
    }
}

}  // namespace
}  // namespace qb
