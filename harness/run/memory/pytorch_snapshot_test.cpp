// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "base/files.h"
#include "harness/run/memory/timeline.h"
#include "harness/run/testing/memory_fakes.h"

namespace qb {
namespace {

using Json = nlohmann::json;

// Reads the ten opcodes that the visualiser must understand; any other throws. Tuples become
// arrays.
class Unpickler {
 public:
  explicit Unpickler(std::string_view bytes) : bytes_(bytes) {}

  Json load() {
    while (true) {
      const unsigned char opcode = static_cast<unsigned char>(take(1)[0]);
      if (opcode == '.') break;
      step(opcode);
    }
    if (!bytes_.empty() || stack_.size() != 1 || !marks_.empty())
      throw std::runtime_error("bytes or values are left over after STOP");
    return stack_[0];
  }

 private:
  std::string_view take(std::size_t n) {
    if (n > bytes_.size()) throw std::runtime_error("the pickle ends early");
    const std::string_view head = bytes_.substr(0, n);
    bytes_.remove_prefix(n);
    return head;
  }

  std::int64_t number(std::size_t n) {
    std::uint64_t value = 0;
    const std::string_view digits = take(n);
    for (std::size_t i = 0; i < n; ++i)
      value |= std::uint64_t{static_cast<unsigned char>(digits[i])} << (8 * i);
    return static_cast<std::int64_t>(value);
  }

  void step(unsigned char opcode) {
    switch (opcode) {
      case 0x80:
        if (number(1) != 2) throw std::runtime_error("not protocol 2");
        return;
      case '}':
        stack_.push_back(Json::object());
        return;
      case ']':
        stack_.push_back(Json::array());
        return;
      case '(':
        marks_.push_back(stack_.size());
        return;
      case 'X': {
        const auto size = static_cast<std::size_t>(number(4));
        stack_.push_back(std::string(take(size)));
        return;
      }
      case 'J':
        stack_.push_back(number(4));
        return;
      case 0x8a:
        stack_.push_back(number(static_cast<std::size_t>(number(1))));
        return;
      case 0x89:
        stack_.push_back(false);
        return;
      case 0x86: {
        const Json pair = {stack_.at(stack_.size() - 2), stack_.back()};
        stack_.resize(stack_.size() - 2);
        stack_.push_back(pair);
        return;
      }
      case 'e':
        close([](Json& list, std::span<const Json> values) {
          for (const Json& value : values) list.push_back(value);
        });
        return;
      case 'u':
        close([](Json& dictionary, std::span<const Json> values) {
          for (std::size_t i = 0; i + 1 < values.size(); i += 2)
            dictionary[values[i].get<std::string>()] = values[i + 1];
        });
        return;
      default:
        throw std::runtime_error(fmt::format("opcode {:#x}", opcode));
    }
  }

  template <class F>
  void close(const F& f) {
    const std::size_t mark = marks_.back();
    marks_.pop_back();
    f(stack_.at(mark - 1), std::span<const Json>(stack_).subspan(mark));
    stack_.resize(mark);
  }

  std::string_view bytes_;
  std::vector<Json> stack_;
  std::vector<std::size_t> marks_;
};

// A random history over `count` allocations; some are alive at the end.
std::vector<MemoryEvent> random_timeline(unsigned seed, int count) {
  FakeMachine machine(std::uint64_t{1} << 34);
  MemoryLedger::Options options = machine.options();
  options.record_events = true;
  MemoryLedger ledger(options);
  std::mt19937 random(seed);
  std::vector<Buffer> live;
  for (int i = 0; i < count; ++i) {
    if (random() % 8 == 0) ledger.release_cached();
    if (random() % 8 == 0) {
      EXPECT_THROW(Buffer(ledger, std::size_t{1} << 40, "scores"), std::exception);
    }
    if (random() % 2 == 0 && !live.empty())
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(random() % live.size()));
    live.emplace_back(ledger, 1 + random() % (1u << (8 + random() % 18)), "tensor",
                      static_cast<int>(random() % 4));
  }
  return ledger.events();
}

// Returns what is live after the events, by address.
std::map<std::uint64_t, std::uint64_t> live_blocks(const std::vector<MemoryEvent>& events) {
  std::map<std::uint64_t, std::uint64_t> live;
  for (const MemoryEvent& event : events) {
    if (event.action == MemoryEvent::Action::alloc) live[event.address] = event.bytes;
    if (event.action == MemoryEvent::Action::free) live.erase(event.address);
  }
  return live;
}

TEST(PytorchSnapshot, OfNothingIsTwoListsByteForByte) {
  using namespace std::string_literals;
  EXPECT_EQ(pytorch_snapshot({}), "\x80\x02}(X\x08\0\0\0segments]X\x0d\0\0\0device_traces](]eu."s);
}

TEST(PytorchSnapshot, WritesAnEventByteForByte) {
  using namespace std::string_literals;
  MemoryEvent oom;
  oom.action = MemoryEvent::Action::oom;
  oom.label = "s";
  oom.worker = 3;
  oom.time_s = 2e-6;
  oom.bytes = 0x123456789a;  // above 31 bits
  oom.free_bytes = 7;
  EXPECT_EQ(pytorch_snapshot({&oom, 1}),
            "\x80\x02}(X\x08\0\0\0segments]X\x0d\0\0\0device_traces](](}("
            "X\x06\0\0\0actionX\x03\0\0\0oom"
            "X\x0b\0\0\0device_freeJ\x07\0\0\0"
            "X\x04\0\0\0size\x8a\x08\x9a\x78\x56\x34\x12\0\0\0"
            "X\x06\0\0\0streamJ\0\0\0\0"
            "X\x07\0\0\0time_usJ\x02\0\0\0"
            "X\x06\0\0\0frames](}("
            "X\x08\0\0\0filenameX\x08\0\0\0worker 3"
            "X\x04\0\0\0lineJ\0\0\0\0"
            "X\x04\0\0\0nameX\x01\0\0\0s"
            "ueueeu."s);
}

TEST(PytorchSnapshot, BlocksTileTheirSegmentAndHoldEveryLiveAllocation) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const std::vector<MemoryEvent> events = random_timeline(seed, 60);
    const Json snapshot = Unpickler(pytorch_snapshot(events)).load();
    std::map<std::uint64_t, std::uint64_t> live = live_blocks(events);
    for (const Json& segment : snapshot.at("segments")) {
      std::uint64_t next = segment.at("address");
      std::uint64_t allocated = 0;
      for (const Json& block : segment.at("blocks")) {
        EXPECT_EQ(block.at("address"), next);
        next += std::uint64_t(block.at("size"));
        if (block.at("state") != "active_allocated") continue;
        EXPECT_EQ(live.at(block.at("address")), block.at("size"));
        EXPECT_EQ(block.at("requested_size"), block.at("size"));
        EXPECT_EQ(block.at("frames").at(0).at("name"), "tensor");
        live.erase(std::uint64_t(block.at("address")));
        allocated += std::uint64_t(block.at("size"));
      }
      EXPECT_EQ(next,
                std::uint64_t(segment.at("address")) + std::uint64_t(segment.at("total_size")));
      EXPECT_EQ(segment.at("allocated_size"), allocated);
      EXPECT_EQ(segment.at("active_size"), allocated);
      EXPECT_EQ(segment.at("segment_pool_id"), Json({0, 0}));
    }
    EXPECT_TRUE(live.empty()) << live.size() << " live allocations are in no segment";
  }
}

TEST(PytorchSnapshot, TracesTellTheHistoryWithFreesInTwoSteps) {
  const std::vector<MemoryEvent> events = random_timeline(5, 40);
  const Json snapshot = Unpickler(pytorch_snapshot(events)).load();
  ASSERT_EQ(snapshot.at("device_traces").size(), 1u);
  std::size_t next = 0;
  bool completing = false;
  for (const Json& trace : snapshot.at("device_traces")[0]) {
    const MemoryEvent& event = events.at(next);
    const bool oom = event.action == MemoryEvent::Action::oom;
    const std::string action = trace.at("action");
    if (event.action == MemoryEvent::Action::free) {
      EXPECT_EQ(action, completing ? "free_completed" : "free_requested");
      completing = !completing;
    } else {
      EXPECT_EQ(action, word(event.action));
    }
    EXPECT_EQ(trace.at(oom ? "device_free" : "addr"), oom ? event.free_bytes : event.address);
    EXPECT_EQ(trace.at("size"), event.bytes);
    EXPECT_EQ(trace.at("stream"), 0);
    EXPECT_EQ(trace.at("time_us"), static_cast<std::uint64_t>(event.time_s * 1e6));
    EXPECT_TRUE(trace.at("frames").is_array());
    if (!completing) ++next;
  }
  EXPECT_EQ(next, events.size());
}

TEST(PytorchSnapshot, AppendsInBatchesThatBrowsersCanSpread) {
  const std::vector<MemoryEvent> events = random_timeline(7, 2500);
  const Json snapshot = Unpickler(pytorch_snapshot(events)).load();
  EXPECT_GT(snapshot.at("device_traces")[0].size(), 2500u);
}

TEST(PytorchSnapshot, RefusesATimelineThatStartsInTheMiddle) {
  MemoryEvent event;
  event.action = MemoryEvent::Action::alloc;
  event.label = "q_local";
  EXPECT_THROW((void)pytorch_snapshot({&event, 1}), std::invalid_argument);
}

TEST(PytorchSnapshot, PythonReadsTheSame) {
  if (std::system("python3 -c 'import pickle' 2>/dev/null") != 0)
    GTEST_SKIP() << "python3 is not installed; the opcode tests above still ran";
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("qb_snapshot_{}", ::getpid())).string();
  const std::string bytes = pytorch_snapshot(random_timeline(11, 300));
  write_file_atomically(path, bytes);
  const std::string command = fmt::format(
      "python3 -c \"import pickle,json; print(json.dumps(pickle.load(open('{}','rb'))))\"", path);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  ASSERT_NE(pipe, nullptr);
  std::string answer;
  for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get()))
    answer += static_cast<char>(c);
  std::filesystem::remove(path);
  EXPECT_EQ(Json::parse(answer), Unpickler(bytes).load());
}

}  // namespace
}  // namespace qb
