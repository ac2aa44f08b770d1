// SPDX-License-Identifier: Apache-2.0
#include "harness/run/memory/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "harness/run/memory/trace_events.h"

namespace qb {
namespace {

constexpr int kProcess = 1;

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

// Track 0 stays free (viewers take it for the idle thread). Each worker's first track comes next,
// in order of workers; all further tracks follow.
std::vector<TraceEvent> slices(const std::vector<Life>& all) {
  int last_worker = 0;
  for (const Life& life : all) last_worker = std::max(last_worker, life.worker);
  TraceLanes tracks;
  std::unordered_map<std::int64_t, std::string> names;
  std::vector<TraceEvent> result;
  std::vector<TraceEvent> named;
  for (const Life& life : all) {
    const std::size_t copy = tracks.place(life.worker, life.begin_s, life.end_s);
    const std::int64_t track =
        static_cast<std::int64_t>(copy) * (last_worker + 2) + life.worker + 2;
    const std::string worker =
        life.worker < 0 ? std::string("root") : fmt::format("worker {}", life.worker);
    const std::string name = copy == 0 ? worker : fmt::format("{} ({})", worker, copy + 1);
    if (names.emplace(track, name).second)
      named.push_back(trace_name_of("thread_name", name, kProcess, track));
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

TraceEvent counter(const MemoryEvent& event) {
  return {
      {"ph", "C"},
      {"name", "memory"},
      {"pid", kProcess},
      {"ts", event.time_s * kMicroseconds},
      {"args", {{"active_bytes", event.active_bytes}, {"reserved_bytes", event.reserved_bytes}}}};
}

TraceEvent out_of_memory(const MemoryEvent& event) {
  return {{"ph", "i"},
          {"s", "p"},
          {"name", fmt::format("out of memory: {}", event.label)},
          {"pid", kProcess},
          {"tid", event.worker + 2},
          {"ts", event.time_s * kMicroseconds},
          {"args", {{"bytes", event.bytes}, {"free_bytes", event.free_bytes}}}};
}

}  // namespace

TraceEvent trace_name_of(std::string_view what, std::string_view name, int process,
                         std::int64_t track) {
  return {
      {"ph", "M"}, {"name", what}, {"pid", process}, {"tid", track}, {"args", {{"name", name}}}};
}

std::size_t TraceLanes::place(int owner, double begin_s, double end_s) {
  std::vector<std::vector<double>>& lanes = ends_[owner];
  for (std::size_t i = 0;; ++i) {
    if (i == lanes.size()) lanes.emplace_back();
    std::vector<double>& open = lanes[i];
    while (!open.empty() && open.back() <= begin_s) open.pop_back();
    if (!open.empty() && open.back() < end_s) continue;
    open.push_back(end_s);
    return i;
  }
}

std::string trace_text(const std::vector<TraceEvent>& events) {
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  for (std::size_t i = 0; i < events.size(); ++i)
    text += events[i].dump() + (i + 1 < events.size() ? ",\n" : "\n");
  return text + "]}\n";
}

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
  std::vector<TraceEvent> all = {trace_name_of("process_name", process_name, kProcess, 0)};
  for (TraceEvent& slice : slices(lives(events))) all.push_back(std::move(slice));
  for (const MemoryEvent& event : events) {
    all.push_back(counter(event));
    if (event.action == MemoryEvent::Action::oom) all.push_back(out_of_memory(event));
  }
  return trace_text(all);
}

}  // namespace qb
