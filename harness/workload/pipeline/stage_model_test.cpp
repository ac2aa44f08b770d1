// SPDX-License-Identifier: Apache-2.0
// Pipelines by the model, whose stages are groups of workers, beside rows of attention alone and
// closed forms.
#include "harness/workload/pipeline/stage_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "harness/workload/testing/tiny_case.h"
#include "harness/workload/workload.h"

namespace qb {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr unsigned kStageSeed = 20261128;
constexpr const char* kSchemes[] = {"ring", "zigzag", "striped",       "burst",      "ulysses",
                                    "usp",  "mesh",   "all_gather_kv", "cqs_sharded"};

Case modelled(const std::string& algorithm, int stages, int group) {
  Case c = tiny(algorithm, stages * group);
  c.device = Device::cpu;
  c.threads = 0;
  c.ranks = Ranks::model;
  c.model_device = "h100";
  c.workload = WorkloadKind::pipeline;
  c.mask = MaskKind::causal;
  c.dtype = DType::bf16;
  c.shape = {.batch = 2,
             .q_heads = 4,
             .kv_heads = 2,
             .q_len = 1003,
             .kv_len = 1003,
             .head_dim = 64,
             .value_dim = 64};
  c.pipeline.schedule = PipelineSchedule::gpipe;
  c.pipeline.stages = stages;
  c.pipeline.layers = 2 * stages;
  return c;
}

struct StageResult {
  RowValues values{};
  Sample sample{};
};

StageResult model(const Case& given) {
  const std::unique_ptr<Workload> workload = plan_workload(resolve_case(given));
  EXPECT_EQ(workload->flaw(), std::nullopt);
  CaseResult row;
  row.values = workload->predict(nullptr);
  row.samples = {workload->run(false)};
  row.values.set("critical_path_median_s", row.samples.front().critical_path_s);
  workload->report(row);
  return {row.values, row.samples.front()};
}

// Attention of one microbatch on the workers of one stage; of a chunk up to `keys`.
StageResult attention_of(Case c, const Range& chunk) {
  c.workers = splitting_workers(c);
  c.workload = WorkloadKind::attention;
  c.shape.batch = 1;
  c.shape.q_len = chunk.count();
  c.shape.kv_len = chunk.end;
  c.pipeline = {};
  c.pass = Passes::both;
  return model(c);
}

std::int64_t activation_bytes(const Case& c) {
  return 2 * c.shape.q_heads * c.shape.q_len * c.shape.head_dim;  // of a sequence
}

TEST(StageModel, StagesOfOneWorkerWithoutLinksTakeThePlansTime) {
  for (const auto& [schedule, name] : kWords<PipelineSchedule>.rows)
    for (const int stages : {1, 2, 5}) {
      SCOPED_TRACE(testing::Message() << name << " S=" << stages);
      Case c = modelled("dense", stages, 1);
      c.pipeline.schedule = schedule;
      c.pipeline.virtual_stages = schedule == PipelineSchedule::interleaved ? 2 : 1;
      c.shape.batch = 2 * stages;
      const Sample layer = attention_of(c, {0, c.shape.q_len}).sample;
      const StageResult result = model(c);
      const int units = c.pipeline.virtual_stages * 2 * stages;
      EXPECT_NEAR(result.sample.wall_s,
                  (units + stages - 1) * layer.wall_s * 2 / c.pipeline.virtual_stages,
                  1e-9 * result.sample.wall_s);
      EXPECT_NEAR(result.values.number("bubble_ratio"),
                  result.values.number("predicted_bubble_ratio"), 1e-9);
    }
}

// Links inside of the group are those of the row; over hosts too.
TEST(StageModel, OneStageTakesItsLayersOfAttention) {
  std::mt19937 random(kStageSeed);
  for (const char* const scheme : kSchemes)
    for (int i = 0; i < 3; ++i) {
      Case c = modelled(scheme, 1, i == 1 ? 7 : 4);
      if (i == 2) {
        c.cluster = "2x2";
        c.cluster_inside = "2e11,1us";
        c.cluster_between = "1e10,5us";
      } else {
        c.link_bandwidth_byte_per_s = 1e10;
        c.link_latency_s = 1e-6;
      }
      c.shape.q_len = c.shape.kv_len = 64 + static_cast<int>(random() % 1000);
      c.pipeline.chunks = std::string_view(scheme) == "zigzag" ? 1 + i : 1;
      SCOPED_TRACE(testing::Message()
                   << "seed " << kStageSeed << ' ' << scheme << ' ' << i << " N=" << c.shape.q_len);
      StageResult result;
      double wall_s = 0.0;
      double moved_bytes = 0.0;
      try {
        result = model(c);
        for (const Range& chunk : cut_chunks(c.shape.q_len, c.pipeline.chunks, ChunkCut::times)) {
          const StageResult layer = attention_of(c, chunk);
          wall_s += layer.sample.wall_s;
          moved_bytes += layer.values.number("moved_bytes");
        }
      } catch (const Unsupported& reason) {
        EXPECT_EQ(i, 1) << reason.what();  // heads that 7 workers do not share
        continue;
      }
      const Sample& sample = result.sample;
      EXPECT_NEAR(sample.wall_s, 2 * 2 * wall_s, 1e-9 * sample.wall_s);
      EXPECT_NEAR(sample.compute_s + sample.exposed_communication_s + sample.idle_s, sample.wall_s,
                  1e-9 * sample.wall_s);
      EXPECT_EQ(result.values.number("moved_bytes"), 2 * 2 * moved_bytes);
      EXPECT_EQ(result.values.number("between_stages_bytes"), 0);
      EXPECT_NEAR(result.values.number("bubble_ratio"), 0.0, 1e-9);
    }
}

// Three of four parts travel twice: by one link, or a half inside of hosts and then a quarter
// between them.
TEST(StageModel, TensorParallelTakesItsHeadsAndTheAllReduces) {
  Case c = modelled("tensor_parallel", 1, 4);
  c.shape.q_len = c.shape.kv_len = 1024;
  Case heads = modelled("dense", 1, 1);
  heads.shape = c.shape;
  heads.shape.q_heads = heads.shape.kv_heads = 1;
  const double attention_s = attention_of(heads, {0, 1024}).sample.wall_s;
  const auto bytes = static_cast<double>(activation_bytes(c));
  const auto expect_reduce_s = [&](double reduce_s) {
    EXPECT_NEAR(model(c).sample.wall_s, 2 * 2 * (attention_s + 2 * reduce_s), 1e-9);
  };
  expect_reduce_s(0.0);
  c.link_bandwidth_byte_per_s = 1e8;
  c.link_latency_s = 1e-3;
  expect_reduce_s(2 * (1e-3 + bytes * 0.75 / 1e8));
  c.link_bandwidth_byte_per_s.reset();
  c.link_latency_s.reset();
  c.cluster = "2x2";
  c.cluster_inside = "1e8,1ms";
  c.cluster_between = "1e7,2ms";
  expect_reduce_s(2 * (1e-3 + bytes * 0.5 / 1e8) + 2 * (2e-3 + bytes * 0.25 / 1e7));
}

TEST(StageModel, FasterLinksTakeNoLonger) {
  for (const char* const scheme : {"zigzag", "ulysses", "tensor_parallel"}) {
    Case c = modelled(scheme, 3, 2);
    c.pipeline.schedule = PipelineSchedule::one_f_one_b;
    c.shape.batch = 4;
    const Sample at_once = model(c).sample;
    double before_s = std::numeric_limits<double>::infinity();
    for (const double bandwidth : {1e8, 1e9, 1e10, 1e11, 1e13}) {
      c.link_bandwidth_byte_per_s = bandwidth;
      const Sample sample = model(c).sample;
      EXPECT_LE(sample.wall_s, before_s) << scheme << ' ' << bandwidth;
      EXPECT_GE(sample.wall_s, at_once.wall_s) << scheme << ' ' << bandwidth;
      EXPECT_NEAR(sample.compute_s + sample.exposed_communication_s + sample.idle_s, sample.wall_s,
                  1e-9 * sample.wall_s);
      before_s = sample.wall_s;
    }
    EXPECT_NEAR(before_s, at_once.wall_s, 0.01 * at_once.wall_s) << scheme;
  }
}

// Chunks of a sequence on one microbatch keep every stage busy, of equal pairs more than of equal
// tokens.
TEST(StageModel, ChunksOfEqualPairsHaveTheBubbleOfTheClosedForm) {
  Case c = modelled("zigzag", 4, 2);
  c.pipeline.schedule = PipelineSchedule::one_f_one_b;
  c.shape.q_len = c.shape.kv_len = 4096;
  c.shape.batch = 1;
  c.pipeline.chunks = 8;
  const auto bubble_of = [&](ChunkCut cut) {
    c.pipeline.cut = cut;
    return model(c).values.number("plan_bubble_ratio");
  };
  EXPECT_NEAR(bubble_of(ChunkCut::times), 3.0 / 11.0, 1e-3);
  EXPECT_GT(bubble_of(ChunkCut::tokens), 3.0 / 11.0 + 0.05);
}

// Each row of all units sees half of the others and itself; a stage keeps whole microbatches of
// gpipe, and of interleaved parts.
TEST(StageModel, CountsFlopAndKeptMicrobatches) {
  Case c = modelled("zigzag", 3, 2);
  c.shape.batch = 6;
  const double pairs = 1003.0 * 1004.0 / 2.0;
  const StageResult gpipe = model(c);
  EXPECT_EQ(gpipe.values.number("unmasked_flop"), 14.0 * 6 * 6 * 4 * 64 * pairs);
  EXPECT_EQ(gpipe.values.number("kept_microbatches"), 6);
  c.pipeline.schedule = PipelineSchedule::interleaved;
  c.pipeline.virtual_stages = 2;
  EXPECT_EQ(model(c).values.number("kept_microbatches"), 0.5 * (2 * 2 + 3 + 1));
}

// Each of the 2 m (v S - 1) messages between stages is an activation, whatever the group; inside of
// groups zigzag moves what its row of attention does, and tensor_parallel 2 (W - 1) activations in
// the all-reduce of each pass.
TEST(StageModel, BytesHaveTheirClosedForms) {
  for (const int group : {1, 2, 4}) {
    SCOPED_TRACE(group);
    Case c = modelled("zigzag", 3, group);
    c.shape.batch = 6;
    const auto activation = static_cast<double>(activation_bytes(c));
    const auto moved = [&] { return model(c).values.number("moved_bytes"); };
    const double inside = 6 * 6 * attention_of(c, {0, c.shape.q_len}).values.number("moved_bytes");
    EXPECT_EQ(moved(), 2 * 6 * 2 * activation + inside);
    c.pipeline.schedule = PipelineSchedule::interleaved;
    c.pipeline.virtual_stages = 2;
    EXPECT_EQ(moved(), 2 * 6 * 5 * activation + inside);
    c.pipeline.schedule = PipelineSchedule::gpipe;
    c.pipeline.virtual_stages = 1;
    c.algorithm = "tensor_parallel";
    EXPECT_EQ(moved(), 2 * 6 * 2 * activation + 6 * 6 * 2 * 2 * (group - 1) * activation);
  }
  Case c = modelled("zigzag", 3, 2);
  c.shape.q_len = c.shape.kv_len = 1000;
  c.shape.batch = 6;
  // A worker of the middle stage sends its half of each forwards and backwards.
  EXPECT_EQ(model(c).values.number("between_stages_bytes"),
            static_cast<double>(2 * 6 * activation_bytes(c)) / 2);
}

// A stage keeps its half of the inputs and LSE of two layers and of the last output, of each
// microbatch in flight.
TEST(StageModel, DevicesHoldTheirShareOfKeptMicrobatches) {
  const auto peak_of = [](const std::string& algorithm, PipelineSchedule schedule, int batch) {
    Case c = modelled(algorithm, 3, 2);
    c.shape.q_len = c.shape.kv_len = 1000;
    c.pipeline.schedule = schedule;
    c.shape.batch = batch;
    return model(c).values.number("predicted_device_peak_bytes");
  };
  constexpr int kRows = 4 * 500;
  constexpr int kKept = kRows * (3 * 64 * 2 + 2 * 8);
  for (const char* const algorithm : {"zigzag", "tensor_parallel"}) {
    const double few = peak_of(algorithm, PipelineSchedule::gpipe, 3);
    EXPECT_EQ(peak_of(algorithm, PipelineSchedule::gpipe, 9) - few, 6 * kKept) << algorithm;
    EXPECT_EQ(peak_of(algorithm, PipelineSchedule::one_f_one_b, 9), few) << algorithm;
  }
  const Case c = modelled("zigzag", 3, 2);
  EXPECT_GT(peak_of("zigzag", PipelineSchedule::gpipe, 1),
            kKept + attention_of(c, {0, 1000}).values.number("predicted_device_peak_bytes"));
}

// Two stages on a host each: activations leave by the NICs, which 4 workers have each or share.
TEST(StageModel, MessagesBetweenStagesTakeTheLinksOfTheirHosts) {
  Case c = modelled("zigzag", 2, 4);
  c.shape.q_len = c.shape.kv_len = 1024;
  c.shape.batch = 1;
  c.cluster = "2x4";
  c.cluster_inside = "1e12";
  c.cluster_between = "1e8,1ms";
  Case inside = c;
  inside.cluster = "1x4";
  inside.cluster_between.reset();
  const double layers_s = 4 * attention_of(inside, {0, 1024}).sample.wall_s;
  const double shard_s = static_cast<double>(activation_bytes(c)) / 4 / 1e8;
  for (const int nics : {4, 2, 1}) {
    c.cluster_nics = nics;
    const Sample sample = model(c).sample;
    EXPECT_NEAR(sample.wall_s, layers_s + 2 * (1e-3 + shard_s * 4 / nics), 1e-9) << nics;
    EXPECT_GT(sample.exposed_communication_s, shard_s) << nics;
  }
}

TEST(StageModel, IsRefusedWhereItCannotBeObeyed) {
  const auto message_of = [](const Case& c) -> std::string {
    try {
      (void)model(c);
    } catch (const Unsupported& reason) {
      return reason.what();
    }
    return "nothing was refused";
  };
  Case c = modelled("zigzag", 4, 2);
  c.pipeline.stages = 3;
  EXPECT_EQ(message_of(c),
            "pipeline.stages: 3 does not make equal groups of 8 workers; the nearest is "
            "pipeline.stages: 2");
  c = modelled("zigzag", 4, 3);
  c.cluster = "3x4";
  c.cluster_inside = c.cluster_between = "1e9";
  EXPECT_EQ(message_of(c),
            "pipeline.stages: 4 does not make equal groups of 12 workers on hosts of 4; the "
            "nearest is pipeline.stages: 3");
  EXPECT_THAT(message_of(modelled("dense", 4, 2)), HasSubstr("the nearest is algorithm: zigzag"));
  EXPECT_THAT(message_of(modelled("cqs", 2, 7)), HasSubstr("is algorithm: cqs_sharded"));
  EXPECT_THAT(message_of(modelled("pass_q", 2, 4)), HasSubstr("pass_q has no backward pass"));
  EXPECT_THAT(message_of(modelled("tensor_parallel", 2, 3)), HasSubstr("4 query heads"));
  c = modelled("tensor_parallel", 2, 2);
  c.pipeline.chunks = 2;
  EXPECT_THAT(message_of(c), HasSubstr("the nearest is pipeline.chunks: 1"));
  c = modelled("dense", 4, 1);
  c.pipeline.layers = 6;
  EXPECT_EQ(message_of(c),
            "pipeline.layers: 6 is not a multiple of 4 virtual stages; the nearest is "
            "pipeline.layers: 4");
  c.pipeline.layers = 4;
  c.pipeline.microbatches = 3;
  c.shape.batch = 8;
  EXPECT_EQ(message_of(c), "batch: 8 is not a multiple of 3 microbatches; the nearest is batch: 6");
  c.pipeline.schedule = PipelineSchedule::interleaved;
  c.shape.batch = c.pipeline.microbatches = 6;
  EXPECT_THAT(message_of(c), HasSubstr("pipeline.microbatches: 6 is not a multiple of 4 stages"));
  EXPECT_THAT(message_of(c), HasSubstr("the nearest is pipeline.microbatches: 4"));
  c = modelled("dense", 4, 1);
  c.pipeline.chunks = 1004;
  EXPECT_EQ(message_of(c),
            "1003 tokens are too few for 1004 chunks; the nearest is pipeline.chunks: 1003");
  c.pipeline.chunks = 2;
  c.pipeline.schedule = PipelineSchedule::interleaved;
  EXPECT_THAT(message_of(c), HasSubstr("pipeline.chunks: 2 needs pipeline.schedule: gpipe or "
                                       "one_f_one_b"));
  c = modelled("dense", 4, 1);
  c.mask = MaskKind::full;
  EXPECT_EQ(message_of(c), "workload: pipeline needs mask: causal, and this case has mask: full");
  c = modelled("dense", 4, 1);
  c.pass = Passes::both;
  EXPECT_THAT(message_of(c), HasSubstr("a pipeline computes both, in turns"));
  c = modelled("zigzag", 2, 2);
  c.model_device.reset();
  EXPECT_THAT(message_of(c), HasSubstr("the nearest is model.device: h100"));
  c = modelled("dense", 2, 1);
  c.model_cores = 1;
  EXPECT_THAT(message_of(c), HasSubstr("each worker of a pipeline has a device"));
}

TEST(StageModel, IsRefusedWhereItWouldBeExecuted) {
  Case c = modelled("dense", 2, 1);
  c.model_device.reset();
  for (const auto& [ranks, name] : kWords<Ranks>.rows) {
    if (ranks == Ranks::model || ranks == Ranks::nccl) continue;
    c.ranks = ranks;
    try {
      (void)model(c);
      ADD_FAILURE() << name << " was not refused";
    } catch (const Unsupported& reason) {
      EXPECT_THAT(reason.what(), HasSubstr("pipeline")) << name;
      EXPECT_THAT(reason.what(), HasSubstr("ranks: model")) << name;
    }
  }
  c.ranks = Ranks::serial;
  EXPECT_THAT([&] { (void)model(c); },
              ThrowsMessage<Unsupported>(
                  "workload: pipeline needs ranks: model, and this case has ranks: serial; a "
                  "pipeline is modelled, on a device such as model.device: h100"));
}

}  // namespace
}  // namespace qb
