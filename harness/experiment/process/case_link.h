// What a case says of its link, as the executors take it.
#pragma once

#include "harness/execute/transport/link_model.h"
#include "harness/experiment/schema/case.h"

namespace qb {

// Under threads messages are held back to this; under mpi it says what the network is.
[[nodiscard]] LinkLimit link_of(const Case& c);

// Under threads workers share a memory, from which they scatter and in which they gather.
[[nodiscard]] ModelLink model_link_of(const Case& c);

// How long a worker waits for a message before the case is given up: well before its timeout.
[[nodiscard]] double message_timeout_s(const Case& c);

}  // namespace qb
