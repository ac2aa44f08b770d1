// SPDX-License-Identifier: Apache-2.0
// Replaces mpi_world.cpp and mpi_transport.cpp if qb is built without MPI.
#include <cstdlib>

#include "base/status.h"
#include "harness/execute/transport/mpi_world.h"

namespace qb {

struct MpiWorld::State {};

bool launched_by_mpi() { return false; }
int launched_rank() { return 0; }

MpiWorld::MpiWorld() { throw EnvironmentError("this qb was built without MPI"); }
MpiWorld::~MpiWorld() = default;
MpiWorld* MpiWorld::current() { return nullptr; }
int MpiWorld::rank() const { return 0; }
int MpiWorld::size() const { return 1; }
std::string MpiWorld::broadcast(std::string text) { return text; }
std::vector<std::string> MpiWorld::gather(const std::string& text, double) { return {text}; }
std::unique_ptr<RankTransport> MpiWorld::make_transport(int, double) { return nullptr; }
const std::map<int, int>& MpiWorld::processes_here() const {
  static const std::map<int, int> none;
  return none;
}
bool MpiWorld::is_broken() const { return false; }
void MpiWorld::give_up() {}
void MpiWorld::abort(int code) { std::exit(code); }

}  // namespace qb
