#include "kernels/microbench/benchmarks.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/attention.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/row_softmax.h"
#include "kernels/mask.h"
#include "kernels/merge.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

constexpr std::int64_t kHeads = 8;

// Keeps freed blocks for the next request of their size, so that repeats do not pay for page
// faults.
class ReusingAllocator final : public Allocator {
 public:
  ReusingAllocator() = default;
  ReusingAllocator(const ReusingAllocator&) = delete;
  ReusingAllocator& operator=(const ReusingAllocator&) = delete;
  ~ReusingAllocator() override {
    for (const auto& [bytes, pointer] : free_) heap_allocator().deallocate(pointer);
  }
  void* allocate(std::size_t bytes, std::string_view label, int worker) override {
    const std::lock_guard lock(mutex_);
    void* pointer = nullptr;
    if (const auto found = free_.find(bytes); found != free_.end()) {
      pointer = found->second;
      free_.erase(found);
    } else {
      pointer = heap_allocator().allocate(bytes, label, worker);
    }
    taken_[pointer] = bytes;
    return pointer;
  }
  void deallocate(void* pointer) noexcept override {
    const std::lock_guard lock(mutex_);
    const auto found = taken_.find(pointer);
    free_.emplace(found->second, pointer);
    taken_.erase(found);
  }

 private:
  std::mutex mutex_;
  std::multimap<std::size_t, void*> free_;
  std::map<void*, std::size_t> taken_;
};

// Standard normal values: zeros would run faster than data.
Tensor random_tensor(DType dtype, const Extent& extent, std::uint64_t seed) {
  Tensor tensor(heap_allocator(), DType::f32, extent, "inputs");
  std::mt19937_64 engine(seed);
  std::normal_distribution<float> normal;
  auto* const values = static_cast<float*>(tensor.view().data);
  for (std::int64_t i = 0; i < extent.elements(); ++i) values[i] = normal(engine);
  if (dtype == DType::f32) return tensor;
  Tensor narrow(heap_allocator(), dtype, extent, "inputs");
  convert(values, DType::f32, narrow.view().data, dtype, extent.elements());
  return narrow;
}

// What one benchmark needs, and the operation that is timed. It lives through the repeats of its
// benchmark, the first of which warms it up.
struct Subject {
  std::vector<Tensor> tensors;
  TileSchedule schedule;
  ReusingAllocator workspace;
  std::function<void()> operation;
  double flop = 0.0;
  double bytes = 0.0;  // read and written

  const TensorView& add(DType dtype, const Extent& extent) {
    tensors.push_back(random_tensor(dtype, extent, tensors.size() + 1));
    return tensors.back().view();
  }
};

using Prepare = std::function<void(Subject&, const benchmark::State&)>;

// The subject of the benchmark that ran last.
Subject& subject_of(const std::string& name, const benchmark::State& state,
                    const Prepare& prepare) {
  static std::string current;
  static std::unique_ptr<Subject> subject;
  std::string key = name;
  for (const std::int64_t argument : {state.range(0), state.range(1), state.range(2)})
    key += fmt::format("/{}", argument);
  if (key != current) {
    current.clear();  // until prepare has succeeded
    subject = std::make_unique<Subject>();
    prepare(*subject, state);
    current = key;
  }
  return *subject;
}

void run(benchmark::State& state, const std::string& name, const Prepare& prepare) {
  try {
    Subject& subject = subject_of(name, state, prepare);
    while (state.KeepRunning()) {
      const auto start = std::chrono::steady_clock::now();
      subject.operation();
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      state.SetIterationTime(time.count());
    }
    const auto rate = [](double amount) {
      return benchmark::Counter(amount, benchmark::Counter::kIsRate);
    };
    if (subject.flop != 0.0) state.counters["flop"] = rate(subject.flop);
    if (subject.bytes != 0.0) state.counters["bytes"] = rate(subject.bytes);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

void prepare_score_product(Subject& s, const benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const std::int64_t d = state.range(1);
  const TensorView q = s.add(DType::f32, {1, 1, n, d});
  const TensorView k = s.add(DType::f32, {1, 1, n, d});
  const TensorView scores = s.add(DType::f32, {1, 1, n, n});
  s.flop = 2.0 * static_cast<double>(n * n * d);
  s.operation = [=] {
    cpu::gemm(n, n, d, {q.row_as<float>(0, 0, 0), d, false}, {k.row_as<float>(0, 0, 0), d, true},
              scores.row_as<float>(0, 0, 0), n);
  };
}

void prepare_value_product(Subject& s, const benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const std::int64_t d = state.range(1);
  const TensorView p = s.add(DType::f32, {1, 1, n, n});
  const TensorView v = s.add(DType::f32, {1, 1, n, d});
  const TensorView out = s.add(DType::f32, {1, 1, n, d});
  s.flop = 2.0 * static_cast<double>(n * n * d);
  s.operation = [=] {
    cpu::gemm(n, d, n, {p.row_as<float>(0, 0, 0), n, false}, {v.row_as<float>(0, 0, 0), d, false},
              out.row_as<float>(0, 0, 0), d);
  };
}

void prepare_softmax(Subject& s, const benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const TensorView scores = s.add(DType::f32, {1, 1, n, n});
  s.bytes = 5.0 * static_cast<double>(scores.bytes());  // three reads, two writes
  s.operation = [=] {
    for (std::int64_t row = 0; row < n; ++row)
      benchmark::DoNotOptimize(cpu::softmax_row(scores.row_as<float>(0, 0, row), n));
  };
}

void prepare_merge(Subject& s, const benchmark::State& state) {
  const Extent extent{1, kHeads, state.range(0), state.range(1)};
  const Extent statistics{1, kHeads, state.range(0), 1};
  const TensorView acc_out = s.add(DType::f32, extent);
  const TensorView acc_lse = s.add(DType::f32, statistics);
  const TensorView part_out = s.add(DType::f32, extent);
  const TensorView part_lse = s.add(DType::f32, statistics);
  s.bytes = 3.0 * static_cast<double>(acc_out.bytes() + acc_lse.bytes());
  s.operation = [=] { merge_partial(acc_out, acc_lse, part_out, part_lse); };
}

// Every other token of a sequence of 2n, as for a strided layout.
void prepare_gather(Subject& s, const benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const std::int64_t d = state.range(1);
  const TensorView whole = s.add(DType::f32, {1, kHeads, 2 * n, d}).tokens(0, n, 2);
  const TensorView group = s.add(DType::f32, {1, kHeads, n, d});
  s.bytes = 2.0 * static_cast<double>(group.bytes());
  s.operation = [=] { copy_rows(whole, group); };
}

void prepare_kernel(Subject& s, const benchmark::State& state, Kernel kernel, DType dtype,
                    MaskKind mask) {
  const std::int64_t n = state.range(0);
  const std::int64_t d = state.range(1);
  const auto threads = static_cast<int>(state.range(2));
  const Extent extent{1, kHeads, n, d};
  const SpanKind kind = mask == MaskKind::full ? SpanKind::full : SpanKind::causal;
  s.schedule = build_schedule(n, n, {{0, n, {0, n, kind, 0}}}, kernel_tiles(kernel, d).query_tile);
  AttentionArguments arguments;
  arguments.q = s.add(dtype, extent);
  arguments.k = s.add(dtype, extent);
  arguments.v = s.add(dtype, extent);
  arguments.out = s.add(DType::f32, extent);
  arguments.lse = s.add(DType::f32, {1, kHeads, n, 1});
  arguments.schedule = &s.schedule;
  arguments.scale = 1.0 / std::sqrt(static_cast<double>(d));
  s.flop = 4.0 * static_cast<double>(s.schedule.unmasked_pairs() * kHeads * d);
  s.operation = [arguments, kernel, threads, &s] {
    attention(kernel, arguments, {s.workspace, threads, 0});
  };
}

benchmark::internal::Benchmark* add(const std::string& name, const Prepare& prepare) {
  return benchmark::RegisterBenchmark(
             name.c_str(), [name, prepare](benchmark::State& state) { run(state, name, prepare); })
      ->ArgNames({"n", "d", "threads"})
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace

void register_benchmarks() {
  const std::vector<std::int64_t> lengths = {256, 1024, 4096};
  const std::vector<std::int64_t> head_dims = {64, 128};
  std::vector<std::int64_t> threads = {1};
  if (available_cores() > 1) threads.push_back(available_cores());

  for (const auto& [name, prepare] :
       {std::pair<std::string, Prepare>{"score_product", prepare_score_product},
        {"softmax", prepare_softmax},
        {"value_product", prepare_value_product},
        {"merge", prepare_merge},
        {"gather", prepare_gather}})
    add(name, prepare)->ArgsProduct({lengths, head_dims, {1}});

  for (const Kernel kernel : {Kernel::materialized, Kernel::flash})
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
      for (const MaskKind mask : {MaskKind::full, MaskKind::causal})
        add(fmt::format("{}/{}/{}", word(kernel), word(dtype), word(mask)),
            [=](Subject& subject, const benchmark::State& state) {
              prepare_kernel(subject, state, kernel, dtype, mask);
            })
            ->ArgsProduct({lengths, head_dims, threads});
}

}  // namespace qb
