// SPDX-License-Identifier: Apache-2.0
// Turns the ledger's events into CSV for figures, a trace for Perfetto, and the snapshot pickle of
// PyTorch's memory visualiser. These functions are pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/schema/row.h"
#include "harness/run/memory/memory_ledger.h"

namespace qb {

// Returns a row of memory_timeline.csv for each event.
[[nodiscard]] std::vector<RowValues> timeline_rows(std::span<const MemoryEvent> events);

// Returns the trace for https://ui.perfetto.dev: counters of active and reserved bytes, one slice
// for each tensor's lifetime on the tracks of its worker, and a mark where memory ran out. A tensor
// still alive at the end lasts until the last event.
[[nodiscard]] std::string perfetto_trace(std::span<const MemoryEvent> events,
                                         std::string_view process_name);

// Returns the file for https://pytorch.org/memory_viz: pickle protocol 2 of {segments,
// device_traces}. A block's frame has its label as the name and its worker as the file name. Throws
// std::invalid_argument if the events do not start from an empty ledger.
[[nodiscard]] std::string pytorch_snapshot(std::span<const MemoryEvent> events);

}  // namespace qb
