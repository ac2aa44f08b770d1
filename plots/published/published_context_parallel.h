// The printed tables of "Context Parallelism for Scalable Million-Token Inference"
// (arXiv 2411.01783v3), compiled in.
#pragma once

#include <string_view>

#include "base/csv.h"

namespace qb {

// Table 4: cached_tokens, new_tokens, miss_rate_percent, pass_kv_ttft_ms, pass_q_ttft_ms.
[[nodiscard]] const CsvTable& published_pass_kv_vs_pass_q();
// Table 5: miss_rate_percent, ring_variant, sendrecv_us, attn_us, all2all_us.
[[nodiscard]] const CsvTable& published_time_breakdown();
// Table 8: context_length_kilotokens, batch_size, parallelization (TP8, CP2+TP8, CP4+TP8),
// individual_attention_op_us, whole_pass_q_us, and its parts.
[[nodiscard]] const CsvTable& published_decode_attention();

// Where those were measured: `Llama 3 405B, one context-parallel rank a host of 8 H100, …`.
inline constexpr std::string_view kContextParallelOrigin =
    "Context Parallelism (arXiv 2411.01783), Llama 3 405B, each context-parallel rank a host of 8 "
    "H100, RDMA of 400 Gb/s per GPU between hosts";

}  // namespace qb
