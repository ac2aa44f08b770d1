// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "harness/run/transport/mpi_state.h"

namespace qb {
namespace {

std::atomic<MpiWorld*> current_world{nullptr};

// SLURM_PROCID does not count: a batch script that srun did not start has it too.
const char* rank_of_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
    if (const char* rank = std::getenv(name)) return rank;
  return nullptr;
}

bool take_text(MpiRanks& world, int from, int tag, std::string& text) {
  const std::lock_guard lock(world.mutex);
  int there = 0;
  MPI_Status status;
  QB_MPI(MPI_Iprobe(from, tag, world.control, &there, &status));
  if (there == 0) return false;
  int length = 0;
  QB_MPI(MPI_Get_count(&status, MPI_CHAR, &length));
  text.resize(static_cast<std::size_t>(length));
  QB_MPI(MPI_Recv(text.data(), length, MPI_CHAR, from, tag, world.control, MPI_STATUS_IGNORE));
  return true;
}

}  // namespace

bool launched_by_mpi() { return rank_of_launcher() != nullptr; }

int launched_rank() { return launched_by_mpi() ? std::atoi(rank_of_launcher()) : 0; }

std::unique_ptr<MpiWorld> MpiWorld::join() { return std::make_unique<MpiRanks>(); }

MpiRanks::MpiRanks() {
  int provided = 0;
  QB_MPI(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided));
  if (provided < MPI_THREAD_SERIALIZED)
    throw EnvironmentError("this MPI library cannot be used from threads");
  QB_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &control));
  MPI_Comm_set_errhandler(control, MPI_ERRORS_RETURN);
  MPI_Comm_rank(control, &own_rank);
  MPI_Comm_size(control, &n_ranks);
  set_clocks();
  learn_processes();
  current_world = this;
}

MpiRanks::~MpiRanks() {
  current_world = nullptr;
  for (auto& [number, ranks] : first_ranks)
    if (ranks != MPI_COMM_NULL) MPI_Comm_free(&ranks);
  MPI_Comm_free(&control);
  MPI_Finalize();
}

MpiWorld* MpiWorld::current() { return current_world; }

std::string MpiRanks::broadcast(std::string text) {
  const auto send = [&](void* data, std::size_t bytes) {
    complete(
        [&](MPI_Request* request) {
          QB_MPI(MPI_Ibcast(data, static_cast<int>(bytes), MPI_BYTE, 0, control, request));
        },
        0.0, "rank 0");
  };
  std::size_t length = text.size();
  send(&length, sizeof(length));
  text.resize(length);
  send(text.data(), length);
  return text;
}

std::vector<std::string> MpiRanks::gather(const std::string& text, double timeout_s) {
  constexpr int kTag = 2;
  if (own_rank != 0) {
    complete(
        [&](MPI_Request* request) {
          QB_MPI(MPI_Isend(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, kTag, control,
                           request));
        },
        0.0, "rank 0");
    return {};
  }
  std::vector<std::string> texts(static_cast<std::size_t>(n_ranks));
  texts[0] = text;
  std::set<int> silent;
  for (int r = 1; r < n_ranks; ++r) silent.insert(r);
  const auto all_came = [&] {
    // Ranks are probed one by one: a fast rank may have sent the text of the next gather already.
    std::erase_if(silent, [&](int r) {
      return take_text(*this, r, kTag, texts[static_cast<std::size_t>(r)]);
    });
    return silent.empty();
  };
  poll(all_came, timeout_s, rest_a_little, [&] {
    broken = true;
    return fmt::format("no answer from rank {} within {:.4g} s", fmt::join(silent, ", "),
                       timeout_s);
  });
  return texts;
}

void MpiRanks::abort(int code) {
  std::fflush(nullptr);
  const std::lock_guard lock(mutex);  // another thread may still wait for messages
  MPI_Abort(MPI_COMM_WORLD, code);
  std::abort();  // not reached
}

}  // namespace qb
