// SPDX-License-Identifier: Apache-2.0
// These tests run under mpirun: rank 0 runs nccl cases and the others serve it, on fake GPUs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/numbers.h"
#include "harness/experiment/process/mpi_case.h"
#include "harness/experiment/testing/open_cases.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/run/testing/fake_mpi_link.h"
#include "harness/workload/testing/tiny_case.h"

namespace qb {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The seed of a case selects a fault of the GPUs.
constexpr std::uint64_t kOneGpu = 101;    // all ranks see the same GPU
constexpr std::uint64_t kNoGpu = 102;     // the last rank has none
constexpr std::uint64_t kOtherGpu = 103;  // the last rank's GPU is of another kind

std::unique_ptr<ComputeDevice> open_fake_gpu(std::uint64_t seed) {
  const MpiWorld& world = *MpiWorld::current();
  const bool last = world.rank() == world.size() - 1;
  if (seed == kNoGpu && last) throw Unsupported("no GPU: there is no NVIDIA driver");
  if (seed == kOtherGpu && last) return std::make_unique<GpuOfARank>("another", "another GPU");
  return std::make_unique<GpuOfARank>(seed == kOneGpu ? "one"
                                                      : fmt::format("gpu {}", world.rank()));
}

Case over_nccl(const std::string& algorithm) {
  Case c = tiny(algorithm, MpiWorld::current()->size());
  c.shape.q_heads = c.shape.kv_heads = 8;  // ulysses can split these
  c.device = Device::cuda;
  c.threads = 0;
  c.ranks = Ranks::nccl;
  c.dtype = DType::bf16;
  return c;
}

CaseResult run(const Case& c) {
  return run_open_case(c, "", [&](const Case&) { return open_fake_gpu(c.seed); });
}

TEST(NcclCase, EverySchemeIsARowThatWasVerified) {
  for (const char* algorithm : {"ring", "striped", "zigzag", "ulysses", "all_gather_kv", "pass_q",
                                "cqs", "cqs_sharded", "tree_decode"}) {
    SCOPED_TRACE(algorithm);
    const Case c = over_nccl(algorithm);
    if (takes_interest_set(c.algorithm) && c.workers < 3) continue;
    const CaseResult result = run(c);
    ASSERT_EQ(result.status, Status::ok) << result.message;
    EXPECT_EQ(result.values.at("gpu"), "a GPU");
    // The scatter of cqs has its own column.
    const char* const moved = c.algorithm == "cqs" ? "gather_median_s" : "communication_median_s";
    EXPECT_GT(parse_real(result.values.at(moved)).value(), 0.0);
    EXPECT_TRUE(result.values.has("exposed_communication_median_s"));
    EXPECT_FALSE(result.values.has("idle_median_s"));
    EXPECT_EQ(result.samples.size(), 4u);
    EXPECT_GT(parse_integer(result.values.at("device_peak_bytes")).value(), 0);
  }
}

TEST(NcclCase, GradientsOfEverySchemeThatTrainsAreVerified) {
  for (const Passes pass : {Passes::backward, Passes::both})
    for (const char* algorithm : {"ring", "burst", "ulysses", "all_gather_kv", "cqs"}) {
      SCOPED_TRACE(fmt::format("{} {}", word(pass), algorithm));
      Case c = over_nccl(algorithm);
      c.pass = pass;
      if (takes_interest_set(c.algorithm) && c.workers < 3) continue;
      const CaseResult result = run(c);
      ASSERT_EQ(result.status, Status::ok) << result.message;
      EXPECT_EQ(result.samples.size(), 4u);
      for (const char* gradient : {"d_q", "d_k", "d_v"})
        EXPECT_FALSE(result.values.at(fmt::format("{}_max_error", gradient)).empty());
      EXPECT_EQ(result.values.has("backward_time_median_s"), pass == Passes::both);
    }
}

TEST(NcclCase, RanksThatCannotPlayAreARowAndTheNextCaseRuns) {
  const std::pair<std::uint64_t, const char*> flaws[] = {
      {kOneGpu, "are on one GPU (a GPU), which NCCL refuses"},
      {kNoGpu, "no GPU: there is no NVIDIA driver"},
      {kOtherGpu, "on GPUs of different kinds, a GPU and another GPU"}};
  for (const auto& [seed, sentence] : flaws) {
    Case c = over_nccl("ring");
    c.seed = seed;
    const CaseResult result = run(c);
    EXPECT_EQ(result.status, Status::unsupported);
    EXPECT_THAT(result.message, AllOf(HasSubstr("rank"), HasSubstr(sentence)));
    EXPECT_EQ(run(over_nccl("ring")).status, Status::ok);
  }
  Case many = over_nccl("ring");
  many.workers = MpiWorld::current()->size() + 1;
  EXPECT_THAT(run(many).message, HasSubstr("workers need as many ranks, each with a GPU"));
  Case few = over_nccl("ring");
  few.workers = 2;
  EXPECT_EQ(run(few).status, Status::ok) << "ranks beyond W wait";
}

// It fails before any rank has sent anything: MPI in place of NCCL cannot be aborted.
TEST(NcclCase, ABudgetThatIsTooSmallIsOutOfMemoryAndTheNextCaseRuns) {
  Case c = over_nccl("ring");
  c.memory_budget_bytes = 1000;
  const CaseResult result = run(c);
  EXPECT_EQ(result.status, Status::oom);
  EXPECT_THAT(result.message, HasSubstr("over the budget"));
  EXPECT_EQ(run(over_nccl("ring")).status, Status::ok);
}

}  // namespace
}  // namespace qb

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const auto world = qb::MpiWorld::join();
  if (world->rank() != 0) {
    qb::serve_mpi_cases([](const qb::Case& c) { return qb::open_fake_gpu(c.seed); });
    return 0;
  }
  const int failed = RUN_ALL_TESTS();
  qb::end_mpi_cases();
  return failed;
}
