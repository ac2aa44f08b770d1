// SPDX-License-Identifier: Apache-2.0
#include "harness/papers/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/papers/scope.h"
#include "harness/papers/testing/fake_measurements.h"

namespace qb {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::FakeMeasurements;
using testing_support::paper_of;

std::vector<PublishedAnswer> tried(const Paper& paper) {
  static const FakeMeasurements none;
  static const Library library;
  RowScope scope(library, paper, paper.tables[0], none);
  return try_rules(paper.tables[0], scope);
}

// `rule@line` of each row that breaks a rule.
std::vector<std::string> broken(const Paper& paper) {
  std::vector<std::string> found;
  for (const PublishedAnswer& answer : tried(paper))
    if (answer.verdict.answer == Answer::contradicts)
      found.push_back(answer.claim + "@" + std::to_string(answer.row + 2));
  return found;
}

TEST(Rules, AnIdentityHoldsForSomeRoundingOfItsPartsOrIsBroken) {
  const std::string columns =
      "{method: key, time_s: value, speed_up: {role: value, is: 'time_s[method=a] / time_s'}}";
  EXPECT_THAT(broken(paper_of(columns, "", "method,time_s,speed_up\na,37.53,1.0\nb,30.21,1.24\n")),
              IsEmpty());
  EXPECT_THAT(broken(paper_of(columns, "", "method,time_s,speed_up\na,37.53,1.0\nb,30.21,1.21\n")),
              ElementsAre("identity@3"));
  // 1.3 to 1.5 over 0.5 to 0.7 can be 2.9.
  EXPECT_THAT(broken(paper_of(columns, "", "method,time_s,speed_up\na,1.4,1.0\nb,0.5,2.9\n")),
              IsEmpty());
}

TEST(Rules, AnIdentityIsKeptWithinItsToleranceOnly) {
  const std::string columns =
      "{method: key, time_s: value, whole_s: {role: value, is: '2 * time_s', within: 10 %, "
      "because: b}}";
  EXPECT_THAT(
      broken(paper_of(columns, "", "method,time_s,whole_s\na,1.000,2.150\nb,1.000,2.300\n")),
      ElementsAre("identity@3"));
}

TEST(Rules, CountsAreEqualOrNot) {
  const std::string columns = "{n: key, tokens: {role: count, is: 'ceil(n * 2 / 3)'}}";
  EXPECT_THAT(broken(paper_of(columns, "", "n,tokens\n1048576,699051\n")), IsEmpty());
  EXPECT_THAT(broken(paper_of(columns, "", "n,tokens\n1048576,699050\n")),
              ElementsAre("identity@2"));
}

TEST(Rules, BoundsAreOnBothSides) {
  const std::string columns =
      "{n: key, rate: {role: rate, at_most: '312', at_least: '1', because: it is the peak}}";
  EXPECT_THAT(broken(paper_of(columns, "", "n,rate\n1,311\n2,312.0\n3,313\n4,0\n")),
              ElementsAre("bound@4", "bound@5"));
}

TEST(Rules, TimeNeitherFallsNorGrowsFasterThanTheSquare) {
  const auto paper = paper_of("{method: key, n: key, time_s: time}", "    tokens: n\n",
                              "method,n,time_s\n"
                              "a,512,1.0\na,1024,3.9\na,2048,27.6\na,4096,20.0\n"
                              "b,512,9.0\nb,1024,9.1\n");
  EXPECT_THAT(broken(paper), ElementsAre("quadratic@4", "rising@5"));
  for (const PublishedAnswer& answer : tried(paper))
    if (answer.row == 1) {
      EXPECT_EQ(answer.verdict.answer, Answer::obeys) << "to obey is no more than that";
    }
}

TEST(Rules, LabelsOfLengthsAreLengths) {
  const auto paper = paper_of("{n: key, time_s: time}", "    tokens: n\n",
                              "n,time_s\n512,1.0\n1k,4.0\n16k,5.0\n2k,60.0\n");
  EXPECT_THAT(broken(paper), ElementsAre("quadratic@5", "rising@4"));
}

TEST(Rules, MemoryDoesNotFallAndGrowsEvenlyWhereItIsAffine) {
  const std::string rest = "    tokens: n\n";
  const std::string cells =
      "method,n,gib\na,256,6.0\na,512,12.0\na,1024,20.0\nb,256,3.0\nb,512,2.0\n";
  EXPECT_THAT(broken(paper_of("{method: key, n: key, gib: memory}", rest, cells)),
              ElementsAre("rising@6"));
  EXPECT_THAT(
      broken(paper_of("{method: key, n: key, gib: {role: memory, affine: \"method = 'a'\"}}", rest,
                      cells)),
      ElementsAre("affine@4", "rising@6"));
}

TEST(Rules, NothingIsOutOfMemoryThatNeedsNoMoreThanWhatRan) {
  const auto paper = paper_of(
      "{method: key, d: key, n: key, status: {role: status, bytes: n ^ 2 / d}}", "    tokens: n\n",
      "method,d,n,status\na,64,16,ok\na,256,32,oom\nb,64,8,ok\nb,64,16,oom\n");
  EXPECT_THAT(broken(paper), ElementsAre("fits@3"));
}

TEST(Rules, FourEqualValuesInAnotherSeriesAreACopy) {
  const std::string columns = "{model: key, n: key, speed_up: value}";
  EXPECT_THAT(broken(paper_of(columns, "",
                              "model,n,speed_up\n1B,1,1.1\n1B,2,1.2\n1B,3,1.3\n1B,4,1.4\n"
                              "3B,1,1.1\n3B,2,1.2\n3B,3,1.3\n3B,4,1.4\n")),
              ElementsAre("copied@6", "copied@7", "copied@8", "copied@9"));
  EXPECT_THAT(broken(paper_of(columns, "",
                              "model,n,speed_up\n1B,1,1.1\n1B,2,1.2\n1B,3,1.3\n1B,4,1.4\n"
                              "3B,1,1.1\n3B,2,1.2\n3B,3,1.3\n3B,4,1.5\n")),
              IsEmpty());
  EXPECT_THAT(broken(paper_of(columns, "",
                              "model,n,speed_up\n1B,1,1.0\n1B,2,1.0\n1B,3,1.0\n1B,4,1.0\n"
                              "3B,1,1.0\n3B,2,1.0\n3B,3,1.0\n3B,4,1.0\n")),
              IsEmpty())
      << "one value everywhere is not a series";
}

// Rates of two kernels over three lengths: the second is always 1.5 times the first.
std::string rates(const std::string& odd) {
  return "n,kernel,pass,rate\n1,a,f,100\n2,a,f,150\n4,a,f,180\n1,b,f,150\n2,b,f," + odd +
         "\n4,b,f,270\n1,a,b,80\n2,a,b,120\n4,a,b,144\n1,b,b,120\n2,b,b,180\n4,b,b,216\n";
}

TEST(Rules, ACellFarFromWhatItsNeighboursGiveIsBroken) {
  const auto columns = [](const std::string& except) {
    return "{n: key, kernel: key, pass: key, rate: {role: rate, neighbours: {within: 20 %, "
           "because: b" +
           except + "}}}";
  };
  const auto broken_by = [&](const std::string& odd, const std::string& except = "") {
    return broken(paper_of(columns(except), "    tokens: n\n", rates(odd)));
  };
  EXPECT_THAT(broken_by("225"), IsEmpty());
  EXPECT_THAT(broken_by("200"), IsEmpty());
  EXPECT_THAT(broken_by("157"), Contains("neighbours@6"));
  EXPECT_THAT(broken_by("293"), Contains("neighbours@6"));
  EXPECT_THAT(broken_by("293", ", except: \"kernel = 'b' and n = 2\""),
              Not(Contains("neighbours@6")));
}

}  // namespace
}  // namespace qb
