// SPDX-License-Identifier: Apache-2.0
#include "harness/papers/coverage.h"

#include <gtest/gtest.h>

#include "harness/papers/testing/fake_measurements.h"

namespace qb {
namespace {

using testing_support::FakeMeasurements;
using testing_support::paper_of;

// A table whose column `value` is a time or a rate, with predictions of 8.
Library library_of(const std::string& role, const std::string& csv) {
  Library library;
  library.push_back(paper_of("{n: key, value: " + role + "}",
                             "    input_of: [{device: a100, where: n = 3}]\n"
                             "    claims:\n      - {name: c, kind: modelled, published: value, "
                             "device: a100, match: {n_tokens: n}, "
                             "ours: model.critical_path_median_s, within: 2 x, because: so}\n",
                             csv));
  return library;
}

TEST(Grade, SlownessIsPublishedOverPredictedTimeAlsoOfRates) {
  FakeMeasurements measurements;
  measurements.predicted = 8.0;
  for (const auto& [role, slowness] : {std::pair{"time", 2.0}, {"rate", 0.5}, {"value", 0.5}}) {
    const Library library = library_of(role, "n,value\n1,16.0\n3,99.0\n");
    const auto papers = answer_all(library, measurements);
    const auto rows = graded_rows(papers);
    ASSERT_EQ(rows.size(), 1u) << "what the device was made from has no grade";
    EXPECT_DOUBLE_EQ(rows[0].slowness, slowness) << role;
    EXPECT_EQ(rows[0].answer->predicted->device, "a100");
    ASSERT_EQ(rows[0].answer->predicted->parameters.size(), 1u);
    EXPECT_EQ(rows[0].answer->predicted->parameters[0].key, "n_tokens");
  }
}

TEST(Grade, WhatWasReadOffAPictureIsNotMixedWithPrintedNumbers) {
  FakeMeasurements measurements;
  measurements.predicted = 8.0;
  Library library = library_of("time", "n,value\n1,16.0\n");
  library[0].tables[0].digitised = true;
  const auto papers = answer_all(library, measurements);
  EXPECT_TRUE(graded_rows(papers).empty());
  EXPECT_EQ(graded_rows(papers, true).size(), 1u);
}

TEST(Grade, NineOfTenRowsAreWithinAFactorEitherWay) {
  FakeMeasurements measurements;
  measurements.predicted = 8.0;
  const Library library = library_of("time", "n,value\n1,4.0\n2,10.0\n4,80.0\n");
  const auto papers = answer_all(library, measurements);
  const auto rows = graded_rows(papers);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_DOUBLE_EQ(grade_of(rows).value(), 10.0) << "nine of ten of three are three";
  EXPECT_DOUBLE_EQ(grade_of(std::span(rows).first(2)).value(), 2.0);
  EXPECT_FALSE(grade_of({}));
}

}  // namespace
}  // namespace qb
