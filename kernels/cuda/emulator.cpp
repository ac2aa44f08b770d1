#include "kernels/cuda/emulator.h"

#include <ucontext.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/cuda/emulated_ptx.h"
#include "kernels/cuda/flash_layout.h"
#include "kernels/dtype.h"

namespace qb::cuda::emulator {
namespace {

constexpr int kWarp = 32;
constexpr int kWarpgroup = 128;
constexpr std::size_t kStackBytes = 256 << 10;
constexpr std::uint8_t kPoison = 0xFF;  // NaN in every 16-bit and 32-bit format

struct Copy {
  std::uint32_t shared = 0;
  std::array<std::byte, 16> data{};
};

struct Product {
  bool bf16 = false;
  bool add = false;
  int columns = 0;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  bool a_in_registers = false;
  std::vector<float*> accumulators;  // of the warpgroup's threads
  std::vector<float> a_values;       // 64 x 16
  std::vector<float> b_values;       // 16 x columns
};

struct Thread {
  ucontext_t context{};
  std::unique_ptr<std::byte[]> stack;
  bool done = false;
  std::vector<std::vector<Copy>> copy_groups{{}};
};

// Threads that meet: what each of them brings, and how often all have met.
struct Meeting {
  const void* what = nullptr;
  int arrived = 0;
  std::uint64_t met = 0;
  std::array<void*, kWarpgroup> brought{};
};

struct Barrier {
  int expected = 0;
  int pending = 0;
  std::int64_t bytes = 0;
  int phase = 0;
};

struct NamedBarrier {
  int arrived = 0;
  std::uint64_t met = 0;
};

struct Box {
  std::uint32_t shared = 0;
  std::uint32_t barrier = 0;
  std::vector<std::byte> data;
};

struct Block {
  int index = 0;
  int n_blocks = 0;
  std::vector<std::byte> shared;
  std::vector<Thread> threads;
  std::vector<Meeting> warps;
  std::vector<Meeting> warpgroups;
  std::vector<std::vector<std::vector<Product>>> products;  // groups of a warpgroup, newest last
  std::map<std::uint32_t, Barrier> barriers;
  std::map<int, NamedBarrier> named;
  std::vector<Box> boxes;
  std::mt19937 engine;
  ucontext_t scheduler{};
  int current = 0;
  std::uint64_t progress = 0;  // of anything that somebody may wait for
  const std::function<void()>* kernel = nullptr;
  std::exception_ptr error;
};

Block* block = nullptr;

[[noreturn]] void fail(const std::string& message) {
  throw std::runtime_error("emulator: block " + std::to_string(block->index) + " thread " +
                           std::to_string(block->current) + ": " + message);
}

Thread& self() { return block->threads[static_cast<std::size_t>(block->current)]; }

void yield() { swapcontext(&self().context, &block->scheduler); }

template <class Condition>
void wait_until(Condition condition) {
  while (!condition()) yield();
  ++block->progress;
}

std::byte* shared_bytes(std::uint32_t address, std::size_t count, std::size_t alignment) {
  if (address % alignment != 0) fail("shared address " + std::to_string(address) + " misaligned");
  if (address + count > block->shared.size())
    fail("shared address " + std::to_string(address) + " is outside");
  return block->shared.data() + address;
}

// The threads of a warp or warpgroup meet in instruction `what`; the last one acts for all.
template <class Act>
void meet(Meeting& meeting, int size, const void* what, void* brought, Act act) {
  if (meeting.arrived > 0 && meeting.what != what)
    fail("threads of one warp are in different instructions");
  meeting.what = what;
  meeting.brought[static_cast<std::size_t>(block->current % size)] = brought;
  if (++meeting.arrived == size) {
    act(meeting.brought.data());
    meeting.arrived = 0;
    ++meeting.met;
    ++block->progress;
    return;
  }
  const std::uint64_t round = meeting.met;
  wait_until([&] { return meeting.met != round; });
}

template <class Act>
void meet_warp(const void* what, void* brought, Act act) {
  meet(block->warps[static_cast<std::size_t>(block->current / kWarp)], kWarp, what, brought, act);
}

float from_bits(bool bf16, std::uint16_t bits) {
  return bf16 ? bf16_to_f32(bits) : f16_to_f32(bits);
}
std::uint16_t bits_of(std::uint32_t both, int half) {
  return static_cast<std::uint16_t>(half == 0 ? both : both >> 16);
}

void land_box(std::size_t i) {
  const Box box = std::move(block->boxes[i]);
  block->boxes.erase(block->boxes.begin() + static_cast<std::ptrdiff_t>(i));
  std::memcpy(block->shared.data() + box.shared, box.data.data(), box.data.size());
  block->barriers.at(box.barrier).bytes -= static_cast<std::int64_t>(box.data.size());
  ++block->progress;
}

void end_phase_if_complete(Barrier& barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0) return;
  barrier.pending = barrier.expected;
  barrier.phase ^= 1;
  ++block->progress;
}

void thread_main() {
  try {
    (*block->kernel)();
    if (!block->threads[static_cast<std::size_t>(block->current)].copy_groups.back().empty())
      fail("copies were never committed");
  } catch (...) {
    if (!block->error) block->error = std::current_exception();
  }
  self().done = true;
  ++block->progress;
  swapcontext(&self().context, &block->scheduler);
}

void make_fiber(Thread& thread) {
  thread.stack = std::make_unique_for_overwrite<std::byte[]>(kStackBytes);
  getcontext(&thread.context);
  thread.context.uc_stack.ss_sp = thread.stack.get();
  thread.context.uc_stack.ss_size = kStackBytes;
  thread.context.uc_link = &block->scheduler;
  makecontext(&thread.context, thread_main, 0);
}

void run_block() {
  for (Thread& thread : block->threads) make_fiber(thread);
  const auto n_warps = static_cast<std::ptrdiff_t>(block->threads.size()) / kWarp;
  while (true) {
    const std::uint64_t before = block->progress;
    bool all_done = true;
    // Warps in random order; rotating within a warp changes nothing that a kernel can see.
    const auto first =
        static_cast<std::ptrdiff_t>(block->engine() % static_cast<unsigned>(n_warps));
    for (std::ptrdiff_t w = 0; w < n_warps; ++w)
      for (int lane = 0; lane < kWarp; ++lane) {
        const int t = static_cast<int>((first + w) % n_warps) * kWarp + lane;
        Thread& thread = block->threads[static_cast<std::size_t>(t)];
        if (thread.done) continue;
        all_done = false;
        block->current = t;
        swapcontext(&block->scheduler, &thread.context);
        if (block->error) return;
      }
    if (all_done) return;
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

// Element (row, column) of what a descriptor names, as the layouts of the PTX manual place it:
// depth-major: rows of 128 bytes, eight of them an atom, atoms `stride` apart; further columns of
// the same row lie in the next 16-byte chunks. Column-major: 64 columns in a row of 128 bytes,
// eight rows (of the depth) an atom, the next eight `stride` on, the next 64 columns `leading` on.
// The swizzle exchanges address bits 4-6 with bits 7-9.
float operand(std::uint64_t descriptor, bool column_major, bool bf16, int depth, int other) {
  if (descriptor >> 62 != 1) fail("descriptor without 128-byte swizzle");
  const auto start = static_cast<std::uint32_t>(descriptor & 0x3FFF) << 4;
  const auto leading = static_cast<std::uint32_t>(descriptor >> 16 & 0x3FFF) << 4;
  const auto stride = static_cast<std::uint32_t>(descriptor >> 32 & 0x3FFF) << 4;
  std::uint32_t address = start;
  if (column_major)
    address += static_cast<std::uint32_t>(other % 64 * 2 + depth % 8 * 128) +
               static_cast<std::uint32_t>(other / 64) * leading +
               static_cast<std::uint32_t>(depth / 8) * stride;
  else
    address += static_cast<std::uint32_t>(depth * 2 + other % 8 * 128) +
               static_cast<std::uint32_t>(other / 8) * stride;
  address ^= (address >> 7 & 7) << 4;
  std::uint16_t bits = 0;
  std::memcpy(&bits, shared_bytes(address, 2, 2), 2);
  return from_bits(bf16, bits);
}

void read_operands(const Product& product, std::vector<float>& a, std::vector<float>& b) {
  if (!product.a_in_registers) {
    a.resize(64 * 16);
    for (int row = 0; row < 64; ++row)
      for (int depth = 0; depth < 16; ++depth)
        a[static_cast<std::size_t>(row * 16 + depth)] =
            operand(product.a, false, product.bf16, depth, row);
  }
  b.resize(static_cast<std::size_t>(16 * product.columns));
  for (int depth = 0; depth < 16; ++depth)
    for (int column = 0; column < product.columns; ++column)
      b[static_cast<std::size_t>(depth * product.columns + column)] =
          operand(product.b, product.a_in_registers, product.bf16, depth, column);
}

bool same_bits(const std::vector<float>& x, const std::vector<float>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
}

void execute(Product& product) {
  std::vector<float> a = product.a_values;
  std::vector<float> b;
  read_operands(product, a, b);
  if (!same_bits(a, product.a_values) || !same_bits(b, product.b_values))
    fail("operands of a product changed while it was under way");
  for (int thread = 0; thread < kWarpgroup; ++thread) {
    float* const c = product.accumulators[static_cast<std::size_t>(thread)];
    for (int i = 0; i < product.columns / 2; ++i) {
      const Place at = accumulator_place(thread % kWarp, i % 4);
      const int row = thread / kWarp * 16 + at.row;
      const int column = i / 4 * 8 + at.column;
      float sum = product.add ? c[i] : 0.0F;
      for (int depth = 0; depth < 16; ++depth)
        sum += a[static_cast<std::size_t>(row * 16 + depth)] *
               b[static_cast<std::size_t>(depth * product.columns + column)];
      c[i] = sum;
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

void named_sync(int name, int threads) {
  NamedBarrier& barrier = block->named[name];
  const std::uint64_t round = barrier.met;
  if (++barrier.arrived == threads) {
    barrier.arrived = 0;
    ++barrier.met;
    ++block->progress;
  }
  wait_until([&] { return barrier.met != round; });
}
void named_arrive(int name, int threads) {
  NamedBarrier& barrier = block->named[name];
  if (++barrier.arrived == threads) {
    barrier.arrived = 0;
    ++barrier.met;
  }
  ++block->progress;
}
void sync_threads() { named_sync(0, static_cast<int>(block->threads.size())); }

float exp2(float x) { return std::exp2(x); }
float log2(float x) { return std::log2(x); }

float shuffle_xor(float value, int mask) {
  static const char kWhat = 0;
  struct Brought {
    float value;
    float result;
  } mine{value, 0.0F};
  meet_warp(&kWhat, &mine, [mask](void** all) {
    for (int lane = 0; lane < kWarp; ++lane)
      static_cast<Brought*>(all[lane])->result = static_cast<Brought*>(all[lane ^ mask])->value;
  });
  return mine.result;
}

std::uint32_t pack_pair(bool bf16, float low, float high) {
  const auto bits = [bf16](float x) { return bf16 ? f32_to_bf16(x) : f32_to_f16(x); };
  return static_cast<std::uint32_t>(bits(low)) | static_cast<std::uint32_t>(bits(high)) << 16;
}

void copy_async(std::uint32_t shared, const void* global, bool valid) {
  std::byte* const target = shared_bytes(shared, 16, 16);
  Copy copy{shared, {}};
  if (valid) {
    if (reinterpret_cast<std::uintptr_t>(global) % 16 != 0) fail("copy from a misaligned address");
    std::memcpy(copy.data.data(), global, 16);
  }
  std::memset(target, kPoison, 16);
  self().copy_groups.back().push_back(copy);
}
void copy_commit() { self().copy_groups.emplace_back(); }
void copy_wait_for(int pending) {
  std::vector<std::vector<Copy>>& groups = self().copy_groups;
  while (static_cast<int>(groups.size()) - 1 > pending) {
    for (const Copy& copy : groups.front())
      std::memcpy(block->shared.data() + copy.shared, copy.data.data(), 16);
    groups.erase(groups.begin());
  }
}

namespace {

struct Rows {
  std::uint32_t row;
  std::uint32_t* registers;
};

void load_four(std::uint32_t (&r)[4], std::uint32_t row, bool transposed) {
  static const char kWhat[2] = {};
  Rows mine{row, r};
  meet_warp(&kWhat[transposed ? 1 : 0], &mine, [transposed](void** all) {
    for (int matrix = 0; matrix < 4; ++matrix)
      for (int lane = 0; lane < kWarp; ++lane)
        for (int half = 0; half < 2; ++half) {
          const int first = lane / 4;
          const int second = lane % 4 * 2 + half;
          const int from = transposed ? second : first;
          const int column = transposed ? first : second;
          const std::byte* const bytes =
              shared_bytes(static_cast<Rows*>(all[8 * matrix + from])->row, 16, 16);
          std::uint16_t bits = 0;
          std::memcpy(&bits, bytes + 2 * column, 2);
          std::uint32_t& target = static_cast<Rows*>(all[lane])->registers[matrix];
          target = half == 0 ? bits : target | static_cast<std::uint32_t>(bits) << 16;
        }
  });
}

struct WarpProduct {
  float* c;
  const std::uint32_t* a;
  std::uint32_t b[2];
};

}  // namespace

void load_matrices(std::uint32_t (&r)[4], std::uint32_t row) { load_four(r, row, false); }
void load_matrices_transposed(std::uint32_t (&r)[4], std::uint32_t row) { load_four(r, row, true); }

// The fragments of mma.m16n8k16 in the PTX manual. A: register i holds row lane / 4 (+ 8 for odd i)
// and columns 2 (lane % 4), + 1 (+ 8 for i >= 2). B: register i holds rows 2 (lane % 4), + 1 (+ 8
// for i = 1) and column lane / 4.
void multiply_add_warp(bool bf16, float* c, const std::uint32_t* a, std::uint32_t b0,
                       std::uint32_t b1) {
  static const char kWhat = 0;
  WarpProduct mine{c, a, {b0, b1}};
  meet_warp(&kWhat, &mine, [bf16](void** all) {
    float left[16][16];
    float right[16][8];
    for (int lane = 0; lane < kWarp; ++lane) {
      const WarpProduct& of = *static_cast<WarpProduct*>(all[lane]);
      for (int half = 0; half < 2; ++half) {
        for (int i = 0; i < 4; ++i)
          left[lane / 4 + i % 2 * 8][lane % 4 * 2 + half + i / 2 * 8] =
              from_bits(bf16, bits_of(of.a[i], half));
        for (int i = 0; i < 2; ++i)
          right[lane % 4 * 2 + half + i * 8][lane / 4] = from_bits(bf16, bits_of(of.b[i], half));
      }
    }
    for (int lane = 0; lane < kWarp; ++lane)
      for (int i = 0; i < 4; ++i) {
        const int row = lane / 4 + i / 2 * 8;
        const int column = lane % 4 * 2 + i % 2;
        float& sum = static_cast<WarpProduct*>(all[lane])->c[i];
        for (int depth = 0; depth < 16; ++depth) sum += left[row][depth] * right[depth][column];
      }
  });
}

void store_shared(std::uint32_t address, float value) {
  std::memcpy(shared_bytes(address, 4, 4), &value, 4);
}
float load_shared(std::uint32_t address) {
  float value = 0.0F;
  std::memcpy(&value, shared_bytes(address, 4, 4), 4);
  return value;
}

void barrier_init(std::uint32_t barrier, int arrivals) {
  (void)shared_bytes(barrier, 8, 8);
  if (block->barriers.count(barrier) != 0) fail("barrier initialised twice");
  block->barriers[barrier] = {arrivals, arrivals, 0, 0};
}
void barrier_arrive(std::uint32_t barrier) { barrier_arrive_expecting(barrier, 0); }
void barrier_arrive_expecting(std::uint32_t address, int bytes) {
  Barrier& barrier = block->barriers.at(address);
  barrier.bytes += bytes;
  if (--barrier.pending < 0) fail("more arrivals than a barrier expects");
  end_phase_if_complete(barrier);
  ++block->progress;
}
void barrier_wait(std::uint32_t address, int parity) {
  wait_until([&] { return block->barriers.at(address).phase != parity; });
}

void copy_box(std::uint32_t shared, const TensorMap* map, std::uint32_t barrier, int c0, int c1,
              int c2, int c3, int c4) {
  const std::array<std::int64_t, 5> at{c0, c1, c2, c3, c4};
  if (map->box[0] != kPanelColumns) fail("a box is not as wide as its swizzle");
  std::size_t rows = 1;
  for (int i = 1; i < 5; ++i)
    rows *= static_cast<std::size_t>(map->box[static_cast<std::size_t>(i)]);
  Box box{shared, barrier, std::vector<std::byte>(rows * kPanelRowBytes)};
  std::memset(shared_bytes(shared, box.data.size(), kAtomBytes), kPoison, box.data.size());
  for (std::size_t row = 0; row < rows; ++row)
    for (int column = 0; column < kPanelColumns; ++column) {
      std::size_t rest = row;
      std::int64_t offset = at[0] + column;
      bool inside = offset >= 0 && offset < map->extents[0];
      for (std::size_t i = 1; i < 5; ++i) {
        const auto size = static_cast<std::size_t>(map->box[i]);
        const std::int64_t x = at[i] + static_cast<std::int64_t>(rest % size);
        rest /= size;
        inside = inside && x >= 0 && x < map->extents[i];
        offset += x * map->strides[i];
      }
      if (!inside) continue;
      std::memcpy(
          box.data.data() + tile_address(static_cast<int>(rows), static_cast<int>(row), column),
          static_cast<const std::byte*>(map->base) + 2 * offset, 2);
    }
  block->boxes.push_back(std::move(box));
  ++block->progress;
}

namespace {

struct Issue {
  float* c;
  const std::uint32_t* a;
};

}  // namespace

void issue_product(bool bf16, bool add, int columns, float* c, const std::uint32_t* a_registers,
                   std::uint64_t a, std::uint64_t b) {
  static const char kWhat = 0;
  Issue mine{c, a_registers};
  const auto warpgroup = static_cast<std::size_t>(block->current / kWarpgroup);
  meet(block->warpgroups[warpgroup], kWarpgroup, &kWhat, &mine, [&](void** all) {
    Product product{bf16, add, columns, a, b, a_registers != nullptr, {}, {}, {}};
    for (int thread = 0; thread < kWarpgroup; ++thread)
      product.accumulators.push_back(static_cast<Issue*>(all[thread])->c);
    if (product.a_in_registers) {
      product.a_values.resize(64 * 16);
      for (int thread = 0; thread < kWarpgroup; ++thread)
        for (int i = 0; i < 8; ++i) {
          const int lane = thread % kWarp;
          const int row = thread / kWarp * 16 + lane / 4 + i / 2 % 2 * 8;
          const int depth = lane % 4 * 2 + i % 2 + i / 4 * 8;
          product.a_values[static_cast<std::size_t>(row * 16 + depth)] =
              from_bits(bf16, bits_of(static_cast<Issue*>(all[thread])->a[i / 2], i % 2));
        }
    }
    std::vector<float> a_values = product.a_values;
    read_operands(product, a_values, product.b_values);
    product.a_values = std::move(a_values);
    block->products[warpgroup].back().push_back(std::move(product));
  });
}
void product_commit() {
  static const char kWhat = 0;
  const auto warpgroup = static_cast<std::size_t>(block->current / kWarpgroup);
  meet(block->warpgroups[warpgroup], kWarpgroup, &kWhat, nullptr,
       [&](void**) { block->products[warpgroup].emplace_back(); });
}
void product_wait_for(int pending) {
  static const char kWhat = 0;
  const auto warpgroup = static_cast<std::size_t>(block->current / kWarpgroup);
  meet(block->warpgroups[warpgroup], kWarpgroup, &kWhat, nullptr, [&](void**) {
    auto& groups = block->products[warpgroup];
    while (static_cast<int>(groups.size()) - 1 > pending) {
      for (Product& product : groups.front()) execute(product);
      groups.erase(groups.begin());
    }
  });
}

}  // namespace qb::cuda::ptx
