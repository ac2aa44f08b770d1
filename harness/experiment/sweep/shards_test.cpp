// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/sweep/shards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "base/files.h"
#include "base/status.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/sweep/sweep_runner.h"

namespace qb {
namespace {

using testing::HasSubstr;

Spec spec_of(const std::string& rest) { return parse_spec("experiment: e\n" + rest, "e.yaml", {}); }

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

// The shard of each case.
std::map<std::string, int> places(const Deal& deal) {
  std::map<std::string, int> at;
  for (int s = 0; s < std::ssize(deal.parts); ++s)
    for (const std::string& id : deal.parts[static_cast<std::size_t>(s)].case_ids)
      EXPECT_TRUE(at.emplace(id, s).second) << "a case is dealt twice";
  return at;
}

TEST(Shards, HaveEachCaseOnceAndTakeAboutAsLong) {
  const Spec spec = spec_of(
      "algorithm: ring\nsweep: {n_tokens: {from: 64, to: 6400, step: 64}, workers: [2, 4]}\n");
  ASSERT_EQ(spec.cases.size(), 200u);
  std::mt19937 random(std::random_device{}());
  std::lognormal_distribution<double> seconds_of(1.0, 1.0);
  for (const int shards : {1, 2, 4, 7}) {
    std::vector<double> seconds;
    for (std::size_t i = 0; i < spec.cases.size(); ++i) seconds.push_back(seconds_of(random));
    std::vector<Case> cases = spec.cases;
    for (int twice = 0; twice < 9; ++twice) {  // as two of a spec that are one on this machine
      cases.push_back(cases[random() % 200]);
      seconds.push_back(1.0);
    }
    const Deal deal = deal_cases(spec, cases, seconds, shards);
    EXPECT_EQ(places(deal).size(), spec.cases.size());
    double sum = 0.0;
    double most = 0.0;
    for (const Deal::Part& part : deal.parts) {
      sum += part.predicted_s;
      most = std::max(most, part.predicted_s);
    }
    EXPECT_LE(most, 1.1 * sum / shards);
    EXPECT_FALSE(deal.calibration.empty());
  }
}

TEST(Shards, KeepWhatASpeedUpDividesTogether) {
  for (const char* const compares :
       {"baseline: dense\n",
        "figures:\n  - {y: speed_up, x: n_tokens, base: {algorithm: dense, workers: 1}}\n"}) {
    const Spec spec = spec_of(std::string(compares) +
                              "sweep: {n_tokens: [64, 128, 192, 256, 320, 384]}\n"
                              "zip: {algorithm: [dense, ring, ring], workers: [1, 2, 4]}\n");
    const Deal deal = deal_cases(spec, spec.cases, std::vector(spec.cases.size(), 1.0), 3);
    const std::map<std::string, int> at = places(deal);
    std::map<std::int64_t, std::set<int>> shards_of;
    for (const Case& c : spec.cases) shards_of[c.shape.q_len].insert(at.at(case_id(c)));
    for (const auto& [n, shards] : shards_of) EXPECT_EQ(shards.size(), 1u) << compares << n;
    EXPECT_THAT(message_of([&] {
                  (void)deal_cases(spec, spec.cases, std::vector(spec.cases.size(), 1.0), 7);
                }),
                HasSubstr("7 shards are more than the 6 groups of cases that stay together"));
  }
}

TEST(Shards, AreDealtByTheFirstThatComes) {
  const Spec spec =
      spec_of("algorithm: ring\nworkers: 2\nsweep: {n_tokens: [64, 128, 192, 256]}\n");
  const std::string path = testing::TempDir() + "shards/e/run.shards.json";
  std::filesystem::remove_all(testing::TempDir() + "shards");
  std::vector<Deal> seen(8);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < seen.size(); ++t)
    threads.emplace_back([&, t] {
      seen[t] = find_deal(path, hash_spec(spec.resolved_yaml), 2, false, [&] {
        std::vector<double> seconds(4, 1.0);  // others would deal otherwise
        seconds[t % 4] = 10.0;
        return deal_cases(spec, spec.cases, seconds, 2);
      });
    });
  for (std::thread& thread : threads) thread.join();
  for (const Deal& deal : seen) EXPECT_EQ(places(deal), places(seen.front()));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(testing::TempDir() + "shards/e"), {}),
            1);
  const auto never = []() -> Deal { throw std::logic_error("it was dealt again"); };
  const std::string unwritten = testing::TempDir() + "shards/dry/run.shards.json";
  EXPECT_EQ(find_deal(unwritten, "", 2, true, [&] { return seen.front(); }).parts.size(), 2u);
  EXPECT_FALSE(std::filesystem::exists(testing::TempDir() + "shards/dry"));
  EXPECT_THAT(message_of([&] { (void)find_deal(path, "another", 2, false, never); }),
              HasSubstr("deals the cases of another spec"));
  EXPECT_THAT(
      message_of([&] { (void)find_deal(path, hash_spec(spec.resolved_yaml), 3, false, never); }),
      HasSubstr("deals the cases to 2 shards and not to 3"));
  write_file_atomically(path, "{}\n");
  EXPECT_THAT(message_of([&] { (void)read_deal(path); }),
              HasSubstr("does not say which shard runs what"));
}

TEST(Shards, AreNamedByNumbersOrByAJobArray) {
  const Shard shard = parse_shard("2/4");
  EXPECT_EQ(shard.index, 2);
  EXPECT_EQ(shard.of, 4);
  EXPECT_EQ(shard_run_id("a", shard), "a.2of4");
  for (const char* const wrong : {"", "2", "0/4", "5/4", "2/", "/4", "a/b", "2/4/6", "1/100000"})
    EXPECT_THAT(message_of([&] { (void)parse_shard(wrong); }), HasSubstr("write I/N")) << wrong;
  EXPECT_THAT(message_of([] { (void)parse_shard("auto"); }),
              HasSubstr("needs SLURM_ARRAY_TASK_ID, which tasks of a job array have"));
  const auto set = [](const char* name, const char* value) { ::setenv(name, value, 1); };
  set("SLURM_ARRAY_TASK_ID", "3");
  set("SLURM_ARRAY_TASK_COUNT", "4");
  set("SLURM_ARRAY_TASK_MIN", "1");
  set("SLURM_ARRAY_TASK_MAX", "4");
  EXPECT_EQ(parse_shard("auto").index, 3);
  EXPECT_EQ(parse_shard("auto").of, 4);
  set("SLURM_ARRAY_TASK_MAX", "7");
  EXPECT_THAT(message_of([] { (void)parse_shard("auto"); }), HasSubstr("needs a whole array"));
  for (const char* const name : {"ID", "COUNT", "MIN", "MAX"})
    ::unsetenv((std::string("SLURM_ARRAY_TASK_") + name).c_str());
}

}  // namespace
}  // namespace qb
