// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/attend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "harness/run/memory/memory_ledger.h"
#include "harness/run/testing/inputs_of.h"
#include "harness/verify/testing/npy_fakes.h"

namespace qb {
namespace {

using ::testing::HasSubstr;
using testing_support::named;
using testing_support::refusal;

NpyArray f32(const std::string& name, std::vector<std::int64_t> shape) {
  return named(name, DType::f32, std::move(shape));
}

TEST(ShapeOf, FillsMissingLeadingDimensionsWithOne) {
  EXPECT_EQ(shape_of(f32("q", {5, 8}), f32("k", {7, 8}), f32("v", {7, 3})),
            (Shape{1, 1, 1, 5, 7, 8, 3}));
  EXPECT_EQ(shape_of(f32("q", {6, 5, 8}), f32("k", {2, 7, 8}), f32("v", {2, 7, 8})),
            (Shape{1, 6, 2, 5, 7, 8, 8}));
  EXPECT_EQ(shape_of(f32("q", {3, 4, 5, 8}), f32("k", {3, 4, 5, 8}), f32("v", {3, 4, 5, 8})),
            (Shape{3, 4, 4, 5, 5, 8, 8}));
}

TEST(ShapeOf, NamesTheFilesThatDoNotFitAndBothSizes) {
  const auto refused = [](std::vector<std::int64_t> q, std::vector<std::int64_t> k,
                          std::vector<std::int64_t> v) {
    return refusal([&] {
      (void)shape_of(f32("q.npy", std::move(q)), f32("k.npy", std::move(k)),
                     f32("v.npy", std::move(v)));
    });
  };
  EXPECT_EQ(refused({5}, {5, 8}, {5, 8}),
            "q.npy has shape [5]; it must be [n, d], [h, n, d] or [b, h, n, d]");
  EXPECT_EQ(refused({5, 8}, {1, 1, 1, 5, 8}, {5, 8}),
            "k.npy has shape [1, 1, 1, 5, 8]; it must be [n, d], [h, n, d] or [b, h, n, d]");
  EXPECT_EQ(refused({0, 8}, {5, 8}, {5, 8}), "q.npy has shape [0, 8]: it is empty");
  EXPECT_EQ(refused({5, 8}, {5, 4}, {5, 8}),
            "q.npy [5, 8] has 8 elements a token and k.npy [5, 4] has 4; they must be equal");
  EXPECT_EQ(refused({5, 8}, {5, 8}, {6, 8}),
            "k.npy [5, 8] has 5 tokens and v.npy [6, 8] has 6; they must be equal");
  EXPECT_THAT(refused({2, 4, 5, 8}, {4, 5, 8}, {4, 5, 8}), HasSubstr("2 batches"));
  EXPECT_THAT(refused({4, 5, 8}, {4, 5, 8}, {2, 5, 8}), HasSubstr("4 heads"));
  EXPECT_EQ(refused({3, 5, 8}, {2, 5, 8}, {2, 5, 8}),
            "q.npy has 3 heads and k.npy has 2; query heads must be a multiple of key-value heads, "
            "which they share evenly");
}

TEST(CommonDtype, NamesTheFileOfAnotherType) {
  const NpyArray half = named("v.npy", DType::f16, {2, 2});
  EXPECT_EQ(common_dtype(half, half, half), DType::f16);
  EXPECT_EQ(refusal([&] {
              (void)common_dtype(f32("q.npy", {2, 2}), f32("k.npy", {2, 2}), half);
            }),
            "q.npy is f32 and v.npy is f16; convert them to one type");
}

// Tensors in memory, of two heads that share their keys.
class AttendJobs : public ::testing::Test {
 protected:
  static constexpr std::int64_t kLength = 37;

  AttendTask task() const {
    AttendTask task;
    task.c.shape = problem_.shape;
    task.c.algorithm = "ring";
    task.c.workers = 3;
    task.c.mask = MaskKind::causal;
    return task;
  }
  // Runs a job on these inputs.
  AttendJob played(const AttendTask& asked, const Inputs& inputs) {
    AttendJob job = plan_attend(asked, ledger_, 2);
    job.arguments.q = inputs.q.view();
    job.arguments.k = inputs.k.view();
    job.arguments.v = inputs.v.view();
    if (asked.backward) job.arguments.d_out = inputs.q.view();
    make_room(job);
    const AttendRun run = run_attend(job, 64);
    EXPECT_TRUE(run.verification.correct) << run.verification.message;
    EXPECT_EQ(run.verification.rows, kLength);
    EXPECT_EQ(run.backward.has_value(), asked.backward);
    return job;
  }
  static bool are_equal(const TensorView& a, const TensorView& b) {
    for (std::int64_t h = 0; h < a.extent.heads; ++h)
      for (std::int64_t t = 0; t < a.extent.length; ++t)
        if (std::memcmp(a.row(0, h, t), b.row(0, h, t),
                        static_cast<std::size_t>(a.extent.head_dim * size_of(a.dtype))) != 0)
          return false;
    return a.extent == b.extent;
  }

  const Problem problem_ = make_problem({.batch = 1,
                                         .q_heads = 2,
                                         .kv_heads = 1,
                                         .q_len = kLength,
                                         .kv_len = kLength,
                                         .head_dim = 8,
                                         .value_dim = 8},
                                        MaskKind::causal, DType::f32, 3);
  MemoryLedger ledger_;
  const Inputs inputs_ = make_inputs(problem_, heap_allocator(), 1);
};

TEST_F(AttendJobs, AreCheckedInBothPassesAndTakeNoMemoryForWhatIsGiven) {
  AttendTask asked = task();
  asked.backward = true;
  const AttendJob job = played(asked, inputs_);
  EXPECT_FALSE(job.tensors.contains("q"));
  EXPECT_TRUE(job.tensors.contains("d_k"));
}

TEST_F(AttendJobs, WriteTokensBeforeHeadsWhereAsked) {
  AttendTask asked = task();
  asked.backward = true;
  const AttendJob heads = played(asked, inputs_);
  asked.tokens_first = true;
  const AttendJob tokens = played(asked, inputs_);
  EXPECT_EQ(tokens.arguments.out.token_stride, 2 * 8);
  EXPECT_EQ(tokens.arguments.out.head_stride, 8);
  EXPECT_TRUE(are_equal(heads.arguments.out, tokens.arguments.out));
  EXPECT_TRUE(are_equal(heads.arguments.d_q, tokens.arguments.d_q));
  EXPECT_TRUE(are_equal(heads.arguments.d_k, tokens.arguments.d_k));
}

TEST_F(AttendJobs, GoOnFromTheOutputOfAnother) {
  const AttendJob forward = played(task(), inputs_);
  AttendTask asked = task();
  asked.computes_output = false;
  asked.backward = true;
  AttendJob job = plan_attend(asked, ledger_, 2);
  job.arguments.q = job.arguments.d_out = inputs_.q.view();
  job.arguments.k = inputs_.k.view();
  job.arguments.v = inputs_.v.view();
  job.arguments.out = forward.arguments.out;
  job.arguments.lse = forward.arguments.lse;
  make_room(job);
  EXPECT_TRUE(run_attend(job, 64).verification.correct);
  poison(forward.arguments.out);
  EXPECT_FALSE(run_attend(job, 64).verification.correct) << "given rows are looked at";
}

TEST_F(AttendJobs, PlayThePlanThatTheyAreGiven) {
  AttendTask asked = task();
  asked.plan = [](const Case& c, Pass pass) {
    Case zigzag = c;
    zigzag.algorithm = "zigzag";
    return checked_plan(zigzag, pass);
  };
  EXPECT_EQ(played(asked, inputs_).plan().algorithm, "zigzag");
}

TEST_F(AttendJobs, RefuseWhatWouldHaveNoEffect) {
  AttendTask asked = task();
  asked.c.interest_set = {0, 1};
  EXPECT_THAT(refusal([&] { (void)plan_attend(asked, ledger_, 1); }), HasSubstr("interest_set"));
}

}  // namespace
}  // namespace qb
