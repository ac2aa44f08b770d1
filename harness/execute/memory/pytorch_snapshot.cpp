// The snapshot pickle of PyTorch's memory visualiser (torch.cuda.memory._snapshot).
#include <fmt/format.h>

#include <array>
#include <map>
#include <stdexcept>

#include "harness/execute/memory/timeline.h"

namespace qb {
namespace {

// Pickle protocol 2, with the ten opcodes that this needs. Containers are written through
// callbacks, so that a mark always has its end.
class Pickle {
 public:
  Pickle() : bytes_("\x80\x02") {}

  [[nodiscard]] std::string finish() && { return std::move(bytes_) + '.'; }

  void text(std::string_view value) {
    bytes_ += 'X';
    little_endian(value.size(), 4);
    bytes_ += value;
  }

  void boolean(bool value) { bytes_ += value ? '\x88' : '\x89'; }

  void integer(std::uint64_t value) {
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

  void pair(std::uint64_t first, std::uint64_t second) {
    integer(first);
    integer(second);
    bytes_ += '\x86';
  }

  // body() writes key, value, key, value, …
  template <class Body>
  void dictionary(const Body& body) {
    bytes_ += "}(";
    body();
    bytes_ += 'u';
  }

  // item(element) writes one value. Elements are appended in batches, as Python does: the
  // visualiser passes a batch as the arguments of one call, and browsers limit their number.
  template <class Range, class Item>
  void list(const Range& range, const Item& item) {
    bytes_ += ']';
    std::size_t in_batch = 0;
    for (const auto& element : range) {
      if (in_batch == 0) bytes_ += '(';
      item(element);
      if (++in_batch < kBatch) continue;
      bytes_ += 'e';
      in_batch = 0;
    }
    if (in_batch > 0) bytes_ += 'e';
  }

  void field(std::string_view key, std::string_view value) {
    text(key);
    text(value);
  }
  void field(std::string_view key, std::uint64_t value) {
    text(key);
    integer(value);
  }

 private:
  static constexpr std::size_t kBatch = 1000;

  void little_endian(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
  }

  std::string bytes_;
};

struct Segment {
  std::uint64_t bytes = 0;
  std::map<std::uint64_t, const MemoryEvent*> live;  // alloc events of its blocks, by address

  [[nodiscard]] std::uint64_t used() const {
    std::uint64_t sum = 0;
    for (const auto& [address, event] : live) sum += event->bytes;
    return sum;
  }
};

// Returns the segments and live blocks after the last event, by address.
std::map<std::uint64_t, Segment> final_segments(std::span<const MemoryEvent> events) {
  std::map<std::uint64_t, Segment> segments;
  for (const MemoryEvent& event : events) {
    if (event.action == MemoryAction::oom) continue;
    if (event.action == MemoryAction::segment_alloc) {
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
    if (event.action == MemoryAction::segment_free)
      segments.erase(found);
    else if (event.action == MemoryAction::alloc)
      found->second.live[event.address] = &event;
    else
      found->second.live.erase(event.address);
  }
  return segments;
}

void write_frames(Pickle& pickle, const MemoryEvent* event) {
  pickle.text("frames");
  const bool known = event != nullptr && !event->label.empty();
  const std::span<const MemoryEvent> frames(event, known ? 1 : 0);
  pickle.list(frames, [&](const MemoryEvent& frame) {
    pickle.dictionary([&] {
      pickle.field("filename", fmt::format("worker {}", frame.worker));
      pickle.field("line", 0);
      pickle.field("name", frame.label);
    });
  });
}

struct Block {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  const MemoryEvent* live = nullptr;
};

// Returns the used blocks and the gaps between them: together they are the whole segment.
std::vector<Block> blocks_of(std::uint64_t address, const Segment& segment) {
  std::vector<Block> blocks;
  std::uint64_t at = address;
  const auto leave_until = [&](std::uint64_t end) {
    if (at < end) blocks.push_back({at, end - at, nullptr});
    at = end;
  };
  for (const auto& [begin, event] : segment.live) {
    leave_until(begin);
    if (event->bytes > 0) blocks.push_back({begin, event->bytes, event});
    at = begin + event->bytes;
  }
  leave_until(address + segment.bytes);
  return blocks;
}

void write_segment(Pickle& pickle, std::uint64_t address, const Segment& segment) {
  const std::uint64_t used = segment.used();
  pickle.dictionary([&] {
    pickle.field("device", 0);
    pickle.field("address", address);
    pickle.field("total_size", segment.bytes);
    pickle.field("allocated_size", used);
    pickle.field("active_size", used);
    pickle.field("requested_size", used);
    pickle.field("stream", 0);
    pickle.field("segment_type", "large");
    pickle.text("segment_pool_id");
    pickle.pair(0, 0);
    pickle.text("is_expandable");
    pickle.boolean(false);
    write_frames(pickle, nullptr);
    pickle.text("blocks");
    pickle.list(blocks_of(address, segment), [&](const Block& block) {
      pickle.dictionary([&] {
        pickle.field("address", block.address);
        pickle.field("size", block.bytes);
        pickle.field("requested_size", block.live == nullptr ? 0 : block.bytes);
        pickle.field("state", block.live == nullptr ? "inactive" : "active_allocated");
        write_frames(pickle, block.live);
      });
    });
  });
}

struct Trace {
  std::string_view action;
  const MemoryEvent* event = nullptr;
};

// PyTorch records a free as two events: requested, and completed when no stream uses the block.
std::vector<Trace> traces(std::span<const MemoryEvent> events) {
  std::vector<Trace> result;
  for (const MemoryEvent& event : events) {
    if (event.action == MemoryAction::free) {
      result.push_back({"free_requested", &event});
      result.push_back({"free_completed", &event});
    } else {
      result.push_back({word(event.action), &event});
    }
  }
  return result;
}

void write_trace(Pickle& pickle, const Trace& trace) {
  const MemoryEvent& event = *trace.event;
  const bool oom = event.action == MemoryAction::oom;
  pickle.dictionary([&] {
    pickle.field("action", trace.action);
    pickle.field(oom ? "device_free" : "addr", oom ? event.free_bytes : event.address);
    pickle.field("size", event.bytes);
    pickle.field("stream", 0);
    pickle.field("time_us", static_cast<std::uint64_t>(event.time_s * 1e6));
    write_frames(pickle, &event);
  });
}

}  // namespace

std::string pytorch_snapshot(std::span<const MemoryEvent> events) {
  const std::map<std::uint64_t, Segment> segments = final_segments(events);
  Pickle pickle;
  pickle.dictionary([&] {
    pickle.text("segments");
    pickle.list(segments,
                [&](const auto& entry) { write_segment(pickle, entry.first, entry.second); });
    pickle.text("device_traces");
    pickle.list(std::array{traces(events)}, [&](const std::vector<Trace>& device) {
      pickle.list(device, [&](const Trace& trace) { write_trace(pickle, trace); });
    });
  });
  return std::move(pickle).finish();
}

}  // namespace qb
