#include "harness/experiment/process/layer_case.h"

#include <fmt/format.h>

#include <memory>

#include "base/numbers.h"
#include "harness/execute/player/worker.h"
#include "harness/experiment/process/case_passes.h"
#include "harness/experiment/process/gpu_arena.h"
#include "harness/experiment/process/layer_arena.h"
#include "harness/experiment/process/measured_columns.h"
#include "harness/experiment/process/sampling.h"
#include "harness/workload/layer/layer_rehearsal.h"
#include "harness/workload/layer/layer_verify.h"
#include "kernels/cpu/instruction_set.h"

namespace qb {
namespace {

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw Unsupported("a transformer layer " + otherwise);
}

void require_supported_on_gpu(const Case& c) {
  require(c.kernel == Kernel::flash || c.kernel == Kernel::materialized,
          fmt::format("takes flash or materialized on a GPU, not {}", word(c.kernel)));
  require(c.dtype != DType::f64, "is computed in f16, bf16 or f32 on a GPU, not f64");
  require(
      c.dtype != DType::f32 || c.kernel == Kernel::materialized,
      "in f32 takes kernel materialized on a GPU, not flash; the nearest of flash is dtype f16");
  require(c.launch == Launch::alone,
          fmt::format("has one worker, so that launch is alone, not {}", word(c.launch)));
  require(c.l2_cache != L2Cache::rotated,
          "has one set of weights, so that l2_cache is flushed or warm, not rotated");
}

void require_supported(const Case& c) {
  require(c.algorithm == "dense" && c.workers == 1 && c.ranks == Ranks::serial,
          fmt::format("is computed by one worker: algorithm: dense, workers: 1 and ranks: serial, "
                      "not {}, {} and {}",
                      c.algorithm, c.workers, word(c.ranks)));
  if (c.device == Device::cuda) {
    require_supported_on_gpu(c);
  } else {
    require(c.kernel != Kernel::staged && c.kernel != Kernel::cudnn,
            fmt::format("takes flash, materialized or reference, not {}", word(c.kernel)));
    require(c.dtype == DType::f32,
            fmt::format("is computed in f32, not {}, on the CPU", word(c.dtype)));
  }
  require(c.shape.kv_heads == c.shape.q_heads && c.shape.value_dim == c.shape.head_dim,
          fmt::format("has as many key-value heads as query heads, not {} and {}", c.shape.kv_heads,
                      c.shape.q_heads));
  require(!c.worker_speeds, "has one worker and nobody to be slower than; leave out worker_speeds");
  require(c.shape.kv_len == c.shape.q_len && !c.sequences,
          "attends to its own tokens: leave out kv_len and sequences");
}

class LayerCase {
 public:
  LayerCase(const Case& c, const std::string& trace_stem, const OpenGpu& open_gpu,
            CaseResult& result)
      : case_(c), trace_stem_(trace_stem), open_gpu_(open_gpu), result_(result) {}

  void run() {
    if (case_.cpu_isa) use_instruction_set(*case_.cpu_isa);
    planned_ = plan_layer(case_);
    if (case_.device == Device::cuda) {
      gpu_ = open_gpu_(gpu_options(case_));
      result_.values["gpu"] = gpu_->facts().name;
      gpu_->require(case_.kernel, case_.dtype, case_.shape.head_dim);
      rehearse_layer_on_gpu(case_, gpu_->costs(), planned_);
    }
    result_.values.merge(layer_prediction_columns(case_, planned_));
    result_.values["isa"] = gpu_ ? gpu_->isa(case_.kernel, case_.dtype) : kernel_isa(case_.kernel);
    result_.values["provenance"] = "measured";
    if (const auto reason = infeasible(case_, planned_.flop))
      throw CaseError(Status::infeasible, *reason);
    measure_in_passes(*this, case_, trace_stem_, gpu_.get(), result_);
  }

 private:
  template <class Subject>
  friend void qb::measure_in_passes(Subject&, const Case&, const std::string&, ComputeDevice*,
                                    CaseResult&);

  [[nodiscard]] std::unique_ptr<LayerArena> make_arena(bool record) {
    if (gpu_) return make_gpu_layer_arena(case_, planned_, record, *gpu_);
    return make_cpu_layer_arena(case_, planned_, record);
  }

  void memory_pass(LayerArena& arena) {
    try {
      arena.fill();
      arena.ledger().reset_peaks();
      Sample untimed;
      (void)arena.execute(true, untimed);
    } catch (const OutOfMemory&) {
      keep_events(case_, trace_stem_, arena.ledger(), result_);
      throw;
    }
    result_.values["worker_active_peak_bytes"] =
        to_text(static_cast<std::int64_t>(arena.ledger().worker_peak_bytes(0)));
    add_memory_peaks(arena.ledger(), result_.values);
    keep_events(case_, trace_stem_, arena.ledger(), result_);
  }

  void verify(const LayerArena& arena) {
    if (case_.measure.verify_rows == 0) return;
    const Verification verification =
        verify_layer(arena.question(), arena.output(),
                     layer_rows_to_verify(planned_.shape.n_tokens, planned_.options.block_tokens,
                                          case_.measure.verify_rows, case_.seed),
                     planned_.options.threads);
    add_verification(verification, result_.values);
    if (!verification.correct) throw CaseError(Status::incorrect, verification.message);
  }

  void timed_pass(LayerArena& arena) {
    std::vector<LayerTimes> times;
    result_.samples = take_samples(case_.measure, now_s, [&] {
      arena.begin_sample();
      Sample sample;
      times.push_back(arena.execute(false, sample));
      // One worker: its time is the critical path, the sum and the wall clock at once.
      sample.critical_path_s = sample.worker_sum_s = sample.wall_s;
      sample.longest_subsequence_s = times.back()[static_cast<std::size_t>(LayerPart::attention)];
      arena.end_sample(sample);
      return sample;
    });
    add_medians(result_.samples, result_.values);
    if (gpu_) add_gpu_medians(result_.samples, result_.values);
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
  const OpenGpu& open_gpu_;
  CaseResult& result_;
  PlannedLayer planned_;
  std::unique_ptr<ComputeDevice> gpu_;  // device: cuda; outlives the arena
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

void rehearse_layer_on_gpu(const Case& c, const cuda::KernelCosts& costs, PlannedLayer& planned) {
  if (infeasible(c, planned.flop)) return;  // its schedules too would be endless
  try {
    planned.attention.gpu = rehearse_layer(planned.shape, c.dtype, planned.options, costs);
  } catch (const Unsupported&) {
    planned.attention.gpu.reset();  // the run says why
  }
}

std::map<std::string, std::string> layer_prediction_columns(const Case& c,
                                                            const PlannedLayer& planned) {
  std::map<std::string, std::string> values = prediction_columns(c, planned.attention);
  values["unmasked_flop"] = to_text(planned.flop);
  if (c.device == Device::cuda) return values;  // those of the rehearsal
  // The plan's tiles are those of the whole sequence.
  if (c.layer_block_tokens != 0) values.erase("executed_pairs");
  const std::int64_t workspace = layer_workspace_bytes(planned.shape, planned.options);
  const std::int64_t states = planned.shape.states().elements() * size_of(DType::f32);
  values["predicted_worker_active_peak_bytes"] = to_text(workspace);
  values["predicted_active_peak_bytes"] =
      to_text(workspace + weight_bytes(planned.shape) + 2 * states);
  return values;
}

void run_layer_case(const Case& c, const std::string& trace_stem, const OpenGpu& open_gpu,
                    CaseResult& result) {
  LayerCase(c, trace_stem, open_gpu, result).run();
}

}  // namespace qb
