// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/numbers.h"
#include "base/words.h"
#include "harness/plan/check/check.h"
#include "harness/verify/inputs.h"
#include "harness/workload/needs.h"
#include "harness/workload/recipe_file.h"
#include "interest_sets/sets/interest_set.h"

namespace qb {
namespace {

struct GpuHere {
  std::optional<CudaDevice> device;
  std::string why_none;
};

const GpuHere& gpu_here() {
  static const GpuHere here = [] {
    try {
      const CudaProbe probe = probe_cuda();
      std::string reason = why_no_cuda(probe);
      if (!reason.empty()) return GpuHere{std::nullopt, std::move(reason)};
      return GpuHere{probe.devices.front(), {}};
    } catch (const EnvironmentError& error) {
      return GpuHere{std::nullopt, error.what()};  // there is a GPU that does not work
    }
  }();
  return here;
}

// True where `auto` chooses a GPU; it chooses the CPU for the rest.
bool is_for_gpu(Case c) {
  c.device = Device::cuda;
  return c.pass == Passes::forward && KernelRow::lists(row_of(c.kernel).gpu_types, word(c.dtype)) &&
         unmet_needs(c).empty();
}

// The shape of packed sequences: a batch of one and their summed lengths.
Shape packed_shape(const Case& c) {
  Shape sums = c.shape;
  if (sums.batch != 1)
    throw UsageError(fmt::format(
        "sequences are the entries of a batch, and batch is {}; leave it out", sums.batch));
  sums.q_len = 0;
  sums.kv_len = 0;
  for (const Sequence& sequence : c.sequences) {
    sums.q_len += sequence.new_tokens;
    sums.kv_len += sequence.cached_tokens + sequence.new_tokens;
  }
  if (c.shape.q_len != sums.q_len)
    throw UsageError(fmt::format("sequences hold {} new tokens and n_tokens is {}; make it {}",
                                 sums.q_len, c.shape.q_len, sums.q_len));
  if (c.shape.kv_len != c.shape.q_len && c.shape.kv_len != sums.kv_len)
    throw UsageError(fmt::format("sequences hold {} keys and kv_len is {}; leave it out",
                                 sums.kv_len, c.shape.kv_len));
  return sums;
}

// Decoding assigns sequences to workers, so it also treats a batch of equal ones as packed.
std::vector<Sequence> sequences_of(const Case& c) {
  if (!c.sequences.empty()) return c.sequences;
  if (c.algorithm != "decode" || c.shape.batch == 1) return {};
  const Sequence sequence{c.shape.kv_len - c.shape.q_len, c.shape.q_len};
  return std::vector<Sequence>(static_cast<std::size_t>(c.shape.batch), sequence);
}

StrategyOptions strategy_options(const Case& c, Pass pass) {
  StrategyOptions options{.workers = c.workers,
                          .new_key_owner = c.new_key_owner,
                          .distillation = c.distillation,
                          .keys = c.strategy_keys,
                          .pass = pass};
  if (pass == Pass::backward) options.gradients = c.gradient_dtype;
  if (c.cluster != kNoCluster) options.workers_per_host = cluster_of(c).workers_per_host;
  if (!c.interest_set.empty()) options.interest_set = InterestSet{c.workers, c.interest_set};
  return options;
}

}  // namespace

Case resolve_case(Case c) {
  if (c.device == Device::automatic)
    c.device = is_for_gpu(c) && why_no_gpu().empty() ? Device::cuda : Device::cpu;
  if (c.device == Device::cuda) {
    if (c.allocator == AllocatorKind::automatic) c.allocator = AllocatorKind::pool;
    // A rank's shard has just been written when the clock starts.
    if (c.l2_cache == L2Cache::automatic)
      c.l2_cache = c.ranks == Ranks::nccl ? L2Cache::warm : L2Cache::flushed;
  }
  if (c.clock == ClockKind::cpu && c.threads == 0) c.threads = 1;
  if (!c.sequences.empty()) c.shape = packed_shape(c);
  if (c.workload == WorkloadKind::transformer_layer && c.layer_feed_forward_dim == 0)
    c.layer_feed_forward_dim = 4 * c.shape.q_heads * c.shape.head_dim;
  if (c.mixer.kind && c.mixer.rank == 0)
    c.mixer.rank = standard_rank(*c.mixer.kind, c.shape.head_dim);
  if (c.mixer.kind && c.mixer.rows == 0) c.mixer.rows = standard_rows(*c.mixer.kind, c.shape.q_len);
  if (c.workload == WorkloadKind::pipeline) {
    if (c.pipeline.stages == 0) c.pipeline.stages = c.workers;
    if (c.pipeline.layers == 0) c.pipeline.layers = c.pipeline.stages * c.pipeline.virtual_stages;
    if (c.pipeline.microbatches == 0) c.pipeline.microbatches = static_cast<int>(c.shape.batch);
  }
  if (c.ranks == Ranks::model && !c.model_device) c.model_device = "here";
  if (const int n = splitting_workers(c);
      takes_interest_set(c.algorithm) && c.interest_set.empty() && n >= 3)
    c.interest_set = default_interest_set(n).residues;
  if (c.cluster != kNoCluster) {
    const Cluster cluster = cluster_of(c);
    if (cluster.inside && !c.cluster_inside) c.cluster_inside = link_text(*cluster.inside);
    if (cluster.between && !c.cluster_between) c.cluster_between = link_text(*cluster.between);
    c.cluster_nics = cluster.nics;
  }
  return c;
}

int splitting_workers(const Case& c) {
  if (c.workload != WorkloadKind::pipeline) return c.workers;
  return c.pipeline.stages == 0 ? 1 : c.workers / c.pipeline.stages;
}

Cluster cluster_of(const Case& c) {
  Cluster cluster = read_cluster(c.cluster);
  const std::string device = c.model_device.value_or("");
  if (c.cluster_inside)
    cluster.inside = parse_link("inside of hosts", *c.cluster_inside, device).first;
  if (c.cluster_between)
    cluster.between = parse_link("between hosts", *c.cluster_between, device).first;
  if (c.cluster_nics > 0) cluster.nics = c.cluster_nics;
  return cluster;
}

Network network_of(const Case& c) {
  if (c.cluster == kNoCluster)
    return {{c.link_bandwidth_byte_per_s.value_or(0.0), c.link_latency_s.value_or(0.0)},
            hosts_of(c)};
  return {network_of(cluster_of(c), c.workers).limit, hosts_of(c)};
}

Hosts hosts_of(const Case& c) {
  const bool root_is_rank = c.ranks == Ranks::mpi || c.ranks == Ranks::nccl;
  if (c.cluster == kNoCluster) return {.root_is_worker = root_is_rank};
  Cluster cluster = cluster_of(c);
  // Where workers stand does not depend on the links, which a case under MPI may leave open.
  cluster.inside = cluster.inside.value_or(LinkLimit{});
  cluster.between = cluster.between.value_or(LinkLimit{});
  Hosts hosts = network_of(cluster, c.workers).hosts;
  hosts.root_is_worker = root_is_rank;
  if (c.cluster_order == GridOrder::hrc) return hosts;
  const GridShape shape =
      grid_shape(c.algorithm, problem_of(c), c.workers, asked_grid(c.strategy_keys));
  hosts.slot = grid_slots(c.cluster_order, shape);
  if (std::ranges::is_sorted(hosts.slot))
    throw Unsupported(fmt::format("cluster.order: {} places a grid of {} x {} x {} as hrc does",
                                  word(c.cluster_order), shape.heads, shape.rows, shape.columns));
  return hosts;
}

Problem problem_of(const Case& c) {
  const std::vector<Sequence> sequences = sequences_of(c);
  Problem problem = sequences.empty()
                        ? make_problem(c.shape, c.mask, c.dtype, c.seed)
                        : make_packed_problem(c.shape, c.mask, c.dtype, c.seed, sequences);
  if (c.scale) problem.scale = *c.scale;
  problem.inputs = c.inputs;
  if (c.sinks == SinkKind::random) problem.sinks = make_sinks(problem);
  problem.lse_kept = c.device == Device::cuda ? 1 : c.lse_kept;
  problem.adds_to_partials =
      c.adds_to_partials && (c.ranks != Ranks::model || c.model_device == "here");
  problem.partials = c.partial_dtype;
  problem.resident_keys = c.resident_tokens;
  if (c.resident_tokens > c.shape.kv_len)
    throw UsageError(fmt::format("resident_tokens is {}; there are {} keys, of which it can be all",
                                 c.resident_tokens, c.shape.kv_len));
  if (c.resident_tokens > 0 && !sequences.empty())
    throw Unsupported(
        "resident_tokens are the first keys of one sequence, and this batch packs "
        "several");
  problem.lse_sent = c.lse == SentLse::two ? 2 : 1;
  return problem;
}

Plan plan_of(const Case& c, Pass pass) {
  const StrategyOptions options = strategy_options(c, pass);
  Plan plan = is_recipe_file(c.algorithm)
                  ? make_plan(read_recipe(c.algorithm, c.workers), problem_of(c), options)
                  : make_plan(c.algorithm, problem_of(c), options);
  const bool has_tier = c.ranks == Ranks::serial || c.ranks == Ranks::threads;
  if (plan.result == Result::tier && (!has_tier || c.launch != Launch::alone))
    throw Unsupported(
        fmt::format("{} fetches from the memory of one process; take ranks: serial or threads, and "
                    "launch: alone",
                    c.algorithm));
  return plan;
}

Plan checked_plan(const Case& c, Pass pass) {
  Plan plan = plan_of(c, pass);
  if (const auto offence = check(plan))
    throw CaseError(Status::error,
                    fmt::format("the plan does not cover every pair exactly once: {}", *offence));
  return plan;
}

double message_timeout_s(const Case& c) {
  constexpr double kLongest = 600.0;
  return std::min(kLongest, c.measure.timeout_s / 3.0);
}

std::vector<Sequence> parse_sequences(std::string_view text) {
  std::vector<Sequence> sequences;
  for (const std::string_view item : split_words(text, " ,")) {
    const std::size_t plus = item.find('+');
    const bool cached = plus != std::string_view::npos;
    const auto first = parse_integer(item.substr(0, std::min(plus, item.size())));
    const auto second = cached ? parse_integer(item.substr(plus + 1)) : first;
    if (!first || !second || *first < 0 || *second < 0)
      throw UsageError(fmt::format(
          "sequences: '{}' is not a sequence; write cached+new tokens such as 100+8, or 64", item));
    // A sequence without new tokens computes nothing.
    if (*second > 0) sequences.push_back({cached ? *first : 0, *second});
  }
  if (sequences.empty())
    throw UsageError(
        "sequences needs at least one with new tokens, written as cached+new tokens such as 100+8");
  return sequences;
}

std::string to_string(const std::vector<Sequence>& sequences) {
  std::string text;
  for (const Sequence& sequence : sequences)
    text += fmt::format("{}{}+{}", text.empty() ? "" : " ", sequence.cached_tokens,
                        sequence.new_tokens);
  return text;
}

std::optional<CudaDevice> first_gpu() { return gpu_here().device; }

const std::string& why_no_gpu() { return gpu_here().why_none; }

void require_device(const Case& c) {
  if (c.device == Device::cuda && !why_no_gpu().empty())
    throw EnvironmentError(
        fmt::format("device cuda: {} (--set device=cpu runs on the CPU)", why_no_gpu()));
}

}  // namespace qb
