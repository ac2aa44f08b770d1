// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/testing/emulator/emulator.h"

#include <cstring>
#include <stdexcept>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

#include "kernels/cuda/testing/emulator/emulated_ptx.h"
#include "kernels/cuda/testing/emulator/emulator_machine.h"
#include "kernels/dtype.h"

namespace qb::cuda::emulator {

Block* block = nullptr;

[[noreturn]] void fail(const std::string& message) {
  throw std::runtime_error("emulator: block " + std::to_string(block->index) + " thread " +
                           std::to_string(block->current) + ": " + message);
}

Thread& self() { return block->threads[static_cast<std::size_t>(block->current)]; }

namespace {

// Continues with `to`; returns when some other fiber continues with `from`. The address sanitizer
// has to know which stack is in use, or it reports what a fiber throws as an error.
void go_on(Stack& from, Stack& to) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&from.shadow, to.bottom, to.bytes);
#endif
  swapcontext(&from.context, &to.context);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(from.shadow, nullptr, nullptr);
#endif
}

// A fiber starts here.
void arrive() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &block->scheduler.bottom, &block->scheduler.bytes);
#endif
}

}  // namespace

void yield() { go_on(self().stack, block->scheduler); }

std::byte* shared_bytes(std::uint32_t address, std::size_t count, std::size_t alignment) {
  if (address % alignment != 0) fail("shared address " + std::to_string(address) + " misaligned");
  if (address + count > block->shared.size())
    fail("shared address " + std::to_string(address) + " is outside");
  return block->shared.data() + address;
}

float from_bits(bool bf16, std::uint16_t bits) {
  return bf16 ? bf16_to_f32(bits) : f16_to_f32(bits);
}

std::uint16_t bits_of(std::uint32_t both, int half) {
  return static_cast<std::uint16_t>(half == 0 ? both : both >> 16);
}

void end_phase_if_complete(Barrier& barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0) return;
  barrier.pending = barrier.expected;
  barrier.phase ^= 1;
  ++block->progress;
}

namespace {

void land_box(std::size_t i) {
  const Box box = std::move(block->boxes[i]);
  block->boxes.erase(block->boxes.begin() + static_cast<std::ptrdiff_t>(i));
  std::memcpy(block->shared.data() + box.shared, box.data.data(), box.data.size());
  block->barriers.at(box.barrier).bytes -= static_cast<std::int64_t>(box.data.size());
  ++block->progress;
}

void thread_main() {
  arrive();
  try {
    (*block->kernel)();
    if (!block->threads[static_cast<std::size_t>(block->current)].copy_groups.back().empty())
      fail("copies were never committed");
    if (!self().sums.empty()) fail("boxes that are being added were never waited for");
  } catch (...) {
    if (!block->error) block->error = std::current_exception();
  }
  self().done = true;
  ++block->progress;
  yield();
}

void make_fiber(Thread& thread) {
  thread.stack_memory = std::make_unique_for_overwrite<std::byte[]>(kStackBytes);
  thread.stack.bottom = thread.stack_memory.get();
  thread.stack.bytes = kStackBytes;
  ucontext_t& context = thread.stack.context;
  getcontext(&context);
  context.uc_stack.ss_sp = thread.stack_memory.get();
  context.uc_stack.ss_size = kStackBytes;
  context.uc_link = &block->scheduler.context;
  makecontext(&context, thread_main, 0);
}

void run_block() {
  for (Thread& thread : block->threads) make_fiber(thread);
  const auto n_warps = static_cast<std::ptrdiff_t>(block->threads.size()) / kWarp;
  const auto any_warp = [n_warps] {
    return static_cast<std::ptrdiff_t>(block->engine() % static_cast<unsigned>(n_warps));
  };
  std::ptrdiff_t held = -1;  // this warp is held back
  while (true) {
    const std::uint64_t before = block->progress;
    bool all_done = true;
    // Warps run in random order; rotating within a warp changes nothing that a kernel can see.
    const std::ptrdiff_t first = any_warp();
    for (std::ptrdiff_t i = 0; i < n_warps; ++i)
      for (int lane = 0; lane < kWarp; ++lane) {
        const std::ptrdiff_t warp = (first + i) % n_warps;
        const int t = static_cast<int>(warp) * kWarp + lane;
        Thread& thread = block->threads[static_cast<std::size_t>(t)];
        if (thread.done) continue;
        all_done = false;
        if (warp == held) continue;
        block->current = t;
        go_on(block->scheduler, thread.stack);
        if (block->error) return;
      }
    if (all_done) return;
    if (held >= 0 && block->progress == before) {
      held = -1;
      continue;
    }
    if (held < 0 && block->engine() % 16 == 0) held = any_warp();
    if (!block->boxes.empty() && (block->progress == before || block->engine() % 4 == 0)) {
      const std::size_t i = block->engine() % block->boxes.size();
      const std::uint32_t barrier = block->boxes[i].barrier;
      land_box(i);
      end_phase_if_complete(block->barriers.at(barrier));
    } else if (block->progress == before) {
      fail("nobody can go on");
    }
  }
}

}  // namespace

void launch(int n_blocks, int n_threads, std::uint32_t shared_bytes, unsigned seed,
            const std::function<void()>& kernel) {
  for (int index = 0; index < n_blocks; ++index) {
    Block current;
    current.index = index;
    current.n_blocks = n_blocks;
    current.shared.assign(shared_bytes, std::byte{kPoison});
    current.threads.resize(static_cast<std::size_t>(n_threads));
    current.warps.resize(static_cast<std::size_t>((n_threads + kWarp - 1) / kWarp));
    current.warpgroups.resize(static_cast<std::size_t>((n_threads + kWarpgroup - 1) / kWarpgroup));
    current.products.assign(current.warpgroups.size(), {{}});
    current.engine.seed(seed + static_cast<unsigned>(index));
    current.kernel = &kernel;
    block = &current;
    run_block();
    block = nullptr;
    if (current.error) std::rethrow_exception(current.error);
    if (!current.boxes.empty())
      throw std::runtime_error("emulator: the block ended before all its boxes had landed");
  }
}

}  // namespace qb::cuda::emulator

namespace qb::cuda::ptx {

using namespace emulator;  // NOLINT: the machine above

int thread_index() { return block->current; }
int block_index() { return block->index; }
int n_blocks() { return block->n_blocks; }
void trap() { fail("trap"); }

namespace {

// Returns how often the barrier was met before this thread came.
std::uint64_t come_to(int name, int threads, bool waits) {
  const auto refuse = [name](const std::string& why) {
    fail("named barrier " + std::to_string(name) + why);
  };
  if (name < 0 || name > 15) refuse(": a block has 0 to 15");
  if (threads <= 0 || threads % kWarp != 0) refuse(" does not count whole warps");
  NamedBarrier& barrier = block->named[name];
  if (barrier.threads != 0 && barrier.threads != threads)
    refuse(" is of " + std::to_string(barrier.threads) + " and of " + std::to_string(threads) +
           " threads");
  barrier.threads = threads;
  ++barrier.lanes[{block->current / kWarp, waits}];
  ++block->progress;
  const std::uint64_t before = barrier.met;
  if (++barrier.arrived < threads) return before;
  for (const auto& [warp, lanes] : barrier.lanes)
    if (lanes != kWarp) refuse(" is met by a part of a warp, or by a warp twice");
  if (barrier.members.empty()) barrier.members = barrier.lanes;
  if (barrier.members != barrier.lanes)
    refuse(" is met by other warps than before: it has two meanings");
  barrier.lanes.clear();
  barrier.arrived = 0;
  ++barrier.met;
  return before;
}

}  // namespace

void named_sync(int name, int threads) {
  const std::uint64_t before = come_to(name, threads, true);
  wait_until([&] { return block->named[name].met != before; });
}
void named_arrive(int name, int threads) { (void)come_to(name, threads, false); }

void sync_threads() { named_sync(0, static_cast<int>(block->threads.size())); }

}  // namespace qb::cuda::ptx
