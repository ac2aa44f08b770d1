// SPDX-License-Identifier: Apache-2.0
#include "harness/run/transport/worker_team.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/run/transport/mpi_world.h"

namespace qb {

WorkerReport run_worker(WorkerTeam& team, Transport& messages,
                        const std::function<std::string()>& work) {
  WorkerReport report;
  const auto attempt = [&](const auto& body) {
    try {
      body();
    } catch (...) {
      if (report.status != Status::ok) return;
      const CaseError error = case_error(std::current_exception());
      report = {error.status(), team.failure() != nullptr, error.what()};
      team.fail(std::current_exception());
    }
  };
  attempt([&] { report.text = work(); });
  if (report.status != Status::ok) messages.abandon();
  attempt([&] { team.close(); });
  return report;
}

std::vector<std::string> run_over_mpi(int workers, double timeout_s, const RankWork& work) {
  MpiWorld* const world = MpiWorld::current();
  if (world == nullptr)
    throw Unsupported(fmt::format(
        "ranks: mpi needs a process for each worker: mpirun -n {} qb run …, or srun --mpi=pmix",
        workers));
  if (workers > world->size())
    throw Unsupported(
        fmt::format("{} workers need as many MPI processes; there are {}", workers, world->size()));
  const auto ranks = world->make_transport(workers, timeout_s);
  const WorkerReport own = ranks ? work(*ranks, world->rank()) : WorkerReport{};
  const char flags[] = {static_cast<char>(own.status), static_cast<char>(own.is_others)};
  const std::vector<std::string> texts =
      world->gather(std::string(flags, sizeof(flags)) + own.text, 2.0 * timeout_s);
  std::vector<WorkerReport> reports;
  for (int w = 0; world->rank() == 0 && w < workers; ++w) {
    const std::string& text = texts[static_cast<std::size_t>(w)];
    reports.push_back({static_cast<Status>(text[0]), text[1] != 0, text.substr(sizeof(flags))});
  }
  const bool failed = std::ranges::any_of(
      reports, [](const WorkerReport& report) { return report.status != Status::ok; });
  if (!world->broadcast(failed ? "failed" : "").empty() && world->rank() != 0)
    throw CaseError(Status::error, "a rank has failed, which rank 0 reports");
  return results(reports);
}

// A rank's own failure goes before one that another rank reported to it.
std::vector<std::string> results(const std::vector<WorkerReport>& reports) {
  for (const bool is_others : {false, true})
    for (std::size_t r = 0; r < reports.size(); ++r) {
      const auto& [status, of_others, text] = reports[r];
      if (status == Status::ok || of_others != is_others) continue;
      throw CaseError(status, is_others ? text : fmt::format("rank {}: {}", r, text));
    }
  std::vector<std::string> texts;
  for (const WorkerReport& report : reports) texts.push_back(report.text);
  return texts;
}

}  // namespace qb
