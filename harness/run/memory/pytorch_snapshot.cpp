// SPDX-License-Identifier: Apache-2.0
// The snapshot pickle of PyTorch's memory visualiser (torch.cuda.memory._snapshot).
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/run/memory/timeline.h"

namespace qb {
namespace {

// The value of this key is a tuple of two; every other array is a list.
constexpr std::string_view kPairKey = "segment_pool_id";

using Json = nlohmann::ordered_json;

// Pickle protocol 2, with the ten opcodes that this needs.
class Pickle {
 public:
  explicit Pickle(const Json& value) {
    write(value);
    bytes_ += '.';
  }
  [[nodiscard]] std::string bytes() && { return std::move(bytes_); }

 private:
  void write(const Json& value) {
    if (value.is_object()) return write_object(value);
    if (value.is_array()) return write_array(value);
    if (value.is_string()) return write_text(value.get_ref<const std::string&>());
    if (value.is_boolean()) {
      bytes_ += value.get<bool>() ? '\x88' : '\x89';
      return;
    }
    write_integer(value.get<std::uint64_t>());
  }

  void write_text(std::string_view value) {
    bytes_ += 'X';
    little_endian(value.size(), 4);
    bytes_ += value;
  }

  void write_integer(std::uint64_t value) {
    if (value <= 0x7fffffff) {
      bytes_ += 'J';
      little_endian(value, 4);
      return;
    }
    bytes_ += '\x8a';  // two's complement: nine bytes when the top bit is set
    const std::size_t size = value >> 63 == 0 ? 8 : 9;
    bytes_ += static_cast<char>(size);
    little_endian(value, 8);
    if (size == 9) bytes_ += '\0';
  }

  void write_object(const Json& value) {
    bytes_ += "}(";
    for (const auto& [key, entry] : value.items()) {
      write_text(key);
      if (key == kPairKey) {
        for (const Json& element : entry) write(element);
        bytes_ += '\x86';
      } else {
        write(entry);
      }
    }
    bytes_ += 'u';
  }

  // Elements are appended in batches, as Python does: the visualiser passes a batch as the
  // arguments of one call, and browsers limit their number.
  void write_array(const Json& value) {
    constexpr std::size_t kBatch = 1000;
    bytes_ += ']';
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (i % kBatch == 0) bytes_ += '(';
      write(value[i]);
      if ((i + 1) % kBatch == 0 || i + 1 == value.size()) bytes_ += 'e';
    }
  }

  void little_endian(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
  }

  std::string bytes_ = "\x80\x02";
};

struct SnapshotSegment {
  std::uint64_t bytes = 0;
  std::map<std::uint64_t, const MemoryEvent*> live;  // alloc events of its blocks, by address
};

// Returns the segments and live blocks after the last event, by address.
std::map<std::uint64_t, SnapshotSegment> final_segments(std::span<const MemoryEvent> events) {
  std::map<std::uint64_t, SnapshotSegment> segments;
  for (const MemoryEvent& event : events) {
    if (event.action == MemoryEvent::Action::oom) continue;
    if (event.action == MemoryEvent::Action::segment_alloc) {
      segments[event.address] = {event.bytes, {}};
      continue;
    }
    auto found = segments.upper_bound(event.address);
    if (found != segments.begin()) --found;
    if (found == segments.end() || event.address < found->first ||
        event.address - found->first >= found->second.bytes)
      throw std::invalid_argument(
          fmt::format("the memory timeline has {} of {} outside every segment", word(event.action),
                      event.label));
    if (event.action == MemoryEvent::Action::segment_free)
      segments.erase(found);
    else if (event.action == MemoryEvent::Action::alloc)
      found->second.live[event.address] = &event;
    else
      found->second.live.erase(event.address);
  }
  return segments;
}

// A frame has the label of the event that made the block, if that is known.
Json frames_of(const MemoryEvent* event) {
  if (event == nullptr || event->label.empty()) return Json::array();
  return Json::array({{{"filename", fmt::format("worker {}", event->worker)},
                       {"line", 0u},
                       {"name", event->label}}});
}

// Returns the used blocks and the gaps between them: together they are the whole segment.
Json blocks_of(std::uint64_t address, const SnapshotSegment& segment) {
  Json blocks = Json::array();
  std::uint64_t at = address;
  const auto add = [&](std::uint64_t bytes, const MemoryEvent* live) {
    if (bytes > 0)
      blocks.push_back({{"address", at},
                        {"size", bytes},
                        {"requested_size", live == nullptr ? 0 : bytes},
                        {"state", live == nullptr ? "inactive" : "active_allocated"},
                        {"frames", frames_of(live)}});
    at += bytes;
  };
  for (const auto& [begin, event] : segment.live) {
    add(begin - at, nullptr);
    add(event->bytes, event);
  }
  add(address + segment.bytes - at, nullptr);
  return blocks;
}

Json segment_json(std::uint64_t address, const SnapshotSegment& segment) {
  std::uint64_t used = 0;
  for (const auto& entry : segment.live) used += entry.second->bytes;
  return {
      {"device", 0u},           {"address", address},      {"total_size", segment.bytes},
      {"allocated_size", used}, {"active_size", used},     {"requested_size", used},
      {"stream", 0u},           {"segment_type", "large"}, {kPairKey, {0u, 0u}},
      {"is_expandable", false}, {"frames", Json::array()}, {"blocks", blocks_of(address, segment)}};
}

Json trace_json(std::string_view action, const MemoryEvent& event) {
  const bool oom = event.action == MemoryEvent::Action::oom;
  return {{"action", action},
          {oom ? "device_free" : "addr", oom ? event.free_bytes : event.address},
          {"size", event.bytes},
          {"stream", 0u},
          {"time_us", static_cast<std::uint64_t>(event.time_s * 1e6)},
          {"frames", frames_of(&event)}};
}

}  // namespace

std::string pytorch_snapshot(std::span<const MemoryEvent> events) {
  Json segments = Json::array();
  for (const auto& [address, segment] : final_segments(events))
    segments.push_back(segment_json(address, segment));
  Json traces = Json::array();
  for (const MemoryEvent& event : events) {
    if (event.action != MemoryEvent::Action::free) {
      traces.push_back(trace_json(word(event.action), event));
      continue;
    }
    // PyTorch records a free as two events: requested, and completed when no stream uses the block.
    traces.push_back(trace_json("free_requested", event));
    traces.push_back(trace_json("free_completed", event));
  }
  return Pickle({{"segments", std::move(segments)},
                 {"device_traces", Json::array({std::move(traces)})}})
      .bytes();
}

}  // namespace qb
