// SPDX-License-Identifier: Apache-2.0
// Replaces mpi_world.cpp and mpi_transport.cpp if qb is built without MPI.
#include "base/status.h"
#include "harness/run/transport/mpi_world.h"

namespace qb {

bool launched_by_mpi() { return false; }
int launched_rank() { return 0; }

std::unique_ptr<MpiWorld> MpiWorld::join() {
  throw EnvironmentError("this qb was built without MPI");
}
MpiWorld* MpiWorld::current() { return nullptr; }

}  // namespace qb
