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

constexpr const char* kColumns = "{n: key, half: {role: value, is: n / 2}, time_s: time}";
constexpr const char* kClaims = R"(    claims:
      - {name: step, kind: absolute, published: time_s, needs: [training]}
      - {name: third, kind: exact, where: n = 9, published: half, ours: n / 3}
)";
// Line 2 agrees, line 3 contradicts, line 4 agrees with one and contradicts the other, line 5 has
// nothing but a time.
constexpr const char* kCells = "n,half,time_s\n4,2.0,1\n6,4.0,1\n9,4.5,\n12,,7\n";

AnsweredPaper answered(const Library& library) {
  return answer_all(library, FakeMeasurements()).at(0);
}

TEST(Coverage, ARowCountsOnceUnderTheFirstOfItsAnswers) {
  Library library;
  library.push_back(paper_of(kColumns, kClaims, kCells));
  const AnsweredPaper paper = answered(library);
  EXPECT_EQ(paper.rows(), 4u);
  EXPECT_THAT(paper.tables[0].standings(),
              ElementsAre(RowStanding::agrees, RowStanding::contradicts, RowStanding::contradicts,
                          RowStanding::unanswered));
  EXPECT_THAT(paper.count(), ElementsAre(std::pair(RowStanding::contradicts, 2u),
                                         std::pair(RowStanding::agrees, 1u),
                                         std::pair(RowStanding::unanswered, 1u)));
  EXPECT_THAT(paper.needs(), ElementsAre(std::pair(Need::training, 3u)));
}

TEST(Coverage, OnlyAnExactValueThatContradictsIsWrongHere) {
  Library library;
  library.push_back(paper_of(kColumns, kClaims, kCells));
  EXPECT_TRUE(is_wrong_here(answered(library))) << "line 4 holds 4.5, and a third of 9 is 3";
  library[0] = paper_of(kColumns, kClaims, "n,half,time_s\n6,4.0,1\n9,3.0,1\n");
  EXPECT_FALSE(is_wrong_here(answered(library))) << "lines that contradict their own table";
}

TEST(Coverage, OursBeingDifferentIsNoContradictionOfThePaper) {
  PublishedAnswer answer;
  answer.kind = ClaimKind::modelled;
  answer.verdict.answer = Answer::contradicts;
  EXPECT_EQ(standing_of(answer), RowStanding::differs);
  answer.kind = ClaimKind::same_as;
  EXPECT_EQ(standing_of(answer), RowStanding::contradicts);
}

TEST(Contradictions, AreExplainedByTheIndexOrListedAsFound) {
  Library library;
  library.push_back(paper_of(kColumns, std::string(kClaims) + R"(contradictions:
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

TEST(Contradictions, EvidenceThatNoAnswerGivesIsAMistakeOfTheIndex) {
  Library library;
  library.push_back(paper_of(kColumns, std::string(kClaims) + R"(contradictions:
  - {name: half, says: It is not a half., evidence: [{file: t.csv, claim: identity, where: n = 4}]}
)",
                             kCells));
  EXPECT_THAT([&] { (void)contradictions_of(answered(library), library, FakeMeasurements()); },
              ThrowsMessage<UsageError>(
                  HasSubstr("contradiction 'half' names evidence that is not there")));
}

}  // namespace
}  // namespace qb
