// SPDX-License-Identifier: Apache-2.0
// Divides work among a few threads. The threads are kept and wait for the next work, because
// starting a thread costs as much as a small attention (20 to 50 us).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace qb {

// Calls work(0) in the calling thread and work(1) … work(n - 1) in helpers; returns when all have
// returned. Where the system gives fewer threads it makes fewer calls, which must therefore divide
// the work among themselves. work must not throw. Any thread, and work itself, may call this.
// A team of available_cores() threads is pinned, one on each core; smaller ones are left to the
// scheduler, since another process may fill the other cores.
void run_with_helpers(int n, const std::function<void(int)>& work);

// Waits until `state` is `wanted`: it spins for some 20 us, what a sleep and a wake-up cost, then
// sleeps. Whoever changes the state must notify.
void await_value(const std::atomic<int>& state, int wanted);

// Returns how many cores this process may use, at least 1: its affinity mask at the first call.
// Where a variable of the environment lets OpenMP bind the first thread of the process to a core,
// which all later threads would share, the first call lets it run on all of OpenMP's places.
[[nodiscard]] int available_cores();
// The variable whose effect was undone so, `OMP_PROC_BIND=true`; empty: none.
[[nodiscard]] const std::string& undone_thread_binding();

// Returns how many threads should copy or merge `bytes`: starting one costs a copy of ~100 KiB.
[[nodiscard]] int threads_for_bytes(std::int64_t bytes, int threads);

// Calls body(begin, end, thread) over [0, n) in chunks of `grain`, handed out dynamically, lowest
// first. thread is in [0, threads); one is the caller. An exception of the body reaches the caller.
void parallel_for(std::int64_t n, int threads, std::int64_t grain,
                  const std::function<void(std::int64_t, std::int64_t, int)>& body);

}  // namespace qb
