// SPDX-License-Identifier: Apache-2.0
// Tests that a layer's workload finds gradients that a device gets wrong, however it runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "harness/run/device/cpu_device.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/verify/verify.h"
#include "harness/workload/testing/tiny_case.h"
#include "harness/workload/workload.h"
#include "kernels/layer_call.h"

namespace qb {
namespace {

using testing::HasSubstr;

Case tiny_step(Passes pass, std::int64_t block_tokens) {
  Case c = tiny("dense", 1);
  c.workload = WorkloadKind::transformer_layer;
  c.device = Device::cpu;
  c.shape.q_len = c.shape.kv_len = 33;
  c.shape.kv_heads = 2;
  c.layer_block_tokens = block_tokens;
  c.pass = pass;
  return resolve_case(c);
}

// Computes once, as the run does that counts memory, and compares with float64.
Verification verified(ComputeDevice& device, const Case& c) {
  const std::unique_ptr<Workload> layer = plan_workload(c);
  layer->open(&device, MemoryLedger::Options());
  layer->prepare();
  (void)layer->run(true);
  return layer->verify();
}

void for_each_way(const std::function<void(const Case&)>& check) {
  for (const Passes pass : {Passes::backward, Passes::both})
    for (const std::int64_t block : {0, 10}) {
      SCOPED_TRACE(std::string(word(pass)) + " block " + std::to_string(block));
      check(tiny_step(pass, block));
    }
}

TEST(LayerWorkload, TakesRightGradientsOfEveryRun) {
  for_each_way([](const Case& c) {
    CpuDevice device(1);
    const std::unique_ptr<Workload> layer = plan_workload(c);
    layer->open(&device, MemoryLedger::Options());
    layer->prepare();
    for (int run = 0; run < 3; ++run) {
      (void)layer->run(run == 0);
      const Verification verification = layer->verify();
      EXPECT_TRUE(verification.correct) << verification.message;
      EXPECT_EQ(verification.layer_gradients.size(), 2u);
      EXPECT_TRUE(verification.gradients.empty());
    }
  });
}

// The first product that is differentiated has one gradient that is off by a little.
class InaccurateCpu final : public CpuDevice {
 public:
  InaccurateCpu() : CpuDevice(1) {}
  void linear_backward(const LinearBackwardCall& call, Allocator& workspace) override {
    CpuDevice::linear_backward(call, workspace);
    if (calls_++ == 0) call.d_weight[3] += 0.01f;
  }

 private:
  int calls_ = 0;
};

TEST(LayerWorkload, NamesTheWeightWhoseGradientIsOffByALittle) {
  for_each_way([](const Case& c) {
    InaccurateCpu device;
    const Verification verification = verified(device, c);
    EXPECT_FALSE(verification.correct);
    EXPECT_THAT(verification.message,
                HasSubstr("the gradient of output.dense.weight at row 0, column 3 is"));
    ASSERT_EQ(verification.layer_gradients.size(), 2u);
    const GradientErrors& states = verification.layer_gradients[0];
    const GradientErrors& weights = verification.layer_gradients[1];
    EXPECT_LE(states.max_error, states.tolerance);
    EXPECT_GT(weights.max_error, weights.tolerance);
    EXPECT_LE(verification.max_error, verification.tolerance) << "the output itself is right";
  });
}

// The gradients of attention are lost.
class ForgetfulCpu final : public CpuDevice {
 public:
  ForgetfulCpu() : CpuDevice(1) {}
  void attention_backward(Kernel, const BackwardArguments&, const KernelContext&) override {}
};

TEST(LayerWorkload, FindsThatAPartOfTheGradientsIsLost) {
  for_each_way([](const Case& c) {
    ForgetfulCpu device;
    const Verification verification = verified(device, c);
    EXPECT_FALSE(verification.correct);
    EXPECT_THAT(verification.message, HasSubstr("the gradient of "));
  });
}

}  // namespace
}  // namespace qb
