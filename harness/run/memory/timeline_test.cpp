// SPDX-License-Identifier: Apache-2.0
#include "harness/run/memory/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/run/testing/memory_fakes.h"

namespace qb {
namespace {

using ::testing::ElementsAre;
using Json = nlohmann::json;

// Two workers, one tensor of each that outlives the other's, and a request that does not fit.
std::vector<MemoryEvent> small_timeline() {
  FakeMachine machine(std::uint64_t{1} << 24);
  MemoryLedger::Options options = machine.options();
  options.record_events = true;
  MemoryLedger ledger(options);
  {
    Buffer q(ledger, 100, "q_local", 0);
    Buffer scores(ledger, 5000, "scores", 0);
    Buffer other(ledger, 64, "q_local", 1);
    EXPECT_THROW(Buffer(ledger, std::size_t{1} << 30, "scores", 1), std::exception);
    q = Buffer();  // before scores: the two lives do not nest
  }
  return ledger.events();
}

TEST(MemoryTimeline, HasOneRowPerEvent) {
  const std::vector<MemoryEvent> events = small_timeline();
  const auto rows = timeline_rows(events);
  ASSERT_EQ(rows.size(), events.size());
  const auto row = [](const char* time_s, const char* action, const char* label, const char* worker,
                      const char* bytes, const char* active, const char* reserved) {
    return RowValues{{"time_s", time_s},          {"action", action}, {"label", label},
                     {"worker", worker},          {"bytes", bytes},   {"active_bytes", active},
                     {"reserved_bytes", reserved}};
  };
  EXPECT_EQ(rows[0], row("1.0", "segment_alloc", "q_local", "0", "4096", "0", "4096"));
  EXPECT_EQ(rows[1], row("2.0", "alloc", "q_local", "0", "100", "100", "4096"));
  EXPECT_EQ(rows[6], row("7.0", "oom", "scores", "1", "1073741824", "5164", "16384"));
  EXPECT_EQ(rows[7], row("8.0", "free", "q_local", "0", "100", "5064", "16384"));
}

// Returns the slices of one track, as (begin, end).
using Track = std::vector<std::pair<double, double>>;

TEST(PerfettoTrace, HasCountersAndANestedSliceForEachLife) {
  const std::vector<MemoryEvent> events = small_timeline();
  const Json trace = Json::parse(perfetto_trace(events, "case \"7\""));
  std::map<int, std::string> names;
  std::map<int, Track> tracks;
  std::size_t counters = 0;
  std::size_t slices = 0;
  for (const Json& event : trace.at("traceEvents")) {
    EXPECT_EQ(event.at("pid"), 1);
    const std::string phase = event.at("ph");
    if (phase == "M" && event.at("name") == "process_name") {
      EXPECT_EQ(event.at("args").at("name"), "case \"7\"");
    }
    if (phase == "M" && event.at("name") == "thread_name")
      names[event.at("tid")] = event.at("args").at("name");
    if (phase == "C") ++counters;
    if (phase == "X") {
      ++slices;
      tracks[event.at("tid")].emplace_back(event.at("ts"),
                                           double(event.at("ts")) + double(event.at("dur")));
    }
    if (phase == "i") {
      EXPECT_EQ(event.at("name"), "out of memory: scores");
    }
  }
  EXPECT_EQ(counters, events.size());
  EXPECT_EQ(slices, 3u);
  for (const auto& [tid, track] : tracks) {
    EXPECT_TRUE(names.contains(tid)) << "track " << tid << " has no name";
    for (const auto& a : track)
      for (const auto& b : track)
        EXPECT_FALSE(a.first < b.first && b.first < a.second && a.second < b.second)
            << "slices of track " << tid << " overlap without nesting";
  }
  EXPECT_EQ(names[2], "worker 0");
  EXPECT_EQ(names[3], "worker 1");
  EXPECT_EQ(names[5], "worker 0 (2)") << "scores outlives q_local: it needs a second track";
}

TEST(PerfettoTrace, GivesTimesInMicrosecondsAndBytesAsCounted) {
  const std::vector<MemoryEvent> events = small_timeline();
  const Json trace = Json::parse(perfetto_trace(events, "case"));
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X" || event.at("name") != "scores") continue;
    EXPECT_EQ(event.at("ts"), 4e6);
    EXPECT_EQ(event.at("args").at("bytes"), 5000);
    return;
  }
  FAIL() << "no slice for scores";
}

// One tensor of a worker is freed before one of the root (worker -1), and another never.
TEST(PerfettoTrace, IsTheseLines) {
  FakeMachine machine(std::uint64_t{1} << 24);
  MemoryLedger::Options options = machine.options();
  options.record_events = true;
  MemoryLedger ledger(options);
  const Buffer kept(ledger, 5, "kept", 1);
  {
    const Buffer whole(ledger, 10, "output", -1);
    const Buffer local(ledger, 20, "q_local", 0);
    EXPECT_THROW(Buffer(ledger, std::size_t{1} << 30, "scores", 0), std::exception);
  }
  EXPECT_EQ(perfetto_trace(ledger.events(), "a run"), R"({"displayTimeUnit":"ms","traceEvents":[
{"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"a run"}},
{"ph":"M","name":"thread_name","pid":1,"tid":3,"args":{"name":"worker 1"}},
{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"root"}},
{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"worker 0"}},
{"ph":"X","name":"kept","cat":"memory","pid":1,"tid":3,"ts":2000000.0,"dur":7000000.0,"args":{"bytes":5}},
{"ph":"X","name":"output","cat":"memory","pid":1,"tid":1,"ts":4000000.0,"dur":5000000.0,"args":{"bytes":10}},
{"ph":"X","name":"q_local","cat":"memory","pid":1,"tid":2,"ts":6000000.0,"dur":2000000.0,"args":{"bytes":20}},
{"ph":"C","name":"memory","pid":1,"ts":1000000.0,"args":{"active_bytes":0,"reserved_bytes":4096}},
{"ph":"C","name":"memory","pid":1,"ts":2000000.0,"args":{"active_bytes":5,"reserved_bytes":4096}},
{"ph":"C","name":"memory","pid":1,"ts":3000000.0,"args":{"active_bytes":5,"reserved_bytes":8192}},
{"ph":"C","name":"memory","pid":1,"ts":4000000.0,"args":{"active_bytes":15,"reserved_bytes":8192}},
{"ph":"C","name":"memory","pid":1,"ts":5000000.0,"args":{"active_bytes":15,"reserved_bytes":12288}},
{"ph":"C","name":"memory","pid":1,"ts":6000000.0,"args":{"active_bytes":35,"reserved_bytes":12288}},
{"ph":"C","name":"memory","pid":1,"ts":7000000.0,"args":{"active_bytes":35,"reserved_bytes":12288}},
{"ph":"i","s":"p","name":"out of memory: scores","pid":1,"tid":2,"ts":7000000.0,"args":{"bytes":1073741824,"free_bytes":16764928}},
{"ph":"C","name":"memory","pid":1,"ts":8000000.0,"args":{"active_bytes":15,"reserved_bytes":12288}},
{"ph":"C","name":"memory","pid":1,"ts":9000000.0,"args":{"active_bytes":5,"reserved_bytes":12288}}
]}
)");
}

TEST(PerfettoTrace, OfNothingIsStillATrace) {
  EXPECT_EQ(Json::parse(perfetto_trace({}, "case")).at("traceEvents").size(), 1u);
}

}  // namespace
}  // namespace qb
