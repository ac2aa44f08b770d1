// SPDX-License-Identifier: Apache-2.0
#include "harness/papers/expression.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/status.h"

namespace qb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// A row with columns a = 2.5 (as printed), n = 8, method = ring; `a` of other rows by method.
class FakeScope final : public FormulaScope {
 public:
  FormulaValue cells(const CellReference& reference) const override {
    if (reference.selects) return selected(reference);
    if (reference.column == "a") return as_printed("2.5");
    if (reference.column == "n") return exactly(8.0);
    if (reference.column == "empty") return as_printed("");
    if (reference.column == "method") return std::string("ring");
    throw UsageError(fmt::format("no column {}", reference.column));
  }
  bool has_name(std::string_view name) const override {
    return name == "a" || name == "n" || name == "method" || name == "empty";
  }
  Interval call(std::string_view function, std::span<const FormulaValue> arguments) const override {
    if (function == "twice") return exactly(2.0 * arguments[0].numbers[0].value);
    throw UsageError(fmt::format("no function {}", function));
  }

 private:
  static FormulaValue selected(const CellReference& reference) {
    FormulaValue all;
    for (const auto& [method, value] :
         std::map<std::string, double>{{"dense", 5.0}, {"ring", 2.5}}) {
      const auto& wanted = reference.bindings.at(0).value;
      if (!wanted || wanted->text == method) all.numbers.push_back(exactly(value));
    }
    return all;
  }
};

double value(std::string_view formula) { return Expression(formula).evaluate(FakeScope()).value; }

TEST(Expression, CalculatesInTheUsualOrder) {
  EXPECT_EQ(value("1 + 2 * 3 - 4 / 2"), 5.0);
  EXPECT_EQ(value("-(1 - 2) ^ 2 * 3"), -3.0);
  EXPECT_EQ(value("2 ^ 3 ^ 2"), 512.0);
  EXPECT_EQ(value("2 ^ -1"), 0.5);
  EXPECT_EQ(value("64Ki + 1e-1 + 312e12"), 65536.0 + 0.1 + 312e12);
  EXPECT_EQ(value("1 < 2 and not 2 <= 1 or 0"), 1.0);
  EXPECT_EQ(value("1 != 1 or 3 = 4 or 3 >= 4"), 0.0);
}

TEST(Expression, CallsFunctionsOfItsOwnAndOfTheScope) {
  EXPECT_EQ(value("floor(2.7) + ceil(2.2) + round(2.5) + sqrt(16) + log2(8) + log10(100)"), 17.0);
  EXPECT_EQ(value("abs(-3) + min(1, 2) + max(1, 2) + mean(1, 2, 6) + median(9, 1, 2) + sum(1, 2) + "
                  "count(7, 8)"),
            3.0 + 1.0 + 2.0 + 3.0 + 2.0 + 3.0 + 2.0);
  EXPECT_EQ(value("median(1, 2, 3, 10)"), 2.5);
  EXPECT_EQ(value("if(n = 8, 1, 2)"), 1.0);
  EXPECT_EQ(value("twice(n)"), 16.0);
}

TEST(Expression, ReadsCellsOfThisRowAndOfOthers) {
  EXPECT_EQ(value("a * n"), 20.0);
  EXPECT_EQ(value("a[method=dense] / a"), 2.0);
  EXPECT_EQ(value("a[method='dense'] / a[method=method]"), 2.0)
      << "a name in brackets is its value";
  EXPECT_EQ(value("sum(a[method=*])"), 7.5);
  EXPECT_EQ(value("method = 'ring'"), 1.0);
  EXPECT_EQ(value("method != 'ring'"), 0.0);
}

TEST(Expression, WhatAPrintedNumberCanBeIsCarriedAlong) {
  const Interval quotient = Expression("n / a").evaluate(FakeScope());
  EXPECT_DOUBLE_EQ(quotient.low, 8.0 / 2.55);
  EXPECT_DOUBLE_EQ(quotient.value, 3.2);
  EXPECT_DOUBLE_EQ(quotient.high, 8.0 / 2.45);
  const Interval power = Expression("2 ^ -a").evaluate(FakeScope());
  EXPECT_LT(power.low, power.value);
  EXPECT_LT(power.value, power.high);
  const Interval negative = Expression("-a * 2").evaluate(FakeScope());
  EXPECT_DOUBLE_EQ(negative.low, -5.1);
  EXPECT_DOUBLE_EQ(negative.high, -4.9);
}

TEST(Expression, AnEmptyCellHasNoValueAndNeitherHasWhatNeedsIt) {
  EXPECT_TRUE(std::isnan(value("empty + 1")));
  EXPECT_TRUE(std::isnan(value("1 / 0")));
  EXPECT_EQ(value("sum(empty, 2)"), 2.0) << "a sum is over what there is";
  EXPECT_TRUE(std::isnan(value("mean(empty)")));
  EXPECT_FALSE(Expression("empty = 1").evaluate(FakeScope()).known());
  EXPECT_EQ(value("empty = 'ring'"), 0.0);
  EXPECT_EQ(value("method != empty"), 1.0);
}

TEST(Expression, NamesItsReferencesAndFunctions) {
  const Expression formula("ours.wall[workers=1, n=n / 10] / floor(a)");
  const auto references = formula.references();
  ASSERT_EQ(references.size(), 3u);
  EXPECT_EQ(references[0].source, "ours");
  EXPECT_EQ(references[0].column, "wall");
  EXPECT_EQ(references[1].column, "n");
  EXPECT_EQ(references[2].column, "a");
  EXPECT_THAT(formula.functions(), ElementsAre("floor"));
  EXPECT_TRUE(Expression("ring").is_word());
  EXPECT_FALSE(Expression("ring + 1").is_word());
}

void expect_error(std::string_view formula, const std::string& message) {
  EXPECT_THAT([&] { (void)Expression(formula).evaluate(FakeScope()); },
              ThrowsMessage<UsageError>(HasSubstr(message)))
      << formula;
}

TEST(Expression, SaysWhereItStopsBeingOne) {
  expect_error("1 +", "formula '1 +', character 4: the formula ends too early");
  expect_error("1 2", "character 3: an operator is missing before this");
  expect_error("(1", "character 3: ')' is missing");
  expect_error("a[method]", "character 9: '=' is missing");
  expect_error("12abc", "character 1: this is not a number");
  expect_error("'open", "character 1: this quote is not closed");
  expect_error("$", "a number or a name is missing");
}

TEST(Expression, SaysWhatItCannotCalculate) {
  expect_error("method + 1", "'ring' is a text, and a number is needed");
  expect_error("method < 'a'", "equal or unequal");
  expect_error("a[method=*] + 1", "'a' selects 2 rows, and one number is needed");
  expect_error("nothing", "no column nothing");
  expect_error("floor(1, 2)", "floor(x) takes one value");
  expect_error("if(1)", "takes three values");
}

}  // namespace
}  // namespace qb
