// SPDX-License-Identifier: Apache-2.0
// The parameters of a case of workload sequence_mixer.
#pragma once

#include "base/schema/field.h"

namespace qb::fields {

inline constexpr Field kMixerFields[] = {
    parameter(
        word, problem, "mixer_operator", key("mixer.operator"), standard("softmax"), label("{}"),
        quiet_standard,
        meaning("{words}. It mixes the tokens; see [Other operators](README.md#other-operators)"),
        needs(need("workload", "sequence_mixer"),
              need("mask", "causal").of("ssd gated_delta selective_scan short_convolution"),
              need("mask", "full").of("nystrom linformer perceiver axial"),
              need("mask", "full causal").of("linear performer"))),
    parameter(
        integer, problem, "mixer_rank", key("mixer.rank"), standard("0"), at_most(65'536),
        label("rank {}"), quiet_standard,
        meaning(
            "the size of what an operator keeps, {range}. It is the features of `performer`, "
            "landmarks of `nystrom`, projected tokens of `linformer`, latents of `perceiver`, the "
            "state of `selective_scan`, the taps of `short_convolution`"),
        standard_meaning("0: `head_dim` x ln `head_dim` to a multiple of 8; 64; 256; 256; 16; 4"),
        needs(need("mixer_operator",
                   "performer nystrom linformer perceiver selective_scan short_convolution"))),
    parameter(integer, problem, "mixer_depth", key("mixer.depth"), standard("8"), at_most(1024),
              label("depth {}"), quiet_standard,
              meaning("how often the latents of `perceiver` attend to each other, {range}"),
              needs(need("mixer_operator", "perceiver"))),
    parameter(integer, problem, "mixer_rows", key("mixer.rows"), unit("rows"), standard("0"),
              at_most(std::int64_t{1} << 40), label("{} rows"), quiet_standard,
              meaning("the rows into which `axial` puts the tokens, {range}; they divide the "
                      "tokens"),
              standard_meaning("0: the divisor of `n_tokens` nearest to its root"),
              needs(need("mixer_operator", "axial"))),
    parameter(word, problem, "mixer_pair_bias", key("mixer.pair_bias"), standard("none"),
              label("{} pair bias"), quiet_standard,
              meaning("what `axial` adds to the scores of its rows: {words}. `random` is numbers "
                      "of N(0, 1) from "
                      "`seed`, one for each head and pair of columns"),
              needs(need("mixer_operator", "axial"), need("pass", "forward"))),
    parameter(
        word, problem, "mixer_gate", since(3), key("mixer.gate"), standard("head"),
        label("{} gates"), quiet_standard,
        meaning(
            "what `gated_delta` has a decay for in each token: {words}. `head` is Gated DeltaNet, "
            "`channel`, of the keys, KDA"),
        needs(need("mixer_operator", "gated_delta"))),
    parameter(
        integer, means, "mixer_chunk", key("mixer.chunk"), unit("tokens"), standard("64"),
        range(1, 65'536), label("chunks of {}"), quiet_standard,
        meaning("the tokens that a causal operator takes at a time, {range}"),
        needs(need("mixer_operator", "linear performer ssd gated_delta").or_if("workload", "stack"),
              need("mask", "causal"))),
    parameter(
        word, split, "mixer_layout", key("mixer.layout"), since(3), standard("contiguous"),
        label("{}"), quiet_standard,
        meaning(
            "the tokens that a worker has: {words}. `zigzag`, as causal attention wants them, is "
            "two parts of the sequence"),
        needs(need("mixer_operator",
                   "linear performer ssd gated_delta selective_scan short_convolution"),
              need("mask", "causal"), need("workers"))),
    parameter(
        word, split, "mixer_scan", key("mixer.scan"), standard("chain"), label("{} of states"),
        quiet_standard,
        meaning("how workers get the state of tokens before theirs: {words}; see [Other operators]"
                "(README.md#other-operators). Under a full mask it is the state of all"),
        needs(need("mixer_operator",
                   "linear performer nystrom linformer perceiver ssd gated_delta selective_scan")
                  .or_if("workload", "stack"),
              need("mixer_operator", "linear ssd gated_delta").of("all_to_all"),
              need("mask", "causal").of("all_to_all"), need("workers"))),
    parameter(integer, split, "mixer_blocks", key("mixer.blocks"), unit("blocks"), standard("0"),
              at_most(65'536), label("{} blocks"), quiet_standard,
              meaning("the blocks of heads in which `all_scan` sends a state, {range}; 0: one "
                      "for each head of the state"),
              needs(need("mixer_scan", "all_scan"))),
};

}  // namespace qb::fields
