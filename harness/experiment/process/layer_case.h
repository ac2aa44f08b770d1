// A case of workload transformer_layer: an encoder layer around attention of one worker, on the CPU
// or on a GPU.
#pragma once

#include <map>
#include <string>

#include "harness/experiment/process/prediction.h"
#include "harness/experiment/process/result.h"
#include "harness/workload/layer/transformer_layer.h"

namespace qb {

struct PlannedLayer {
  PlannedCase attention;
  LayerShape shape;
  LayerOptions options;
  double flop = 0.0;  // of all parts
};

// Throws Unsupported with the reason where a layer has no such case, UsageError as plan_case does.
[[nodiscard]] PlannedLayer plan_layer(const Case& c);

// Adds what a case of device: cuda takes and computes to the plan of its attention; nothing to one
// that the GPU will refuse, or that is infeasible.
void rehearse_layer_on_gpu(const Case& c, const cuda::KernelCosts& costs, PlannedLayer& planned);

// Pairs as the plan of the attention has them, FLOP and bytes of the whole layer.
[[nodiscard]] std::map<std::string, std::string> layer_prediction_columns(
    const Case& c, const PlannedLayer& planned);

// Weights and states, one run for memory and correctness, timed runs: as run_case does it for
// attention. Throws CaseError and whatever else goes wrong.
void run_layer_case(const Case& c, const std::string& trace_stem, const OpenGpu& open_gpu,
                    CaseResult& result);

}  // namespace qb
