// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "base/files.h"
#include "base/status.h"
#include "harness/cli/testing/attend_fixture.h"
#include "harness/cli/verb.h"
#include "harness/verify/testing/safetensors_fakes.h"

namespace qb {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using Words = std::vector<std::string>;

class VerifyTensors : public testing_support::AttendFixture {
 protected:
  // Writes O, LSE, dO and the gradients of a causal attention.
  void compute(const Shape& shape, DType dtype, std::size_t rank, const Words& more = {}) {
    write_inputs(shape, dtype, rank);
    write("do.npy", inputs_.q.view(), rank);
    Words words = {"attend", "--mask", "causal", "--backward"};
    for (const char* const name : {"q", "k", "v", "do", "dq", "dk", "dv", "lse"})
      words.insert(words.end(), {std::string("--") + name, file(name)});
    words.insert(words.end(), {"--out", file("o")});
    words.insert(words.end(), more.begin(), more.end());
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(run_words(add_attend, words), ExitCode::ok);
    (void)::testing::internal::GetCapturedStdout();
  }

  [[nodiscard]] std::string file(const std::string& name) const {
    return scratch_.path(name + ".npy");
  }

  // The exit code and the answer, or the refusal.
  std::pair<ExitCode, std::string> verify(const std::string& tensors,
                                          Words more = {"--mask", "causal"}) {
    more.insert(more.begin(), "verify-tensors");
    std::istringstream names(tensors);
    for (std::string name; names >> name;) more.insert(more.end(), {"--" + name, file(name)});
    ExitCode code = ExitCode::usage;
    ::testing::internal::CaptureStdout();
    std::string said =
        testing_support::refusal([&] { code = run_words(add_verify_tensors, more); });
    const std::string answer = ::testing::internal::GetCapturedStdout();
    return {code, answer.empty() ? said : answer};
  }
};

TEST_F(VerifyTensors, TakesWhatIsRightInEveryLayoutAndType) {
  for (const auto& [rank, layout] :
       {std::pair{2u, "auto"}, {3u, "nhd"}, {4u, "bnhd"}, {4u, "auto"}})
    for (const DType dtype : {DType::f16, DType::f32, DType::f64}) {
      // As many heads as tokens, so that the files have the shapes of either order.
      const std::int64_t heads = rank > 2 ? 12 : 1;
      compute({rank > 3 ? 2 : 1, heads, heads, 12, 12, 4, 4}, dtype, rank, {"--layout", layout});
      const auto [code, answer] =
          verify("q k v o lse do dq dk dv", {"--mask", "causal", "--layout", layout});
      EXPECT_EQ(code, ExitCode::ok) << answer;
      EXPECT_THAT(answer, AllOf(HasSubstr("dV"), HasSubstr("agrees"), Not(HasSubstr("WRONG"))));
    }
}

TEST_F(VerifyTensors, NamesTheMistakeAndExitsWith4) {
  compute({2, 4, 2, 12, 20, 8, 8}, DType::f32, 4);
  const auto [code, answer] = verify("q k v o", {});  // the program's mask is causal
  EXPECT_EQ(code, ExitCode::regression);
  EXPECT_THAT(answer, AllOf(HasSubstr("WRONG"), HasSubstr("why O"),
                            HasSubstr("keys after the query are masked (error "),
                            HasSubstr("beside attention)")));
  EXPECT_EQ(verify("q k v do dq dk dv", {}).first, ExitCode::regression);
  EXPECT_THAT(verify("q k v o lse", {"--mask", "causal", "--scale", "0.5"}).second,
              HasSubstr("WRONG"));
}

TEST_F(VerifyTensors, JsonHasTheColumnsOfARow) {
  compute({1, 2, 2, 12, 12, 8, 8}, DType::f16, 4);
  const auto [code, answer] =
      verify("q k v o do dq dk dv", {"--mask", "causal", "--json", "--sum-roundings", "4"});
  EXPECT_EQ(code, ExitCode::ok) << answer;
  EXPECT_THAT(answer,
              AllOf(HasSubstr(R"({"correct":true,"message":"",)"),
                    HasSubstr(R"("verified_rows":"12")"), HasSubstr(R"("d_v_tolerance":")")));
  const auto [wrong, said] = verify("q k v o", {"--json"});
  EXPECT_EQ(wrong, ExitCode::regression);
  EXPECT_THAT(said, AllOf(HasSubstr(R"({"correct":false,"message":")"), Not(HasSubstr("why O"))));
}

TEST_F(VerifyTensors, ReadsOneSafetensorsFile) {
  compute({1, 2, 2, 12, 12, 4, 4}, DType::f32, 4);
  std::vector<NpyArray> tensors = {array_of("q", inputs_.q.view()), array_of("k", inputs_.k.view()),
                                   array_of("v", inputs_.v.view())};
  for (const char* const name : {"o", "lse"}) {
    tensors.push_back(read_npy(file(name)));
    tensors.back().name = name;
  }
  const std::string all =
      scratch_.file("all.safetensors", testing_support::safetensors_bytes(tensors));
  const auto [code, answer] = verify("", {"--safetensors", all, "--mask", "causal"});
  EXPECT_EQ(code, ExitCode::ok) << answer;
  EXPECT_THAT(answer, AllOf(HasSubstr("LSE"), Not(HasSubstr("dQ"))));
  EXPECT_EQ(verify("", {"--safetensors", all}).first, ExitCode::regression);
}

TEST_F(VerifyTensors, RefusesWhatDoesNotFit) {
  compute({2, 4, 2, 12, 12, 8, 8}, DType::f32, 4);
  write("short.npy", inputs_.q.view().tokens(0, 12).heads(0, 2), 4);
  for (const auto& [tensors, more, sentence] :
       {std::tuple{"q k", Words{}, "--v is missing: give --q, --k and --v, or --safetensors"},
        {"q k v", Words{}, "--o is missing: it names the output to verify"},
        {"q k v lse", Words{}, "--o is missing"},
        {"q k v dq", Words{}, "--do, --dq, --dk and --dv are verified together; give all four"},
        {"q k v", Words{"--o", file("k")}, "O must have [2, 4, 12, 8]"},
        {"q k v o", Words{"--lse", file("o")}, "LSE must have [2, 4, 12]"},
        {"q k v do dq dk dv", Words{"--softcap", "2"},
         "softcap: gradients are compared without one"},
        {"q k v o", Words{"--mask", "casual"}, "causal"}}) {
    const auto [code, answer] = verify(tensors, more);
    EXPECT_EQ(code, ExitCode::usage) << sentence;
    EXPECT_THAT(answer, HasSubstr(sentence));
  }
}

}  // namespace
}  // namespace qb
