// SPDX-License-Identifier: Apache-2.0
// The parameters of cases that are a stack of layers, a change of layout or a prefill in chunks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/plan/exchange/exchange_plan.h"
#include "harness/workload/mixer/mixer_case.h"

namespace qb {

// K and V [B, kv_heads, N, d]; Q besides; or states [B, q_heads, N, d].
enum class MovedTensors { kv, qkv, hidden };

QB_WORDS(MovedTensors, "tensors", kv, qkv, hidden);

struct RelayoutCase {
  TokenLayout from = TokenLayout::zigzag;
  TokenLayout to = TokenLayout::interleaved;
  std::int64_t block = 1;  // tokens, of interleaved
  MovedTensors tensors = MovedTensors::kv;
};

// How the layers of a stack hold their tokens. Hidden states are at home between layers, and a
// layer in another layout is entered and left by a change of layout:
//                         home        recurrences   attention
//   zigzag_home           zigzag      contiguous    zigzag
//   contiguous_home       contiguous  contiguous    zigzag
//   zigzag                zigzag      zigzag        zigzag      states of two parts a worker
//   contiguous            contiguous  contiguous    contiguous  causal work is uneven
//   zigzag_heads          zigzag      by heads      zigzag      mixer.scan: all_to_all
//   contiguous_qkv        contiguous  contiguous    zigzag      Q, K, V and O move, no hidden
//   states best                  the one whose modelled time is least
enum class StackLayout {
  zigzag_home,
  contiguous_home,
  zigzag,
  contiguous,
  zigzag_heads,
  contiguous_qkv,
  best
};

QB_WORDS(StackLayout, "layout", zigzag_home, contiguous_home, zigzag, contiguous, zigzag_heads,
         contiguous_qkv, best);

struct StackCase {
  std::string layers = "none";  // a name of data/stacks/, or a file
  StackLayout layout = StackLayout::contiguous_home;
};

// How a chunk of a prefill meets the keys before it: they go round, or its queries, or these from
// the chunk t > q_heads / (2 kv_heads) - 1 on, where that is less (Context Parallelism, 2024).
enum class PrefillPass { kv, q, fewer_bytes };

QB_WORDS(PrefillPass, "pass", kv, q, fewer_bytes);

struct PrefillCase {
  std::int64_t chunk = 0;  // tokens
  PrefillPass pass = PrefillPass::fewer_bytes;
};

// A kind of layer of a stack.
struct StackLayer {
  std::optional<Mixer> kind{};  // none: softmax attention
  int count = 1;
  std::int64_t q_heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t head_dim = 1;
  DecayGate gate = DecayGate::head;
  std::int64_t taps = 0;  // of its short convolution
};
struct Stack {
  std::vector<StackLayer> layers;
  std::int64_t hidden_dim = 1;
};
// Throws UsageError where the file is none or no stack.
[[nodiscard]] Stack read_stack(const std::string& name);

}  // namespace qb
