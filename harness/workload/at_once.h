// SPDX-License-Identifier: Apache-2.0
// Workers that play at once, each with a thread of its own, over messages in memory.
#pragma once

#include <functional>

#include "harness/execute/transport/memory_transport.h"

namespace qb {

// Calls play(worker) for each worker from the moment all threads are ready, and returns when all
// have ended. If one fails, no wait for a message succeeds any more, and this throws the first
// error: tensors in messages must live until the transport is gone.
void play_at_once(int workers, MemoryTransport& transport, const std::function<void(int)>& play);

// Waits for a message, and adds how long its other side was not ready, and how long it was on its
// way after that.
void wait(Transport& transport, const Ticket& ticket, double& idle_s, double& exposed_s);

}  // namespace qb
