// SPDX-License-Identifier: Apache-2.0
// The parameters of a case, in the order of their columns in cases.csv.
#pragma once

#include "base/schema/field.h"
#include "base/schema/kernels.h"
#include "base/schema/link_fields.h"
#include "base/schema/mixer_fields.h"
#include "base/schema/pipeline_fields.h"
#include "base/schema/stack_fields.h"
#include "base/schema/strategies.h"

namespace qb::fields {

inline constexpr Field kCaseFields[] = {
    parameter(
        word, split, "algorithm", standard("dense"),
        meaning("a name of [Algorithms](README.md#algorithms), or a file that `qb.sweep()` of "
                "Python writes. The names are {words}"),
        needs(need("workload", "transformer_layer pipeline")
                  .of("tensor_parallel")
                  .because("the nearest for attention alone is ulysses"),
              need("ranks", "threads model").of("tensor_parallel"),
              need("device", "cpu").of("tensor_parallel"),
              need("dtype", "f32").or_if("ranks", "model").of("tensor_parallel"),
              need("pass", "forward")
                  .of("tensor_parallel")
                  .because("the nearest with a backward pass is algorithm: dense"),
              need("mixer_operator", "softmax")
                  .because("mixer.scan says how workers share its states"),
              need("workload", "attention transformer_layer sequence_mixer pipeline")
                  .because("stack.layout and prefill.pass say it of the others"))),
    parameter(word, means, "kernel", standard("flash"), meaning(kKernelMeanings),
              needs(need("workload", "attention").of("staged"), need("mixer_operator", "softmax"))),
    parameter(word, means, "device", standard("auto"),
              meaning("`auto` (a GPU if there is one with a kernel for the case), `cpu`, "
                      "`cuda`")),
    parameter(
        word, means, "ranks", standard("serial"),
        meaning("what runs the workers: `serial`, `threads`, `mpi`, `nccl`, `model`; see "
                "[What runs the workers](README.md#what-runs-the-workers)"),
        needs(need("device", "cpu")
                  .of("threads mpi model")
                  .because("on one GPU ranks: serial computes the workers in turn, with a GPU for "
                           "each ranks: "
                           "nccl"),
              need("device", "cuda").of("nccl").because("the nearest on the CPU is ranks: mpi"),
              kRunsRanks.or_if("algorithm", "tensor_parallel").of("threads"), kRunsRanks.of("mpi"),
              need("workload", "attention sequence_mixer pipeline relayout stack chunked_prefill")
                  .of("model"),
              need("workload", "attention").of("nccl"))),
    parameter(
        integer, split, "workers", unit("workers"), standard("1"), range(1, 1'000'000),
        label("W = {}"), meaning("W, {range}"),
        needs(need("workload", "attention sequence_mixer pipeline relayout stack chunked_prefill")
                  .or_if("algorithm", "tensor_parallel"))),
    parameter(integer, means, "threads", unit("threads"), standard("0"), at_most(4096),
              label("{} threads"),
              meaning("threads of the whole case, {range}; with `mpi` threads of each rank. 0 "
                      "means every core, and with `mpi` the ranks of a host share its cores"),
              needs(need("device", "cpu"), need("ranks", "serial threads mpi"))),
    parameter(integer, problem, "n_tokens", unit("tokens"), range(1, 3'000'000'000),
              label("N = {}"),
              meaning("N, the global number of queries, {range}; with a cache the T new tokens"),
              standard_meaning("required")),
    parameter(
        integer, problem, "kv_len", unit("tokens"), follows("n_tokens"), range(1, 3'000'000'000),
        label("{} keys"), meaning("the global number of keys, {range}; with a cache P + T"),
        needs(
            need("workload", "attention").because("any other workload attends to its own tokens"))),
    parameter(integer, problem, "batch", unit("sequences"), standard("1"), range(1, 65'536),
              label("B = {}"), meaning("the number of sequences, {range}")),
    parameter(integer, problem, "q_heads", unit("heads"), standard("1"), range(1, 65'536),
              label("H = {}"), meaning("query heads, {range}; a multiple of `kv_heads`")),
    parameter(integer, problem, "kv_heads", unit("heads"), follows("q_heads"), range(1, 65'536),
              label("G = {}"), meaning("the number of key-value heads, {range}")),
    parameter(integer, problem, "head_dim", standard("64"), range(1, 256), label("d = {}"),
              meaning("d, {range}")),
    parameter(word, problem, "dtype", standard("f32"),
              meaning("the type of Q, K and V: `f16`, `bf16`, `f32`, `f64` (only with kernel "
                      "`reference`)"),
              needs(need("workload", "attention").of("f64"))),
    parameter(mask, problem, "mask", standard("full"), label("{} mask"),
              meaning("`full`, `causal` (the last query sees the last key), or a pattern; see "
                      "[Masks](README.md#masks)")),
    parameter(seed, problem, "seed", standard("1"), label("seed {}"),
              meaning("the seed of the inputs, 0 to 2^64 - 1")),
    parameter(residues, split, "interest_set", nullable, label("I = {}"),
              meaning("`[0, 1, 3]` or `\"0,1,3\"`; the order decides the self-distillation"),
              standard_meaning("the published set of W, above 111 the best known one"),
              needs(need("algorithm", kTakeInterestSets))),
    parameter(real, problem, "scale", nullable, label("scale {}"),
              meaning("the factor of the scores, above 0"), standard_meaning("1/sqrt(`head_dim`)"),
              needs(need("mixer_operator",
                         "softmax performer nystrom linformer perceiver axial gated_delta"),
                    need("workload",
                         "attention transformer_layer sequence_mixer pipeline chunked_prefill"))),
    parameter(integer, means, "memory_budget_bytes", key("memory_budget"), unit("bytes"),
              at_least(1), nullable, label("budget {} B"), meaning("the most bytes of all tensors"),
              standard_meaning("none: the memory of the machine"),
              needs(need("ranks", "serial threads mpi nccl").because("a model takes no memory"))),
    parameter(word, means, "cpu_isa", key("cpu.isa"), standard("auto"), label("{} forced"),
              quiet_standard,
              meaning("the instruction set of the CPU kernels: {words}. `auto` is the best there "
                      "is; if the CPU lacks the one that is named, the row is `unsupported`"),
              needs(need("device", "cpu"), need("kernel", "materialized flash staged"),
                    need("ranks", "serial threads mpi").or_if("model_device", "here"),
                    need("workload",
                         "attention transformer_layer sequence_mixer pipeline stack "
                         "chunked_prefill")
                        .because(kMovesOnly))),
    parameter(sequences, problem, "sequences", unit("tokens"), nullable, label("sequences {}"),
              meaning("a packed batch of unequal lengths, cached+new tokens of each sequence: "
                      "`\"100+8 64+1\"`; `n_tokens` is then the sum of the new tokens. "
                      "`flash_decoding`, `tree_decode` and `helix` take one sequence"),
              standard_meaning("one sequence a batch entry"),
              needs(need("workload", "attention sequence_mixer"),
                    need("mixer_operator", "softmax ssd gated_delta short_convolution")
                        .because("no other operator has a state that can begin again"))),
    parameter(word, split, "new_key_owner", standard("round_robin"), label("{} owner"),
              quiet_standard,
              meaning("`round_robin` (the owner moves on by one in each step), `fixed`"),
              needs(need("algorithm", "decode"))),
    kLinkBandwidth,
    kLinkLatency,
    kLinkMode,
    parameter(
        file,
        means, "model_device", key("model.device"), nullable, label("model of {}"),
        meaning(
            "a name of `data/devices/` such as `h100`, a file, or `here`, this machine, measured "
            "when the case begins. With other ranks than `model`, the case is predicted too, and "
            "the row has the residual"),
        standard_meaning("`here` for `model`, else none"),
        needs(need("workload", "attention sequence_mixer").or_if("ranks", "model"),
              need("mixer_operator", "softmax").or_if("ranks", "model"),
              need("workload", "attention sequence_mixer relayout chunked_prefill")
                  .of("here")
                  .because("the nearest is model.device: h100"),
              need("mixer_operator", "softmax")
                  .of("here")
                  .because("the nearest is model.device: h100"),
              need("device", "cpu").of("here"))),
    parameter(integer, means, "model_cores", key("model.cores"), unit("devices"), standard("0"),
              at_most(4096), label("{} devices"), quiet_standard,
              meaning("the number of devices that the workers of a modelled case share, "
                      "{range}; 0: each worker has its own"),
              needs(need("model_device"), need("mixer_operator", "softmax"),
                    need("workload", "attention sequence_mixer")
                        .because("each worker of a pipeline has a device"))),
    parameter(word, split, "distillation", standard("published"), label("{} distillation"),
              quiet_standard,
              meaning("`published` (the paper's rule), "
                      "`balanced` (every worker has the same work, even W included)"),
              needs(need("algorithm", kTakeInterestSets))),
    parameter(
        word,
        problem, "workload", standard("attention"), quiet_standard,
        meaning("`attention`; `transformer_layer`, an encoder layer around it; `sequence_mixer`; "
                "`pipeline`; `relayout`; `stack`; `chunked_prefill`. See [A transformer "
                "layer](README.md#a-transformer-layer), [Other operators](README.md#other-"
                "operators), [Pipelines](README.md#pipelines) and "
                "[Stacks](README.md#stacks)"),
        needs(need("algorithm", "dense tensor_parallel").of("transformer_layer"),
              need("device", "cpu").of("sequence_mixer relayout stack chunked_prefill"),
              need("stack_layers").of("stack"), need("q_heads", "1").of("stack").because(kOfLayers),
              need("kv_heads", "1").of("stack").because(kOfLayers),
              need("head_dim", "64").of("stack").because(kOfLayers),
              need("mask", "full").of("relayout").because(kMovesOnly),
              need("kernel", "flash").of("relayout").because(kMovesOnly),
              need("ranks", "model")
                  .of("pipeline")
                  .because("a pipeline is modelled, on a device such as model.device: h100"),
              need("mask", "causal").of("pipeline stack chunked_prefill"))),
    parameter(integer, problem, "layer_feed_forward_dim", key("layer.feed_forward_dim"),
              standard("0"), at_most(1'000'000), label("feed-forward {}"), quiet_standard,
              meaning("the width of the feed-forward network, {range}; 0: 4 x `q_heads` x "
                      "`head_dim`"),
              needs(need("workload", "transformer_layer"))),
    parameter(integer, problem, "layer_block_tokens", key("layer.block_tokens"), unit("tokens"),
              range(1, 3'000'000'000), nullable, label("blocks of {}"),
              meaning("the number of query tokens that go through attention and feed-forward "
                      "together"),
              standard_meaning("none: the plain layer"),
              needs(need("workload", "transformer_layer"))),
    parameter(word, means, "allocator", standard("auto"), label("{} allocator"), quiet_standard,
              meaning("who keeps freed memory: {words}. `same_size` serves requests of nearly the "
                      "size of a freed block, `caching` does as PyTorch, `pool` is a GPU's"),
              standard_meaning("`same_size`, on a GPU `pool`"),
              needs(need("ranks", "serial threads mpi nccl").because("a model takes no memory"),
                    need("device", "cpu").of("same_size").because("the nearest on a GPU is pool"),
                    need("device", "cuda").of("pool"),
                    need("ranks", "serial threads mpi")
                        .of("direct")
                        .because("freeing memory would wait for the other GPUs"))),
    parameter(word, means, "launch", standard("alone"), label("launched {}"),
              meaning(
                  "`alone`, `together` (all workers in one), `graph`; see [gpu](gpu/README.md)"),
              needs(need("device", "cuda"), need("ranks", "serial"),
                    need("workload", "attention").because("a layer has one worker"))),
    parameter(word, means, "clock", standard("synchronized"), label("{} clock"),
              meaning("`synchronized`, `unsynchronized` (as published), `cpu` (of one thread)"),
              needs(need("device", "cuda").of("unsynchronized"), need("device", "cpu").of("cpu"),
                    need("threads", "0 1").of("cpu"), need("ranks", "serial"))),
    parameter(
        word,
        means, "l2_cache", standard("auto"), label("{} cache"), quiet_standard,
        meaning(
            "what the cache holds before a repeat: {words}. `flushed` writes memory of twice its "
            "size before each, on a CPU that of its last level; `rotated` takes other inputs"),
        standard_meaning("`auto`: flushed; on a CPU and with `ranks: nccl` warm"),
        needs(
            need("device", "cuda").of("rotated warm").because("on a CPU auto is warm"),
            need("ranks", "serial")
                .of("flushed rotated")
                .because("a shard has just been written when the clock starts"),
            need("workload", "attention").of("rotated").because("a layer has one set of weights"))),
    parameter(word, means, "cuda_path", key("cuda.path"), standard("auto"), label("{} path"),
              quiet_standard, meaning("the instructions that `flash` uses: `auto`, `sm_80`"),
              needs(need("device", "cuda"), need("kernel", "flash"))),
    parameter(word, problem, "pass", standard("forward"), label("{} pass"), quiet_standard,
              meaning(
                  "{words}; see [The backward pass](README.md#the-backward-pass). `backward` is "
                  "from dO, O and LSE to dQ, dK and dV, of an operator from dO alone, and the "
                  "forward pass before it is not timed; `both` times the one, then the other"),
              needs(need("workload", "attention").or_if("device", "cpu"),
                    need("workload", "attention transformer_layer sequence_mixer stack")
                        .because("a pipeline computes both, in turns, and a change of layout or "
                                 "a prefill has no backward pass"),
                    need("mixer_operator", "softmax linear axial ssd gated_delta short_convolution")
                        .because("the nearest of the others is mixer.operator: linear"))),
    parameter(word, problem, "gradient_dtype", standard("f32"), label("sums sent in {}"),
              quiet_standard,
              meaning("the type in which workers send sums of gradients to each other: `f32`, "
                      "`f16`, `bf16`. The last two round a sum at each hop; `ulysses` sends no "
                      "sums, and a root adds in f32"),
              needs(need("pass", "backward both"), need("workload", "attention"))),
    parameter(word, problem, "lse", standard("one"), label("LSE sent as {}"), quiet_standard,
              meaning(
                  "the log-sum-exp of a row travels as `one` number, or as `two`, which keep the "
                  "weights of partials at any score; see [Large scores](README.md#large-scores)"),
              needs(need(PlanFact::sends_lse).because("other plans of this pass send no LSE"),
                    need("workload", "attention"), need("device", "cpu"))),
    parameter(word, problem, "partial_dtype", standard("f32"), label("partials sent in {}"),
              quiet_standard,
              meaning("the type in which O of a partial travels between workers: `f32`, or "
                      "`f16` or `bf16`, as most published systems send it; its LSE stays `f32`"),
              needs(need("pass", "forward both"),
                    need(PlanFact::sends_partials)
                        .because("other algorithms send no partials between workers"),
                    need("workload", "attention"), need("device", "cpu"))),
    parameter(integer, split, "resident_tokens", since(2), unit("tokens"), standard("0"),
              range(0, 3'000'000'000), label("{} tokens everywhere"), quiet_standard,
              meaning("the first keys, which every worker holds from the beginning, {range}: text "
                      "tokens of a diffusion model, or a shared prefix. They are not sent and "
                      "each of their pairs is computed once"),
              needs(need(PlanFact::takes_resident_tokens), need("workload", "attention"))),
    parameter(word, problem, "inputs", standard("random"), label("{} keys"), quiet_standard,
              meaning(
                  "`random` (from `seed`), `tied` (all keys of a head are its first), `peaked`. "
                  "Each query of `peaked` is 4 times an earlier key, so that few keys have "
                  "most of the weight of a row"),
              needs(need("workload", "attention sequence_mixer"),
                    need("ranks", "serial threads mpi nccl").because("a model has none"))),
    parameter(word, problem, "sinks", since(2), standard("false"), label("sinks"), quiet_standard,
              meaning("`true`: each query head has an attention sink, a random number from `seed` "
                      "that takes part in the softmax of its rows as the score of a key without a "
                      "value; see [Sinks](README.md#sinks)"),
              needs(
                  need("workload", "attention"),
                  need("ranks", "serial threads mpi nccl").because("a model gives them no time"))),
};

template <std::size_t... Sizes>
[[nodiscard]] consteval auto in_order(const Field (&... parts)[Sizes]) {
  std::array<Field, (Sizes + ...)> all{};
  std::size_t at = 0;
  const auto add = [&](const auto& part) {
    for (const Field& field : part) all[at++] = field;
  };
  (add(parts), ...);
  return all;
}

inline constexpr std::array kParameterFields = in_order(
    kCaseFields, kStrategyKeys, kClusterFields, kMixerFields, kPipelineFields, kStackFields);

}  // namespace qb::fields

namespace qb {
using fields::kParameterFields;
}  // namespace qb
