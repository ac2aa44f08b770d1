// SPDX-License-Identifier: Apache-2.0
// `qb bounds` through the real binary.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/csv.h"
#include "base/numbers.h"
#include "harness/cli/testing/run_binary.h"
#include "harness/execute/model/scheme_forecast.h"

namespace qb {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing_support::run_qb;
using testing_support::Said;

// Returns what `qb bounds WORDS` prints.
std::string bounds(const std::string& words) {
  const Said said = run_qb("bounds " + words);
  EXPECT_EQ(said.exit_code, 0) << said.err;
  return said.out;
}

CsvTable csv_of(const std::string& words) {
  return CsvTable::parse(bounds(words + " --csv"), "csv");
}

TEST(Bounds, AMachineOfOnesOwn) {
  const std::string machine = "min-block --compute 312e12 --bandwidth 300e9 --q-heads 32 ";
  EXPECT_EQ(bounds(machine + "--kv-heads 8 --csv"),
            "blocks,min_tokens_per_worker\n"
            "whole blocks,260.0\n"
            "\"balanced causal (striped, zigzag)\",520.0\n");
  EXPECT_EQ(run_qb("bounds " + machine + "--kv-heads 5").exit_code, 2);
}

std::vector<std::string> row_of(const CsvTable& csv, std::string_view scheme) {
  for (std::size_t row = 0; row < csv.size(); ++row)
    if (csv.text(row, "scheme") == scheme) return csv.row(row);
  return {};
}

TEST(Bounds, BytesHaveARowForEachTransferAndATotalForEachScheme) {
  const std::string words =
      "bytes --n-tokens 8192 --workers 8 --q-heads 8 --kv-heads 2 --head-dim 64";
  EXPECT_THAT(row_of(csv_of(words), "pass_kv"),
              ElementsAre("forward", "pass_kv", "ring hop", "sent", "7", "524288", "3670016",
                          "3670016", "3670016", "2 (P/W + T/W) NKV d e", "", ""));
  // 7 MiB of hops, 14.22 MiB of partials
  EXPECT_THAT(bounds(words), AllOf(HasSubstr("pass_kv 3.50 MiB"), HasSubstr("pass_q 21.22 MiB")));
}

TEST(Bounds, BytesOfABackwardPassFollowThoseOfTheForwardPass) {
  const std::string words =
      "bytes --n-tokens 8192 --workers 8 --q-heads 8 --kv-heads 8 --head-dim 64 ";
  const CsvTable csv = csv_of(words);
  const CsvTable backward = csv_of(words + "--pass backward");
  const CsvTable forward = csv_of(words + "--pass forward");
  ASSERT_EQ(csv.size(), forward.size() + backward.size());
  for (std::size_t row = 0; row < csv.size(); ++row)
    EXPECT_EQ(csv.row(row),
              row < forward.size() ? forward.row(row) : backward.row(row - forward.size()));
  // Shards of 1024 tokens: 7 hops of K and V in two bytes, 8 of dK and dV in four.
  EXPECT_THAT(row_of(backward, "pass_kv"),
              ElementsAre("backward", "pass_kv", "ring hop of K, V", "sent", "7", "2097152",
                          "14680064", "48234496", "48234496", "2 (P/W + T/W) NKV d e", "", ""));
  EXPECT_THAT(bounds(words),
              AllOf(HasSubstr("In the forward pass a worker sends, by the plan of the scheme, in "
                              "all: cqs "),
                    HasSubstr(", pass_kv 14.00 MiB"),
                    HasSubstr("In the backward pass a worker sends, by the plan of the scheme, in "
                              "all: "),
                    HasSubstr("pass_kv 46.00 MiB, burst 30.44 MiB")));
}

TEST(Bounds, FormulasOfAPassAddUpToTheirPlansOrSayWhyTheyDoNot) {
  const std::string even = "bytes --n-tokens 7000 --workers 7 --q-heads 7 --pass backward";
  EXPECT_THAT(bounds(even), HasSubstr("The formulas of 12 of 12 schemes add up to that.\n"));
  const std::string odd = "bytes --n-tokens 8193 --workers 8 --q-heads 8 --pass backward";
  EXPECT_THAT(bounds(odd), AllOf(HasSubstr("schemes add up to that; the rows of the others say"),
                                 HasSubstr("; the plan sends shorter shards as they are")));
  const CsvTable csv = csv_of(odd);
  for (std::size_t row = 0; row < csv.size(); ++row)
    EXPECT_EQ(csv.text(row, "difference").empty(),
              csv.text(row, "formulas_sent_bytes") == csv.text(row, "device_sent_bytes"))
        << csv.text(row, "scheme");
}

TEST(Bounds, UlyssesReturnsOutputsAsPartialsAsItsPlanDoes) {
  const std::string words =
      "bytes --n-tokens 128Ki --workers 8 --q-heads 32 --kv-heads 8 --head-dim 128";
  const std::string text = bounds(words);
  EXPECT_THAT(text, AllOf(HasSubstr("ulysses 393.75 MiB"), Not(HasSubstr("shorter shards"))));
  EXPECT_THAT(text, HasSubstr("2 (W-1)/W T (NH d + 2 NH) p; worker 0 of the plan's tree sends"));
  EXPECT_THAT(bounds("bytes --n-tokens 99 --workers 2 --q-heads 2"),
              HasSubstr("((P+T)/W)) d e; the plan sends shorter shards as they are"));
}

TEST(Bounds, BytesAndRefusalsAreThoseOfTheForecastsThatAdvisePrints) {
  for (const int workers : {2, 6, 8})
    for (const Passes passes : {Passes::forward, Passes::backward}) {
      SchemeQuestion question;
      question.passes = passes;
      question.problem =
          make_problem({1, 32, 8, 4097, 5000, 128, 128}, MaskKind::causal, DType::bf16, 0);
      question.workers = workers;
      question.device = a100_device();
      question.link = LinkLimit{25e9, 5e-6};
      std::map<std::string, SchemeForecast> forecasts;
      for (const SchemeForecast& forecast : PlannedSchemes(question).forecast()) {
        forecasts[forecast.scheme] = forecast;
        if (!forecast.alias.empty()) forecasts[forecast.alias] = forecast;
      }
      const CsvTable csv = csv_of(fmt::format(
          "bytes --n-tokens 4097 --cached-tokens 903 --workers {} --q-heads 32 --kv-heads 8 "
          "--head-dim 128 --pass {}",
          workers, word(passes)));
      for (std::size_t row = 0; row < csv.size(); ++row) {
        const std::string scheme(csv.text(row, "scheme"));
        if (scheme.find("decod") != std::string::npos || scheme == "dense") continue;
        if (scheme == "burst" && passes == Passes::forward) continue;           // zigzag
        if (scheme == "grid" || scheme == "usp" || scheme == "mesh") continue;  // in every shape
        ASSERT_TRUE(forecasts.contains(scheme)) << scheme;
        const SchemeForecast& forecast = forecasts.at(scheme);
        EXPECT_EQ(csv.text(row, "unsupported"), forecast.unsupported);
        EXPECT_EQ(csv.text(row, "device_sent_bytes"),
                  forecast.has_plan() ? to_text(forecast.sent_bytes) : "")
            << scheme << " W=" << workers;
      }
    }
}

TEST(Bounds, ASchemeWithoutAPlanSaysWhyAndHasNoNumbers) {
  const std::string two = "bytes --n-tokens 64 --workers 2 --q-heads 4 --kv-heads 4";
  const std::string text = bounds(two);
  EXPECT_THAT(text, HasSubstr("cqs needs at least 3 workers"));
  const std::size_t all = text.find("in all: ");
  EXPECT_THAT(text.substr(all, text.find('\n', all) - all), Not(HasSubstr("cqs")));
  const CsvTable csv = csv_of(two);
  EXPECT_EQ(row_of(csv, "cqs").at(6), "");
}

// Shards of 1024 tokens and 8 heads of 64 in bf16, with two key-value heads: a ring holds its
// shard, O and LSE, the keys it computes with and those that arrive, and a result that it merges.
TEST(Bounds, MemoryOfARingIsItsShardTwoMessagesAndAResult) {
  const CsvTable csv =
      csv_of("memory --n-tokens 8192 --workers 8 --q-heads 8 --kv-heads 2 --pass forward");
  std::map<std::string, double> held;
  for (std::size_t row = 0; row < csv.size(); ++row)
    if (csv.text(row, "scheme") == "ring")
      held[std::string(csv.text(row, "tensors"))] = csv.number(row, "bytes");
  EXPECT_EQ(held["Q, K, V of its shard"], 1024 * (8 + 2 * 2) * 64 * 2);
  EXPECT_EQ(held["O, LSE of its shard"], 1024 * 8 * 65 * 4);
  EXPECT_EQ(held["messages"], 2 * (64 + 2 * 1024 * 2 * 64 * 2));
  EXPECT_EQ(held["result to merge"], 1024 * 8 * 65 * 4);
}

TEST(Bounds, MemoryFormsOfEachPlanAreWhatItsWorkersHoldOrSayWhyThereIsNone) {
  for (const char* words :
       {"memory --n-tokens 77 --workers 6 --q-heads 12 --kv-heads 4 --mask causal",
        "memory --n-tokens 5 --cached-tokens 30 --workers 9 --q-heads 2 "
        "--partial-dtype bf16 --pass forward",
        "memory --n-tokens 64 --workers 12 --q-heads 6 --grid-heads 3 "
        "--grid-rows 2"}) {
    const CsvTable csv = csv_of(words);
    std::map<std::string, double> sums;
    for (std::size_t row = 0; row < csv.size(); ++row)
      if (csv.text(row, "missing").empty())
        sums[fmt::format("{} {}", csv.text(row, "pass"), csv.text(row, "scheme"))] +=
            csv.number(row, "bytes");
    for (std::size_t row = 0; row < csv.size(); ++row) {
      SCOPED_TRACE(testing::Message() << words << ": " << csv.text(row, "scheme"));
      const bool has_form = csv.text(row, "missing").empty();
      EXPECT_EQ(has_form, !csv.text(row, "formula").empty());
      if (!has_form) continue;
      EXPECT_EQ(csv.text(row, "form_bytes"), csv.text(row, "device_peak_bytes"));
      EXPECT_EQ(csv.number(row, "form_bytes"),
                sums[fmt::format("{} {}", csv.text(row, "pass"), csv.text(row, "scheme"))]);
    }
  }
  EXPECT_THAT(bounds("memory --n-tokens 64 --workers 2"),
              HasSubstr("cqs needs at least 3 workers"));
  const std::string pattern =
      " --n-tokens 64 --workers 4 --mask '{sliding_window: {left: 7, right: 0}}'";
  EXPECT_THAT(bounds("memory" + pattern),
              AllOf(HasSubstr("no form for a pattern"), HasSubstr("0 of 0 forms")));
  EXPECT_THAT(bounds("path" + pattern), HasSubstr("no form for a pattern"));
}

TEST(Bounds, VerbPrintsTablesAndRefusesBadWords) {
  const Said bytes = run_qb(
      "bounds bytes --n-tokens 8192 --workers 8 --q-heads 8 --kv-heads 2 --head-dim 64 "
      "--dtype bf16");
  EXPECT_EQ(bytes.exit_code, 0) << bytes.err;
  EXPECT_THAT(bytes.out, AllOf(HasSubstr("tree_decode"), HasSubstr("in all: ")));
  EXPECT_EQ(run_qb("bounds min-block --compute 312e12 --bandwidth 25e9").exit_code, 0);
  for (const char* words :
       {"bounds", "bounds tmx", "bounds bytes", "bounds bytes --n-tokens 0 --workers 2",
        "bounds bytes --n-tokens 9 --workers 2 --q-heads 3 --kv-heads 2",
        "bounds bytes --n-tokens 9 --workers 0", "bounds bytes --n-tokens 9 --workers 4097",
        "bounds bytes --n-tokens 9 --workers 2 --cached-tokens=-1",
        "bounds memory --n-tokens 9 --workers 2 --mask diagonal", "bounds memory --workers 2",
        "bounds bytes --n-tokens 9 --workers 2 --head-dim 257",
        "bounds bytes --n-tokens 1e30 --workers 2",
        "bounds bytes --n-tokens 9 --workers 2 --pass sideways", "bounds min-block --compute 1e12",
        "bounds min-block --compute -1 --bandwidth 1", "bounds min-block --q-heads 8",
        "bounds min-block --compute nan --bandwidth 1", "bounds min-block", "bounds tms"})
    EXPECT_EQ(run_qb(words).exit_code, 2) << words;
}

}  // namespace
}  // namespace qb
