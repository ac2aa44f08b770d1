#include "harness/experiment/layer_case.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "harness/base/numbers.h"
#include "harness/execute/memory_ledger.h"
#include "harness/experiment/measured_columns.h"
#include "harness/experiment/sampling.h"
#include "harness/layer/layer_verify.h"
#include "kernels/cpu/instruction_set.h"

namespace qb {
namespace {

double steady_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void require_supported(const Case& c) {
  const auto require = [](bool holds, const std::string& otherwise) {
    if (!holds) throw Unsupported("a transformer layer " + otherwise);
  };
  require(c.device != Device::cuda, "runs on the CPU only; use device: cpu");
  require(c.algorithm == "dense" && c.workers == 1 && c.ranks == Ranks::serial,
          fmt::format("is computed by one worker: algorithm: dense, workers: 1 and ranks: serial, "
                      "not {}, {} and {}",
                      c.algorithm, c.workers, word(c.ranks)));
  require(c.kernel != Kernel::staged, "takes flash, materialized or reference, not staged");
  require(c.dtype == DType::f32, fmt::format("is computed in f32, not {}", word(c.dtype)));
  require(c.shape.kv_heads == c.shape.q_heads && c.shape.value_dim == c.shape.head_dim,
          fmt::format("has as many key-value heads as query heads, not {} and {}", c.shape.kv_heads,
                      c.shape.q_heads));
  require(!c.worker_speeds, "has one worker and nobody to be slower than; leave out worker_speeds");
  require(c.shape.kv_len == c.shape.q_len && !c.sequences,
          "attends to its own tokens: leave out kv_len and sequences");
}

// The ledger and the tensors of the caller in it.
struct LayerArena {
  MemoryLedger ledger;
  std::optional<LayerWeights> weights;
  Tensor x;
  Tensor y;

  LayerArena(const Case& c, bool record_events) : ledger(ledger_options(c, record_events)) {}

  void fill(const Case& c, const PlannedLayer& planned) {
    const int threads = planned.options.threads;
    weights.emplace(c.layer_weights ? read_weights(*c.layer_weights, planned.shape, ledger)
                                    : random_weights(planned.shape, c.seed, ledger, threads));
    x = random_states(planned.shape, c.seed, ledger, threads);
    y = Tensor(ledger, DType::f32, planned.shape.states(), "output");
  }
};

class LayerCase {
 public:
  LayerCase(const Case& c, const std::string& trace_stem, CaseResult& result)
      : case_(c), trace_stem_(trace_stem), result_(result) {}

  void run() {
    if (case_.cpu_isa) use_instruction_set(*case_.cpu_isa);
    planned_ = plan_layer(case_);
    result_.values = layer_prediction_columns(case_, planned_);
    result_.values["isa"] = kernel_isa(case_.kernel);
    result_.values["provenance"] = "measured";
    if (const auto reason = infeasible(case_, planned_.flop))
      throw CaseError(Status::infeasible, *reason);
    const bool record = case_.measure.memory_timeline || !trace_stem_.empty();
    std::optional<LayerArena> arena;
    arena.emplace(case_, record);
    memory_pass(*arena);
    verify(*arena);
    if (record) {
      // Events cost time: the timed runs get a ledger that keeps none.
      arena.emplace(case_, false);
      arena->fill(case_, planned_);
    }
    timed_pass(*arena);
    result_.status = Status::ok;
  }

 private:
  LayerTimes execute_once(LayerArena& arena) const {
    return run_layer(planned_.shape, *arena.weights, arena.x.view().row_as<float>(0, 0, 0),
                     arena.y.view().row_as<float>(0, 0, 0), planned_.options, arena.ledger);
  }

  void memory_pass(LayerArena& arena) {
    try {
      arena.fill(case_, planned_);
      poison(arena.y.view(), TensorView{});
      arena.ledger.reset_peaks();
      (void)execute_once(arena);
    } catch (const OutOfMemory&) {
      keep_events(case_, trace_stem_, arena.ledger, result_);
      throw;
    }
    result_.values["worker_active_peak_bytes"] =
        to_text(static_cast<std::int64_t>(arena.ledger.worker_peak_bytes(0)));
    add_memory_peaks(arena.ledger, result_.values);
    keep_events(case_, trace_stem_, arena.ledger, result_);
  }

  void verify(const LayerArena& arena) {
    if (case_.measure.verify_rows == 0) return;
    const LayerQuestion question{planned_.shape, *arena.weights,
                                 arena.x.view().row_as<float>(0, 0, 0), planned_.options.mask,
                                 planned_.options.scale};
    const Verification verification =
        verify_layer(question, arena.y.view().row_as<float>(0, 0, 0),
                     layer_rows_to_verify(planned_.shape.n_tokens, planned_.options.block_tokens,
                                          case_.measure.verify_rows, case_.seed),
                     planned_.options.threads);
    add_verification(verification, result_.values);
    if (!verification.correct) throw CaseError(Status::incorrect, verification.message);
  }

  void timed_pass(LayerArena& arena) {
    std::vector<LayerTimes> times;
    result_.samples = take_samples(case_.measure, steady_s, [&] {
      const double begin_s = steady_s();
      times.push_back(execute_once(arena));
      // One worker: its time is the critical path, the sum and the wall clock at once.
      const double wall_s = steady_s() - begin_s;
      return Sample{
          .wall_s = wall_s,
          .critical_path_s = wall_s,
          .worker_sum_s = wall_s,
          .longest_subsequence_s = times.back()[static_cast<std::size_t>(LayerPart::attention)]};
    });
    add_medians(result_.samples, result_.values);
    add_rates(case_, planned_.flop, planned_.options.threads, result_.samples, result_.values);
    for (std::size_t i = 0; i < times.size(); ++i) add_parts(result_.samples[i], times[i]);
  }

  void add_parts(const Sample& sample, const LayerTimes& times) {
    for (const auto& [part, name] : Words<LayerPart>::table)
      result_.parts.push_back(
          {to_text(std::int64_t{sample.repeat}), sample.warmup ? "1" : "0", std::string(name),
           to_text(layer_part_flop(planned_.shape, part, planned_.attention.work.unmasked_pairs)),
           to_text(times[static_cast<std::size_t>(part)])});
  }

  const Case& case_;
  const std::string& trace_stem_;
  CaseResult& result_;
  PlannedLayer planned_;
};

}  // namespace

PlannedLayer plan_layer(const Case& c) {
  require_supported(c);
  PlannedLayer planned;
  planned.attention = plan_case(c);
  const Problem& problem = planned.attention.plan.problem;
  planned.shape = {c.shape.batch, c.shape.q_len, c.shape.q_heads, c.shape.head_dim,
                   c.layer_feed_forward_dim};
  planned.options = {problem.mask, problem.scale, c.kernel, c.layer_block_tokens,
                     planned.attention.threads};
  for (const auto& entry : Words<LayerPart>::table)
    planned.flop +=
        layer_part_flop(planned.shape, entry.first, planned.attention.work.unmasked_pairs);
  return planned;
}

std::map<std::string, std::string> layer_prediction_columns(const Case& c,
                                                            const PlannedLayer& planned) {
  std::map<std::string, std::string> values = prediction_columns(c, planned.attention);
  const std::int64_t workspace = layer_workspace_bytes(planned.shape, planned.options);
  const std::int64_t states = planned.shape.states().elements() * size_of(DType::f32);
  values["unmasked_flop"] = to_text(planned.flop);
  values["predicted_worker_active_peak_bytes"] = to_text(workspace);
  values["predicted_active_peak_bytes"] =
      to_text(workspace + weight_bytes(planned.shape) + 2 * states);
  // The plan's tiles are those of the whole sequence.
  if (c.layer_block_tokens != 0) values.erase("executed_pairs");
  return values;
}

void run_layer_case(const Case& c, const std::string& trace_stem, CaseResult& result) {
  LayerCase(c, trace_stem, result).run();
}

}  // namespace qb
