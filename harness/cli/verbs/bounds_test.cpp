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
#include "harness/forecast/scheme_forecast.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
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

// Returns the cells of a scheme in the first pass.
std::vector<std::string> row_of(const CsvTable& csv, std::string_view scheme) {
  for (std::size_t row = 0; row < csv.size(); ++row)
    if (csv.text(row, "scheme") == scheme) return csv.row(row);
  return {};
}

TEST(Bounds, ASchemeHasARowInEachPassWithWhatItsPlanCounts) {
  const std::string words =
      "schemes --n-tokens 8192 --workers 8 --q-heads 8 --kv-heads 8 --mask causal ";
  const CsvTable csv = csv_of(words);
  const CsvTable forward = csv_of(words + "--pass forward");
  const CsvTable backward = csv_of(words + "--pass backward");
  ASSERT_EQ(csv.size(), 2 * strategies().size());
  for (std::size_t row = 0; row < csv.size(); ++row)
    EXPECT_EQ(csv.row(row),
              row < forward.size() ? forward.row(row) : backward.row(row - forward.size()));
  // Shards of 1024 tokens, and in a head 1024 x 1025 / 2 pairs of its own and 1024^2 / 2 with each
  // of 7 others. 7 hops of K and V in two bytes, 8 of dK and dV in four. It holds Q, K, V, O and
  // LSE, two messages of K and V with headers, a result that it merges, and a workspace.
  const std::int64_t pairs = 1024 * 1025 / 2 + 7 * 1024 * 1024 / 2;
  const std::int64_t keys = 2 * 1024 * 8 * 64 * 2;
  const std::int64_t result = 1024 * 8 * 65 * 4;
  const std::vector<std::string> zigzag = row_of(forward, "zigzag");
  ASSERT_EQ(zigzag.size(), 9u);
  EXPECT_THAT(std::vector(zigzag.begin(), zigzag.begin() + 6),
              ElementsAre("forward", "zigzag", "8", to_text(pairs), to_text(7 * keys), ""));
  EXPECT_GE(std::stoll(zigzag[6]), keys / 2 + keys + 2 * result + 2 * (64 + keys));
  EXPECT_EQ(row_of(backward, "zigzag")[4], to_text(7 * keys + 8 * 2 * keys));
  EXPECT_EQ(row_of(backward, "zigzag")[2], "9");
  EXPECT_THAT(bounds(words), AllOf(HasSubstr("14.00 MiB"), HasSubstr("46.00 MiB")));
}

TEST(Bounds, TheRootOfCqsHasNumbersOfItsOwn) {
  const std::string words = "schemes --n-tokens 64 --workers 7";
  const CsvTable csv = csv_of(words);
  for (std::size_t row = 0; row < csv.size(); ++row) {
    const bool has_root = csv.text(row, "scheme") == "cqs";
    for (const char* column : {"root_sent_bytes", "root_peak_bytes"})
      EXPECT_EQ(csv.text(row, column).empty(), !has_root) << csv.text(row, "scheme");
  }
  EXPECT_THAT(bounds(words), HasSubstr(", root "));
}

TEST(Bounds, NumbersAndRefusalsAreThoseOfTheForecastsThatAdvisePrints) {
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
          "schemes --n-tokens 4097 --cached-tokens 903 --workers {} --q-heads 32 --kv-heads 8 "
          "--head-dim 128 --mask causal --pass {}",
          workers, word(passes)));
      for (std::size_t row = 0; row < csv.size(); ++row) {
        const std::string scheme(csv.text(row, "scheme"));
        if (scheme.find("decod") != std::string::npos || scheme == "helix" || scheme == "dense")
          continue;
        if (scheme == "rectangular") continue;  // there is no model of a memory tier
        if (scheme == "double_ring") continue;  // advised on hosts only
        if (scheme == "burst" && passes == Passes::forward) continue;           // zigzag
        if (scheme == "grid" || scheme == "usp" || scheme == "mesh") continue;  // in every shape
        ASSERT_TRUE(forecasts.contains(scheme)) << scheme;
        const SchemeForecast& forecast = forecasts.at(scheme);
        SCOPED_TRACE(testing::Message() << scheme << " W=" << workers);
        EXPECT_EQ(csv.text(row, "unsupported"), forecast.unsupported);
        const auto said = [&](std::int64_t number) {
          return forecast.has_plan() ? to_text(number) : "";
        };
        EXPECT_EQ(csv.text(row, "device_sent_bytes"), said(forecast.sent_bytes));
        EXPECT_EQ(csv.text(row, "device_peak_bytes"), said(forecast.memory_bytes));
        EXPECT_EQ(csv.text(row, "critical_path_pairs"), said(forecast.critical_path_pairs));
      }
    }
}

TEST(Bounds, ASchemeWithoutAPlanSaysWhyAndHasNoNumbers) {
  const std::string two = "schemes --n-tokens 64 --workers 2 --q-heads 4 --kv-heads 4";
  EXPECT_THAT(bounds(two), HasSubstr("cqs needs at least 3 workers"));
  const CsvTable csv = csv_of(two);
  for (std::size_t row = 0; row < csv.size(); ++row)
    for (const char* column :
         {"rounds", "critical_path_pairs", "device_sent_bytes", "device_peak_bytes"})
      EXPECT_EQ(csv.text(row, column).empty(), !csv.text(row, "unsupported").empty());
  EXPECT_THAT(bounds("schemes --n-tokens 17 --workers 2"),
              HasSubstr("decode is planned here for at most 16 new tokens"));
  EXPECT_EQ(row_of(csv_of("schemes --n-tokens 16 --workers 2 --mask causal"), "decode").back(), "");
}

TEST(Bounds, PatternsAndGridsCount) {
  const std::string words = "schemes --n-tokens 64 --workers 12 --q-heads 6 ";
  const std::string pattern = "--mask '{sliding_window: {left: 7, right: 0}}'";
  EXPECT_LT(std::stoll(row_of(csv_of(words + pattern), "ring")[3]),
            std::stoll(row_of(csv_of(words), "ring")[3]));
  // 3 x 2 x 2: two hops, an exchange before them and a return
  EXPECT_EQ(row_of(csv_of(words + "--grid-heads 3 --grid-rows 2"), "grid")[2], "4");
}

TEST(Bounds, RefusesBadWords) {
  EXPECT_EQ(run_qb("bounds min-block --compute 312e12 --bandwidth 25e9").exit_code, 0);
  for (const char* words : {"bounds",
                            "bounds tmx",
                            "bounds schemes",
                            "bounds schemes --n-tokens 0 --workers 2",
                            "bounds schemes --n-tokens 9 --workers 2 --q-heads 3 --kv-heads 2",
                            "bounds schemes --n-tokens 9 --workers 0",
                            "bounds schemes --n-tokens 9 --workers 4097",
                            "bounds schemes --n-tokens 9 --workers 2 --cached-tokens=-1",
                            "bounds schemes --n-tokens 9 --workers 2 --mask diagonal",
                            "bounds schemes --workers 2",
                            "bounds schemes --n-tokens 9 --workers 2 --head-dim 257",
                            "bounds schemes --n-tokens 1e30 --workers 2",
                            "bounds schemes --n-tokens 3e9 --workers 64 --q-heads 65536",
                            "bounds schemes --n-tokens 9 --workers 2 --pass sideways",
                            "bounds bytes",
                            "bounds min-block --compute 1e12",
                            "bounds min-block --compute -1 --bandwidth 1",
                            "bounds min-block --q-heads 8",
                            "bounds min-block --compute nan --bandwidth 1",
                            "bounds min-block",
                            "bounds tms"})
    EXPECT_EQ(run_qb(words).exit_code, 2) << words;
}

}  // namespace
}  // namespace qb
