#include "harness/workload/layer/layer_rehearsal.h"

#include "harness/execute/memory/memory_ledger.h"
#include "harness/workload/layer/device_layer.h"

namespace qb {

Rehearsal rehearse_layer(const LayerShape& shape, DType dtype, const LayerOptions& options,
                         const cuda::KernelCosts& costs) {
  const auto play = [&](ComputeDevice& device, MemoryLedger& ledger) {
    const LayerWeights weights(shape, ledger, dtype);
    const Tensor x(ledger, dtype, shape.states(), "hidden_states");
    const Tensor y(ledger, dtype, shape.states(), "output");
    ledger.reset_peaks();
    DeviceLayer layer(device, shape, dtype, options, ClockKind::synchronized, ledger);
    return layer.run(weights, x.view(), y.view()).device_s;
  };
  Rehearsal told = rehearse(costs, play);
  if (told.executed_pairs) *told.executed_pairs /= shape.batch * shape.heads;
  return told;
}

}  // namespace qb
