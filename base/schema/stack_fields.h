// SPDX-License-Identifier: Apache-2.0
// The parameters of cases of workload relayout, stack and chunked_prefill.
#pragma once

#include "base/schema/field.h"

namespace qb::fields {

inline constexpr std::string_view kOfLayers = "stack.layers says those of each layer";
inline constexpr std::string_view kMovesOnly = "a change of layout computes nothing";
inline constexpr ParameterNeed kIsRelayout = need("workload", "relayout");

inline constexpr Field kStackFields[] = {
    parameter(word, split, "relayout_from", key("relayout.from"), since(3), standard("zigzag"),
              label("from {}"), quiet_standard,
              meaning("how workers hold the tokens before: {words}; see [A change of "
                      "layout](README.md#a-change-of-layout)"),
              needs(kIsRelayout)),
    parameter(word, split, "relayout_to", key("relayout.to"), since(3), standard("interleaved"),
              label("to {}"), quiet_standard, meaning("how they hold them after: {words}"),
              needs(kIsRelayout)),
    parameter(integer, split, "relayout_block", key("relayout.block"), since(3), unit("tokens"),
              standard("1"), range(1, 65'536), label("blocks of {}"), quiet_standard,
              meaning("the tokens of a block of `interleaved`, {range}"),
              needs(need("relayout_from", "interleaved").or_if("relayout_to", "interleaved"),
                    kIsRelayout)),
    parameter(word, problem, "relayout_tensors", key("relayout.tensors"), since(3), standard("kv"),
              label("{} moved"), quiet_standard,
              meaning("what moves: {words}. `kv` is K and V, `qkv` Q besides; `hidden` is states "
                      "of `q_heads` x `head_dim`"),
              needs(kIsRelayout)),
    parameter(
        file, problem, "stack_layers", key("stack.layers"), since(3), standard("none"), label("{}"),
        quiet_standard,
        meaning(
            "the layers of a stack: a name of `data/stacks/` such as `qwen3_5_397b`, or a file; "
            "see [Stacks](README.md#stacks)"),
        needs(need("workload", "stack"))),
    parameter(word, split, "stack_layout", key("stack.layout"), since(3),
              standard("contiguous_home"), label("{}"), quiet_standard,
              meaning("how its layers hold their tokens: {words}"),
              needs(need("workload", "stack"),
                    need("ranks", "model").of("best").because("the model chooses it"))),
    parameter(integer, problem, "prefill_chunk", key("prefill.chunk"), since(3), unit("tokens"),
              standard("0"), at_most(3'000'000'000), label("chunks of {}"), quiet_standard,
              meaning("the new tokens of a chunk of `chunked_prefill`, {range}; 0: all"),
              needs(need("workload", "chunked_prefill"))),
    parameter(word, split, "prefill_pass", key("prefill.pass"), since(3), standard("fewer_bytes"),
              label("{} go round"), quiet_standard,
              meaning("what goes round in each chunk: {words}. `fewer_bytes` is `kv` before "
                      "chunk t = `q_heads` / (2 `kv_heads`), counted from 0, and `q` from then on"),
              needs(need("workload", "chunked_prefill"))),
};

}  // namespace qb::fields
