// The registry of strategies: one line each, with the style that every figure draws it in.
//
// X(name, function, colour, mark, dash, summary): the name in specs and tables; the function of
// harness/plan/strategies/ that writes its plans (two names of one strategy share it); its colour
// on white, its mark and its dash pattern, see plots/frame/palette.h; one line for --help. A new
// strategy is its file in that folder and its line here. SCHEME is a strategy that the figure
// scheme_comparison draws, in this order; OTHER is not.
#pragma once

// clang-format off
#define QB_SCHEMES_AND_OTHERS(SCHEME, OTHER) \
  OTHER(dense, plan_dense, 0x000000, 0, 0, "the whole sequence on one worker") \
  SCHEME(cqs, plan_cqs, 0xD55E00, 4, 0, "CQS-Attention: cyclic quorum sets; a root scatters and gathers") \
  SCHEME(cqs_sharded, plan_cqs_sharded, 0x882255, 4, 1, "the same with tokens that start and end sharded") \
  SCHEME(ring, plan_ring, 0x0072B2, 2, 0, "Ring Attention: contiguous shards, keys and values go round") \
  SCHEME(striped, plan_striped, 0xE69F00, 1, 0, "Striped Attention: the ring over tokens dealt one by one") \
  SCHEME(zigzag, plan_zigzag, 0x009E73, 3, 0, "the ring over 2W chunks, i and 2W - 1 - i a worker") \
  OTHER(pass_kv, plan_zigzag, 0x44AA99, 3, 1, "zigzag, by the name it has in context parallelism") \
  OTHER(pass_q, plan_pass_q, 0x999933, 2, 1, "context parallelism: queries go round, partials come home") \
  SCHEME(ulysses, plan_ulysses, 0xCC79A7, 5, 0, "all-to-all to heads and back") \
  SCHEME(all_gather_kv, plan_all_gather_kv, 0x8C510A, 0, 2, "every worker collects all keys and values first") \
  OTHER(decode, plan_decode, 0x6E6E6E, 0, 1, "one token after the other, pass-Q over a sharded cache") \
  OTHER(flash_decoding, plan_flash_decoding, 0x332288, 1, 1, "splits of the keys on one device, one reduction") \
  OTHER(tree_decode, plan_tree_decode, 0x56B4E9, 5, 1, "query everywhere, cache sharded, three all-reduces")
#define QB_STRATEGIES(X) QB_SCHEMES_AND_OTHERS(X, X)
// clang-format on
