// The order in which a case on arenas is measured, whatever it computes: one run for memory and
// correctness, then the timed ones.
#pragma once

#include <string>

#include "base/numbers.h"
#include "harness/execute/device/compute_device.h"
#include "harness/experiment/process/measured_columns.h"
#include "harness/experiment/process/result.h"

namespace qb {

// `subject` has make_arena(record events), memory_pass(arena), verify(arena) and timed_pass(arena).
// gpu: the device, or null.
template <class Subject>
void measure_in_passes(Subject& subject, const Case& c, const std::string& trace_stem,
                       ComputeDevice* gpu, CaseResult& result) {
  const bool record = c.measure.memory_timeline || !trace_stem.empty();
  const bool watched = gpu != nullptr && c.measure.device_memory;
  if (watched) gpu->watch_memory();
  auto arena = subject.make_arena(record);
  subject.memory_pass(*arena);
  if (watched)
    if (const auto peak = gpu->watched_peak_bytes())
      result.values["device_memory_peak_bytes"] = to_text(static_cast<std::int64_t>(*peak));
  subject.verify(*arena);
  if (record) {
    // Events cost time: the timed runs get a ledger that keeps none.
    arena.reset();
    arena = subject.make_arena(false);
    arena->fill();
  }
  subject.timed_pass(*arena);
  arena.reset();  // the products want memory, and are no part of the case's
  if (gpu != nullptr) add_gpu_peak(c, *gpu, result.values);
  result.status = Status::ok;
}

}  // namespace qb
