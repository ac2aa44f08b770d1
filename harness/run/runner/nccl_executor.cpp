// SPDX-License-Identifier: Apache-2.0
#include "harness/run/runner/nccl_executor.h"

#include <fmt/format.h>

#include "harness/run/transport/mpi_world.h"
#include "kernels/cuda/runtime/device.h"

namespace qb {
namespace {

// Rank 0, once it knows all GPUs, sends the communicator's id, or this if there is none.
constexpr const char* kNoLink = "no link";

}  // namespace

std::string why_no_nccl(const std::vector<NcclRank::Gpu>& ranks, int workers) {
  const auto n = static_cast<std::size_t>(workers);
  if (n > ranks.size())
    return fmt::format("{} workers need as many ranks, each with a GPU; there are {}: mpirun -n {}",
                       workers, ranks.size(), workers);
  for (std::size_t r = 0; r < n; ++r) {
    const NcclRank::Gpu& gpu = ranks[r];
    if (!gpu.why_none.empty()) return fmt::format("rank {}: {}", r, gpu.why_none);
    for (std::size_t other = 0; other < r; ++other) {
      if (ranks[other].id == gpu.id)
        return fmt::format(
            "ranks {} and {} are on one GPU ({}), which NCCL refuses; start one rank a GPU, or "
            "compute the workers on one GPU with ranks: serial",
            other, r, gpu.name);
      if (ranks[other].name != gpu.name)
        return fmt::format(
            "ranks {} and {} are on GPUs of different kinds, {} and {}, and a row could not say "
            "which it ran on; choose hosts of one kind, or with CUDA_VISIBLE_DEVICES",
            other, r, ranks[other].name, gpu.name);
    }
  }
  return {};
}

int gpu_of_local_rank(int local_rank, int n_gpus) {
  if (n_gpus == 1) return 0;
  if (local_rank < n_gpus) return local_rank;
  throw Unsupported(
      fmt::format("this host sees {} GPUs and has at least {} ranks; start at most {} here, one a "
                  "GPU (mpirun --map-by ppr:{}:node)",
                  n_gpus, local_rank + 1, n_gpus, n_gpus));
}

int gpu_of_this_rank() {
  const MpiWorld* const world = MpiWorld::current();
  if (world == nullptr) return 0;
  const auto& here = world->processes_here();
  const auto local_rank = std::distance(here.begin(), here.find(world->rank()));
  const auto n_gpus = static_cast<int>(probe_cuda().devices.size());
  return n_gpus == 0 ? 0 : gpu_of_local_rank(static_cast<int>(local_rank), n_gpus);
}

NcclRank::NcclRank(int workers, ComputeDevice* device, std::string why_none, double timeout_s)
    : workers_(workers), device_(device), timeout_s_(timeout_s) {
  const NcclRank::Gpu own = device == nullptr
                                ? NcclRank::Gpu{{}, {}, std::move(why_none)}
                                : NcclRank::Gpu{device->facts().name, device->facts().id, {}};
  MpiWorld* const world = MpiWorld::current();
  if (world == nullptr) {
    if (workers > 1)
      throw Unsupported(
          fmt::format("ranks: nccl needs a process for each of the {} workers: mpirun -n {} qb run "
                      "…, or srun --mpi=pmix",
                      workers, workers));
    if (!own.why_none.empty()) throw Unsupported(own.why_none);
    open_link(0, 1, device_->as<LinkedDevice>().make_link_id());
    return;
  }
  std::vector<NcclRank::Gpu> gpus(static_cast<std::size_t>(world->size()));
  if (workers > world->size()) throw Unsupported(why_no_nccl(gpus, workers));
  for (std::string Gpu::*member : {&Gpu::name, &Gpu::id, &Gpu::why_none}) {
    const std::vector<std::string> texts = world->gather(own.*member, timeout_s);
    for (std::size_t r = 0; r < texts.size(); ++r) gpus[r].*member = texts[r];
  }
  std::string refusal;
  std::string id;
  if (world->rank() == 0) {
    try {
      refusal = why_no_nccl(gpus, workers);
      if (refusal.empty()) id = device_->as<LinkedDevice>().make_link_id();
    } catch (const CaseError& error) {
      refusal = error.what();
    }
  }
  id = world->broadcast(refusal.empty() ? id : kNoLink);
  if (!refusal.empty()) throw Unsupported(refusal);
  if (id != kNoLink && world->rank() < workers) open_link(world->rank(), workers, id);
}

void NcclRank::open_link(int rank, int workers, const std::string& id) {
  try {
    link_ = device_->as<LinkedDevice>().open_link(id, rank, workers, timeout_s_);
  } catch (const CaseError& error) {
    if (MpiWorld::current() == nullptr) throw;
    flaw_ = error.what();
  }
}

Execution NcclRank::execute(const Plan& plan, const ExecutionArguments& arguments) {
  const auto run = [&](WorkerTeam& ranks, int rank) {
    if (link_)
      return run_gpu_rank(plan, arguments, device_->as<AttentionDevice>(), *link_, ranks, rank,
                          &kept_);
    return run_rank(ranks, ranks, [&]() -> std::shared_ptr<StepWorker> {
      throw CaseError(Status::error, fmt::format("{}: {}", device_->facts().name, flaw_));
    });
  };
  MpiWorld* const world = MpiWorld::current();
  NoTransport alone;
  Execution execution;
  try {
    execution = with_waits_at_root(
        plan,
        times_of_ranks(world != nullptr ? run_over_mpi(workers_, arguments.message_timeout_s, run)
                                        : results({run(alone, 0)})));
  } catch (const CaseError& error) {
    // A process whose GPU was lost cannot use it again.
    if (error.status() == Status::crashed && world != nullptr) world->give_up();
    throw;
  }
  add_sums(plan, execution);
  return execution;
}

}  // namespace qb
