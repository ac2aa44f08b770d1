// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/sweep/alternation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/csv.h"

namespace qb {
namespace {

using Turn = AlternatedCase::Turn;
using testing::HasSubstr;
using Verdict = RunComparison::Verdict;

const std::function<bool()> kNever = [] { return false; };

// B takes `ratio` times as long as A on a machine that is slower from turn to turn.
struct TurnMachine {
  double ratio = 1.0;
  double drift = 1.0;
  std::vector<std::pair<AbSide, std::size_t>> turns{};
  Turn operator()(AbSide side, std::size_t index) {
    turns.emplace_back(side, index);
    drift *= 1.01;
    return {.time_s = drift * (side == AbSide::b ? ratio : 1.0)};
  }
};

TEST(Alternation, PairsAreNeighboursInRandomOrderAndEachCaseHasItsPairs) {
  TurnMachine machine;
  const auto cases = take_turns(5, {.pairs = 8, .retakes = 8}, std::ref(machine), kNever);
  ASSERT_EQ(machine.turns.size(), 2u * 5u * 8u);
  std::vector<std::size_t> order;
  int a_first = 0;
  for (std::size_t i = 0; i < machine.turns.size(); i += 2) {
    EXPECT_EQ(machine.turns[i].second, machine.turns[i + 1].second);
    EXPECT_NE(machine.turns[i].first, machine.turns[i + 1].first);
    order.push_back(machine.turns[i].second);
    a_first += machine.turns[i].first == AbSide::a ? 1 : 0;
  }
  EXPECT_GT(a_first, 8);
  EXPECT_LT(a_first, 32);
  bool in_spec_order = true;
  for (std::size_t i = 0; i < order.size(); ++i) in_spec_order = in_spec_order && order[i] == i % 5;
  EXPECT_FALSE(in_spec_order);
  for (const AlternatedCase& c : cases) EXPECT_EQ(c.pairs.size(), 8u);
}

TEST(Alternation, ADriftingMachineDoesNotHideOrMakeADifference) {
  const auto verdict = [](double ratio) {
    TurnMachine machine{.ratio = ratio};
    return take_turns(3, {.pairs = 8}, std::ref(machine), kNever)[1].verdict;
  };
  EXPECT_EQ(verdict(1.0), Verdict::same);
  EXPECT_EQ(verdict(1.2), Verdict::slow);
  EXPECT_EQ(verdict(0.8), Verdict::fast);
}

TEST(Alternation, FewPairsProveNothing) {
  TurnMachine machine{.ratio = 2.0};
  EXPECT_EQ(take_turns(1, {.pairs = 5}, std::ref(machine), kNever)[0].verdict, Verdict::ambiguous);
}

TEST(Alternation, DisturbedPairsAreTakenAgainAndLeftOut) {
  int turn = 0;
  const auto measure = [&](AbSide side, std::size_t) {
    const bool disturbed = turn++ < 6;
    return Turn{.time_s = (side == AbSide::b ? 1.5 : 1.0) * (disturbed ? 1.0 + turn : 1.0),
                .disturbed_by = disturbed ? "neighbours" : ""};
  };
  const auto cases = take_turns(1, {.pairs = 8, .retakes = 3}, measure, kNever);
  EXPECT_EQ(cases[0].pairs.size(), 11u);
  EXPECT_EQ(cases[0].ratio.n, 8u);
  EXPECT_FALSE(cases[0].disturbed);
  EXPECT_DOUBLE_EQ(cases[0].ratio.low95, 1.5);
  EXPECT_EQ(cases[0].verdict, Verdict::slow);
}

TEST(Alternation, ACaseThatStaysDisturbedIsAmbiguous) {
  const auto measure = [](AbSide side, std::size_t) {
    return Turn{.time_s = side == AbSide::b ? 2.0 : 1.0, .disturbed_by = "stolen"};
  };
  const AlternationOptions options{.pairs = 8, .retakes = 2};
  const auto cases = take_turns(1, options, measure, kNever);
  EXPECT_EQ(cases[0].pairs.size(), 10u);
  EXPECT_TRUE(cases[0].disturbed);
  EXPECT_EQ(cases[0].verdict, Verdict::ambiguous);
  EXPECT_THAT(alternation_text({"x"}, cases, options), HasSubstr("AMBIGUOUS, disturbed"));
}

TEST(Alternation, AAgainstItselfIsALineOfItsOwn) {
  const auto measure = [](AbSide side, std::size_t index) {
    return Turn{.time_s = side == AbSide::b ? (index == 0 ? 2.0 : 1.01) : 1.0};
  };
  const auto cases = take_turns(2, {.pairs = 8}, measure, kNever);
  EXPECT_EQ(itself_text("x", cases[1]),
            "Noise check: A against itself in x differs by a factor 1.010 [1.010, 1.010]\n");
  EXPECT_EQ(itself_text("x", {}), "") << "it was interrupted before";
}

// One pair for each (A, B), as it was measured.
AlternatedCase::Pair pair_of(double a_s, double b_s, const std::string& disturbed_by = "") {
  return {
      .a = {.time_s = a_s}, .b = {.time_s = b_s, .disturbed_by = disturbed_by}, .a_first = false};
}

TEST(Alternation, TheTableTellsEachCaseAndTheMeanOfAll) {
  // Turns of cases 0 and 1 are exact; the fourth of case 1 is disturbed, case 2 fails.
  std::vector<int> pairs(3);
  const auto measure = [&](AbSide side, std::size_t index) {
    if (index == 2 && side == AbSide::b) return Turn{.failure = "oom: too large"};
    Turn turn{.time_s = side == AbSide::a ? 0.002 : index == 0 ? 0.004 : 0.016};
    if (index == 1 && (pairs[index]++ / 2) == 3) turn = {.time_s = 3.0, .disturbed_by = "stolen"};
    return turn;
  };
  const AlternationOptions options{.pairs = 6, .retakes = 2, .threshold = 0.1};
  auto cases = take_turns(3, options, measure, kNever);
  cases.emplace_back();  // was stopped before its first pair
  EXPECT_EQ(alternation_text({"x", "y", "z", "w"}, cases, options),
            "case        A         B        B/A [interval]       pairs (coverage)  verdict\n"
            "----  -------  --------  --------------------  ---------------------  -------\n"
            "x     2.00 ms   4.00 ms  2.000 [2.000, 2.000]               6 (96 %)  SLOW\n"
            "y     2.00 ms  16.00 ms  8.000 [8.000, 8.000]  6 (96 %), 1 disturbed  SLOW\n"
            "\n"
            "B/A, geometric mean of 2 cases: 4.000; threshold 10 %; 2 SLOW\n"
            "z: B: oom: too large\n");
}

TEST(Alternation, AFailureEndsItsCaseAndNamesItsSide) {
  int turns_of_failed = 0;
  const auto measure = [&](AbSide side, std::size_t index) {
    turns_of_failed += index == 0 ? 1 : 0;
    if (index == 0 && side == AbSide::b) return Turn{.failure = "oom: too large"};
    return Turn{.time_s = 1.0};
  };
  const AlternationOptions options{.pairs = 6};
  const auto cases = take_turns(2, options, measure, kNever);
  EXPECT_TRUE(cases[0].pairs.empty());
  EXPECT_LE(turns_of_failed, 2);
  EXPECT_EQ(cases[1].pairs.size(), 6u);
  EXPECT_THAT(alternation_text({"x", "y"}, cases, options), HasSubstr("x: B: oom: too large"));
}

TEST(Alternation, AnInterruptKeepsThePairsSoFar) {
  TurnMachine machine;
  const auto stop = [&] { return machine.turns.size() >= 7; };
  const auto cases = take_turns(2, {.pairs = 8}, std::ref(machine), stop);
  EXPECT_EQ(machine.turns.size(), 7u);
  EXPECT_EQ(cases[0].pairs.size() + cases[1].pairs.size(), 3u);
  EXPECT_FALSE(cases[0].disturbed || cases[1].disturbed) << "few pairs, but good ones";
}

TEST(Alternation, EveryPairIsARowOfTheCsv) {
  TurnMachine machine{.ratio = 2.0, .drift = 1.0};
  const auto cases = take_turns(2, {.pairs = 3}, std::ref(machine), kNever);
  const CsvTable table = CsvTable::parse(alternation_csv({"x", "y"}, cases), "pairs.csv");
  ASSERT_EQ(table.size(), 6u);
  EXPECT_EQ(table.text(4, "case"), "y");
  EXPECT_EQ(table.text(4, "pair"), "1");
  EXPECT_EQ(table.text(4, "counted"), "1");
  EXPECT_NEAR(table.number(4, "ratio"), 2.0, 0.03);
}

TEST(Alternation, TheCsvTellsWhichPairsCount) {
  AlternatedCase some;
  some.pairs = {pair_of(2.0, 3.0), pair_of(4.0, 2.0, "stolen")};
  AlternatedCase all = some;
  all.disturbed = true;
  all.pairs[0].a_first = true;
  all.pairs[0].a.disturbed_by = "paging";
  EXPECT_EQ(alternation_csv({"x", "y"}, {some, all}),
            "case,pair,first,a_time_s,b_time_s,ratio,a_disturbed_by,b_disturbed_by,counted\n"
            "x,0,b,2.0,3.0,1.5,,,1\n"
            "x,1,b,4.0,2.0,0.5,,stolen,0\n"
            "y,0,a,2.0,3.0,1.5,paging,,1\n"
            "y,1,b,4.0,2.0,0.5,,stolen,1\n");
}

}  // namespace
}  // namespace qb
