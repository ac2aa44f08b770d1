#include "harness/experiment/schema/case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>

#include "harness/experiment/process/result.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/schema/measure_fields.h"
#include "harness/experiment/schema/parameters.h"

namespace qb {
namespace {

using ::testing::HasSubstr;
using Random = std::mt19937_64;

// Printable, and not empty: an empty text stands for no value.
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
Value any_value(const Parameter& parameter, Random& random) {
  if (parameter.nullable && random() % 2 == 0) return {};
  if (parameter.kind == FieldKind::integer) {
    const auto range = static_cast<std::uint64_t>(parameter.max - parameter.min) + 1;
    return {parameter.min + static_cast<std::int64_t>(random() % range), {}};
  }
  if (parameter.kind == FieldKind::real) return {any_real(random), {}};
  if (parameter.kind == FieldKind::mask)
    return {MaskSpec(random() % 2 == 0 ? MaskKind::causal : MaskKind::full).text(), {}};
  if (parameter.words == nullptr) return {any_text(random), {}};
  const auto words = parameter.words();
  return {std::string(words[random() % words.size()]), {}};
}

Case any_case(Random& random) {
  Case c;
  c.experiment = any_text(random);
  for (const Parameter& parameter : parameters()) parameter.set(c, any_value(parameter, random));
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

// Resuming and comparing run folders rest on it: a new value makes every folder of users stale.
TEST(CaseId, IsStableAcrossBuilds) { EXPECT_EQ(case_id(smoke_case()), "6fdc93d5bb74"); }

TEST(CaseId, IsTwelveHexDigits) {
  Random random(7);
  for (int i = 0; i < 100; ++i) {
    const std::string id = case_id(any_case(random));
    EXPECT_EQ(id.size(), 12u);
    EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos) << id;
  }
}

TEST(CaseId, ChangesWithEveryParameterAndMeasureButNotWithTheName) {
  std::set<std::string> ids = {case_id(smoke_case())};
  std::size_t changes = 1;
  const auto change = [&](auto edit) {
    Case c = smoke_case();
    edit(c);
    ids.insert(case_id(c));
    ++changes;
  };
  change([](Case& c) { c.algorithm = "dense"; });
  change([](Case& c) { c.kernel = Kernel::materialized; });
  change([](Case& c) { c.device = Device::cpu; });
  change([](Case& c) { c.allocator = AllocatorKind::caching; });
  change([](Case& c) { c.launch = Launch::together; });
  change([](Case& c) { c.clock = ClockKind::unsynchronized; });
  change([](Case& c) { c.l2_cache = L2Cache::warm; });
  change([](Case& c) { c.cuda_path = CudaPath::sm_80; });
  change([](Case& c) { c.worker_speeds = "0.5"; });
  change([](Case& c) { c.group_sizes = GroupSizes::by_speed; });
  change([](Case& c) { c.product_row_groups = 3; });
  change([](Case& c) { c.product_depth = 7; });
  change([](Case& c) { c.ranks = Ranks::threads; });
  change([](Case& c) { c.workers = 8; });
  change([](Case& c) { c.threads = 2; });
  change([](Case& c) { c.shape.q_len = 257; });
  change([](Case& c) { c.shape.kv_len = 257; });
  change([](Case& c) { c.shape.batch = 2; });
  change([](Case& c) { c.shape.q_heads = 4; });
  change([](Case& c) { c.shape.kv_heads = 1; });
  change([](Case& c) { c.shape.head_dim = 64; });
  change([](Case& c) { c.shape.value_dim = 64; });
  change([](Case& c) { c.mask = MaskKind::causal; });
  change([](Case& c) { c.dtype = DType::f16; });
  change([](Case& c) { c.seed = 2; });
  change([](Case& c) { c.interest_set = "0,1,3"; });
  change([](Case& c) { c.distillation = Distillation::balanced; });
  change([](Case& c) { c.scale = 0.5; });
  change([](Case& c) { c.memory_budget_bytes = 1; });
  change([](Case& c) { c.measure.warmups = 2; });
  change([](Case& c) { c.measure.min_repeats = 2; });
  change([](Case& c) { c.measure.max_repeats = 6; });
  change([](Case& c) { c.measure.relative_interval = 0.5; });
  change([](Case& c) { c.measure.max_time_s = 1; });
  change([](Case& c) { c.measure.timeout_s = 1; });
  change([](Case& c) { c.measure.verify_rows = 1; });
  change([](Case& c) { c.measure.memory_timeline = true; });
  change([](Case& c) { c.measure.device_memory = true; });
  EXPECT_EQ(ids.size(), changes);

  Case renamed = smoke_case();
  renamed.experiment = "other";
  renamed.gpu_peak_flop_per_s = 1e15;
  EXPECT_EQ(case_id(renamed), case_id(smoke_case()));
}

}  // namespace
}  // namespace qb
