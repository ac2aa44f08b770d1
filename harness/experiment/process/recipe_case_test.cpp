// SPDX-License-Identifier: Apache-2.0
// A spec whose algorithm is a file that qb.sweep() of Python writes, from its text to a verified
// row.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/scratch_folder.h"
#include "harness/experiment/spec/spec.h"
#include "harness/experiment/testing/open_cases.h"

namespace qb {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kQueriesGoRound =
    R"({"name": "own", "plans": [{"workers": 3, "deal": "contiguous", "forward": [)"
    R"([[0, 0, 0], [1, -1, 0], [2, -2, 0]], [[0, 1, "p2p", "Q", 0], [1, 1, "p2p", "Q", -1],)"
    R"( [2, -1, "all_to_all", "partial", -1], [2, -2, "all_to_all", "partial", -2]]],)"
    R"( "backward": [[], []]}]})";
constexpr std::string_view kKeysGoRound =
    R"({"name": "own", "plans": [{"workers": 3, "deal": "contiguous", "forward": [)"
    R"([[0, 0, 0], [1, 0, -1], [2, 0, -2]], [[0, 1, "p2p", "K", 0], [0, 1, "p2p", "V", 0],)"
    R"( [1, 1, "p2p", "K", -1], [1, 1, "p2p", "V", -1]]], "backward": [[], []]}]})";

class RecipeCases : public testing::Test {
 protected:
  [[nodiscard]] Spec spec_of(std::string_view recipe, const std::string& lines) const {
    return parse_spec(
        "experiment: own\nalgorithm: " + scratch_.file("own.3f.json", std::string(recipe)) +
            "\nworkers: 3\nn_tokens: 48\nq_heads: 2\nhead_dim: 16\ndevice: cpu\n"
            "measure: {warmups: 0, repeats: 1}\n" +
            lines,
        "own.yaml", {});
  }
  // What a device sends, of a run that is verified.
  [[nodiscard]] double sent_bytes(std::string_view recipe, const std::string& lines) const {
    double sent = 0.0;
    for (const Case& c : spec_of(recipe, lines).cases) {
      const CaseResult result = run_open_case(c, "");
      EXPECT_EQ(result.status, Status::ok) << lines << result.message;
      EXPECT_GT(result.values.number("verified_rows"), 0.0);
      sent = result.values.number("device_sent_bytes");
    }
    return sent;
  }
  [[nodiscard]] std::string refused(std::string_view recipe, const std::string& lines) const {
    try {
      (void)spec_of(recipe, lines);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "nothing was refused";
  }
  ScratchFolder scratch_;
};

TEST_F(RecipeCases, SendPartialsAndTheirLseAsTheSpecSays) {
  for (const std::string ranks : {"", "ranks: threads\n"}) {
    const double plain = sent_bytes(kQueriesGoRound, ranks);
    // Two partials of 16 rows, 2 heads and 16 columns.
    EXPECT_EQ(sent_bytes(kQueriesGoRound, ranks + "partial_dtype: bf16\n"),
              plain - 2.0 * 16 * 2 * 16 * 2);
    EXPECT_EQ(sent_bytes(kQueriesGoRound, ranks + "lse: two\n"), plain + 2.0 * 16 * 2 * 4);
    EXPECT_EQ(sent_bytes(kQueriesGoRound, ranks + "partial_dtype: bf16\nlse: two\n"),
              plain - 2.0 * 16 * 2 * (16 * 2 - 4));
  }
}

TEST_F(RecipeCases, HoldResidentTokens) {
  for (const std::string_view recipe : {kQueriesGoRound, kKeysGoRound})
    for (const std::string mask : {"full", "causal"})
      EXPECT_GT(sent_bytes(recipe, "resident_tokens: 9\nmask: " + mask + "\n"), 0.0);
}

TEST_F(RecipeCases, ThatSendNoPartialsRefuseTheirType) {
  EXPECT_GT(sent_bytes(kKeysGoRound, ""), 0.0);
  EXPECT_THAT(refused(kKeysGoRound, "partial_dtype: bf16\n"),
              testing::AllOf(HasSubstr("own.yaml:9:16: partial_dtype: bf16 needs algorithm: "),
                             HasSubstr("own.3f.json; other algorithms send no partials")));
  EXPECT_THAT(refused(kKeysGoRound, "lse: two\n"),
              HasSubstr("own.3f.json; other plans of this pass send no LSE"));
}

}  // namespace
}  // namespace qb
