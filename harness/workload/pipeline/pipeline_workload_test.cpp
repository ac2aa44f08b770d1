// SPDX-License-Identifier: Apache-2.0
// Stacks of layers as cases run them: opened, computed by stages, compared with float64.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "harness/execute/device/cpu_device.h"
#include "harness/workload/needs.h"
#include "harness/workload/testing/tiny_case.h"
#include "harness/workload/workload.h"

namespace qb {
namespace {

using testing::HasSubstr;

constexpr unsigned kSeed = 20261128;

Case tiny_pipeline(PipelineSchedule schedule, int stages) {
  Case c = tiny("dense", stages);
  c.device = Device::cpu;
  c.workload = WorkloadKind::pipeline;
  c.mask = MaskKind::causal;
  c.pipeline.schedule = schedule;
  return c;
}

struct Result {
  RowValues predicted{};
  Verification verification{};
  std::int64_t device_peak_bytes = 0;
  std::int64_t active_peak_bytes = 0;
  double bubble = 0.0;
  Sample sample{};
};

// Computes twice on the device: what the first run leaves must not change the second.
Result run_on(ComputeDevice& device, const Case& given) {
  const Case c = resolve_case(given);
  require_needs(c);
  const std::unique_ptr<Workload> workload = plan_workload(c);
  workload->require(device);
  EXPECT_EQ(workload->flaw(), std::nullopt);
  Result result;
  result.predicted = workload->predict(nullptr);
  workload->open(&device, MemoryLedger::Options());
  workload->prepare();
  (void)workload->run(true);
  result.sample = workload->run(false);
  result.device_peak_bytes = workload->peaks().device_bytes.value();
  result.active_peak_bytes = static_cast<std::int64_t>(workload->ledger().active_peak_bytes());
  result.verification = workload->verify();
  CaseResult row;
  row.values.set("worker_sum_median_s", result.sample.worker_sum_s);
  row.values.set("critical_path_median_s", result.sample.critical_path_s);
  workload->report(row);
  result.bubble = row.values.number("bubble_ratio");
  return result;
}
Result run(const Case& c) {
  CpuDevice device(c.threads);
  return run_on(device, c);
}

std::string message_of(const Case& c) {
  try {
    (void)run(c);
  } catch (const CaseError& error) {
    return error.what();
  }
  return "nothing was refused";
}

// Batches, heads and chunks of any size; every schedule; in turn and at once.
TEST(Pipeline, OutputAndGradientsAreRight) {
  std::mt19937 random(kSeed);
  const auto upto = [&](int most) {
    return 1 + static_cast<int>(random() % static_cast<unsigned>(most));
  };
  for (int i = 0; i < 42; ++i) {
    const auto schedule = kWords<PipelineSchedule>.rows[static_cast<std::size_t>(i % 3)].first;
    const bool interleaved = schedule == PipelineSchedule::interleaved;
    Case c = tiny_pipeline(schedule, upto(4));
    c.pipeline.virtual_stages = interleaved ? upto(3) : 1;
    c.pipeline.layers = c.workers * c.pipeline.virtual_stages * upto(2);
    c.pipeline.microbatches = interleaved ? c.workers * upto(2) : upto(4);
    c.shape.batch = c.pipeline.microbatches * upto(2);
    c.pipeline.chunks = interleaved ? 1 : upto(4);
    if (c.pipeline.chunks > 1 && random() % 2 == 0) c.pipeline.cut = ChunkCut::tokens;
    c.shape.q_len = c.shape.kv_len = c.pipeline.chunks - 1 + upto(i % 4 == 0 ? 2 : 70);
    c.shape.kv_heads = upto(2);
    c.shape.q_heads = c.shape.kv_heads * upto(2);
    c.kernel = i % 5 == 0 ? Kernel::materialized : Kernel::flash;
    c.ranks = random() % 2 == 0 ? Ranks::serial : Ranks::threads;
    if (c.ranks == Ranks::threads && random() % 2 == 0) c.link_latency_s = 1e-6;
    c.threads = upto(2);
    c.seed = random();
    SCOPED_TRACE(testing::Message()
                 << "seed " << kSeed << ", case " << i << ": " << word(schedule) << ' '
                 << word(c.ranks) << ' ' << word(c.kernel) << " S=" << c.workers
                 << " v=" << c.pipeline.virtual_stages << " L=" << c.pipeline.layers
                 << " m=" << c.pipeline.microbatches << " c=" << c.pipeline.chunks << ' '
                 << word(c.pipeline.cut) << " B=" << c.shape.batch << " N=" << c.shape.q_len
                 << " H=" << c.shape.q_heads << " G=" << c.shape.kv_heads);
    const Result result = run(c);
    EXPECT_TRUE(result.verification.correct) << result.verification.message;
    EXPECT_GT(result.verification.rows, 0);
    EXPECT_EQ(result.device_peak_bytes, result.predicted.number("predicted_device_peak_bytes"));
    if (c.ranks == Ranks::serial) {
      EXPECT_EQ(result.active_peak_bytes, result.predicted.number("predicted_active_peak_bytes"));
    }
    EXPECT_GE(result.bubble, c.workers == 1 ? -0.01 : 0.0);
    EXPECT_LT(result.bubble, 1.0);
  }
}

// The first stage holds most. Of a microbatch it keeps the outputs of its two layers and their LSE,
// two numbers a row; the input is in the tensor of the batch.
TEST(Pipeline, HoldsTheActivationsOfItsClosedForm) {
  const auto peak_of = [](PipelineSchedule schedule, int microbatches) {
    Case c = tiny_pipeline(schedule, 3);
    c.shape.batch = microbatches;
    c.shape.kv_heads = c.shape.q_heads;
    c.pipeline.layers = 6;
    return run(c);
  };
  const std::int64_t rows = 2 * 100;  // of a sequence, both heads
  const std::int64_t kept_bytes = 4 * rows * (2 * 16 + 2 * 2);
  const std::int64_t batch_bytes = 4 * rows * 16 * 2;  // its input and the gradient
  const Result few = peak_of(PipelineSchedule::gpipe, 3);
  const Result many = peak_of(PipelineSchedule::gpipe, 9);
  const Result in_turn = peak_of(PipelineSchedule::one_f_one_b, 9);
  EXPECT_EQ(few.predicted.number("kept_microbatches"), 3);
  EXPECT_EQ(many.predicted.number("kept_microbatches"), 9);
  EXPECT_EQ(in_turn.predicted.number("kept_microbatches"), 3);
  EXPECT_EQ(many.device_peak_bytes - few.device_peak_bytes, 6 * (kept_bytes + batch_bytes));
  EXPECT_EQ(many.device_peak_bytes - in_turn.device_peak_bytes, 6 * kept_bytes);
}

// Chunks of a sequence on one microbatch keep every stage busy, of equal pairs more than of equal
// tokens.
TEST(Pipeline, ChunksOfEqualPairsHaveTheBubbleOfTheClosedForm) {
  Case c = tiny_pipeline(PipelineSchedule::one_f_one_b, 4);
  c.shape.q_len = c.shape.kv_len = 4096;
  c.pipeline.chunks = 8;
  const auto bubble_of = [&](ChunkCut cut) {
    c.pipeline.cut = cut;
    return plan_workload(resolve_case(c))->predict(nullptr).number("plan_bubble_ratio");
  };
  EXPECT_NEAR(bubble_of(ChunkCut::times), 3.0 / 11.0, 1e-3);
  EXPECT_GT(bubble_of(ChunkCut::tokens), 3.0 / 11.0 + 0.05);
}

// A kernel that is off by a little in one call of one pass.
class InaccurateStageCpu final : public CpuDevice {
 public:
  InaccurateStageCpu(bool backward, int call) : CpuDevice(1), backward_(backward), call_(call) {}
  void attention(Kernel kernel, const AttentionArguments& arguments, const KernelContext& context,
                 const cuda::OnStage& on_stage) override {
    CpuDevice::attention(kernel, arguments, context, on_stage);
    if (!backward_ && call_-- == 0) *arguments.out.row_as<float>(0, 0, 3) += 1e-2f;
  }
  void attention_backward(Kernel kernel, const BackwardArguments& arguments,
                          const KernelContext& context) override {
    CpuDevice::attention_backward(kernel, arguments, context);
    if (backward_ && call_-- == 0) *arguments.d_k.row_as<float>(0, 0, 3) += 1e-2f;
  }

 private:
  bool backward_;
  int call_;
};

TEST(Pipeline, FindsAResultThatIsOff) {
  Case c = tiny_pipeline(PipelineSchedule::one_f_one_b, 2);
  c.shape.batch = 2;
  c.pipeline.chunks = 2;
  c.measure.verify_rows = 100;
  constexpr int kCalls = 2 * 2 * 3;  // of a run: stages, microbatches, pairs of chunks
  for (const bool backward : {false, true})
    for (int call = kCalls; call < 2 * kCalls; ++call) {
      InaccurateStageCpu device(backward, call);
      const Result result = run_on(device, c);
      EXPECT_FALSE(result.verification.correct) << backward << ' ' << call;
      EXPECT_THAT(result.verification.message, HasSubstr("batch "));
    }
}

TEST(Pipeline, IsRefusedWhereItCannotBeObeyed) {
  Case c = tiny_pipeline(PipelineSchedule::gpipe, 4);
  c.pipeline.layers = 6;
  EXPECT_EQ(message_of(c),
            "pipeline.layers: 6 is not a multiple of 4 virtual stages; the nearest is "
            "pipeline.layers: 4");
  c = tiny_pipeline(PipelineSchedule::gpipe, 4);
  c.pipeline.microbatches = 3;
  c.shape.batch = 8;
  EXPECT_EQ(message_of(c), "batch: 8 is not a multiple of 3 microbatches; the nearest is batch: 6");
  c = tiny_pipeline(PipelineSchedule::gpipe, 4);
  c.pipeline.chunks = 101;
  EXPECT_EQ(message_of(c),
            "100 tokens are too few for 101 chunks; the nearest is pipeline.chunks: 100");
  c = tiny_pipeline(PipelineSchedule::interleaved, 4);
  c.pipeline.chunks = 2;
  EXPECT_THAT(message_of(c), HasSubstr("pipeline.chunks: 2 needs pipeline.schedule: gpipe or "
                                       "one_f_one_b"));
  c = tiny_pipeline(PipelineSchedule::gpipe, 4);
  c.mask = MaskKind::full;
  EXPECT_EQ(message_of(c), "workload: pipeline needs mask: causal, and this case has mask: full");
  c = tiny_pipeline(PipelineSchedule::gpipe, 4);
  c.pass = Passes::both;
  EXPECT_THAT(message_of(c), HasSubstr("a pipeline computes both, in turns"));
}

// Out of memory in a thread ends the run of all stages, with that error.
TEST(Pipeline, EndsAllStagesWhereOneFails) {
  Case c = tiny_pipeline(PipelineSchedule::gpipe, 3);
  c.shape.batch = 4;
  c.ranks = Ranks::threads;
  CpuDevice device(1);
  const std::unique_ptr<Workload> workload = plan_workload(resolve_case(c));
  workload->open(&device, MemoryLedger::Options());
  const std::uint64_t held = workload->ledger().active_bytes();
  workload->open(&device, {.budget_bytes = held + 60'000});
  EXPECT_THROW((void)workload->run(true), OutOfMemory);
}

}  // namespace
}  // namespace qb
