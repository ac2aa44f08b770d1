// Plays one worker in each MPI process, on the host.
#include <fmt/format.h>

#include "base/status.h"
#include "harness/execute/device/cpu_device.h"
#include "harness/execute/player/rank_player.h"
#include "harness/execute/transport/mpi_world.h"

namespace qb {

Execution execute_mpi(const Plan& plan, const ExecutionArguments& arguments) {
  MpiWorld* const world = MpiWorld::current();
  if (world == nullptr)
    throw Unsupported(
        fmt::format("ranks: mpi needs a process for each worker: mpirun -n {} qb run …, or srun",
                    plan.workers.size()));
  if (static_cast<int>(plan.workers.size()) > world->size())
    throw Unsupported(fmt::format("{} workers need as many MPI processes; there are {}",
                                  plan.workers.size(), world->size()));
  return play_over_mpi(plan, static_cast<int>(plan.workers.size()), arguments.message_timeout_s,
                       [&](RankTransport& ranks, int rank) {
                         CpuDevice device(arguments.threads);
                         return play_rank(plan, arguments, {device, ranks, ranks}, rank);
                       });
}

Execution play_over_mpi(const Plan& plan, int workers, double timeout_s, const RankPlay& play) {
  MpiWorld& world = *MpiWorld::current();
  const auto transport = world.make_transport(workers, timeout_s);
  RankReport own;
  if (transport) own = play(*transport, world.rank());
  const std::vector<std::string> texts = world.gather(pack(own), 2.0 * timeout_s);
  if (world.rank() != 0) return {};
  std::vector<RankReport> reports;
  for (int w = 0; w < workers; ++w) reports.push_back(unpack(texts[static_cast<std::size_t>(w)]));
  return execution_of(plan, std::move(reports));
}

}  // namespace qb
