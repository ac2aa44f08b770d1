// SPDX-License-Identifier: Apache-2.0
// `qb attend --backward`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "harness/cli/testing/attend_fixture.h"
#include "harness/cli/verb.h"
#include "harness/verify/testing/safetensors_fakes.h"
#include "harness/verify/verify.h"
#include "kernels/reference_gradients.h"

namespace qb {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class AttendBackward : public testing_support::AttendFixture {
 protected:
  void write_all(const Shape& shape, DType dtype, std::size_t rank) {
    write_inputs(shape, dtype, rank);
    d_out_ = make_input(problem_, TensorRole::d_out, heap_allocator(), 1, "d_out");
    write("do.npy", d_out_.view(), rank);
  }

  // O and LSE have no names.
  [[nodiscard]] AttendRequest backward_request() const {
    AttendRequest asked = request();
    asked.out.clear();
    asked.lse.clear();
    asked.backward = true;
    asked.d_out = scratch_.path("do.npy");
    asked.d_q = scratch_.path("dq.npy");
    asked.d_k = scratch_.path("dk.npy");
    asked.d_v = scratch_.path("dv.npy");
    return asked;
  }
  // The same, after a forward pass that has saved what it reads.
  [[nodiscard]] AttendRequest saved_request() const {
    AttendRequest asked = backward_request();
    asked.saved_out = scratch_.path("o.npy");
    asked.saved_lse = scratch_.path("saved.npy");
    return asked;
  }

  // Returns the largest error of the written gradients, for inputs as stored in the files.
  [[nodiscard]] double error_of_gradients(MaskKind mask) const {
    const Shape& s = problem_.shape;
    const ReferenceGradients right = reference_gradients(
        {.q = inputs_.q.view(),
         .k = inputs_.k.view(),
         .v = inputs_.v.view(),
         .d_out = d_out_.view(),
         .mask = mask == MaskKind::full ? Mask::full() : Mask::causal(s.q_len, s.kv_len),
         .scale = problem_.scale});
    return std::max({largest_difference(read_npy(scratch_.path("dq.npy")), right.d_q),
                     largest_difference(read_npy(scratch_.path("dk.npy")), right.d_k),
                     largest_difference(read_npy(scratch_.path("dv.npy")), right.d_v)});
  }

  [[nodiscard]] std::vector<NpyArray> written_gradients() const {
    return {read_npy(scratch_.path("dq.npy")), read_npy(scratch_.path("dk.npy")),
            read_npy(scratch_.path("dv.npy"))};
  }

  [[nodiscard]] bool exists(const char* name) const {
    return std::filesystem::exists(scratch_.path(name));
  }

  Tensor d_out_;
};

TEST_F(AttendBackward, TakesEachTypeFromOneSafetensorsFile) {
  for (const DType dtype : {DType::bf16, DType::f16, DType::f32}) {
    problem_ = make_problem({2, 4, 2, 21, 21, 8, 8}, MaskKind::full, dtype, 3);
    inputs_ = make_inputs(problem_, heap_allocator(), 1);
    d_out_ = make_input(problem_, TensorRole::d_out, heap_allocator(), 1, "d_out");
    AttendRequest asked = backward_request();
    asked.safetensors = scratch_.file(
        "all.safetensors", testing_support::safetensors_bytes(
                               {array_of("do", d_out_.view()), array_of("v", inputs_.v.view()),
                                array_of("q", inputs_.q.view()), array_of("k", inputs_.k.view())}));
    asked.q = asked.k = asked.v = asked.d_out = "";
    asked.c.algorithm = "zigzag";
    asked.c.workers = 2;
    asked.verify = true;
    EXPECT_THAT(attend(asked), HasSubstr(std::string(word(dtype)) + ", full"));
    EXPECT_LT(error_of_gradients(MaskKind::full), dtype == DType::f32 ? 5e-5 : 0.05);
  }
}

TEST_F(AttendBackward, ComputesAndVerifiesEveryAlgorithmMaskAndRank) {
  for (const std::size_t rank : {2u, 3u, 4u}) {
    const std::int64_t heads = rank > 2 ? 2 : 1;
    write_all({rank > 3 ? 2 : 1, 2 * heads - (rank == 2 ? 1 : 0), heads, 21, 30, 8, 8}, DType::f32,
              rank);
    for (const MaskKind mask : {MaskKind::full, MaskKind::causal})
      for (const auto& [algorithm, workers] : {std::pair{"dense", 1},
                                               {"cqs", 7},
                                               {"cqs_sharded", 4},
                                               {"ring", 3},
                                               {"burst", 4},
                                               {"all_gather_kv", 2}}) {
        SCOPED_TRACE(algorithm);
        AttendRequest asked = backward_request();
        asked.c.algorithm = algorithm;
        asked.c.workers = workers;
        asked.c.mask = mask;
        asked.c.ranks = workers % 2 == 0 ? Ranks::threads : Ranks::serial;
        asked.verify = true;
        EXPECT_THAT(attend(asked), AllOf(HasSubstr(algorithm), HasSubstr("backward pass"),
                                         HasSubstr("error of dK"), HasSubstr("keys a head")));
        EXPECT_LT(error_of_gradients(mask), 5e-5) << "rank " << rank;
        EXPECT_EQ(read_npy(asked.d_q).shape, read_npy(asked.q).shape);
        EXPECT_EQ(read_npy(asked.d_k).shape, read_npy(asked.k).shape);
        EXPECT_EQ(read_npy(asked.d_v).shape, read_npy(asked.v).shape);
        EXPECT_FALSE(exists("o.npy")) << "it has no name";
      }
  }
}

TEST_F(AttendBackward, TakesWideValuesAndHonoursTheOutDtype) {
  write_all({1, 2, 2, 12, 12, 4, 6}, DType::f16, 3);
  AttendRequest asked = backward_request();
  asked.out_dtype = DType::f16;
  asked.verify = true;
  (void)attend(asked);
  EXPECT_LT(error_of_gradients(MaskKind::full), 1e-2);
  EXPECT_EQ(read_npy(asked.d_v).dtype, DType::f16);
  EXPECT_EQ(read_npy(asked.d_v).shape, (std::vector<std::int64_t>{2, 12, 6}));
  EXPECT_EQ(read_npy(asked.d_q).shape, (std::vector<std::int64_t>{2, 12, 4}));
}

TEST_F(AttendBackward, WritesOAndLseWhereTheyHaveNames) {
  write_all({1, 2, 1, 12, 12, 4, 4}, DType::f32, 3);
  AttendRequest asked = backward_request();
  asked.out = scratch_.path("o.npy");
  asked.lse = scratch_.path("lse.npy");
  EXPECT_THAT(attend(asked), HasSubstr("forward wall clock"));
  EXPECT_EQ(read_npy(asked.out).shape, (std::vector<std::int64_t>{2, 12, 4}));
  EXPECT_EQ(read_npy(asked.lse).shape, (std::vector<std::int64_t>{2, 12}));
}

TEST_F(AttendBackward, KeepsOWhereAFileTakesItAndItsPeakIsPredicted) {
  write_all({1, 8, 2, 64, 64, 16, 16}, DType::f32, 3);
  const double out_bytes = 8 * 64 * 16 * 4;
  const auto peak = [](const AttendRequest& asked) {
    double predicted = 0.0;
    const std::string summary = attend(asked);
    EXPECT_EQ(std::sscanf(summary.substr(summary.find("peak ")).c_str(),
                          "peak %*f KiB, predicted %lf", &predicted),
              1)
        << summary;
    EXPECT_THAT(summary,
                HasSubstr(fmt::format("peak {0:.2f} KiB, predicted {0:.2f} KiB", predicted)));
    return predicted * 1024;
  };
  AttendRequest asked = backward_request();
  const double without = peak(asked);
  const std::vector<NpyArray> gradients = written_gradients();
  asked.out = scratch_.path("o.npy");
  EXPECT_NEAR(peak(asked) - without, out_bytes, 16);
  const std::vector<NpyArray> same = written_gradients();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(same[i].data, gradients[i].data);
}

TEST_F(AttendBackward, ReadsWhatAForwardPassHasSaved) {
  write_all({1, 2, 1, 12, 12, 4, 4}, DType::f32, 3);
  (void)attend(backward_request());
  const std::vector<NpyArray> computed = written_gradients();
  AttendRequest forward = request();
  forward.save_lse = scratch_.path("saved.npy");
  (void)attend(forward);
  EXPECT_EQ(read_npy(forward.save_lse).shape, (std::vector<std::int64_t>{2, 12, 2}));
  AttendRequest asked = saved_request();
  std::vector<Pass> passes;
  const std::string summary =
      attend(asked, [&](Ranks ranks, const Plan& plan, const ExecutionArguments& arguments) {
        passes.push_back(plan.pass);
        return execute(ranks, plan, arguments);
      });
  EXPECT_THAT(passes, ::testing::ElementsAre(Pass::backward));
  EXPECT_THAT(summary, AllOf(HasSubstr("O and LSE"), Not(HasSubstr("forward wall clock"))));
  const std::vector<NpyArray> read = written_gradients();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(read[i].data, computed[i].data);
}

TEST_F(AttendBackward, AnOutputIsNeverAnInput) {
  write_all({1, 2, 1, 12, 12, 4, 4}, DType::f32, 3);
  (void)scratch_.file("o.npy", "of an earlier run");
  AttendRequest asked = backward_request();
  asked.out = scratch_.path("o.npy");
  (void)attend(asked);
  EXPECT_EQ(read_npy(asked.out).shape, (std::vector<std::int64_t>{2, 12, 4}));
  asked.saved_out = asked.out;
  asked.saved_lse = scratch_.path("saved.npy");
  EXPECT_THROW((void)attend(asked), UsageError);
}

TEST_F(AttendBackward, OAndLseOfOtherTensorsAreRefused) {
  write_all({1, 2, 1, 12, 12, 4, 4}, DType::f32, 3);
  AttendRequest forward = request();
  forward.save_lse = scratch_.path("saved.npy");
  (void)attend(forward);
  inputs_.q.view().row_as<float>(0, 1, 0)[2] += 1.0f;
  write("q.npy", inputs_.q.view(), 3);
  AttendRequest asked = saved_request();
  try {
    (void)attend(asked);
    FAIL() << "stale files passed";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("saved.npy are not O and LSE of these tensors: O at batch "
                                        "0, head 1, row 0"));
  }
  asked.saved_lse.clear();
  EXPECT_THROW((void)attend(asked), UsageError) << "only one of the two is named";
  EXPECT_FALSE(exists("dq.npy"));
}

// With equal keys O is the mean of V at any score. One float of LSE would not tell that at this
// one.
TEST_F(AttendBackward, AnErrorOfOThatOneNumberOfLseWouldExcuseIsRefused) {
  write_all({1, 2, 1, 12, 12, 4, 4}, DType::f32, 3);
  for (std::int64_t key = 1; key < 12; ++key)
    std::copy_n(inputs_.k.view().row_as<float>(0, 0, 0), 4,
                inputs_.k.view().row_as<float>(0, 0, key));
  write("k.npy", inputs_.k.view(), 3);
  AttendRequest forward = request();
  forward.c.scale = 1e4;
  forward.save_lse = scratch_.path("saved.npy");
  (void)attend(forward);
  AttendRequest asked = saved_request();
  asked.c.scale = forward.c.scale;
  EXPECT_THAT(attend(asked), HasSubstr("O and LSE"));

  NpyArray out = read_npy(forward.out);
  reinterpret_cast<float*>(out.data.data())[0] += 1e-3f;
  (void)scratch_.file("o.npy", npy_bytes(out.dtype, out.shape, out.data.data()));
  try {
    (void)attend(asked);
    FAIL() << "a wrong O passed";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("O at batch 0, head 0, row 0, element 0 is"));
  }
}

TEST_F(AttendBackward, RefusesWhatDoesNotFitAndWritesNothing) {
  write_all({1, 2, 1, 12, 12, 4, 4}, DType::f32, 3);
  AttendRequest asked = backward_request();
  asked.d_out.clear();
  asked.d_k.clear();
  expect_refused<UsageError>(asked,
                             "--backward needs --do, --dk: it reads dO, and writes dQ, dK and dV");

  asked = backward_request();
  asked.d_v = asked.d_k;
  expect_refused<UsageError>(asked, "--dk and --dv are both");

  asked = backward_request();
  asked.d_v = scratch_.path("no_such_folder/dv.npy");
  expect_refused<EnvironmentError>(asked, "cannot write");

  asked = backward_request();
  asked.c.algorithm = "pass_q";
  asked.c.workers = 3;
  expect_refused<Unsupported>(asked, "pass_q has no backward pass");

  asked = backward_request();
  asked.c.kernel = Kernel::staged;
  expect_refused<Unsupported>(asked, "kernel staged has no backward pass on the CPU");

  write("do.npy", d_out_.view().tokens(0, 11), 3);
  expect_refused<UsageError>(backward_request(),
                             "do.npy has shape [2, 11, 4]; dO must have [2, 12, 4]");

  const Tensor half(heap_allocator(), DType::f16, problem_.shape.out(), "d_out");
  fill_normal(half.view(), 11, 1);
  write("do.npy", half.view(), 3);
  expect_refused<UsageError>(backward_request(), "do.npy is f16; convert them to one type");

  d_out_.view().row_as<float>(0, 1, 3)[1] = std::numeric_limits<float>::quiet_NaN();
  write("do.npy", d_out_.view(), 3);
  expect_refused<UsageError>(backward_request(), "do.npy holds nan at [1, 3, 1]");
}

// This executor is wrong in one element of dK.
Execution wrong_backward(Ranks ranks, const Plan& plan, const ExecutionArguments& arguments) {
  Execution execution = execute(ranks, plan, arguments);
  if (plan.pass == Pass::backward) arguments.d_k.row_as<float>(0, 0, 5)[2] += 0.01f;
  return execution;
}

// This executor forgets a row of dV.
Execution forgetful_backward(Ranks ranks, const Plan& plan, const ExecutionArguments& arguments) {
  Execution execution = execute(ranks, plan, arguments);
  if (plan.pass == Pass::backward) poison(arguments.d_v.tokens(9, 1));
  return execution;
}

TEST_F(AttendBackward, AWrongGradientExitsFourAndWritesNothing) {
  write_all({1, 2, 1, 12, 12, 4, 4}, DType::f32, 3);
  using Broken = std::pair<decltype(&wrong_backward), const char*>;
  for (const auto& [executor, what] :
       {Broken{wrong_backward, "dK at batch 0, head 0, key 5, element 2 is"},
        Broken{forgetful_backward, "dV at batch 0, head 0, key 9, element 0 is"}}) {
    AttendRequest asked = backward_request();
    asked.out = scratch_.path("o.npy");
    asked.verify = executor == wrong_backward;  // a hole is found without
    try {
      (void)attend(asked, executor);
      FAIL() << "a wrong gradient passed";
    } catch (const ExitError& error) {
      EXPECT_EQ(error.code(), ExitCode::regression);
      EXPECT_THAT(error.what(), HasSubstr(what));
    }
    expect_nothing_written();
  }
}

TEST_F(AttendBackward, TakesTokensBeforeHeadsAndWritesThemSo) {
  write_all({1, 4, 2, 6, 9, 8, 8}, DType::f32, 3);
  AttendRequest asked = backward_request();
  (void)attend(asked);
  const std::vector<NpyArray> heads_first = written_gradients();
  for (const auto& [name, heads, tokens] :
       {std::tuple{"q.npy", 4, 6}, {"k.npy", 2, 9}, {"v.npy", 2, 9}, {"do.npy", 4, 6}}) {
    const NpyArray swapped =
        testing_support::tokens_first(read_npy(scratch_.path(name)), 1, heads, tokens, 8);
    (void)scratch_.file(name, npy_bytes(swapped.dtype, swapped.shape, swapped.data.data()));
  }
  asked.layout = AxisOrder::nhd;
  // The second time O and LSE are read as they were written, with tokens before heads.
  asked.out = scratch_.path("o.npy");
  asked.save_lse = scratch_.path("saved.npy");
  for (int time = 0; time < 2; ++time) {
    (void)attend(asked);
    const std::vector<NpyArray> gradients = written_gradients();
    for (std::size_t i = 0; i < 3; ++i) {
      const NpyArray expected =
          testing_support::tokens_first(heads_first[i], 1, i == 0 ? 4 : 2, i == 0 ? 6 : 9, 8);
      EXPECT_EQ(gradients[i].shape, expected.shape);
      EXPECT_EQ(gradients[i].data, expected.data);
    }
    asked = saved_request();
    asked.layout = AxisOrder::nhd;
  }
}

TEST_F(AttendBackward, RunsFromTheCommandLine) {
  write_all({1, 2, 1, 12, 12, 4, 4}, DType::f32, 3);
  const AttendRequest asked = backward_request();
  std::vector<std::string> words = {"attend",  "--q",   asked.q,  "--k",       asked.k,
                                    "--v",     asked.v, "--do",   asked.d_out, "--dq",
                                    asked.d_q, "--dk",  asked.d_k};
  const auto refusal = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    try {
      (void)run_words(add_attend, all);
      return std::string("nothing was refused");
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(refusal({"--out", scratch_.path("o.npy")}), HasSubstr("--backward"));
  EXPECT_THAT(refusal({"--backward"}), HasSubstr("--backward needs --dv: it reads dO"));
  words.insert(words.end(),
               {"--backward", "--dv", asked.d_v, "--algorithm", "zigzag", "--workers", "2",
                "--mask", "causal", "--ranks", "threads", "--threads", "2", "--verify"});
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(run_words(add_attend, words), ExitCode::ok);
  EXPECT_THAT(::testing::internal::GetCapturedStdout(),
              HasSubstr("zigzag, 2 workers, threads, backward pass"));
  EXPECT_LT(error_of_gradients(MaskKind::causal), 5e-5);
}

}  // namespace
}  // namespace qb
