// SPDX-License-Identifier: Apache-2.0
// The ranks behind mpi_world.h, which two files define. No other file includes it.
#pragma once

#include <fmt/format.h>
#include <mpi.h>

#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "harness/run/transport/mpi_world.h"

namespace qb {

inline void check_mpi(int result, const char* call) {
  if (result == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(result, text.data(), &length);
  throw EnvironmentError(fmt::format("{}: {}", call, text.data()));
}

#define QB_MPI(call) ::qb::check_mpi(call, #call)

inline void rest(std::chrono::microseconds duration) { std::this_thread::sleep_for(duration); }

inline void rest_a_little() { rest(std::chrono::microseconds(200)); }

// Waits until is_done(), with a pause after each time, since other ranks may share the core.
// timeout_s 0: no limit. what(): says what did not come.
template <class IsDone, class What>
void poll(const IsDone& is_done, double timeout_s, void (*pause)(), const What& what) {
  const double deadline_s = now_s() + timeout_s;
  while (!is_done()) {
    if (timeout_s > 0.0 && now_s() > deadline_s) throw CaseError(Status::timeout, what());
    pause();
  }
}

struct MpiRanks final : MpiWorld {
  MpiRanks();
  ~MpiRanks() override;
  [[nodiscard]] int rank() const override { return own_rank; }
  [[nodiscard]] int size() const override { return n_ranks; }
  [[nodiscard]] std::string broadcast(std::string text) override;
  [[nodiscard]] std::vector<std::string> gather(const std::string& text, double timeout_s) override;
  [[nodiscard]] std::unique_ptr<WorkerTeam> make_transport(int workers, double timeout_s) override;
  [[nodiscard]] const std::map<int, int>& processes_here() const override { return here; }
  [[nodiscard]] int sharing_cores() const override { return sharing; }
  [[nodiscard]] bool is_broken() const override { return broken; }
  void give_up() override { broken = true; }
  [[noreturn]] void abort(int code) override;

  std::mutex mutex;  // held during every call
  MPI_Comm control = MPI_COMM_NULL;
  int own_rank = 0;
  int n_ranks = 1;
  std::atomic<bool> broken = false;
  std::map<int, int> here;              // process ids of the ranks on this host, by rank
  int sharing = 0;                      // of these, those whose cores are also this rank's
  double offset_s = 0.0;                // rank 0's now_s() minus this rank's
  std::map<int, MPI_Comm> first_ranks;  // by number of ranks; null if this rank is not one of them

  // Starts an operation and waits for its end. timeout_s 0: no limit.
  template <class Start>
  void complete(const Start& start, double timeout_s, const char* what,
                void (*pause)() = rest_a_little) {
    MPI_Request request = MPI_REQUEST_NULL;
    {
      const std::lock_guard lock(mutex);
      start(&request);
    }
    const auto has_ended = [&] {
      const std::lock_guard lock(mutex);
      int done = 0;
      QB_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
      return done != 0;
    };
    poll(has_ended, timeout_s, pause, [&] {
      return fmt::format("rank {} waited {} s without success for {}", own_rank, timeout_s, what);
    });
  }

  // Does so for one that ends when all ranks take part; rank 0 says which ranks did not.
  template <class Start>
  void complete_by_all(const Start& start, double timeout_s) {
    try {
      complete(start, own_rank == 0 ? timeout_s : 0.0, "all ranks to begin");
    } catch (const CaseError&) {
      broken = true;
      throw;
    }
  }

  // The communicator of the first `workers` ranks, made on its first use by all ranks.
  MPI_Comm& ranks_of(int workers, double timeout_s) {
    const auto [found, is_new] = first_ranks.emplace(workers, MPI_COMM_NULL);
    if (!is_new) return found->second;
    // A split does not end if a rank does not come, so it is made only once.
    complete_by_all([&](MPI_Request* come) { QB_MPI(MPI_Ibarrier(control, come)); }, timeout_s);
    const std::lock_guard lock(mutex);
    QB_MPI(
        MPI_Comm_split(control, own_rank < workers ? 0 : MPI_UNDEFINED, own_rank, &found->second));
    if (found->second != MPI_COMM_NULL) MPI_Comm_set_errhandler(found->second, MPI_ERRORS_RETURN);
    return found->second;
  }

  void learn_processes() {
    struct Process {
      int rank = 0;
      int id = 0;
      cpu_set_t cores{};
    };
    Process own{own_rank, static_cast<int>(::getpid()), {}};
    if (::sched_getaffinity(0, sizeof(own.cores), &own.cores) != 0) CPU_ZERO(&own.cores);
    MPI_Comm host = MPI_COMM_NULL;
    QB_MPI(MPI_Comm_split_type(control, MPI_COMM_TYPE_SHARED, own_rank, MPI_INFO_NULL, &host));
    int n_here = 0;
    MPI_Comm_size(host, &n_here);
    std::vector<Process> all(static_cast<std::size_t>(n_here));
    QB_MPI(MPI_Allgather(&own, sizeof(own), MPI_BYTE, all.data(), sizeof(own), MPI_BYTE, host));
    MPI_Comm_free(&host);
    for (const Process& process : all) {
      here[process.rank] = process.id;
      cpu_set_t both;
      CPU_AND(&both, &process.cores, &own.cores);
      if (CPU_COUNT(&both) > 0 || process.rank == own_rank) ++sharing;
    }
  }

  // Sets the offset of the clocks from the fastest of some round trips with rank 0.
  void set_clocks() {
    constexpr int kTrips = 30;
    for (int other = 1; other < n_ranks; ++other) {
      if (own_rank != 0 && own_rank != other) continue;
      double fastest_s = 1e9;
      for (int trip = 0; trip < kTrips; ++trip) {
        if (own_rank == 0) {
          double none = 0.0;
          QB_MPI(MPI_Recv(&none, 1, MPI_DOUBLE, other, 0, control, MPI_STATUS_IGNORE));
          const double now = now_s();
          QB_MPI(MPI_Send(&now, 1, MPI_DOUBLE, other, 0, control));
        } else {
          const double begin_s = now_s();
          QB_MPI(MPI_Send(&begin_s, 1, MPI_DOUBLE, 0, 0, control));
          double of_root_s = 0.0;
          QB_MPI(MPI_Recv(&of_root_s, 1, MPI_DOUBLE, 0, 0, control, MPI_STATUS_IGNORE));
          const double end_s = now_s();
          if (end_s - begin_s < fastest_s) {
            fastest_s = end_s - begin_s;
            offset_s = of_root_s - (begin_s + end_s) / 2;
          }
        }
      }
    }
  }
};

}  // namespace qb
