// SPDX-License-Identifier: Apache-2.0
#include "harness/run/device/attention_device.h"

#include <vector>

namespace qb {

AttentionDevice::Prepared AttentionDevice::prepare(const cuda::GroupedCall& call,
                                                   Allocator& memory) {
  // One worker: its heads of q, k, v, out and lse, and its rows of these.
  struct WorkerCall {
    cuda::GroupedWorker worker;
    TileSchedule schedule;
    std::vector<TensorView> whole{};
    std::vector<Tensor> local{};
  };
  const auto shares = std::make_shared<std::vector<WorkerCall>>();
  for (const cuda::GroupedWorker& worker : call.workers) {
    WorkerCall& share = shares->emplace_back(WorkerCall{worker, *worker.schedule});
    for (const TensorView& tensor : {call.q, call.k, call.v, call.out, call.lse}) {
      const std::int64_t shared = call.q.extent.heads / tensor.extent.heads;
      const std::int64_t begin = worker.head_begin / shared;
      const std::int64_t last = (worker.end_of_heads(call.q.extent.heads) - 1) / shared;
      share.whole.push_back(tensor.heads(begin, last + 1 - begin));
      const bool is_of_keys = share.local.size() == 1 || share.local.size() == 2;
      Extent extent = share.whole.back().extent;
      extent.length = is_of_keys ? share.schedule.n_keys : share.schedule.n_queries;
      share.local.emplace_back(memory, tensor.dtype, extent, "local", worker.worker);
    }
  }
  const auto attend = [this, shares, &memory, scale = call.scale] {
    for (const auto& [worker, schedule, whole, local] : *shares) {
      for (std::size_t i = 0; i < 3; ++i)
        gather(i == 0 ? worker.q_groups : worker.kv_groups, whole[i], local[i].view());
      attention(Kernel::flash,
                {local[0].view(), local[1].view(), local[2].view(), &schedule, scale,
                 local[3].view(), local[4].view()},
                {memory, facts().host_threads, worker.worker}, {});
    }
  };
  const auto merge = [this, shares, call] {
    if (!call.accumulate) clear_partial(call.out, call.lse);
    for (const auto& [worker, schedule, whole, local] : *shares) {
      std::int64_t at = 0;
      for (const TokenGroup& group : worker.q_groups) {
        merge_partial(rows_of(whole[3], group), rows_of(whole[4], group),
                      local[3].view().tokens(at, group.count),
                      local[4].view().tokens(at, group.count));
        at += group.count;
      }
    }
  };
  return {attend, merge};
}

}  // namespace qb
