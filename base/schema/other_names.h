// SPDX-License-Identifier: Apache-2.0
// What other programs and papers call the keys of a spec. A message about an unknown key names
// ours.
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/split.h"

namespace qb {

// Ours: a key, or `key: value` where their word says both; and theirs, separated by spaces.
inline constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"q_heads", "heads num_heads n_heads nheads n_head num_attention_heads num_q_heads H"},
    {"kv_heads", "num_kv_heads n_kv_heads nheads_k num_key_value_heads num_query_groups G"},
    {"head_dim", "d D d_head d_k dim_head headdim head_size"},
    {"n_tokens",
     "L N n seq_len seqlen seqlen_q q_len seq_length sequence_length context_length max_seq_len "
     "length tokens"},
    {"kv_len", "S seqlen_k kv_seq_len k_len"},
    {"batch", "B bs batch_size"},
    {"workers",
     "W world_size num_workers n_workers num_gpus n_gpus nproc cp_size sp_size "
     "context_parallel_size"},
    {"threads", "num_threads n_threads"},
    {"mask: causal", "causal is_causal"},
    {"mask", "attn_mask attention_mask"},
    {"mask: {sliding_window: {left: 128, right: 127}}", "window window_size sliding_window"},
    {"dtype", "precision data_type type"},
    {"scale", "sm_scale softmax_scale"},
    {"algorithm", "scheme schemes strategy method"},
    {"ranks", "backend executor"},
    {"seed", "random_seed"},
    {"pass: backward", "backward"},
    {"pass: both", "fwd_bwd"},
    {"memory_budget", "memory_limit max_memory"},
    {"link.bandwidth", "bandwidth"},
    {"link.latency", "latency"},
    {"layer.feed_forward_dim", "d_ff ffn_dim intermediate_size"},
    {"warmups", "warmup"},
    {"repeats", "iterations iters n_repeats repetitions trials"},
    {"experiment", "name"},
    {"baseline", "base"},
    {"figures", "plots"},
};

// Returns what qb calls it; empty where the table does not have the name.
[[nodiscard]] inline std::string_view our_name(std::string_view theirs) {
  for (const auto& [ours, others] : kOtherNames)
    if (std::ranges::count(split_words(others, " "), theirs) > 0) return ours;
  return {};
}

// The key in front of a `: value`.
[[nodiscard]] constexpr std::string_view key_of(std::string_view ours) {
  return ours.substr(0, ours.find(':'));
}

}  // namespace qb
