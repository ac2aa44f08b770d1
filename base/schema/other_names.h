// What other programs and papers call the keys of a spec. A message about an unknown key names
// ours.
#pragma once

#include <string_view>

namespace qb {

struct OtherName {
  std::string_view theirs;
  std::string_view ours;  // a key, or `key: value` where their word says both
};

inline constexpr OtherName kOtherNames[] = {
    {"heads", "q_heads"},
    {"num_heads", "q_heads"},
    {"n_heads", "q_heads"},
    {"nheads", "q_heads"},
    {"n_head", "q_heads"},
    {"num_attention_heads", "q_heads"},
    {"num_q_heads", "q_heads"},
    {"H", "q_heads"},
    {"num_kv_heads", "kv_heads"},
    {"n_kv_heads", "kv_heads"},
    {"nheads_k", "kv_heads"},
    {"num_key_value_heads", "kv_heads"},
    {"num_query_groups", "kv_heads"},
    {"G", "kv_heads"},
    {"d", "head_dim"},
    {"D", "head_dim"},
    {"d_head", "head_dim"},
    {"d_k", "head_dim"},
    {"dim_head", "head_dim"},
    {"headdim", "head_dim"},
    {"head_size", "head_dim"},
    {"L", "n_tokens"},
    {"N", "n_tokens"},
    {"n", "n_tokens"},
    {"seq_len", "n_tokens"},
    {"seqlen", "n_tokens"},
    {"seqlen_q", "n_tokens"},
    {"q_len", "n_tokens"},
    {"seq_length", "n_tokens"},
    {"sequence_length", "n_tokens"},
    {"context_length", "n_tokens"},
    {"max_seq_len", "n_tokens"},
    {"length", "n_tokens"},
    {"tokens", "n_tokens"},
    {"S", "kv_len"},
    {"seqlen_k", "kv_len"},
    {"kv_seq_len", "kv_len"},
    {"k_len", "kv_len"},
    {"B", "batch"},
    {"bs", "batch"},
    {"batch_size", "batch"},
    {"W", "workers"},
    {"world_size", "workers"},
    {"num_workers", "workers"},
    {"n_workers", "workers"},
    {"num_gpus", "workers"},
    {"n_gpus", "workers"},
    {"nproc", "workers"},
    {"cp_size", "workers"},
    {"sp_size", "workers"},
    {"context_parallel_size", "workers"},
    {"num_threads", "threads"},
    {"n_threads", "threads"},
    {"causal", "mask: causal"},
    {"is_causal", "mask: causal"},
    {"attn_mask", "mask"},
    {"attention_mask", "mask"},
    {"window", "mask: {sliding_window: {left: 128, right: 127}}"},
    {"window_size", "mask: {sliding_window: {left: 128, right: 127}}"},
    {"sliding_window", "mask: {sliding_window: {left: 128, right: 127}}"},
    {"precision", "dtype"},
    {"data_type", "dtype"},
    {"type", "dtype"},
    {"sm_scale", "scale"},
    {"softmax_scale", "scale"},
    {"scheme", "algorithm"},
    {"schemes", "algorithm"},
    {"strategy", "algorithm"},
    {"method", "algorithm"},
    {"backend", "ranks"},
    {"executor", "ranks"},
    {"random_seed", "seed"},
    {"backward", "pass: backward"},
    {"fwd_bwd", "pass: both"},
    {"memory_limit", "memory_budget"},
    {"max_memory", "memory_budget"},
    {"bandwidth", "link.bandwidth"},
    {"latency", "link.latency"},
    {"d_ff", "layer.feed_forward_dim"},
    {"ffn_dim", "layer.feed_forward_dim"},
    {"intermediate_size", "layer.feed_forward_dim"},
    {"warmup", "warmups"},
    {"iterations", "repeats"},
    {"iters", "repeats"},
    {"n_repeats", "repeats"},
    {"repetitions", "repeats"},
    {"trials", "repeats"},
    {"name", "experiment"},
    {"base", "baseline"},
    {"plots", "figures"},
};

// Returns what qb calls it; empty where the table does not have the name.
[[nodiscard]] constexpr std::string_view our_name(std::string_view theirs) {
  for (const OtherName& name : kOtherNames)
    if (name.theirs == theirs) return name.ours;
  return {};
}

// The key in front of a `: value`.
[[nodiscard]] constexpr std::string_view key_of(std::string_view ours) {
  return ours.substr(0, ours.find(':'));
}

}  // namespace qb
