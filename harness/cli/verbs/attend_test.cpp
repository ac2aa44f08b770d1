// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/attend_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <tuple>

#include "base/files.h"
#include "base/status.h"
#include "harness/cli/testing/attend_fixture.h"
#include "harness/cli/verb.h"
#include "harness/plan/work/work.h"
#include "harness/verify/testing/safetensors_fakes.h"
#include "harness/verify/verify.h"
#include "kernels/reference.h"

namespace qb {
namespace {

using ::testing::HasSubstr;

class Attend : public testing_support::AttendFixture {
 protected:
  // Returns the largest |O - O_ref| and |LSE - LSE_ref| of the written files, for inputs as stored
  // in the files.
  [[nodiscard]] double error_of_files(MaskKind mask, double scale) const {
    const NpyArray out = read_npy(scratch_.path("o.npy"));
    const NpyArray lse = read_npy(scratch_.path("lse.npy"));
    const Shape& s = problem_.shape;
    std::vector<std::int64_t> rows;
    for (std::int64_t row = 0; row < s.q_len; ++row) rows.push_back(row);
    const ReferenceRows reference = reference_rows(
        inputs_.q.view(), inputs_.k.view(), inputs_.v.view(),
        mask == MaskKind::full ? Mask::full() : Mask::causal(s.q_len, s.kv_len), scale, rows);
    return std::max(largest_difference(out, reference.out), largest_difference(lse, reference.lse));
  }
};

TEST_F(Attend, DecodesABatchAsItsSequences) {
  write_inputs({3, 4, 2, 1, 30, 8, 8}, DType::f32, 4);
  AttendRequest asked = request();
  asked.c.mask = MaskKind::causal;
  asked.c.workers = 2;
  asked.c.algorithm = "decode";
  asked.c.ranks = Ranks::threads;
  asked.verify = true;
  (void)attend(asked);
  EXPECT_LT(error_of_files(MaskKind::causal, problem_.scale), 1e-5);
  EXPECT_EQ(read_npy(asked.out).shape, read_npy(asked.q).shape);
}

TEST_F(Attend, ComputesAndVerifiesEveryAlgorithmMaskAndRank) {
  for (const std::size_t rank : {2u, 3u, 4u}) {
    const std::int64_t heads = rank > 2 ? 2 : 1;
    write_inputs({rank > 3 ? 2 : 1, 2 * heads - (rank == 2 ? 1 : 0), heads, 21, 30, 8, 8},
                 DType::f32, rank);
    for (const MaskKind mask : {MaskKind::full, MaskKind::causal}) {
      for (const int workers : {1, 7}) {
        AttendRequest asked = request();
        asked.c.mask = mask;
        asked.c.workers = workers;
        asked.c.algorithm = workers == 1 ? "dense" : "cqs";
        asked.c.ranks = workers == 1 ? Ranks::serial : Ranks::threads;
        asked.verify = true;
        const std::string summary = attend(asked);
        EXPECT_THAT(summary, HasSubstr(asked.c.algorithm));
        EXPECT_LT(error_of_files(mask, problem_.scale), 1e-5) << "rank " << rank;
        const NpyArray q = read_npy(asked.q);
        EXPECT_EQ(read_npy(asked.out).shape, q.shape) << "O has the rank of q";
        EXPECT_EQ(read_npy(asked.lse).shape.size(), q.shape.size() - 1);
        EXPECT_EQ(read_npy(asked.out).dtype, DType::f32);
      }
    }
  }
}

TEST_F(Attend, HonoursScaleInterestSetAndOutDtype) {
  write_inputs({1, 1, 1, 10, 10, 4, 6}, DType::f32, 2);
  AttendRequest asked = request();
  asked.c.algorithm = "cqs";
  asked.c.workers = 7;
  asked.c.interest_set = {0, 1, 3};
  asked.c.scale = 0.125;
  asked.out_dtype = DType::f16;
  asked.verify = true;
  (void)attend(asked);
  EXPECT_LT(error_of_files(MaskKind::full, 0.125), 1e-3);
  EXPECT_EQ(read_npy(asked.out).dtype, DType::f16);
  EXPECT_EQ(read_npy(asked.out).shape, (std::vector<std::int64_t>{10, 6})) << "v has 6 columns";
}

TEST_F(Attend, HonoursTheDistillation) {
  write_inputs({1, 2, 2, 40, 40, 8, 8}, DType::f32, 3);
  for (const MaskKind mask : {MaskKind::full, MaskKind::causal}) {
    AttendRequest asked = request();
    asked.c.algorithm = "cqs";
    asked.c.workers = 4;
    asked.c.mask = mask;
    asked.verify = true;
    const auto busiest = [&](Distillation distillation) {
      asked.c.distillation = distillation;
      std::int64_t pairs = 0;
      EXPECT_THAT(attend(asked,
                         [&](Ranks ranks, const Plan& plan, const ExecutionArguments& arguments) {
                           pairs = model_work(plan, Kernel::reference).critical_path_pairs;
                           return execute(ranks, plan, arguments);
                         }),
                  HasSubstr("cqs, 4 workers"));
      EXPECT_LT(error_of_files(mask, problem_.scale), 1e-5);
      return pairs;
    };
    EXPECT_LT(busiest(Distillation::balanced), busiest(Distillation::published)) << word(mask);
  }
  AttendRequest asked = request();
  asked.c.distillation = Distillation::balanced;
  EXPECT_THROW((void)attend(asked), UsageError) << "dense has none";
}

TEST_F(Attend, ComputesF64InputsInF32UnlessTheKernelIsReference) {
  write_inputs({1, 2, 1, 12, 12, 4, 4}, DType::f64, 3);
  for (const Kernel kernel : {Kernel::flash, Kernel::reference}) {
    AttendRequest asked = request();
    asked.c.kernel = kernel;
    asked.verify = true;
    EXPECT_THAT(attend(asked), HasSubstr(kernel == Kernel::flash ? "f32, full" : "f64, full"));
    EXPECT_LT(error_of_files(MaskKind::full, problem_.scale), 1e-5);
  }
}

TEST_F(Attend, RefusesWhatDoesNotFitAndWritesNothing) {
  write_inputs({1, 2, 1, 12, 12, 4, 4}, DType::f32, 3);
  AttendRequest asked = request();
  asked.k = scratch_.path("missing.npy");
  expect_refused<UsageError>(asked, "missing.npy");

  asked = request();
  asked.c.algorithm = "cqs";
  asked.c.workers = 2;
  expect_refused<Unsupported>(asked, "at least 3 workers");

  asked = request();
  asked.c.algorithm = "cqs";
  asked.c.workers = 7;
  asked.c.interest_set = {0, 1, 2};
  expect_refused<UsageError>(asked, "0,1,2");

  asked = request();
  asked.out_dtype = DType::bf16;
  expect_refused<UsageError>(asked, "NPY files have no bf16");

  asked = request();
  asked.lse = asked.out;
  expect_refused<UsageError>(asked, "choose two files");

  asked = request();
  asked.out.clear();
  expect_refused<UsageError>(asked, "--out is missing: it names the file for O");

  asked = request();
  asked.out = scratch_.path("no_such_folder/o.npy");
  expect_refused<EnvironmentError>(asked, "cannot write");

  asked = request();
  asked.c.memory_budget_bytes = 100;
  expect_refused<OutOfMemory>(asked, "q needs 384 B with 0 B in use, over the budget of 100 B");

  float* v = inputs_.v.view().row_as<float>(0, 0, 7);
  v[3] = std::numeric_limits<float>::quiet_NaN();
  write("v.npy", inputs_.v.view(), 3);
  expect_refused<UsageError>(request(), "v.npy holds nan at [0, 7, 3]");
}

// This executor is wrong in one element.
Execution wrong_executor(Ranks ranks, const Plan& plan, const ExecutionArguments& arguments) {
  Execution execution = execute(ranks, plan, arguments);
  arguments.out.row_as<float>(0, 1, 5)[2] += 0.01f;
  return execution;
}

// This executor forgets a row.
Execution forgetful_executor(Ranks ranks, const Plan& plan, const ExecutionArguments& arguments) {
  Execution execution = execute(ranks, plan, arguments);
  poison(arguments.out.tokens(9, 1), arguments.lse.tokens(9, 1));
  return execution;
}

TEST_F(Attend, AFailedVerificationExitsFourAndWritesNothing) {
  write_inputs({1, 2, 1, 12, 12, 4, 4}, DType::f32, 3);
  AttendRequest asked = request();
  asked.verify = true;
  try {
    (void)attend(asked, wrong_executor);
    FAIL() << "a wrong output passed";
  } catch (const ExitError& error) {
    EXPECT_EQ(error.code(), ExitCode::regression);
    EXPECT_THAT(error.what(), HasSubstr("O at batch 0, head 1, row 5, element 2 is"));
  }
  expect_nothing_written();
}

TEST_F(Attend, AnUnwrittenRowIsFoundWithoutAskingForVerification) {
  write_inputs({1, 2, 1, 12, 12, 4, 4}, DType::f32, 3);
  try {
    (void)attend(request(), forgetful_executor);
    FAIL() << "an output with a hole passed";
  } catch (const ExitError& error) {
    EXPECT_EQ(error.code(), ExitCode::regression);
    EXPECT_THAT(error.what(), HasSubstr("row 9"));
  }
  expect_nothing_written();
}

TEST_F(Attend, RunsFromTheCommandLine) {
  write_inputs({1, 2, 1, 12, 12, 4, 4}, DType::f16, 3);
  const AttendRequest asked = request();
  const std::vector<std::string> words = {
      "attend",  "--q",     asked.q,     "--k",      asked.k,        "--v",     asked.v,
      "--out",   asked.out, "--lse",     asked.lse,  "--algorithm",  "cqs",     "--workers",
      "4",       "--mask",  "causal",    "--kernel", "materialized", "--scale", "0.5",
      "--ranks", "threads", "--threads", "2",        "--out-dtype",  "f16",     "--memory-budget",
      "1MiB",    "--verify"};
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(run_words(add_attend, words), ExitCode::ok);
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), HasSubstr("cqs, 4 workers, threads"));
  EXPECT_LT(error_of_files(MaskKind::causal, 0.5), 4e-3);
  EXPECT_EQ(read_npy(asked.out).dtype, DType::f16);
}

TEST_F(Attend, TakesItsInputsFromOneSafetensorsFileOrFromThree) {
  write_inputs({1, 2, 2, 12, 12, 4, 4}, DType::f32, 4);
  const AttendRequest asked = request();
  const std::string file = scratch_.file(
      "qkv.safetensors", testing_support::safetensors_bytes({array_of("q", inputs_.q.view()),
                                                             array_of("k", inputs_.k.view()),
                                                             array_of("v", inputs_.v.view())}));
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "attend");
    words.insert(words.end(), {"--out", asked.out});
    ::testing::internal::CaptureStdout();
    const std::string said = testing_support::refusal([&] { (void)run_words(add_attend, words); });
    (void)::testing::internal::GetCapturedStdout();
    return said;
  };
  EXPECT_EQ(run({"--q", asked.q, "--k", asked.k, "--v", asked.v}), "nothing was refused");
  const NpyArray of_three = read_npy(asked.out);
  (void)scratch_.file("o.npy", "");
  EXPECT_EQ(run({"--safetensors", file}), "nothing was refused");
  EXPECT_EQ(read_npy(asked.out).data, of_three.data);
  EXPECT_THAT(run({"--safetensors", file, "--q", asked.q}), HasSubstr("excludes --q"));
  EXPECT_THAT(run({"--safetensors", file, "--dtype", "bf16"}), HasSubstr("excludes --dtype"));
  EXPECT_EQ(run({"--q", asked.q, "--v", asked.v}),
            "--k is missing: give --q, --k and --v, or --safetensors with all three");
  EXPECT_THAT(run({"--safetensors", file, "--backward", "--dq", "dq.npy", "--dk", "dk.npy", "--dv",
                   "dv.npy"}),
              HasSubstr("qkv.safetensors: has no tensor 'do', but q, k, v; save"));
  EXPECT_THAT(run({"--safetensors", asked.q}), HasSubstr("q.npy: is not a safetensors file"));
  EXPECT_THAT(run({"--q", file, "--k", asked.k, "--v", asked.v}),
              HasSubstr("is not an NPY file: it does not begin with \\x93NUMPY"));
}

TEST_F(Attend, TakesTokensBeforeHeadsAndWritesThemSo) {
  for (const std::size_t rank : {3u, 4u}) {
    const std::int64_t batch = rank == 4 ? 2 : 1;
    write_inputs({batch, 4, 2, 6, 9, 8, 8}, DType::f32, rank);
    AttendRequest asked = request();
    (void)attend(asked);
    const NpyArray out = testing_support::tokens_first(read_npy(asked.out), batch, 4, 6, 8);
    const NpyArray lse = testing_support::tokens_first(read_npy(asked.lse), batch, 4, 6, 1);
    for (const auto& [name, heads, tokens] :
         {std::tuple{"q.npy", 4, 6}, {"k.npy", 2, 9}, {"v.npy", 2, 9}}) {
      const NpyArray swapped =
          testing_support::tokens_first(read_npy(scratch_.path(name)), batch, heads, tokens, 8);
      (void)scratch_.file(name, npy_bytes(swapped.dtype, swapped.shape, swapped.data.data()));
    }
    asked.layout = rank == 4 ? AxisOrder::bnhd : AxisOrder::nhd;
    (void)attend(asked);
    EXPECT_EQ(read_npy(asked.out).shape, out.shape);
    EXPECT_EQ(read_npy(asked.out).data, out.data);
    EXPECT_EQ(read_npy(asked.lse).shape, lse.shape);
    EXPECT_EQ(read_npy(asked.lse).data, lse.data);
  }
}

TEST_F(Attend, ALayoutOfOtherAxesThanTheFileIsRefused) {
  write_inputs({1, 2, 1, 12, 12, 4, 4}, DType::f32, 3);
  AttendRequest asked = request();
  asked.layout = AxisOrder::bnhd;
  expect_refused<UsageError>(asked, "q.npy has shape [2, 12, 4]; layout bnhd needs 4 axes");
}

TEST_F(Attend, MoreHeadsThanTokensAreProbablySwappedAxes) {
  write_inputs({1, 12, 12, 4, 4, 8, 8}, DType::f32, 3);
  AttendRequest asked = request();
  EXPECT_THAT(attend(asked),
              HasSubstr("there are more heads (12) than tokens (4): if the files have "
                        "tokens before heads, say --layout nhd"));
  asked.layout = AxisOrder::hnd;
  EXPECT_THAT(attend(asked), ::testing::Not(HasSubstr("more heads"))) << "the user has said it";
  write_inputs({1, 12, 4, 1, 16, 8, 8}, DType::f32, 3);
  EXPECT_THAT(attend(request()), ::testing::Not(HasSubstr("more heads"))) << "one new token";
}

}  // namespace
}  // namespace qb
