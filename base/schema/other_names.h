// SPDX-License-Identifier: Apache-2.0
// What other programs and papers call the keys of a spec, their words and the verbs. A message
// about an unknown one names ours, or what to use instead of one that is gone.
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/words.h"

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
     "context_parallel_size gpus"},
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

// The same of words, such as a verb or the values of a key.
inline constexpr struct {
  std::string_view what;  // as unknown_word() says it
  std::string_view ours;
  std::string_view theirs;
} kOtherWords[] = {
    {"verb", "--version", "version"},
    {"verb", "--help", "help"},
    {"verb", "run", "bench benchmark exec simulate start sweep"},
    {"verb", "verify", "check validate"},
    {"verb", "plot", "draw figure graph"},
    {"dtype", "f16", "float16 fp16 half"},
    {"dtype", "bf16", "bfloat16"},
    {"dtype", "f32", "float float32 fp32 single"},
    {"dtype", "f64", "double float64 fp64"},
    {"value", "time", "latency runtime seconds"},
    {"value", "achieved_flop_per_s", "flops tflops throughput"},
    {"value", "device_peak", "memory"},
    {"value", "device_sent", "bytes communication"},
    {"device", "cuda", "gpu GPU nvidia"},
    {"device", "cuda (a model of one is model.device: h100)", "A100 a100 H100 h100 H200 h200"},
};

// Returns what qb calls it; empty where the table does not have the name.
[[nodiscard]] inline std::string_view our_name(std::string_view theirs) {
  for (const auto& [ours, others] : kOtherNames)
    if (std::ranges::count(split_words(others, " "), theirs) > 0) return ours;
  return {};
}
[[nodiscard]] inline std::string_view our_word(std::string_view what, std::string_view theirs) {
  for (const auto& row : kOtherWords)
    if (row.what == what && std::ranges::count(split_words(row.theirs, " "), theirs) > 0)
      return row.ours;
  return {};
}

// The key in front of a `: value`.
[[nodiscard]] constexpr std::string_view key_of(std::string_view ours) {
  return ours.substr(0, ours.find(':'));
}

// What specs, tables and the command line no longer have. A message about such a name says what to
// use instead, and readers of older runs drop its column.

struct GoneName {
  std::string_view
      what;  // as unknown_word() says it: a key, a verb, a figure, a word of a parameter
  std::string_view name;
  int until = 0;              // the first schema version without it
  std::string_view instead;   // the end of a sentence
  std::string_view column{};  // of cases.csv
  // A resolved spec that gives the key this value, ~ for none, is still read.
  std::string_view neutral{};
};

inline constexpr std::string_view kInsteadOfSpeeds = "the workers of a case are equally fast";

inline constexpr std::string_view kInsteadOfForms = "`qb bounds schemes` counts all three in plans";

inline constexpr GoneName kGoneNames[] = {
    {"key", "worker_speeds", 1, kInsteadOfSpeeds, "worker_speeds", "~"},
    {"key", "group_sizes", 1, kInsteadOfSpeeds, "group_sizes", "equal"},
    {"key", "layer.weights", 1, "the weights of a layer follow from seed", "layer_weights", "~"},
    {"kernel", "cudnn", 1, "experiments/peers/torch_sdpa.py --backend cudnn measures its engine"},
    {"verb", "layer", 1, "workload: transformer_layer of a spec computes one"},
    {"verb", "masks", 1, "`qb plan --algorithm dense --mask …` counts the pairs that it keeps"},
    {"verb", "bytes", 1, kInsteadOfForms},
    {"verb", "path", 1, kInsteadOfForms},
    {"verb", "memory", 1, kInsteadOfForms},
};

// Returns null where nothing of that name is gone.
[[nodiscard]] constexpr const GoneName* find_gone(std::string_view what, std::string_view name) {
  for (const GoneName& gone : kGoneNames)
    if (gone.what == what && gone.name == name) return &gone;
  return nullptr;
}

}  // namespace qb
