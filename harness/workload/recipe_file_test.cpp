// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/recipe_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/scratch_folder.h"
#include "harness/plan/check/check.h"
#include "harness/workload/case.h"

namespace qb {
namespace {

using namespace std::string_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kTwo =
    R"({"name": "own", "plans": [)"
    R"({"workers": 2, "deal": "striped", "forward": [[[0, 0, 0], [1, 0, -1]],)"
    R"( [[0, 1, "p2p", "K", 0], [0, 1, "p2p", "V", 0]]], "backward": [[], []]},)"
    R"({"workers": 1, "deal": "zigzag", "forward": [[[0, 0, 0]], []], "backward": [[], []]}]})";

class RecipeFiles : public ::testing::Test {
 protected:
  [[nodiscard]] std::string refused(const std::string& content, int workers = 2) const {
    try {
      (void)read_recipe(scratch_.file("own.json", content), workers);
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr("own.json"));
      return error.what();
    }
    return "nothing was refused";
  }
  ScratchFolder scratch_;
};

TEST_F(RecipeFiles, AreTheAlgorithmOfACase) {
  Case c;
  c.algorithm = scratch_.file("own.3f.json", std::string(kTwo));
  c.shape = {1, 2, 2, 10, 10, 8, 8};
  for (const int workers : {1, 2}) {
    c.workers = workers;
    const Plan plan = plan_of(c, Pass::forward);
    EXPECT_EQ(check(plan), std::nullopt);
    EXPECT_EQ(plan.workers.size(), static_cast<std::size_t>(workers));
    EXPECT_EQ(plan.algorithm, "own");
  }
  EXPECT_THROW((void)plan_of(c, Pass::backward), Unsupported);
  EXPECT_TRUE(is_recipe_file(c.algorithm));
  EXPECT_EQ(algorithm_name(c.algorithm), "own");
  EXPECT_EQ(algorithm_name("own.json"), "own");
  EXPECT_EQ(algorithm_name("cqs_sharded"), "cqs_sharded");
}

TEST_F(RecipeFiles, AreRefusedWhereTheyAreMalformedOrLackTheWorkers) {
  EXPECT_EQ(refused(std::string(kTwo)), "nothing was refused");
  EXPECT_THAT(refused(std::string(kTwo), 3), HasSubstr("has no plan for 3 workers, but for 2, 1"));
  EXPECT_THROW((void)read_recipe(scratch_.path("none.json"), 2), UsageError);
  for (
      const std::string& content :
      {""s, "{"s, "[]"s, "{}"s, R"({"name": "own", "plans": {"workers": 2}})"s,
       R"({"name": "own", "plans": [{"workers": 2}]})"s,
       R"({"name": "own", "plans": [{"workers": "2"}]})"s,
       R"({"name": 3, "plans": [{"workers": 2, "deal": "zigzag", "forward": [[], []], "backward": [[], []]}]})"s,
       R"({"name": "own", "plans": [{"workers": 2, "deal": "zigzag", "forward": [[[0, 0]], []], "backward": [[], []]}]})"s})
    EXPECT_THAT(refused(content),
                AllOf(HasSubstr("is not an algorithm as qb.sweep() of Python writes it: "),
                      Not(HasSubstr("json.exception"))))
        << content;
}

}  // namespace
}  // namespace qb
