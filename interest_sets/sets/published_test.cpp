// SPDX-License-Identifier: Apache-2.0
#include "interest_sets/sets/known_sets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "base/csv.h"
#include "base/source_root.h"
#include "base/verdict.h"
#include "interest_sets/split/distillation.h"

namespace qb {
namespace {

// Four decimals are printed, without trailing zeros: `34.898` means 34.8980.
Printed printed_ratio(const std::string& text) {
  Printed printed = parse_printed(text);
  printed.unit = 1e-4;
  return printed;
}

// By how many units of the last printed digit ours is off.
double units_off(double ours, const Printed& printed) {
  return std::abs(std::round(ours / printed.unit) - std::round(printed.value / printed.unit));
}

CsvTable transcribed_table() {
  std::ifstream file(source_path("data/published/cqs_interest_set_table.csv"));
  std::stringstream text;
  text << file.rdbuf();
  return CsvTable::parse(text.str(), "cqs_interest_set_table.csv");
}

TEST(Published, EmbedsTheTranscribedTableUnchanged) {
  const CsvTable table = transcribed_table();
  const auto sets = published_interest_sets();
  ASSERT_EQ(table.size(), 109u);
  ASSERT_EQ(sets.size(), 109u);
  for (std::size_t row = 0; row < table.size(); ++row) {
    SCOPED_TRACE("W = " + table.text(row, "workers"));
    const InterestSet& set = sets[row].set;
    EXPECT_EQ(set.modulus, static_cast<int>(row) + 3);
    EXPECT_EQ(std::to_string(set.modulus), table.text(row, "workers"));
    EXPECT_EQ(set, parse_interest_set(table.text(row, "interest_set"), set.modulus));
    EXPECT_EQ(std::to_string(set.residues.size()), table.text(row, "quorum_size"));
    EXPECT_EQ(sets[row].printed_ratio, table.text(row, "asymptotic_responsibility_ratio"));
  }
}

TEST(Published, DroppedZerosCountAsPrintedDecimals) {
  const Printed printed = printed_ratio("34.898");
  EXPECT_EQ(units_off(34.89804, printed), 0.0);
  EXPECT_EQ(units_off(34.8981, printed), 1.0);
  EXPECT_EQ(units_off(34.8982, printed), 2.0);
}

TEST(Published, AllOurAsymptoticRatiosAgree) {
  for (const ListedSet& listed : published_interest_sets()) {
    const double ours = asymptotic_responsibility_ratio(listed.set);
    EXPECT_LE(units_off(ours, printed_ratio(listed.printed_ratio)), 1.0)
        << "W = " << listed.set.modulus << ": ours " << ours;
  }
}

}  // namespace
}  // namespace qb
