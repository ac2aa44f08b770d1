// SPDX-License-Identifier: Apache-2.0
// A case: one tuple of parameters, and what follows from it before anything runs. Specs expand to
// cases, and a child process runs one and answers with a row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/status.h"
#include "harness/forecast/cluster.h"
#include "harness/plan/pipeline_schedule.h"
#include "harness/plan/plan.h"
#include "harness/plan/strategies/grid_order.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/run/memory/block_allocator.h"
#include "harness/run/runner/device_executor.h"
#include "harness/run/runner/executor.h"
#include "harness/workload/mixer/mixer_case.h"
#include "harness/workload/stack_case.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cuda/runtime/device.h"

namespace qb {

enum class Device { automatic, cpu, cuda };

template <>
inline constexpr auto kWords<Device> = word_table<Device>("device", {{Device::automatic, "auto"},
                                                                     {Device::cpu, "cpu"},
                                                                     {Device::cuda, "cuda"}});

// What a case computes: X(word, function) for each, where the function (workload.h) plans it. They
// are attention alone, an encoder layer around it, attention or another operator beside it, layers
// that stages share, a change of layout, and two that are sums of others: layers in layouts of
// their own, and a prefill in chunks.
#define QB_WORKLOADS(X)                  \
  X(attention, plan_attention)           \
  X(transformer_layer, plan_layer)       \
  X(sequence_mixer, plan_sequence_mixer) \
  X(pipeline, plan_pipeline)             \
  X(relayout, plan_layout_change)        \
  X(stack, plan_layer_stack)             \
  X(chunked_prefill, plan_chunked_prefill)

#define QB_WORKLOAD_WORD(word, plan) word,
enum class WorkloadKind { QB_WORKLOADS(QB_WORKLOAD_WORD) };
#undef QB_WORKLOAD_WORD

#define QB_WORKLOAD_PAIR(word, plan) {WorkloadKind::word, #word},
template <>
inline constexpr auto kWords<WorkloadKind> =
    word_table<WorkloadKind>("workload", {QB_WORKLOADS(QB_WORKLOAD_PAIR)});
#undef QB_WORKLOAD_PAIR

// What the second-level cache of a GPU holds when a repeat begins.
enum class L2Cache {
  automatic,  // flushed on a GPU; the CPU's is left alone
  flushed,    // none of the inputs: something larger was written over it
  rotated,    // inputs of another repeat: the repeats alternate several sets
  warm,       // what the repeat before left
};

template <>
inline constexpr auto kWords<L2Cache> = word_table<L2Cache>("l2_cache",
                                                            {{L2Cache::automatic, "auto"},
                                                             {L2Cache::flushed, "flushed"},
                                                             {L2Cache::rotated, "rotated"},
                                                             {L2Cache::warm, "warm"}});

// Which instructions the flash kernel uses on a GPU: the newest that it has, or those of an A100.
enum class CudaPath { automatic, sm_80 };

template <>
inline constexpr auto kWords<CudaPath> =
    word_table<CudaPath>("cuda.path", {{CudaPath::automatic, "auto"}, {CudaPath::sm_80, "sm_80"}});

// What the model assumes of a link: `overlap` moves messages while workers compute, `blocking` adds
// their time (ranks: model), `nocomm` moves them in no time (ranks: model).
enum class LinkMode { overlap, blocking, nocomm };

QB_WORDS(LinkMode, "link.mode", overlap, blocking, nocomm);

// How many numbers hold the LSE of a row on its way between workers (kernels/lse.h).
enum class SentLse { one, two };

QB_WORDS(SentLse, "lse", one, two);

// Whether each query head has an attention sink (Problem::sinks), of random values.
enum class SinkKind { none, random };

template <>
inline constexpr auto kWords<SinkKind> =
    word_table<SinkKind>("sinks", {{SinkKind::none, "false"}, {SinkKind::random, "true"}});

// How a case is timed. Sampling ends at `max_repeats`, or from `min_repeats` on as soon as the 95 %
// interval of the median is narrower than `relative_interval` of it or `max_time_s` is used up.
struct Measure {
  int warmups = 1;
  int min_repeats = 5;
  int max_repeats = 5;
  double relative_interval = 0.02;
  double max_time_s = 600.0;
  double timeout_s = 1800.0;       // limits the whole case, in its child process
  int retakes = 5;                 // repeats that may be taken again because they were disturbed
  std::int64_t verify_rows = 256;  // query rows per head to compare with float64; 0: none
  bool memory_timeline = false;    // write the events of the memory pass
  bool device_memory = false;      // count a GPU's memory with CUPTI, which sees libraries too
};

inline constexpr std::string_view kNoCluster = "none";  // all links are alike

// The parameters of a case by their columns, in the order of kParameterFields, which says what each
// means: OWN(type, name, standard value) is a member of a Case, and PART(column, member, path) one
// of a member's. Strategies have their keys in between.
// clang-format off
#define QB_CASE_PARAMETERS(OWN, PART) \
  OWN(std::string, algorithm, "dense") \
  OWN(Kernel, kernel, Kernel::flash) \
  OWN(Device, device, Device::automatic) \
  OWN(Ranks, ranks, Ranks::serial) \
  OWN(int, workers, 1) \
  OWN(int, threads, 0) \
  PART(n_tokens, shape, Shape::q_len) \
  PART(kv_len, shape, Shape::kv_len) \
  PART(batch, shape, Shape::batch) \
  PART(q_heads, shape, Shape::q_heads) \
  PART(kv_heads, shape, Shape::kv_heads) \
  PART(head_dim, shape, Shape::head_dim) \
  OWN(DType, dtype, DType::f32) \
  OWN(MaskSpec, mask) \
  OWN(std::uint64_t, seed, 1) \
  OWN(std::vector<int>, interest_set) \
  OWN(std::optional<double>, scale) \
  OWN(std::int64_t, memory_budget_bytes, 0) \
  OWN(std::optional<InstructionSet>, cpu_isa) \
  OWN(std::vector<Sequence>, sequences) \
  OWN(NewKeyOwner, new_key_owner, NewKeyOwner::round_robin) \
  OWN(std::optional<double>, link_bandwidth_byte_per_s) \
  OWN(std::optional<double>, link_latency_s) \
  OWN(LinkMode, link_mode, LinkMode::overlap) \
  OWN(std::optional<std::string>, model_device) \
  OWN(int, model_cores, 0) \
  OWN(Distillation, distillation, Distillation::published) \
  OWN(WorkloadKind, workload, WorkloadKind::attention) \
  OWN(std::int64_t, layer_feed_forward_dim, 0) \
  OWN(std::int64_t, layer_block_tokens, 0) \
  OWN(AllocatorKind, allocator, AllocatorKind::automatic) \
  OWN(Launch, launch, Launch::alone) \
  OWN(ClockKind, clock, ClockKind::synchronized) \
  OWN(L2Cache, l2_cache, L2Cache::automatic) \
  OWN(CudaPath, cuda_path, CudaPath::automatic) \
  OWN(Passes, pass, Passes::forward) \
  OWN(DType, gradient_dtype, DType::f32) \
  OWN(SentLse, lse, SentLse::one) \
  OWN(DType, partial_dtype, DType::f32) \
  OWN(std::int64_t, resident_tokens, 0) \
  OWN(InputKind, inputs, InputKind::random) \
  OWN(SinkKind, sinks, SinkKind::none)
#define QB_LATER_PARAMETERS(OWN, PART) \
  OWN(std::string, cluster, kNoCluster) \
  OWN(std::optional<std::string>, cluster_inside) \
  OWN(std::optional<std::string>, cluster_between) \
  OWN(int, cluster_nics, 0) \
  OWN(GridOrder, cluster_order, GridOrder::hrc) \
  PART(mixer_operator, mixer, MixerCase::kind) \
  PART(mixer_rank, mixer, MixerCase::rank) \
  PART(mixer_depth, mixer, MixerCase::depth) \
  PART(mixer_rows, mixer, MixerCase::rows) \
  PART(mixer_pair_bias, mixer, MixerCase::pair_bias) \
  PART(mixer_gate, mixer, MixerCase::gate) \
  PART(mixer_chunk, mixer, MixerCase::chunk) \
  PART(mixer_layout, mixer, MixerCase::layout) \
  PART(mixer_scan, mixer, MixerCase::scan) \
  PART(mixer_blocks, mixer, MixerCase::blocks) \
  PART(pipeline_schedule, pipeline, Pipeline::schedule) \
  PART(pipeline_stages, pipeline, Pipeline::stages) \
  PART(pipeline_layers, pipeline, Pipeline::layers) \
  PART(pipeline_microbatches, pipeline, Pipeline::microbatches) \
  PART(pipeline_virtual_stages, pipeline, Pipeline::virtual_stages) \
  PART(pipeline_chunks, pipeline, Pipeline::chunks) \
  PART(pipeline_cut, pipeline, Pipeline::cut) \
  PART(relayout_from, relayout, RelayoutCase::from) \
  PART(relayout_to, relayout, RelayoutCase::to) \
  PART(relayout_block, relayout, RelayoutCase::block) \
  PART(relayout_tensors, relayout, RelayoutCase::tensors) \
  PART(stack_layers, stack, StackCase::layers) \
  PART(stack_layout, stack, StackCase::layout) \
  PART(prefill_chunk, prefill, PrefillCase::chunk) \
  PART(prefill_pass, prefill, PrefillCase::pass)
// clang-format on

#define QB_OWN(type, name, ...) type name{__VA_ARGS__};
#define QB_PART(...)
struct Case {
  std::string experiment;
  QB_CASE_PARAMETERS(QB_OWN, QB_PART)
  QB_LATER_PARAMETERS(QB_OWN, QB_PART)
  Shape shape;
  StrategyKeys strategy_keys;
  MixerCase mixer;
  Pipeline pipeline;
  RelayoutCase relayout;
  StackCase stack;
  PrefillCase prefill;
  Measure measure;
  // These are not parameters: how many numbers hold a row's LSE on a CPU, one before schema 12, and
  // whether calls add to partials (problem.h).
  int lse_kept = 2;
  bool adds_to_partials = true;
  // An earlier case measured it on such a GPU, or else this case does.
  std::optional<double> gpu_peak_flop_per_s;
};
#undef QB_OWN
#undef QB_PART

// The path of members, and of indices of arrays, from a Case to the parameter of that column.
template <auto... Path>
struct Held {
  std::string_view column;
};

template <std::size_t... I>
[[nodiscard]] constexpr auto held_keys(std::index_sequence<I...>) {
  return std::tuple{
      Held<&Case::strategy_keys, &StrategyKeys::texts, I>{fields::kStrategyKeys[I].column}...};
}

// The order is that of kParameterFields.
#define QB_OWN(type, name, ...) Held<&Case::name>{#name},
#define QB_PART(column, member, path) Held<&Case::member, &path>{#column},
inline constexpr auto kHeldParameters =
    std::tuple_cat(std::tuple{QB_CASE_PARAMETERS(QB_OWN, QB_PART)},
                   held_keys(std::make_index_sequence<StrategyKeys::kCount>()),
                   std::tuple{QB_LATER_PARAMETERS(QB_OWN, QB_PART)});
#undef QB_OWN
#undef QB_PART

// Makes the open choices of a case, so that a row says what ran: `auto` becomes the device of this
// machine, cqs without an interest set gets the default one, and a cluster the links of its file.
// It changes no resolved case.
[[nodiscard]] Case resolve_case(Case c);

// The workers among which the algorithm splits attention: all, or those of one of the stages of a
// pipeline.
[[nodiscard]] int splitting_workers(const Case& c);

// The cluster of the case, with the links that the case names. Throws UsageError as read_cluster()
// and parse_link() do.
[[nodiscard]] Cluster cluster_of(const Case& c);
// Its links, and where each worker stands; without a cluster one flat link. Throws UsageError as
// cluster_of() and network_of(Cluster) do, Unsupported where the case has no grid, or one that its
// order places as the standard order does.
[[nodiscard]] Network network_of(const Case& c);
// Where its workers stand, without the links; they throw alike.
[[nodiscard]] Hosts hosts_of(const Case& c);

// Throws UsageError where mask, sequences and shape do not fit each other.
[[nodiscard]] Problem problem_of(const Case& c);
// Every command that plans calls this, so that none forgets a parameter. Throws Unsupported and
// UsageError as make_plan does. The plan is not checked.
[[nodiscard]] Plan plan_of(const Case& c, Pass pass);
// Plans the pass that the case times; of both the forward pass.
[[nodiscard]] inline Plan plan_of(const Case& c) {
  return plan_of(c, c.pass == Passes::backward ? Pass::backward : Pass::forward);
}
// The same for a single plan or tensor. Throws CaseError if check() finds a fault in the plan.
[[nodiscard]] Plan checked_plan(const Case& c, Pass pass = Pass::forward);

// How long a worker waits for a message before it gives the case up, well before its timeout.
[[nodiscard]] double message_timeout_s(const Case& c);

// Reads `100+8 64+1` (spaces or commas); a number alone has no cached tokens. Throws UsageError.
[[nodiscard]] std::vector<Sequence> parse_sequences(std::string_view text);
[[nodiscard]] std::string to_string(const std::vector<Sequence>& sequences);

// The GPU that a case of device: cuda with serial ranks runs on. Asks the driver once.
[[nodiscard]] std::optional<CudaDevice> first_gpu();

// Why `device: auto` means the CPU here; empty where there is a GPU. Asks the driver once.
[[nodiscard]] const std::string& why_no_gpu();

// Throws EnvironmentError where the case's device is missing on this machine.
void require_device(const Case& c);

}  // namespace qb
