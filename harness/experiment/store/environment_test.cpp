// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/store/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace qb {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

TEST(Environment, TellsMachineBuildAndLibraries) {
  const auto json = nlohmann::json::parse(environment_json());
  EXPECT_THAT(json.at("time_utc").get<std::string>(),
              MatchesRegex("[0-9]+-[0-9][0-9]-[0-9][0-9]T[0-9:]+Z"));
  EXPECT_FALSE(json.at("cpu").at("usable_processors").empty());
  EXPECT_GT(json.at("memory").at("total_bytes").get<std::int64_t>(), 0);
  EXPECT_EQ(json.at("build").at("version"), build_info().version);
  EXPECT_THAT(json.at("build").at("libraries").get<std::string>(), HasSubstr("fmt "));
  EXPECT_FALSE(json.at("build").at("compiler").get<std::string>().empty());
}

TEST(Environment, HoldsTheFingerprintThatCompareReads) {
  const auto json = nlohmann::json::parse(environment_json());
  EXPECT_EQ(json.at("device_fingerprint"), device_fingerprint());
  EXPECT_THAT(device_fingerprint(), MatchesRegex(".+ \\| [0-9]+ cores? \\| .+ \\| [0-9]+ GiB"));
}

TEST(Environment, DoesNotNameTheHostOrTheUser) {
  const std::string text = environment_json();
  EXPECT_THAT(text, Not(HasSubstr("\"host")));
  EXPECT_THAT(text, Not(HasSubstr("\"user")));
  EXPECT_THAT(text, Not(HasSubstr("/home/")));
}

TEST(Environment, TellsWhereEachLibraryLiesOnlyWhereAsked) {
  EXPECT_FALSE(nlohmann::json::parse(environment_json()).at("cuda").contains("libraries"));
  const auto cuda = nlohmann::json::parse(environment_json(true)).at("cuda");
  if (!build_info().cuda) {
    EXPECT_TRUE(cuda.at("libraries").empty());
    return;
  }
  for (const char* const name : {"cublas", "cupti", "nccl", "nvml"}) {
    const auto& library = cuda.at("libraries").at(name);
    EXPECT_NE(library.at("file").is_null(), library.at("why_none").is_null()) << library;
    if (library.at("file").is_string()) {
      EXPECT_THAT(library.at("file").get<std::string>(), HasSubstr("/lib")) << library;
    }
  }
}

TEST(Environment, AbsentFactsAreNullNotZero) {
  const auto json = nlohmann::json::parse(environment_json());
  const auto& limit = json.at("memory").at("container_limit_bytes");
  EXPECT_TRUE(limit.is_null() || limit.get<std::int64_t>() > 0);
}

TEST(Environment, TableHasALineForEachFact) {
  const std::string table = environment_table();
  EXPECT_THAT(table, HasSubstr("cpu.model"));
  EXPECT_THAT(table, HasSubstr("build.commit"));
  EXPECT_THAT(table, HasSubstr("GiB"));
}

// A missing library has a reason, and the table leaves out the reasons of the others.
TEST(Environment, TableExplainsOnlyWhatIsMissing) {
  std::istringstream table(environment_table(true));
  for (std::string line; std::getline(table, line);)
    if (line.find("why_") != std::string::npos) {
      EXPECT_EQ(line.find("not available"), std::string::npos) << line;
    }
}

TEST(Environment, TheSummaryIsShortAndNamesWhatTheTableDoes) {
  const std::string summary = environment_summary();
  EXPECT_LE(std::ranges::count(summary, '\n'), 20) << summary;
  EXPECT_THAT(summary, HasSubstr("fingerprint"));
  EXPECT_THAT(summary, HasSubstr(device_fingerprint()));
  EXPECT_THAT(summary, HasSubstr(std::string(build_info().version)));
  EXPECT_THAT(summary, HasSubstr("GPUs"));
}

}  // namespace
}  // namespace qb
