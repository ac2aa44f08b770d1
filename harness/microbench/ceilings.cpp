// SPDX-License-Identifier: Apache-2.0
// Measures the ceilings of the machine.
#include <fmt/format.h>

#include <bit>
#include <map>

#include "harness/experiment/store/machine.h"
#include "harness/microbench/subject.h"
#include "kernels/cpu/roofline.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

// Registers a ceiling as a benchmark that does `flop` or `bytes` in a second.
void add_ceiling(Benchmarks& all, const std::string& what, const std::string& dtype, int threads,
                 double MicrobenchRow::*work, const std::function<double()>& per_second) {
  const std::string name =
      fmt::format("{}{}{}/threads:{}", what, dtype.empty() ? "" : "/", dtype, threads);
  all.push_back({name, std::nullopt, [=](Subject& s) {
                   s.row.benchmark = what;
                   s.row.dtype = dtype;
                   s.row.threads = threads;
                   s.measure = [=](MicrobenchRow& row) {
                     row.wall_time_s = 1.0;
                     row.*work = per_second();
                   };
                 }});
}

// Bytes for each thread that a level of cache holds and the level below it does not: half of L2 of
// processor 0, four times L2 for L3. 0: the machine does not say so, or its L3 is too small.
std::int64_t cached_bytes(int level, int threads) {
  std::map<int, std::int64_t> caches;
  for (const Machine::Cache& cache : probe_machine().caches)
    if (cache.type != "Instruction") caches[cache.level] = cache.bytes;
  const auto l2 = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(caches[2])));
  if (level == 2) return l2 / 2;
  return 4 * l2 * threads <= caches[3] ? 4 * l2 : 0;
}

}  // namespace

void register_ceilings(Benchmarks& all) {
  for (const int t : thread_counts(available_cores())) {
    const auto flop = &MicrobenchRow::flop;
    const auto bytes = &MicrobenchRow::bytes;
    const auto memory = [t] { return std::make_shared<cpu::MemoryCeiling>(t); };
    add_ceiling(all, "fma", "f32", t, flop, [t] { return cpu::fma_peak_flop_per_s(t, false); });
    if (cpu::bf16_products())
      add_ceiling(all, "fma", "bf16", t, flop, [t] { return cpu::fma_peak_flop_per_s(t, true); });
    add_ceiling(all, "exp2", "f32", t, flop, [t] { return cpu::exp2_per_s(t); });
    add_ceiling(all, "read", "", t, bytes, [memory] { return memory()->read_bytes_per_s(); });
    for (const int level : {2, 3})
      if (const std::int64_t each = cached_bytes(level, t); each > 0)
        add_ceiling(all, fmt::format("read_l{}", level), "", t, bytes,
                    [=] { return cpu::MemoryCeiling(t, each).read_bytes_per_s(); });
    add_ceiling(all, "copy", "", t, bytes, [memory] { return memory()->copy_bytes_per_s(); });
  }
}

}  // namespace qb
