// What one microbenchmark needs and does, and how its repeats are timed.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/execute/memory/memory_ledger.h"
#include "harness/microbench/recorder.h"
#include "harness/microbench/row.h"
#include "kernels/allocator.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/tile_schedule.h"

namespace qb {

// Lives through the repeats of its benchmark. Memory comes from a ledger, as in runs: large blocks
// on huge pages, kept from repeat to repeat.
struct Subject {
  MemoryLedger memory;
  std::vector<Tensor> tensors;
  TileSchedule schedule;
  MicrobenchRow row;  // what is the same for every repeat
  // Timed, as often as it takes to reach some 20 ms. Or `measure`, which times itself.
  std::function<void()> operation;
  std::function<void(MicrobenchRow&)> measure;
  std::function<double()> ceiling;  // measured before and after each repeat; null: none

  // A tensor of standard normal values (zeros would run faster than data), the same every time.
  const TensorView& add(DType dtype, const Extent& extent);
};

// Seconds a call.
[[nodiscard]] double seconds_of(const std::function<void()>& operation, int calls);

// Makes a benchmark's subject. Called once, in the instruction set of the benchmark.
using Prepare = std::function<void(Subject&)>;

// Registers benchmark `name`, which forces `isa` if it is given.
void add_benchmark(const std::string& name, std::optional<InstructionSet> isa, Recorder& recorder,
                   const Prepare& prepare);

}  // namespace qb
