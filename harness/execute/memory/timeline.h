// The active-memory timeline in three formats: CSV for figures, a trace for Perfetto, and the
// snapshot pickle of PyTorch's memory visualiser. Pure: text and bytes out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/execute/memory/memory_ledger.h"

namespace qb {

// Columns time_s, action, label, worker, bytes, active_bytes, reserved_bytes.
struct TimelineCsv {
  static std::vector<std::string> header();
  static std::vector<std::vector<std::string>> rows(std::span<const MemoryEvent> events);
};

// https://ui.perfetto.dev: counters of active and reserved bytes, one slice per tensor's life on
// the tracks of its worker, and a mark where memory ran out. A tensor still alive at the end lives
// until the last event.
[[nodiscard]] std::string perfetto_trace(std::span<const MemoryEvent> events,
                                         std::string_view process_name);

// https://pytorch.org/memory_viz: pickle protocol 2 of {segments, device_traces}. A block's frame
// holds its label as the name and its worker as the file name. Throws std::invalid_argument when
// the events do not start from an empty ledger (a block outside every segment).
[[nodiscard]] std::string pytorch_snapshot(std::span<const MemoryEvent> events);

}  // namespace qb
