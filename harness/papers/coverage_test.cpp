// SPDX-License-Identifier: Apache-2.0
#include "harness/papers/coverage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"
#include "harness/papers/testing/fake_measurements.h"

namespace qb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;
using testing_support::FakeMeasurements;
using testing_support::paper_of;

constexpr const char* kCoverageColumns = "{n: key, half: {role: value, is: n / 2}, time_s: time}";
constexpr const char* kClaims = R"(    claims:
      - {name: step, kind: absolute, published: time_s, needs: [training]}
      - {name: third, kind: exact, where: n = 9, published: half, ours: n / 3}
)";
// Line 2 follows from n, line 3 contradicts, line 4 follows and contradicts a side claim, line 5
// has nothing but a time.
constexpr const char* kCells = "n,half,time_s\n4,2.0,1\n6,4.0,1\n9,4.5,\n12,,7\n";
constexpr const char* kHeadline = "[half, time_s]";

AnsweredPaper answered(const Library& library) {
  return answer_all(library, FakeMeasurements()).at(0);
}

TEST(Coverage, ARowStandsAsItsHeadlineDoes) {
  Library library;
  library.push_back(paper_of(kCoverageColumns, kClaims, kCells, kHeadline));
  const AnsweredPaper paper = answered(library);
  EXPECT_EQ(paper.rows(), 4u);
  EXPECT_THAT(paper.tables[0].standings(),
              ElementsAre(RowStanding::derived, RowStanding::contradicts, RowStanding::contradicts,
                          RowStanding::open));
  EXPECT_THAT(paper.count(),
              ElementsAre(std::pair(RowStanding::contradicts, 2u),
                          std::pair(RowStanding::derived, 1u), std::pair(RowStanding::open, 1u)));
  EXPECT_THAT(paper.tables[0].needs(), ElementsAre(std::pair(Need::training, 3u)));
}

TEST(Coverage, ASideClaimNeverMakesARowBetterAndCanMakeItWorse) {
  const auto standings = [](const std::string& headline) {
    Library library;
    library.push_back(paper_of(kCoverageColumns, kClaims, kCells, headline));
    return answered(library).tables[0].standings();
  };
  EXPECT_THAT(standings("time_s"), ElementsAre(RowStanding::open, RowStanding::contradicts,
                                               RowStanding::contradicts, RowStanding::open));
}

TEST(Coverage, AClaimIsOfTheHeadlineIfItReadsNoOtherMeasuredCell) {
  const auto is_headline = [](const std::string& kind, const std::string& published) {
    const Paper paper =
        paper_of("{n: key, other: value, time_s: time}",
                 "    claims:\n      - {name: c, kind: " + kind + ", published: \"" + published +
                     "\", needs: [training], ours: \"n\", run: smoke, rule: order, x: n}\n",
                 "n,other,time_s\n1,2,3\n");
    return paper.tables[0].is_of_headline(paper.tables[0].claims[0]);
  };
  EXPECT_TRUE(is_headline("shape", "time_s"));
  EXPECT_TRUE(is_headline("shape", "time_s[n=1] / time_s")) << "a point of a curve";
  EXPECT_FALSE(is_headline("shape", "other"));
  EXPECT_FALSE(is_headline("shape", "n"));
}

TEST(Coverage, OnlyAnExactValueThatContradictsIsWrongHere) {
  const auto is_any_wrong = [](const AnsweredPaper& paper) {
    return std::ranges::any_of(paper.tables[0].answers, is_wrong_here);
  };
  Library library;
  library.push_back(paper_of(kCoverageColumns, kClaims, kCells, kHeadline));
  EXPECT_TRUE(is_any_wrong(answered(library))) << "line 4 holds 4.5, and a third of 9 is 3";
  library[0] = paper_of(kCoverageColumns, kClaims, "n,half,time_s\n6,4.0,1\n9,3.0,1\n");
  EXPECT_FALSE(is_any_wrong(answered(library))) << "lines that contradict their own table";
}

TEST(Coverage, OursBeingDifferentIsNoContradictionOfThePaper) {
  PublishedAnswer answer;
  answer.kind = ClaimKind::modelled;
  answer.verdict.answer = Answer::contradicts;
  EXPECT_EQ(standing_of(answer), RowStanding::differs);
  answer.kind = ClaimKind::same_as;
  EXPECT_EQ(standing_of(answer), RowStanding::contradicts);
}

TEST(Coverage, WhatAgreesStandsByWhereOursIsFrom) {
  const auto standing = [](ClaimKind kind, Answer word, bool fitted = false) {
    PublishedAnswer answer;
    answer.kind = kind;
    answer.fitted = fitted;
    answer.verdict.answer = word;
    return standing_of(answer);
  };
  EXPECT_EQ(standing(ClaimKind::absolute, Answer::within), RowStanding::reproduced);
  EXPECT_EQ(standing(ClaimKind::shape, Answer::shape_agrees), RowStanding::shape_reproduced);
  EXPECT_EQ(standing(ClaimKind::modelled, Answer::modelled), RowStanding::predicted);
  EXPECT_EQ(standing(ClaimKind::exact, Answer::agrees), RowStanding::derived);
  EXPECT_EQ(standing(ClaimKind::exact, Answer::agrees, true), RowStanding::fitted);
  EXPECT_EQ(standing(ClaimKind::self, Answer::agrees), RowStanding::consistent);
  EXPECT_EQ(standing(ClaimKind::self, Answer::obeys), RowStanding::consistent);
  EXPECT_EQ(standing(ClaimKind::shape, Answer::not_comparable), RowStanding::open);
}

TEST(Contradictions, AreExplainedByTheIndexOrListedAsFound) {
  Library library;
  library.push_back(paper_of(kCoverageColumns, std::string(kClaims) + R"(contradictions:
  - {name: half, says: It is not a half., evidence: [{file: t.csv, claim: identity, where: n = 6}]}
  - {name: text, says: The text differs., known: no table has it}
)",
                             kCells));
  const auto found = contradictions_of(answered(library), library, FakeMeasurements());
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[0].entry->name, "half");
  EXPECT_THAT(found[0].evidence, SizeIs(1));
  EXPECT_EQ(found[1].entry->name, "text");
  EXPECT_THAT(found[1].evidence, SizeIs(0));
  EXPECT_EQ(found[2].entry, nullptr) << "no entry explains the third";
  EXPECT_EQ(found[2].evidence.at(0)->claim, "third");
}

TEST(Contradictions, ARemarkIsSaidAndNotHeldAgainstItsRows) {
  Library library;
  library.push_back(paper_of(kCoverageColumns, std::string(kClaims) + R"(contradictions:
  - {name: half, says: It is not a half., remark: true, evidence: [{file: t.csv, claim: identity, where: n = 6}]}
)",
                             kCells, kHeadline));
  const AnsweredPaper paper = answered(library);
  EXPECT_THAT(paper.tables[0].standings(),
              ElementsAre(RowStanding::derived, RowStanding::open, RowStanding::contradicts,
                          RowStanding::open));
  const auto found = contradictions_of(paper, library, FakeMeasurements());
  ASSERT_THAT(found, SizeIs(2)) << "the remark, and what no entry explains";
  EXPECT_TRUE(found[0].entry->remark);
  EXPECT_THAT(found[0].evidence, SizeIs(1));
}

TEST(Contradictions, EvidenceThatNoAnswerGivesIsAMistakeOfTheIndex) {
  Library library;
  library.push_back(paper_of(kCoverageColumns, std::string(kClaims) + R"(contradictions:
  - {name: half, says: It is not a half., evidence: [{file: t.csv, claim: identity, where: n = 4}]}
)",
                             kCells));
  EXPECT_THAT([&] { (void)contradictions_of(answered(library), library, FakeMeasurements()); },
              ThrowsMessage<UsageError>(
                  HasSubstr("contradiction 'half' names evidence that is not there")));
}

}  // namespace
}  // namespace qb
