// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/mixer_share.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/workload/testing/tiny_case.h"
#include "harness/workload/workload.h"

namespace qb {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kTokens = 1 << 20;

Case modelled(Mixer kind, int workers, ScanKind scan) {
  Case c = tiny("dense", workers);
  c.device = Device::cpu;
  c.ranks = Ranks::model;
  c.threads = 0;
  c.model_device = "h100";
  c.dtype = DType::bf16;
  c.workload = WorkloadKind::sequence_mixer;
  c.mixer.kind = kind;
  c.mixer.scan = scan;
  c.shape = {.batch = 1,
             .q_heads = 8,
             .kv_heads = 2,
             .q_len = kTokens,
             .kv_len = kTokens,
             .head_dim = 128,
             .value_dim = 128};
  return c;
}

Sample sample_of(const Case& c) {
  const std::unique_ptr<Workload> workload = plan_workload(resolve_case(c));
  EXPECT_EQ(workload->flaw(), std::nullopt);
  return workload->run(false);
}

TEST(MixerBound, IsThatOfProductsOrOfMemory) {
  const DeviceModel device = load_device_model("h100");
  const double products = device.product_flop_per_s.value;
  const double memory = device.memory_byte_per_s.value;
  // Q, K and V in bf16, O and E in f32.
  const double tensors = kTokens * 128.0 * (2.0 * (8 + 2 + 2) + 4.0 * 8);
  Case c = modelled(Mixer::linear, 1, ScanKind::chain);
  EXPECT_DOUBLE_EQ(sample_of(c).wall_s, tensors / memory);
  c = modelled(Mixer::linformer, 1, ScanKind::chain);
  c.mixer.rank = 64;
  EXPECT_DOUBLE_EQ(sample_of(c).wall_s, (tensors + 4.0 * 64 * kTokens) / memory);
  c.mixer.rank = 4096;
  c.shape.q_heads = c.shape.kv_heads = 64;
  EXPECT_DOUBLE_EQ(sample_of(c).wall_s, 2.0 * kTokens * 4096 * 256 * 128 / products);
}

TEST(MixerBound, AddsWhatLinksTakeForAllExchanges) {
  constexpr double kBandwidth = 1e9;
  constexpr double kLatency_s = 1e-3;
  for (const int workers : {2, 8}) {
    Case c = modelled(Mixer::nystrom, workers, ScanKind::all_reduce);
    const double alone_s = sample_of(c).wall_s;  // over links without a limit
    c.link_bandwidth_byte_per_s = kBandwidth;
    c.link_latency_s = kLatency_s;
    const Sample sample = sample_of(c);
    // Landmarks of 8 and 2 heads, then O and LSE of 8.
    const double bytes = 4.0 * 64 * ((8 + 2) * 128 + 8 * 129);
    const double scan_s = 2.0 * bytes * (workers - 1) / workers / kBandwidth + 4.0 * kLatency_s;
    EXPECT_NEAR(sample.wall_s, alone_s + scan_s, 1e-9);
    EXPECT_NEAR(sample.exposed_communication_s, scan_s, 1e-9);
    EXPECT_DOUBLE_EQ(sample.worker_sum_s, workers * alone_s);  // shards are alike
  }
}

// Three workers share 1024 rows and columns: the first has 342 of each, the others 341.
TEST(MixerBound, OfAxialIsThatOfTheBusiestWorkerAndOfTwoTranspositions) {
  Case c = modelled(Mixer::axial, 3, ScanKind::chain);
  c.shape.kv_heads = c.shape.q_heads;
  c.link_bandwidth_byte_per_s = 1e9;
  const Sample sample = sample_of(c);
  const double flop_per_token = 4.0 * 8 * 128 * 2048;
  const double products = load_device_model("h100").product_flop_per_s.value;
  EXPECT_DOUBLE_EQ(sample.compute_s, flop_per_token * 342 * 1024 / products);
  EXPECT_DOUBLE_EQ(sample.worker_sum_s, flop_per_token * kTokens / products);
  const double sent = plan_workload(resolve_case(c))->predict(nullptr).number("device_sent_bytes");
  EXPECT_EQ(sent, 2.0 * 8 * 128 * 2 * 342 * (1024 - 342));
  // The first also gets most in both rounds.
  EXPECT_NEAR(sample.exposed_communication_s, sent / 1e9, 1e-9);
  EXPECT_DOUBLE_EQ(sample.wall_s, sample.compute_s + sample.exposed_communication_s);
}

// Backwards a third transposition brings what one worker makes again.
TEST(MixerBound, OfBothPassesOfAxialAddsThem) {
  Case c = modelled(Mixer::axial, 8, ScanKind::chain);
  c.shape.kv_heads = c.shape.q_heads;
  c.link_bandwidth_byte_per_s = 1e9;
  const Sample forward = sample_of(c);
  c.pass = Passes::backward;
  const Sample backward = sample_of(c);
  EXPECT_DOUBLE_EQ(backward.compute_s, 3.5 * forward.compute_s);  // 14 products in place of 4
  EXPECT_NEAR(backward.exposed_communication_s, 1.5 * forward.exposed_communication_s, 1e-9);
  c.pass = Passes::both;
  EXPECT_DOUBLE_EQ(sample_of(c).wall_s, forward.wall_s + backward.wall_s);
}

TEST(MixerBound, CountsWhatCrossesHosts) {
  Case c = modelled(Mixer::perceiver, 8, ScanKind::all_gather);
  c.cluster = "2x4";
  c.cluster_inside = "1e12";
  c.cluster_between = "1e9";
  const RowValues values = plan_workload(resolve_case(c))->predict(nullptr);
  EXPECT_EQ(values.number("between_hosts_bytes"), 4.0 * values.number("state_bytes"));
  EXPECT_EQ(values.number("device_sent_bytes"), 7.0 * values.number("state_bytes"));
}

// The tensors of a shard, two states, and what comes and leaves.
TEST(MixerBound, HoldsTensorsStatesAndMessages) {
  constexpr std::int64_t kState = 4 * 2 * 128 * (128 + 1);
  constexpr std::int64_t kShard = kTokens / 8 * 128 * (2 * (8 + 2 + 2) + 4 * 8);
  const auto held = [](ScanKind scan) {
    return plan_workload(resolve_case(modelled(Mixer::linear, 8, scan)))
        ->predict(nullptr)
        .number("predicted_device_peak_bytes");
  };
  EXPECT_EQ(held(ScanKind::all_gather), kShard + (2 + 7 + 1) * kState);
  // In eighths: seven parts and seven sums come, and seven parts and one sum leave.
  EXPECT_EQ(held(ScanKind::all_reduce), kShard + (2 * 8 + 14 + 8) * kState / 8);
}

TEST(MixerBound, IsRefusedWithoutARate) {
  const auto message_of = [](const Case& c) {
    try {
      (void)sample_of(c);
    } catch (const CaseError& error) {
      return std::string(error.what());
    }
    return std::string("nothing was refused");
  };
  Case c = modelled(Mixer::linear, 1, ScanKind::chain);
  c.dtype = DType::f32;
  EXPECT_EQ(message_of(c),
            "the device h100 has no product_flop_per_s of inputs in f32, which bounds operators; "
            "the nearest is model.device: h100 with dtype: bf16");
  c.dtype = DType::bf16;
  c.model_device = "h800";
  EXPECT_THAT(message_of(c), HasSubstr("h800 has no product_flop_per_s of inputs in bf16"));
  c.model_device = "here";
  EXPECT_THAT(message_of(c), HasSubstr("the nearest is model.device: h100"));
}

}  // namespace
}  // namespace qb
