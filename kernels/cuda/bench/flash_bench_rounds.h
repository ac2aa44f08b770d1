// flash_bench --serve times kernels on request, so that another program can time its own on the
// same GPU in turn.
#pragma once

#include <iosfwd>

#include "kernels/cuda/bench/flash_bench_call.h"

namespace qb::cuda {

// Describes one request of --serve.
struct BenchRequest {
  BenchKernel kernel = BenchKernel::flash;
  BenchShape shape;
  int warm_ups = 0;
  int repeats = 1;
};

// Parses `flash bf16 128 causal 16384 16 2 5`: kernel, type, head_dim, mask, N, heads, warm-ups,
// repeats. Throws UsageError.
[[nodiscard]] BenchRequest parse_request(const std::string& line);

// Answers each line of `requests` with a line: `ok SECONDS…`, `incorrect FLAW` or `unsupported
// REASON`. Inputs are drawn anew where the shape differs from that of the line before, and a
// kernel's output is checked before it is timed over them. Throws on every other error.
void serve_rounds(BenchDevice& device, std::istream& requests, std::ostream& answers);

}  // namespace qb::cuda
