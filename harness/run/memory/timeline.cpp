// SPDX-License-Identifier: Apache-2.0
#include "harness/run/memory/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace qb {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kProcess = 1;
constexpr double kMicroseconds = 1e6;

struct Life {
  std::string_view label;
  int worker = 0;
  std::uint64_t bytes = 0;
  double begin_s = 0.0;
  double end_s = 0.0;
};

// Returns one life per allocation, in order of begin.
std::vector<Life> lives(std::span<const MemoryEvent> events) {
  std::vector<Life> result;
  std::unordered_map<std::uint64_t, std::size_t> open;  // by address
  for (const MemoryEvent& event : events) {
    if (event.action == MemoryEvent::Action::alloc) {
      open[event.address] = result.size();
      result.push_back(
          {event.label, event.worker, event.bytes, event.time_s, events.back().time_s});
    } else if (event.action == MemoryEvent::Action::free) {
      if (const auto found = open.find(event.address); found != open.end()) {
        result[found->second].end_s = event.time_s;
        open.erase(found);
      }
    }
  }
  return result;
}

// The slices of one track must nest. Each life goes to the first track of its worker where it
// nests: tensors are usually freed in reverse order of their making, and then share one track.
class Tracks {
 public:
  [[nodiscard]] std::size_t place(const Life& life) {
    std::vector<std::vector<double>>& tracks = ends_[life.worker];
    for (std::size_t i = 0;; ++i) {
      if (i == tracks.size()) tracks.emplace_back();
      std::vector<double>& open = tracks[i];
      while (!open.empty() && open.back() <= life.begin_s) open.pop_back();
      if (!open.empty() && open.back() < life.end_s) continue;
      open.push_back(life.end_s);
      return i;
    }
  }

 private:
  std::unordered_map<int, std::vector<std::vector<double>>> ends_;  // ends of the open slices
};

Json metadata(std::string_view what, std::string_view name, std::int64_t track) {
  return {
      {"ph", "M"}, {"name", what}, {"pid", kProcess}, {"tid", track}, {"args", {{"name", name}}}};
}

// Track 0 stays free (viewers take it for the idle thread). Each worker's first track comes next,
// in order of workers; all further tracks follow.
std::vector<Json> slices(const std::vector<Life>& all) {
  int last_worker = 0;
  for (const Life& life : all) last_worker = std::max(last_worker, life.worker);
  Tracks tracks;
  std::unordered_map<std::int64_t, std::string> names;
  std::vector<Json> result;
  std::vector<Json> named;
  for (const Life& life : all) {
    const std::size_t copy = tracks.place(life);
    const std::int64_t track =
        static_cast<std::int64_t>(copy) * (last_worker + 2) + life.worker + 2;
    const std::string worker =
        life.worker < 0 ? std::string("root") : fmt::format("worker {}", life.worker);
    const std::string name = copy == 0 ? worker : fmt::format("{} ({})", worker, copy + 1);
    if (names.emplace(track, name).second) named.push_back(metadata("thread_name", name, track));
    result.push_back({{"ph", "X"},
                      {"name", life.label},
                      {"cat", "memory"},
                      {"pid", kProcess},
                      {"tid", track},
                      {"ts", life.begin_s * kMicroseconds},
                      {"dur", (life.end_s - life.begin_s) * kMicroseconds},
                      {"args", {{"bytes", life.bytes}}}});
  }
  named.insert(named.end(), result.begin(), result.end());
  return named;
}

Json counter(const MemoryEvent& event) {
  return {
      {"ph", "C"},
      {"name", "memory"},
      {"pid", kProcess},
      {"ts", event.time_s * kMicroseconds},
      {"args", {{"active_bytes", event.active_bytes}, {"reserved_bytes", event.reserved_bytes}}}};
}

Json out_of_memory(const MemoryEvent& event) {
  return {{"ph", "i"},
          {"s", "p"},
          {"name", fmt::format("out of memory: {}", event.label)},
          {"pid", kProcess},
          {"tid", event.worker + 2},
          {"ts", event.time_s * kMicroseconds},
          {"args", {{"bytes", event.bytes}, {"free_bytes", event.free_bytes}}}};
}

}  // namespace

std::vector<RowValues> timeline_rows(std::span<const MemoryEvent> events) {
  std::vector<RowValues> rows;
  rows.reserve(events.size());
  for (const MemoryEvent& event : events) {
    RowValues& row = rows.emplace_back();
    row.set("time_s", event.time_s);
    row.set("action", word(event.action));
    row.set("label", event.label);
    row.set("worker", event.worker);
    row.set("bytes", event.bytes);
    row.set("active_bytes", event.active_bytes);
    row.set("reserved_bytes", event.reserved_bytes);
  }
  return rows;
}

std::string perfetto_trace(std::span<const MemoryEvent> events, std::string_view process_name) {
  std::vector<Json> all = {metadata("process_name", process_name, 0)};
  for (Json& slice : slices(lives(events))) all.push_back(std::move(slice));
  for (const MemoryEvent& event : events) {
    all.push_back(counter(event));
    if (event.action == MemoryEvent::Action::oom) all.push_back(out_of_memory(event));
  }
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  for (std::size_t i = 0; i < all.size(); ++i)
    text += all[i].dump() + (i + 1 < all.size() ? ",\n" : "\n");
  return text + "]}\n";
}

}  // namespace qb
