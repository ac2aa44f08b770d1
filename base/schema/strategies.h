// SPDX-License-Identifier: Apache-2.0
// The registry of strategies: one line each, with the style that every figure draws it in, and the
// keys of specs that only some of them read.
//
// X(name, function, colour, mark, summary): the name in specs and tables; the function of
// harness/plan/strategies/ that writes its plans (two names of one strategy share it); its colour
// on white and its mark, see plots/frame/palette.h; one line for --help. A new strategy is its file
// in that folder and its line here. Legends have this order. A test demands that any two colours
// can be told apart with every colour vision, which a new one must keep.
#pragma once

#include <string_view>

#include "base/schema/field.h"

// clang-format off
#define QB_STRATEGIES(X) \
  X(dense, plan_dense, 0x000000, 0, "the whole sequence on one worker") \
  X(cqs, plan_cqs, 0xD46207, 4, "CQS-Attention: cyclic quorum sets; a root scatters and gathers") \
  X(cqs_sharded, plan_cqs_sharded, 0x801A4D, 4, "the same with tokens that start and end sharded") \
  X(ring, plan_ring, 0x2572AA, 2, "Ring Attention: contiguous shards, keys and values go round") \
  X(striped, plan_striped, 0xE6A216, 1, "Striped Attention: the ring over tokens dealt one by one") \
  X(zigzag, plan_zigzag, 0x409877, 3, "the ring over 2W chunks, i and 2W - 1 - i a worker") \
  X(pass_kv, plan_zigzag, 0x36D2B4, 3, "zigzag, by the name it has in context parallelism") \
  X(burst, plan_burst, 0x3E3300, 1, "zigzag, whose backward pass sends queries and dQ round instead of keys") \
  X(double_ring, plan_double_ring, 0x66543C, 0, "rings inside of hosts, and one between them that has a whole inner ring's time") \
  X(pass_q, plan_pass_q, 0x979D5C, 2, "context parallelism: queries go round, partials come home") \
  X(ulysses, plan_ulysses, 0xC877A5, 5, "all-to-all to heads and back") \
  X(all_gather_kv, plan_all_gather_kv, 0x8A520D, 0, "every worker collects all keys and values first") \
  X(grid, plan_grid, 0x240036, 5, "heads x rows x columns: Ulysses in tiles, over a mesh of tiles") \
  X(usp, plan_usp, 0x7E75FC, 1, "the grid with one row: Ulysses, and a zigzag ring of its groups") \
  X(mesh, plan_mesh, 0x0000F3, 3, "the grid with one head group: queries gathered, keys round") \
  X(decode, plan_decode, 0x6A6967, 3, "one token after the other, pass-Q over a sharded cache") \
  X(flash_decoding, plan_flash_decoding, 0x2E2388, 1, "splits of the keys on one device, one reduction") \
  X(tree_decode, plan_tree_decode, 0x71A8D5, 5, "query everywhere, cache sharded, three all-reduces") \
  X(helix, plan_helix, 0x4E5A72, 2, "heads x tokens: the cache of a head share over workers, one all-to-all") \
  X(rectangular, plan_rectangular, 0x8A724E, 5, "blocks of queries, keys and values fetched from a memory tier, one by one")
// clang-format on

namespace qb::fields {

// These read the interest set and the distillation (StrategyOptions).
inline constexpr std::string_view kTakeInterestSets = "cqs cqs_sharded";

// Parameters that strategies read by their columns (StrategyKeys in harness/plan/strategies/): a
// new one is its entry here and the strategy that asks for it.
inline constexpr Field kStrategyKeys[] = {
    parameter(
        integer, split, "grid_heads", key("grid.heads"), standard("0"), at_most(4096),
        label("{} head groups"), quiet_standard,
        meaning("H of a grid, the Ulysses degree, {range}; 0: fewest bytes. Of helix: its head "
                "shares; 0: the most that fit"),
        needs(need("algorithm", "grid usp helix"))),
    parameter(integer, split, "grid_rows", key("grid.rows"), standard("0"), at_most(4096),
              label("{} rows"), quiet_standard,
              meaning("R of a grid, {range}; 0: fewest bytes. It has W / H / R columns. Of a "
                      "double_ring: the workers of an inner ring; 0: those of a host of the "
                      "cluster, else the most up to 8 that divide W. Of "
                      "rectangular: the blocks of a worker's queries; 0: 8"),
              needs(need("algorithm", "grid mesh double_ring rectangular"))),
    parameter(word, split, "grid_layout", key("grid.layout"), standard("zigzag"), label("{} grid"),
              quiet_standard,
              meaning("how a grid deals tokens to its workers: {words}. The rings of these "
                      "names do so too; contiguous is that of `ring`"),
              needs(need("algorithm", "grid usp mesh double_ring")),
              words("zigzag striped contiguous")),
    parameter(word, split, "helix_exchange", key("helix.exchange"), since(2),
              standard("all_to_all"), label("{}"), quiet_standard,
              meaning("how the workers of a head share combine their partials: {words}. With "
                      "`reduce_scatter` they gather queries first and the LSE after"),
              needs(need("algorithm", "helix")), words("all_to_all reduce_scatter")),
};

}  // namespace qb::fields

namespace qb {

// The algorithm of a case is one of these names, or a file that qb.sweep() of Python writes.
[[nodiscard]] inline bool is_recipe_file(std::string_view algorithm) {
  return algorithm.ends_with(".json");
}
// What people see: the name, or two_way of plans/two_way.3f2a91.json.
[[nodiscard]] inline std::string_view algorithm_name(std::string_view algorithm) {
  if (!is_recipe_file(algorithm)) return algorithm;
  algorithm.remove_prefix(algorithm.rfind('/') + 1);
  return algorithm.substr(0, algorithm.find('.'));
}

}  // namespace qb
