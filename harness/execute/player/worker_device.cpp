#include "harness/execute/player/worker_device.h"

#include "harness/execute/player/worker.h"
#include "kernels/merge.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

TensorView group_rows(const TensorView& whole, const TokenGroup& group) {
  return whole.tokens(group.first, group.count, group.stride);
}

// One head of one sequence of the batch.
TensorView head_of(TensorView view, std::int64_t batch, std::int64_t head) {
  view.data = view.row(batch, head, 0);
  view.extent.batch = 1;
  view.extent.heads = 1;
  return view;
}

}  // namespace

KernelTiles HostWorkerDevice::tiles(Kernel kernel, std::int64_t head_dim) const {
  return kernel_tiles(kernel, head_dim);
}

void HostWorkerDevice::attention(Kernel kernel, const AttentionArguments& arguments,
                                 Allocator& workspace, int worker) {
  qb::attention(kernel, arguments, {workspace, threads_, worker, stages_});
}

void HostWorkerDevice::copy_rows(const TensorView& source, const TensorView& destination) {
  qb::copy_rows(source, destination);
}

void HostWorkerDevice::clear_partial(const TensorView& out, const TensorView& lse) {
  qb::clear_partial(out, lse);
}

void HostWorkerDevice::merge_partial(const TensorView& acc_out, const TensorView& acc_lse,
                                     const TensorView& part_out, const TensorView& part_lse) {
  qb::merge_partial(acc_out, acc_lse, part_out, part_lse);
}

// A slice a head and token group.
void HostWorkerDevice::gather(const TensorView& whole, const TensorView& local,
                              const GatherMap& map) {
  const std::int64_t heads = whole.extent.heads;
  const std::int64_t all_heads = whole.extent.batch * heads;
  const auto n = static_cast<std::int64_t>(map.chosen.size()) * all_heads;
  parallel_for(n, threads_for_bytes(local.bytes(), threads_), 1,
               [&](std::int64_t first, std::int64_t last, int) {
                 for (std::int64_t i = first; i < last; ++i) {
                   const auto at = static_cast<std::size_t>(i / all_heads);
                   const std::int64_t batch = i % all_heads / heads;
                   const TokenGroup& group = map.groups[static_cast<std::size_t>(map.chosen[at])];
                   qb::copy_rows(
                       head_of(group_rows(whole, group), batch, i % heads),
                       head_of(local.tokens(map.begins[at], group.count), batch, i % heads));
                 }
               });
}

void HostWorkerDevice::combine(const TensorView& target, const TensorView& source, Combine how) {
  qb::combine(target, source, how);
}

void HostWorkerDevice::weigh_partial(const TensorView& out, const TensorView& lse,
                                     const TensorView& maximum, const TensorView& denominator) {
  qb::weigh_partial(out, lse, maximum, denominator);
}

void HostWorkerDevice::normalise_partial(const TensorView& out, const TensorView& lse,
                                         const TensorView& maximum, const TensorView& denominator) {
  qb::normalise_partial(out, lse, maximum, denominator);
}

void HostWorkerDevice::charge(double* seconds) {
  const double now = now_s();
  if (target_ != nullptr) *target_ += now - since_s_;
  target_ = seconds;
  since_s_ = now;
}

void HostWorkerDevice::note(double* seconds) { *seconds = now_s() - start_s_; }

void GpuWorkerDevice::gather(const TensorView& whole, const TensorView& local,
                             const GatherMap& map) {
  for (std::size_t i = 0; i < map.chosen.size(); ++i) {
    const TokenGroup& group = map.groups[static_cast<std::size_t>(map.chosen[i])];
    device_.copy_rows(group_rows(whole, group), local.tokens(map.begins[i], group.count));
  }
}

void GpuWorkerDevice::write(const TensorView& local,
                            const std::function<void(const TensorView&)>& write) {
  if (local.extent.elements() == 0) return;
  const Tensor host(heap_allocator(), local.dtype, local.extent, "staged");
  write(host.view());
  device_.upload(host.view(), local);
}

}  // namespace qb
