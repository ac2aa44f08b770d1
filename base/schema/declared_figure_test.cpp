// SPDX-License-Identifier: Apache-2.0
#include "base/schema/declared_figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/schema/figure_names.h"
#include "base/schema/value_names.h"
#include "base/status.h"

namespace qb {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::string refusal(std::string_view json) {
  try {
    (void)read_declared_figure(json);
  } catch (const UsageError& problem) {
    return problem.what();
  }
  return "";
}

TEST(DeclaredFigure, NamesBecomeThoseOfColumnsAndValues) {
  const DeclaredFigure figure = read_declared_figure(
      R"({"y": ["Critical path", "time"], "x": "N", "lines": "mixer.operator",
          "panels": ["run", "dtype"],
          "base": {"mixer.operator": "softmax", "workers": 1}, "only": "memory_budget!="})");
  EXPECT_THAT(figure.y, ElementsAre("critical_path_median_s", "time"));
  EXPECT_EQ(figure.x, "n_tokens");
  EXPECT_THAT(figure.lines, ElementsAre("mixer_operator"));
  EXPECT_THAT(figure.panels, ElementsAre("run", "dtype"));
  EXPECT_THAT(figure.base, ElementsAre(Pair("mixer_operator", "softmax"), Pair("workers", "1")));
  EXPECT_EQ(figure.name, "critical_path_and_time_by_n_tokens");
}

TEST(DeclaredFigure, WhatIsWrittenIsReadAgain) {
  constexpr const char* kWritten[] = {
      R"({"name":"a-b_1","y":["time"],"x":"n_tokens"})",
      R"({"name":"a","y":["mfu","imbalance"],"x":"workers","lines":["algorithm"],)"
      R"("panels":["mask"],"log":"none","base":{"kernel":"é\"|"},"bound":"one",)"
      R"("only":["mask=a|b","workers>1"]})"};
  for (const char* json : kWritten) EXPECT_EQ(to_json(read_declared_figure(json)), json);
  DeclaredFigure figure = read_declared_figure(R"({"y": "time"})");
  figure.base = {{"kernel", "\xff"}};  // no UTF-8
  EXPECT_THAT(to_json(figure), testing::HasSubstr(R"("base":{"kernel":"�"})"));
}

TEST(DeclaredFigure, ASentenceNamesTheKeyAndWhatIsMeant) {
  EXPECT_EQ(refusal(R"({"y": "tim"})"), "y: unknown value 'tim'; did you mean 'time'?");
  EXPECT_EQ(refusal(R"({"y": "miss_rate"})"), "y: 'miss_rate' can be x, and no y");
  EXPECT_EQ(refusal(R"({"y": "time", "x": "critical_pth"})"),
            "x: unknown value 'critical_pth'; did you mean 'critical_path'?");
  EXPECT_EQ(refusal(R"({"y": "time", "panels": ["dtype", "algoritm"]})"),
            "panels: unknown parameter 'algoritm'; did you mean 'algorithm'?");
  EXPECT_EQ(refusal(R"({"y": "time", "base": {"kernl": "flash"}})"),
            "base: unknown parameter 'kernl'; did you mean 'kernel'?");
  EXPECT_EQ(refusal(R"({"y": "time", "base": "flash"})"),
            "base: it takes a map, such as {algorithm: ring}");
  EXPECT_EQ(refusal(R"({"y": "time", "only": "causal"})"),
            "only: 'causal' is no condition; write KEY=VALUE (also !=, <, <=, >, >=)");
  EXPECT_EQ(refusal(R"({"y": "time", "log": true})"),
            "log: unknown log 'true'; known: x, y, xy, none");
  EXPECT_EQ(refusal(R"({"y": "time", "bound": "peek"})"),
            "bound: unknown bound 'peek'; did you mean 'peak'?");
  EXPECT_EQ(refusal(R"({"y": "time", "name": "../a"})"),
            "name: it has only letters, digits, '_' and '-', got '../a'");
  EXPECT_EQ(refusal(R"({"y": {"a": 1}})"), "y: it takes a text");
  EXPECT_EQ(refusal(R"({"y": "time", "line": "mask"})"),
            "unknown key of a figure 'line'; did you mean 'lines'?");
  EXPECT_EQ(refusal("{}"), "a declared figure needs y, a value such as time or device_peak");
  for (const char* damaged : {"", "{", "[1]"})
    EXPECT_EQ(refusal(damaged),
              "figure: '" + std::string(damaged) + "' is no JSON object such as {\"y\": \"time\"}");
}

TEST(DeclaredFigure, AConditionIsTakenApart) {
  const Condition several = read_condition("n_tokens!=4Ki|1e6|5");
  EXPECT_EQ(several.column, "n_tokens");
  EXPECT_EQ(several.relation, "!=");
  EXPECT_EQ(several.value, "4096|1000000|5");  // as cases.csv has them
  EXPECT_EQ(read_condition("memory_budget=").column, "memory_budget_bytes");
  EXPECT_EQ(read_condition("memory_budget=").value, "");
  EXPECT_EQ(read_condition("mask={block_local: {block: 16}}").value, "{block_local: {block: 16}}");
  for (const char* none : {"", "=1", "workers", "workers=>1", "workers==1"})
    EXPECT_THROW((void)read_condition(none), UsageError) << none;
}

TEST(DeclaredFigure, EveryPresetIsOne) {
#define QB_SKIP(name, how, says)
#define QB_READ(name, declaration, says) \
  EXPECT_FALSE(read_declared_figure(declaration).y.empty()) << #name;
  QB_FIGURES(QB_SKIP, QB_READ)
#undef QB_READ
#undef QB_SKIP
}

TEST(DeclaredFigure, ADerivedValueComesBeforeAColumnWithoutItsUnit) {
  for (const DerivedValue& derived : kDerivedValues)
    EXPECT_EQ(value_word(derived.name), derived.name);
  EXPECT_EQ(value_word("device_peak_bytes"), "device_peak_bytes");
}

}  // namespace
}  // namespace qb
