// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/work/moved.h"

#include <algorithm>
#include <map>
#include <utility>

#include "harness/plan/rotation.h"

namespace qb {
namespace {

using MovedBy = std::map<std::pair<TensorRole, TransferKind>, MovedTensor>;

MovedTensor& moved_row(MovedBy& moved, TensorRole what, TransferKind kind) {
  return moved.try_emplace({what, kind}, MovedTensor{.what = what, .kind = kind}).first->second;
}

void count_moved(const Transfer& transfer, MovedBy& moved) {
  MovedTensor& row = moved_row(moved, transfer.what, transfer.kind);
  ++row.transfers;
  row.bytes += transfer.bytes;
}

// Returns what one worker sends to others, and what the root scatters to it.
MovedBy moved_by(const Worker& worker, int index) {
  MovedBy moved;
  for (const Step& step : worker.steps) {
    for (const Transfer& transfer : step.receives)
      if (transfer.peer < 0) count_moved(transfer, moved);
    for (const Transfer& transfer : step.sends)
      if (transfer.peer != index) count_moved(transfer, moved);
  }
  return moved;
}

}  // namespace

std::vector<MovedTensor> moved_tensors(const Plan& plan) {
  // Workers that differ by rotation and have messages of one length all move what worker 0 moves.
  const Rotation* const rotation = plan.workers.rotation();
  const bool alike = rotation != nullptr && rotation->fits(plan) && rotation->has_equal_messages();
  const std::size_t n_walked = alike ? 1 : plan.workers.size();
  const auto times = alike ? static_cast<std::int64_t>(plan.workers.size()) : std::int64_t{1};
  MovedBy all;
  MovedBy busiest;
  std::int64_t most = 0;
  Worker scratch;
  for (std::size_t w = 0; w < n_walked; ++w) {
    MovedBy moved =
        moved_by(plan.workers.read(w, scratch, Workers::Parts::messages), static_cast<int>(w));
    std::int64_t sum = 0;
    for (const auto& [key, one] : moved) {
      MovedTensor& row = moved_row(all, one.what, one.kind);
      row.transfers += times * one.transfers;
      row.bytes += times * one.bytes;
      sum += one.bytes;
    }
    if (sum > most) busiest = std::move(moved);
    most = std::max(most, sum);
  }
  std::vector<MovedTensor> rows;
  for (auto& [key, row] : all) {
    if (const auto one = busiest.find(key); one != busiest.end())
      row.busiest_bytes = one->second.bytes;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace qb
