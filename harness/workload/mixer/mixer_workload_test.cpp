// SPDX-License-Identifier: Apache-2.0
// Operators as cases run them: opened, computed, compared with float64, on one worker and on many.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/numbers.h"
#include "harness/run/testing/device_probe.h"
#include "harness/workload/mixer/testing/mixer_runs.h"

namespace qb {
namespace {

using testing::HasSubstr;

using namespace testing_support;

TEST(SequenceMixer, OfOneWorkerIsRight) {
  std::mt19937 random(20261127);
  for (const Mixer kind : kMixers)
    for (const bool causal : {false, true}) {
      if (causal ? !has_causal_form(kind) : is_only_causal(kind)) continue;
      for (const DType dtype : {DType::f32, DType::bf16, DType::f16})
        for (const InputKind inputs : {InputKind::random, InputKind::peaked, InputKind::tied}) {
          Case c = tiny_mixer(kind, causal);
          c.shape.q_len = c.shape.kv_len = 12 + static_cast<std::int64_t>(random() % 200);
          c.shape.batch = 1 + static_cast<std::int64_t>(random() % 2);
          c.threads = 1 + static_cast<int>(random() % 4);
          c.dtype = dtype;
          c.inputs = inputs;
          if (kind == Mixer::gated_delta && random() % 2 == 0) c.mixer.gate = DecayGate::channel;
          SCOPED_TRACE(testing::Message() << word(kind) << ' ' << word(c.mixer.gate) << ' '
                                          << causal << ' ' << word(dtype) << ' ' << word(inputs)
                                          << " N=" << c.shape.q_len << " threads=" << c.threads);
          const MixerRun result = run(c);
          expect_near_naive(c, result.verification);
          EXPECT_EQ(result.peaks.device_bytes.value(), result.active_peak_bytes);
          if (kind != Mixer::short_convolution) {
            EXPECT_GT(result.distance, 0.0);
          }
        }
    }
}

TEST(SequenceMixer, OfManyWorkersIsRight) {
  std::mt19937 random(20261128);
  for (const Mixer kind :
       {Mixer::linear, Mixer::performer, Mixer::ssd, Mixer::gated_delta, Mixer::selective_scan})
    for (const auto& [scan, name] : kWords<ScanKind>.rows)
      for (const Ranks ranks : {Ranks::serial, Ranks::threads})
        for (const int workers : {2, 3, 8}) {
          if (scan == ScanKind::all_reduce || scan == ScanKind::all_to_all)
            continue;  // of operators without a mask, and without a state
          Case c = tiny_mixer(kind, true);
          c.shape.q_len = c.shape.kv_len = workers + static_cast<std::int64_t>(random() % 90);
          c.workers = workers;
          c.ranks = ranks;
          c.threads = 1 + static_cast<int>(random() % 12);
          c.mixer.scan = scan;
          if (kind == Mixer::gated_delta && random() % 2 == 0) c.mixer.gate = DecayGate::channel;
          if (scan == ScanKind::all_scan && is_only_causal(kind))
            c.mixer.blocks = static_cast<int>(random() % 3);
          SCOPED_TRACE(testing::Message()
                       << word(kind) << ' ' << name << ' ' << word(ranks) << " W=" << workers
                       << " N=" << c.shape.q_len << " blocks=" << c.mixer.blocks);
          const MixerRun result = run(c);
          expect_near_naive(c, result.verification);
          EXPECT_LT(result.peaks.device_bytes.value(), result.active_peak_bytes);
          EXPECT_DOUBLE_EQ(
              result.predicted.number("device_sent_bytes"),
              result.predicted.number("sent_states") * result.predicted.number("state_bytes"));
        }
}

// Segments of nystrom straddle shards, and shards are not alike.
TEST(SequenceMixer, OfManyWorkersWithoutAMaskIsRight) {
  std::mt19937 random(20261129);
  for (const Mixer kind :
       {Mixer::linear, Mixer::performer, Mixer::nystrom, Mixer::linformer, Mixer::perceiver})
    for (const ScanKind scan : {ScanKind::all_gather, ScanKind::all_reduce})
      for (const Ranks ranks : {Ranks::serial, Ranks::threads})
        for (const int workers : {1, 2, 3, 5, 8}) {
          Case c = tiny_mixer(kind, false);
          c.shape.q_len = c.shape.kv_len = 12 + static_cast<std::int64_t>(random() % 90);
          c.shape.batch = 1 + static_cast<std::int64_t>(random() % 2);
          c.workers = workers;
          c.ranks = ranks;
          c.threads = 1 + static_cast<int>(random() % 12);
          c.inputs = random() % 2 == 0 ? InputKind::random : InputKind::peaked;
          if (workers > 1) c.mixer.scan = scan;
          SCOPED_TRACE(testing::Message() << word(kind) << ' ' << word(scan) << ' ' << word(ranks)
                                          << " W=" << workers << " N=" << c.shape.q_len);
          const MixerRun result = run(c);
          expect_near_naive(c, result.verification);
          if (workers == 1) continue;
          // Parts of a state differ by one row of each head.
          const double states =
              scan == ScanKind::all_gather ? workers - 1.0 : 2.0 * (workers - 1) / workers;
          EXPECT_NEAR(result.predicted.number("sent_states"), states, workers / 12.0);
        }
}

// Rows and columns that the workers do not divide, in both ways to run them, without a pair bias
// and with one, of which each worker has a part.
TEST(SequenceMixer, AxialOfManyWorkersIsRight) {
  constexpr unsigned kSeed = 20261129;
  std::mt19937 random(kSeed);
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16})
    for (const Ranks ranks : {Ranks::serial, Ranks::threads})
      for (const int workers : {1, 2, 3, 8}) {
        Case c = tiny_mixer(Mixer::axial, false);
        c.mixer.pair_bias = random() % 2 == 0 ? PairBias::none : PairBias::random;
        const auto lines = [&] { return workers + static_cast<std::int64_t>(random() % 9); };
        c.mixer.rows = lines();
        const std::int64_t columns = lines();
        c.shape.q_len = c.shape.kv_len = c.mixer.rows * columns;
        c.shape.batch = 1 + static_cast<std::int64_t>(random() % 2);
        c.workers = workers;
        c.ranks = ranks;
        c.dtype = dtype;
        c.threads = 1 + static_cast<int>(random() % 12);
        SCOPED_TRACE(testing::Message()
                     << word(dtype) << ' ' << word(ranks) << " W=" << workers
                     << " R=" << c.mixer.rows << " C=" << columns << " pair bias "
                     << word(c.mixer.pair_bias) << " seed " << kSeed);
        const MixerRun result = run(c);
        expect_near_naive(c, result.verification);
        if (workers == 1) continue;
        EXPECT_LT(result.peaks.device_bytes.value(), result.active_peak_bytes);
        EXPECT_EQ(result.predicted.number("scan_rounds"),
                  c.mixer.pair_bias == PairBias::none ? 2 : 3);
      }
}

// Two transpositions, each of (W - 1) / W of a W-th of the tensor, in the type of the inputs; and a
// W-th of the pair bias to each of the others.
TEST(SequenceMixer, AxialSendsTheBytesOfItsClosedForm) {
  for (const DType dtype : {DType::f32, DType::bf16})
    for (const int workers : {2, 4}) {
      Case c = tiny_mixer(Mixer::axial, false);
      c.shape.q_len = c.shape.kv_len = 12 * 8;
      c.mixer.rows = 12;
      c.workers = workers;
      c.dtype = dtype;
      c.ranks = Ranks::threads;
      c.link_bandwidth_byte_per_s = 1e6;
      const RowValues predicted = plan_workload(resolve_case(c))->predict(nullptr);
      const auto bytes = static_cast<double>(c.shape.out().elements() * size_of(dtype));
      const double sent = 2.0 * bytes / workers * (workers - 1) / workers;
      EXPECT_EQ(predicted.number("device_sent_bytes"), sent);
      EXPECT_EQ(predicted.number("moved_bytes"), sent * workers);
      EXPECT_NEAR(predicted.number("predicted_scan_s"), sent / 1e6, 1e-9);
      c.mixer.pair_bias = PairBias::random;
      const auto bias = static_cast<double>(c.shape.q_heads * 8 * 8 * size_of(dtype));
      EXPECT_EQ(plan_workload(resolve_case(c))->predict(nullptr).number("device_sent_bytes"),
                sent + bias / workers * (workers - 1));
    }
}

// The distance of attention is its error; a pattern is far from it, and all others are further.
TEST(SequenceMixer, SaysHowFarItIsFromAttention) {
  for (const MaskKind mask : {MaskKind::full, MaskKind::causal}) {
    Case c = tiny_mixer(Mixer::linear, false);
    c.mixer.kind.reset();
    c.mask = mask;
    const MixerRun exact = run(c);
    EXPECT_TRUE(exact.verification.correct);
    EXPECT_DOUBLE_EQ(exact.distance, exact.verification.relative_l2_error);
    EXPECT_LT(exact.distance, 1e-6);
    c.inputs = InputKind::peaked;
    EXPECT_LT(run(c).distance, 1e-5);
  }
  for (const Mixer kind : kMixers) {
    const double distance = run(tiny_mixer(kind, is_only_causal(kind))).distance;
    if (kind == Mixer::short_convolution)
      EXPECT_TRUE(std::isnan(distance)) << "it has no queries";
    else
      EXPECT_GT(distance, 0.05) << word(kind);
  }
}

// An output that is off by a little in one row, or was not written.
class InaccurateMixerCpu final : public CpuDevice {
 public:
  InaccurateMixerCpu(std::int64_t row, float factor) : CpuDevice(1), row_(row), factor_(factor) {}
  void mix(const MixerOptions& options, const MixerArguments& arguments,
           const KernelContext& context, const MixerState* before) override {
    CpuDevice::mix(options, arguments, context, before);
    float* const out = arguments.out.row_as<float>(0, 1, row_);
    for (std::int64_t x = 0; x < arguments.out.extent.head_dim; ++x) out[x] *= factor_;
  }

 private:
  std::int64_t row_;
  float factor_;
};

TEST(SequenceMixer, FindsAnOutputThatIsOff) {
  for (const Mixer kind : kMixers)
    for (const float factor : {1.001f, std::numeric_limits<float>::quiet_NaN()}) {
      InaccurateMixerCpu device(97, factor);
      Case c = tiny_mixer(kind, is_only_causal(kind));
      c.measure.verify_rows = 100;
      const MixerRun result = run_on(device, c);
      EXPECT_FALSE(result.verification.correct) << word(kind);
      EXPECT_THAT(result.verification.message, HasSubstr("head 1, row 97"));
    }
}

TEST(SequenceMixer, IsRefusedWhereItCannotBeObeyed) {
  Case c = tiny_mixer(Mixer::ssd, false);
  EXPECT_EQ(message_of(c), "mixer.operator: ssd needs mask: causal, and this case has mask: full");
  c = tiny_mixer(Mixer::nystrom, true);
  EXPECT_EQ(message_of(c),
            "mixer.operator: nystrom needs mask: full, and this case has mask: causal");
  c = tiny_mixer(Mixer::nystrom, false);
  c.mixer.rank = 101;
  EXPECT_EQ(message_of(c), "100 tokens do not make 101 landmarks; the nearest is mixer.rank: 100");
  c = tiny_mixer(Mixer::nystrom, false);
  c.workers = 2;
  EXPECT_THAT(message_of(c), HasSubstr("the nearest is mixer.scan: all_gather"));
  c.mixer.rank = 1;
  c.mixer.scan = ScanKind::all_reduce;
  EXPECT_EQ(message_of(c),
            "heads of 1 rows have no part for each of 2 workers; the nearest is mixer.scan: "
            "all_gather");
  c = tiny_mixer(Mixer::axial, false);
  c.workers = 11;
  EXPECT_EQ(message_of(c),
            "10 rows and 10 columns are too few for 11 workers, each of which needs one of both; "
            "the nearest is workers: 10");
  c.mixer.rows = 7;
  EXPECT_EQ(message_of(c), "100 tokens do not make 7 equal rows; the nearest is mixer.rows: 5");
  c = tiny_mixer(Mixer::linear, true);
  c.workers = 2;
  c.mixer.scan = ScanKind::all_reduce;
  EXPECT_THAT(message_of(c), HasSubstr("with mask: causal it needs that of the tokens before"));
  c = tiny_mixer(Mixer::linear, true);
  c.workers = 101;
  EXPECT_EQ(message_of(c),
            "100 tokens are too few for 101 parts of 101 workers; the nearest is workers: 100");
  c.workers = 2;
  c.mixer.scan = ScanKind::all_scan;
  c.mixer.blocks = 3;
  EXPECT_EQ(message_of(c), "a state of 1 heads has no 3 blocks; the nearest is mixer.blocks: 1");
  c = tiny_mixer(Mixer::selective_scan, true);
  c.shape.kv_heads = 1;
  EXPECT_EQ(message_of(c),
            "selective_scan has no groups of heads; the nearest is kv_heads: q_heads");
  c = tiny_mixer(Mixer::short_convolution, true);
  c.workers = 20;
  c.mixer.layout = TokenLayout::zigzag;
  EXPECT_EQ(message_of(c),
            "100 tokens are too few for 40 parts of 20 workers; the nearest is workers: 16");
  DeviceProbe gpu;
  EXPECT_THROW((void)run_on(gpu, tiny_mixer(Mixer::linear, false)), Unsupported);
}

// Out of memory and failures in a thread end the run of all workers, with the first error.
TEST(SequenceMixer, EndsAllWorkersWhereOneFails) {
  Case c = resolve_case(tiny_mixer(Mixer::ssd, true));
  c.workers = 4;
  c.ranks = Ranks::threads;
  CpuDevice device(1);
  const std::unique_ptr<Workload> workload = plan_workload(c);
  workload->open(&device, MemoryLedger::Options());
  const std::uint64_t held = workload->ledger().active_bytes();
  workload->open(&device, {.budget_bytes = held + 1});
  EXPECT_THROW((void)workload->run(true), OutOfMemory);
}

}  // namespace
}  // namespace qb
