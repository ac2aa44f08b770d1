// The parameters of a case, in the order of their columns in cases.csv.
#pragma once

#include "base/schema/field.h"
#include "base/schema/kernels.h"

namespace qb::fields {

inline constexpr Field kParameterFields[] = {
    parameter(word, split, "algorithm",
              {.standard = "dense", .meaning = "{words}; see [Algorithms](#algorithms)"}),
    parameter(word, means, "kernel", {.standard = "flash", .meaning = kKernelMeanings}),
    parameter(word, means, "device",
              {.standard = "auto",
               .meaning = "`auto` (a GPU if there is one with a kernel for the case), `cpu`, "
                          "`cuda`"}),
    parameter(word, means, "ranks",
              {.standard = "serial",
               .meaning = "who plays the workers: `serial`, `threads`, `mpi`, `nccl`, `model`; see "
                          "[Who plays the workers](#who-plays-the-workers)"}),
    parameter(integer, split, "workers",
              {.unit = "workers",
               .standard = "1",
               .min = 1,
               .max = 1'000'000,
               .label = "W = {}",
               .meaning = "W, {range}"}),
    parameter(integer, means, "threads",
              {.unit = "threads",
               .standard = "0",
               .max = 4096,
               .label = "{} threads",
               .meaning = "threads of the whole case, {range}; with `mpi` threads of each rank. 0 "
                          "means every core; with `mpi` the ranks of a host share its cores"}),
    parameter(integer, problem, "n_tokens",
              {.unit = "tokens",
               .min = 1,
               .max = 3'000'000'000,
               .label = "N = {}",
               .meaning = "N, the global number of queries, {range}; with a cache the T new tokens",
               .standard_meaning = "required"}),
    parameter(integer, problem, "kv_len",
              {.unit = "tokens",
               .follows = "n_tokens",
               .min = 1,
               .max = 3'000'000'000,
               .label = "{} keys",
               .meaning = "the global number of keys, {range}; with a cache P + T"}),
    parameter(integer, problem, "batch",
              {.unit = "sequences",
               .standard = "1",
               .min = 1,
               .max = 65'536,
               .label = "B = {}",
               .meaning = "the number of sequences, {range}"}),
    parameter(integer, problem, "q_heads",
              {.unit = "heads",
               .standard = "1",
               .min = 1,
               .max = 65'536,
               .label = "H = {}",
               .meaning = "the number of query heads, {range}; a multiple of `kv_heads`"}),
    parameter(integer, problem, "kv_heads",
              {.unit = "heads",
               .follows = "q_heads",
               .min = 1,
               .max = 65'536,
               .label = "G = {}",
               .meaning = "the number of key-value heads, {range}"}),
    parameter(integer, problem, "head_dim",
              {.standard = "64", .min = 1, .max = 256, .label = "d = {}", .meaning = "d, {range}"}),
    parameter(word, problem, "dtype",
              {.standard = "f32",
               .meaning = "the type of Q, K and V: `f16`, `bf16`, `f32`, `f64` (only with kernel "
                          "`reference`)"}),
    parameter(mask, problem, "mask",
              {.standard = "full",
               .label = "{} mask",
               .meaning = "`full`, `causal` (the last query sees the last key), or a pattern; see "
                          "[Masks](#masks)"}),
    parameter(integer, problem, "seed",
              {.standard = "1", .label = "seed {}", .meaning = "the seed of the inputs, {range}"}),
    parameter(residues, split, "interest_set",
              {.nullable = true,
               .label = "I = {}",
               .meaning = "only for `cqs` and `cqs_sharded`: `[0, 1, 3]` or `\"0,1,3\"`; the order "
                          "decides the self-distillation",
               .standard_meaning = "the published set of W, above 111 the best known one"}),
    parameter(real, problem, "scale",
              {.nullable = true,
               .label = "scale {}",
               .meaning = "the factor of the scores, above 0",
               .standard_meaning = "1/sqrt(`head_dim`)"}),
    parameter(integer, means, "memory_budget_bytes",
              {.key = "memory_budget",
               .unit = "bytes",
               .min = 1,
               .nullable = true,
               .label = "budget {} B",
               .meaning = "the most bytes that tensors may take at once",
               .standard_meaning = "none: the memory of the machine"}),
    parameter(word, means, "cpu_isa",
              {.key = "cpu.isa",
               .since = 2,
               .standard = "auto",
               .label = "{} forced",
               .quiet_standard = true,
               .meaning = "the instruction set of the CPU kernels: `auto` (the best there is), "
                          "`avx512_bf16`, `avx512`, `avx2`, `sse4`, `neon`, `scalar`; if the CPU "
                          "lacks it, the row is `unsupported`"}),
    parameter(sequences, problem, "sequences",
              {.unit = "tokens",
               .since = 3,
               .nullable = true,
               .label = "sequences {}",
               .meaning = "a packed batch of unequal lengths, cached+new tokens of each sequence: "
                          "`\"100+8 64+1\"`; `n_tokens` is then the sum of the new tokens. "
                          "`flash_decoding` and `tree_decode` take one sequence",
               .standard_meaning = "one sequence a batch entry"}),
    parameter(word, split, "new_key_owner",
              {.since = 3,
               .standard = "round_robin",
               .label = "{} owner",
               .quiet_standard = true,
               .meaning = "only for `decode`: `round_robin` (the owner moves on by one in each "
                          "step), `fixed`"}),
    parameter(
        real, link, "link_bandwidth_byte_per_s",
        {.key = "link.bandwidth",
         .unit = "byte/s",
         .since = 3,
         .nullable = true,
         .label = "{}B/s",
         .meaning = "bytes/s that a worker can send, above 0. `threads` hold messages back to "
                    "it; with `mpi` it is what you say about the network; `model` simulates "
                    "it",
         .standard_meaning = "none: no limit"}),
    parameter(real, link, "link_latency_s",
              {.key = "link.latency",
               .unit = "s",
               .since = 3,
               .nullable = true,
               .label = "{} latency",
               .meaning = "the latency of a message in seconds, above 0, used as `link.bandwidth` "
                          "is",
               .standard_meaning = "none"}),
    parameter(word, link, "link_mode",
              {.key = "link.mode",
               .since = 3,
               .standard = "overlap",
               .label = "{} link",
               .quiet_standard = true,
               .meaning = "only for `model`: `overlap` (messages move while workers compute), "
                          "`blocking`, `nocomm` (messages take no time)"}),
    parameter(file, means, "model_device",
              {.key = "model.device",
               .since = 3,
               .nullable = true,
               .label = "model of {}",
               .meaning =
                   "a name such as `a100` or `h100` (`data/devices/`), a device file, or `here`: "
                   "this machine, measured when the case begins (about 3 s). With other ranks than "
                   "`model`, the case is predicted too, and the row has the residual",
               .standard_meaning = "`here` for `model`, else none"}),
    parameter(integer, means, "model_cores",
              {.key = "model.cores",
               .unit = "devices",
               .since = 3,
               .standard = "0",
               .max = 4096,
               .label = "{} devices",
               .quiet_standard = true,
               .meaning = "the number of devices that the workers of a modelled case share, "
                          "{range}; 0: each worker has its own"}),
    parameter(word, split, "distillation",
              {.since = 4,
               .standard = "published",
               .label = "{} distillation",
               .quiet_standard = true,
               .meaning = "only for `cqs` and `cqs_sharded`: `published` (the paper's rule), "
                          "`balanced` (every worker has the same work, even W included)"}),
    parameter(word, problem, "workload",
              {.since = 5,
               .standard = "attention",
               .quiet_standard = true,
               .meaning = "`attention`; `transformer_layer`, an encoder layer around it (see [A "
                          "transformer layer](#a-transformer-layer)); `matrix_product` (see [A "
                          "matrix product](#a-matrix-product))"}),
    parameter(integer, problem, "layer_feed_forward_dim",
              {.key = "layer.feed_forward_dim",
               .since = 5,
               .standard = "0",
               .max = 1'000'000,
               .label = "feed-forward {}",
               .quiet_standard = true,
               .meaning = "the width of the feed-forward network, {range}; 0: 4 x `q_heads` x "
                          "`head_dim`"}),
    parameter(integer, problem, "layer_block_tokens",
              {.key = "layer.block_tokens",
               .unit = "tokens",
               .since = 5,
               .min = 1,
               .max = 3'000'000'000,
               .nullable = true,
               .label = "blocks of {}",
               .meaning = "the number of query tokens that go through attention and feed-forward "
                          "together",
               .standard_meaning = "none: the plain layer"}),
    parameter(
        file, problem, "layer_weights",
        {.key = "layer.weights",
         .since = 5,
         .nullable = true,
         .label = "weights {}",
         .meaning = "a folder that holds the layer's weights in NPY files; qb reads it before "
                    "any case runs",
         .standard_meaning = "none: random ones"}),
    parameter(word, means, "allocator",
              {.since = 4,
               .standard = "auto",
               .label = "{} allocator",
               .quiet_standard = true,
               .meaning = "`auto`, `same_size` (freed blocks serve requests of nearly their size), "
                          "`direct`, `caching` (as in PyTorch), and on a GPU `pool`",
               .standard_meaning = "`same_size`, on a GPU `pool`"}),
    parameter(word, means, "launch",
              {.since = 4,
               .standard = "alone",
               .label = "launched {}",
               .meaning = "this and the next three are only for `device: cuda`, and "
                          "[gpu/README.md](gpu/README.md) says more: `alone` (each worker by "
                          "itself), `together` (all workers in one launch), `graph`"}),
    parameter(word, means, "clock",
              {.since = 4,
               .standard = "synchronized",
               .label = "{} clock",
               .meaning = "`synchronized`, `unsynchronized` (as in the published runs)"}),
    parameter(word, means, "l2_cache",
              {.since = 4,
               .standard = "auto",
               .label = "{} L2",
               .quiet_standard = true,
               .meaning = "`auto`, `flushed`, `rotated`, `warm`",
               .standard_meaning = "`auto`: flushed, with `ranks: nccl` warm"}),
    parameter(word, means, "cuda_path",
              {.key = "cuda.path",
               .since = 4,
               .standard = "auto",
               .label = "{} path",
               .quiet_standard = true,
               .meaning = "the instructions that `flash` uses: `auto`, `sm_80`"}),
    parameter(speeds, split, "worker_speeds",
              {.since = 6,
               .nullable = true,
               .label = "speeds {}",
               .meaning = "the speeds of the first workers as parts of the machine's speed, `0.5` "
                          "or `\"0.5 1 0.8\"`, above 0 and at most 1; see [Slower "
                          "workers](#slower-workers)",
               .standard_meaning = "none: all 1"}),
    parameter(word, split, "group_sizes",
              {.since = 6,
               .standard = "equal",
               .label = "groups {}",
               .quiet_standard = true,
               .meaning = "only for `cqs` and `cqs_sharded`: `equal`, `by_speed` (sizes that "
                          "shorten the slowest worker's time)"}),
    parameter(
        integer, split, "product_row_groups",
        {.key = "product.row_groups",
         .unit = "groups",
         .since = 6,
         .standard = "0",
         .max = 1'000'000,
         .label = "W1 = {}",
         .quiet_standard = true,
         .meaning = "only for `matrix_product`: W1, the number of groups of the rows of A; 0: "
                    "half of `workers`"}),
    parameter(
        integer, problem, "product_depth",
        {.key = "product.depth",
         .since = 6,
         .standard = "0",
         .max = 3'000'000'000,
         .label = "depth {}",
         .quiet_standard = true,
         .meaning = "only for `matrix_product`: the columns of A, which are the rows of B; 0: "
                    "`n_tokens`"}),
    parameter(word, problem, "pass",
              {.since = 9,
               .standard = "forward",
               .label = "{} pass",
               .quiet_standard = true,
               .meaning = "`forward`, `backward` (from dO, O and LSE to dQ, dK and dV; the forward "
                          "pass before it is not timed), `both` (each repeat times the one, then "
                          "the other); see [The backward pass](#the-backward-pass)"}),
    parameter(word, problem, "gradient_dtype",
              {.since = 9,
               .standard = "f32",
               .label = "sums sent in {}",
               .quiet_standard = true,
               .meaning = "the type in which workers send sums of gradients to each other: `f32`, "
                          "or `f16` or `bf16`, which rounds a sum at each hop. `ulysses` sends no "
                          "sums, and a root adds in f32"}),
};

}  // namespace qb::fields

namespace qb {

using fields::kParameterFields;

// Returns null where no parameter has that column.
[[nodiscard]] constexpr const Field* find_parameter_field(std::string_view column) {
  for (const Field& field : kParameterFields)
    if (field.column == column) return &field;
  return nullptr;
}

}  // namespace qb
