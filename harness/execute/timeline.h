// The active-memory timeline in three formats: CSV for figures, a trace for Perfetto, and the
// snapshot pickle of PyTorch's memory visualiser. Pure: text and bytes out.
#pragma once

#include <span>
#include <string>

#include "harness/execute/memory_ledger.h"

namespace qb {

// Columns time_s, action, label, worker, bytes, active_bytes, reserved_bytes.
struct TimelineCsv {
  static std::vector<std::string> header();
  static std::vector<std::vector<std::string>> rows(std::span<const MemoryEvent> events);
};

// https://ui.perfetto.dev: counters of active and reserved bytes, and one slice per tensor's life.
[[nodiscard]] std::string perfetto_trace(std::span<const MemoryEvent> events,
                                         std::string_view process_name);

// https://pytorch.org/memory_viz: pickle protocol 2 of {segments, device_traces}.
[[nodiscard]] std::string pytorch_snapshot(std::span<const MemoryEvent> events);

}  // namespace qb
