#include "harness/workload/layer/layer_cases.h"

#include <fmt/format.h>

#include <string>

#include "base/status.h"
#include "harness/plan/pass.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {
namespace {

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw Unsupported("a transformer layer " + otherwise);
}

void require_supported_on_gpu(const Case& c) {
  require(c.kernel == Kernel::flash || c.kernel == Kernel::materialized,
          fmt::format("takes flash or materialized on a GPU, not {}", word(c.kernel)));
  require(
      c.dtype != DType::f32 || c.kernel == Kernel::materialized,
      "in f32 takes kernel materialized on a GPU, not flash; the nearest of flash is dtype f16");
  require(c.launch == Launch::alone,
          fmt::format("has one worker, so that launch is alone, not {}", word(c.launch)));
  require(c.l2_cache != L2Cache::rotated,
          "has one set of weights, so that l2_cache is flushed or warm, not rotated");
  require(c.pass == Passes::forward,
          "has a forward pass only on a GPU; the nearest with a backward pass is device: cpu");
}

void require_supported_split(const Case& c) {
  require(c.ranks == Ranks::threads && c.device != Device::cuda,
          fmt::format("by tensor_parallel needs ranks: threads and device: cpu, not {} and {}",
                      word(c.ranks), word(c.device)));
  require(c.dtype == DType::f32,
          fmt::format("by tensor_parallel is computed in f32, not {}", word(c.dtype)));
  require(c.pass == Passes::forward,
          "by tensor_parallel has a forward pass only; the nearest with a backward pass is "
          "algorithm: dense with workers: 1");
}

}  // namespace

bool is_split_layer(const Case& c) { return c.algorithm == kTensorParallel; }

void require_layer(const Case& c) {
  if (is_split_layer(c))
    require_supported_split(c);
  else
    require(c.algorithm == "dense" && c.workers == 1 && c.ranks == Ranks::serial,
            fmt::format("is computed by one worker: algorithm: dense, workers: 1 and ranks: "
                        "serial, not {}, {} and {}; or by several: algorithm: tensor_parallel and "
                        "ranks: threads",
                        c.algorithm, c.workers, word(c.ranks)));
  if (c.device == Device::cuda)
    require_supported_on_gpu(c);
  else
    require(c.kernel != Kernel::staged && c.kernel != Kernel::cudnn,
            fmt::format("takes flash, materialized or reference, not {}", word(c.kernel)));
  require(c.dtype != DType::f64, "is computed in f16, bf16 or f32, not f64");
  require(!c.worker_speeds, "has workers of one speed; leave out worker_speeds");
  require(c.shape.kv_len == c.shape.q_len && !c.sequences,
          "attends to its own tokens: leave out kv_len and sequences");
}

Case attention_of_layer(Case c) {
  if (!is_split_layer(c)) return c;
  c.algorithm = "dense";
  c.workers = 1;
  return c;
}

}  // namespace qb
