// SPDX-License-Identifier: Apache-2.0
#include "harness/run/device/compute_device.h"

#include <stdexcept>

#include "kernels/parallel.h"

namespace qb {

void ComputeDevice::gather(const std::vector<TokenGroup>& groups, const TensorView& whole,
                           const TensorView& local) {
  const int threads = facts().on_host ? threads_for_bytes(local.bytes(), facts().host_threads) : 1;
  std::vector<std::pair<TensorView, TensorView>> copies;
  std::int64_t at = 0;
  for (const TokenGroup& group : groups)
    for (int part = 0; part < threads; ++part) {
      const std::int64_t begin = part * group.count / threads;
      const std::int64_t count = (part + 1) * group.count / threads - begin;
      copies.emplace_back(rows_of(whole, group).tokens(begin, count), local.tokens(at, count));
      at += count;
    }
  if (at != local.extent.length) throw std::logic_error("the groups are not the local rows");
  parallel_for(std::ssize(copies), threads, 1, [&](std::int64_t i, std::int64_t, int) {
    const auto& [from, to] = copies[static_cast<std::size_t>(i)];
    copy_rows(from, to);
  });
}

}  // namespace qb
