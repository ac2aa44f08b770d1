// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/case.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>

#include "base/numbers.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/workload/result.h"

namespace qb {
namespace {

using ::testing::HasSubstr;
using Random = std::mt19937_64;

// Returns a printable text that is not empty: an empty text means no value.
std::string any_text(Random& random) {
  std::string text;
  for (std::uint64_t n = 1 + random() % 12; n > 0; --n)
    text += static_cast<char>(' ' + static_cast<int>(random() % 95));
  return text;
}

double any_real(Random& random) {
  return std::ldexp(static_cast<double>((random() >> 11) + 1),
                    static_cast<int>(random() % 80) - 70);
}

// A value that a spec could give the parameter.
std::string any_value(const Parameter& parameter, Random& random) {
  if (parameter.nullable && random() % 2 == 0) return {};
  if (parameter.kind == FieldKind::integer) {
    const auto range = static_cast<std::uint64_t>(parameter.max - parameter.min) + 1;
    return to_text(parameter.min + static_cast<std::int64_t>(random() % range));
  }
  if (parameter.kind == FieldKind::seed) return fmt::to_string(random());
  if (parameter.kind == FieldKind::real) return to_text(any_real(random));
  if (parameter.kind == FieldKind::mask)
    return MaskSpec(random() % 2 == 0 ? MaskKind::causal : MaskKind::full).text();
  const auto below = [&](std::uint64_t n) { return static_cast<int>(random() % n); };
  if (parameter.kind == FieldKind::residues) return fmt::format("0,1,{}", 2 + below(50));
  if (parameter.kind == FieldKind::sequences)
    return fmt::format("{}+{} 0+{}", below(100), 1 + below(100), 1 + below(9));
  if (parameter.words == nullptr) return any_text(random);
  const auto words = parameter.words();
  return std::string(words[random() % words.size()]);
}

Case any_case(Random& random) {
  Case c;
  c.experiment = any_text(random);
  for (const Parameter& parameter : parameters())
    parameter.set(c, parameter, any_value(parameter, random));
  c.shape.value_dim = static_cast<std::int64_t>(random() >> 40);
  for (const MeasureField& field : measure_fields())
    std::visit(
        [&](auto member) {
          using T = std::remove_reference_t<decltype(c.measure.*member)>;
          c.measure.*member = static_cast<T>(random() % 2 + (random() % 1000) * 2 / 3);
        },
        field.member);
  if (random() % 2 == 0) c.gpu_peak_flop_per_s = any_real(random);
  return c;
}

void expect_equal(const Case& a, const Case& b) {
  EXPECT_EQ(a.experiment, b.experiment);
  EXPECT_EQ(case_parameters(a), case_parameters(b));
  EXPECT_EQ(a.shape, b.shape);
  for (const MeasureField& field : measure_fields())
    std::visit([&](auto member) { EXPECT_EQ(a.measure.*member, b.measure.*member) << field.key; },
               field.member);
  EXPECT_EQ(a.gpu_peak_flop_per_s, b.gpu_peak_flop_per_s);
}

TEST(CaseJson, EveryFieldComesBack) {
  constexpr std::uint64_t kSeed = 20250;
  Random random(kSeed);
  for (int i = 0; i < 500; ++i) {
    const Case c = any_case(random);
    const std::string json = case_to_json(c);
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", case " + std::to_string(i) + ": " + json);
    EXPECT_EQ(json.find('\n'), std::string::npos);
    const Case back = case_from_json(json);
    expect_equal(c, back);
    EXPECT_EQ(case_id(c), case_id(back));
    EXPECT_EQ(case_to_json(back), json);
  }
}

TEST(CaseJson, BrokenTextIsRefusedWithASentence) {
  const auto error_of = [](const std::string& text) -> std::string {
    try {
      (void)case_from_json(text);
      return "no error";
    } catch (const UsageError& error) {
      return error.what();
    }
  };
  EXPECT_THAT(error_of(""), HasSubstr("cannot read the case: "));
  EXPECT_THAT(error_of("{}"), HasSubstr("cannot read the case: "));
  EXPECT_THAT(error_of("{}"), HasSubstr("'experiment'")) << "the missing key";
  std::string json = case_to_json(Case{});
  json.replace(json.find("flash"), 5, "flahs");
  EXPECT_EQ(error_of(json), "unknown kernel 'flahs'; did you mean 'flash'?");
  EXPECT_THAT(error_of(case_to_json(Case{}).substr(0, 40)), HasSubstr("cannot read the case: "));
}

TEST(CaseParameters, AreTheParameterColumnsInOrder) {
  const auto& columns = case_table().columns;
  const auto parameters = case_parameters(Case{});
  const std::size_t first = 3;  // after schema_version, case_id, experiment
  ASSERT_EQ(columns[first - 1], "experiment");
  for (std::size_t i = 0; i < parameters.size(); ++i)
    EXPECT_EQ(parameters[i].first, columns[first + i]);
  EXPECT_EQ(columns[first + parameters.size()], "status");
}

TEST(CaseParameters, AbsentValuesAreEmpty) {
  std::map<std::string, std::string> values;
  for (const auto& [name, value] : case_parameters(Case{})) values[name] = value;
  EXPECT_EQ(values["interest_set"], "");
  EXPECT_EQ(values["scale"], "");
  EXPECT_EQ(values["memory_budget_bytes"], "");
  EXPECT_EQ(values["threads"], "0");
  EXPECT_EQ(values["device"], "auto");
}

Case smoke_case() {
  Case c;
  c.experiment = "smoke";
  c.algorithm = "cqs";
  c.workers = 7;
  c.shape = {1, 2, 2, 256, 256, 32, 32};
  return c;
}

// Resuming and comparing run folders depend on it: a new value makes all existing folders stale.
TEST(CaseId, IsStableAcrossBuilds) {
  EXPECT_EQ(case_id(smoke_case()), "u5f56173035f");
  Case c = smoke_case();
  c.device = Device::cpu;
  c.interest_set = {0, 1, 3};
  EXPECT_EQ(case_id(c), "g0c82f8d8a41");
  c.scale = 2.0;
  EXPECT_EQ(case_id(c), "m0f547ef6bf6");
}

// So that a new parameter or setting with a standard value changes no id.
TEST(CaseId, DoesNotNameWhatIsStandard) {
  Case c = smoke_case();
  c.pass = Passes::both;
  EXPECT_NE(case_id(c), case_id(smoke_case()));
  c.pass = Passes::forward;
  EXPECT_EQ(case_id(c), case_id(smoke_case()));
  c.measure.retakes = 7;
  EXPECT_NE(case_id(c), case_id(smoke_case()));
  c.measure.retakes = Measure{}.retakes;
  EXPECT_EQ(case_id(c), case_id(smoke_case()));
}

TEST(CaseId, IsALetterAndHexDigitsSoThatItNeverReadsAsANumber) {
  Random random(7);
  for (int i = 0; i < 100; ++i) {
    const std::string id = case_id(any_case(random));
    EXPECT_EQ(id.size(), 12u);
    EXPECT_TRUE(id[0] >= 'g' && id[0] <= 'v') << id;
    EXPECT_EQ(id.find_first_not_of("0123456789abcdef", 1), std::string::npos) << id;
  }
}

TEST(CaseId, ChangesWithEveryParameterAndMeasureButNotWithTheName) {
  Random random(11);
  std::set<std::string> ids = {case_id(smoke_case())};
  std::size_t changes = 1;
  for (const Parameter& parameter : parameters()) {
    Case c = smoke_case();
    const std::string before = parameter.get(c, parameter);
    while (parameter.get(c, parameter) == before)
      parameter.set(c, parameter, any_value(parameter, random));
    ids.insert(case_id(c));
    EXPECT_EQ(ids.size(), ++changes) << parameter.column;
  }
  for (const MeasureField& field : measure_fields()) {
    Case c = smoke_case();
    std::visit(
        [&](auto member) {
          using T = std::remove_reference_t<decltype(c.measure.*member)>;
          if constexpr (std::is_same_v<T, bool>)
            c.measure.*member = !(c.measure.*member);
          else
            c.measure.*member += 1;
        },
        field.member);
    ids.insert(case_id(c));
    EXPECT_EQ(ids.size(), ++changes) << field.key;
  }
  Case wide = smoke_case();
  wide.shape.value_dim = 64;  // it has no column
  EXPECT_TRUE(ids.insert(case_id(wide)).second);

  Case renamed = smoke_case();
  renamed.experiment = "other";
  renamed.gpu_peak_flop_per_s = 1e15;
  EXPECT_EQ(case_id(renamed), case_id(smoke_case()));
}

}  // namespace
}  // namespace qb
