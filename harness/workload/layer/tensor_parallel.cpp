// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/layer/tensor_parallel.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "harness/plan/tensor_share.h"
#include "harness/run/device/cpu_device.h"

namespace qb {
namespace {

// Takes memory in the name of one worker, whatever its callers say.
class MemoryOfWorker final : public Allocator {
 public:
  MemoryOfWorker(Allocator& memory, int worker) : memory_(memory), worker_(worker) {}
  [[nodiscard]] void* allocate(std::size_t bytes, std::string_view label, int /*worker*/) override {
    return memory_.allocate(bytes, label, worker_);
  }
  void deallocate(void* pointer) noexcept override { memory_.deallocate(pointer); }

 private:
  Allocator& memory_;
  int worker_;
};

TensorShare split_parts(const LayerShape& shape) {
  return {shape.heads, shape.key_heads(), shape.feed_forward_dim};
}

// A chunk of the sums. place: any whole number; chunks are counted round and round.
Range chunk_of(std::int64_t sums, int place, int workers) {
  const std::int64_t index = ((place % workers) + workers) % workers;
  return {index * sums / workers, (index + 1) * sums / workers};
}

// In step t each worker sends chunk (worker - t) and receives the one before it.
int all_reduce_steps(int workers) { return 2 * (workers - 1); }

// Returns the worker's rows and columns of every weight, and what is not split as it is. f32.
LayerWeights weights_share(const LayerShape& whole, const LayerWeights& weights, int workers,
                           int worker, Allocator& allocator) {
  const LayerShape share = layer_share(whole, workers);
  const std::int64_t first_key =
      first_kv_head(split_parts(whole), workers, worker) * whole.head_dim;
  LayerWeights mine(share, allocator);
  for (const auto& entry : kWords<LayerTensor>.rows) {
    const LayerTensor tensor = entry.first;
    std::vector<std::int64_t> from = tensor_shape(whole, tensor);
    std::vector<std::int64_t> to = tensor_shape(share, tensor);
    from.resize(2, 1);
    to.resize(2, 1);
    // What is not split is as long as in the whole layer.
    const auto first = [&](std::size_t axis) {
      return from[axis] == to[axis] ? 0 : worker * to[axis];
    };
    const std::int64_t row = is_of_keys_or_values(tensor) ? first_key : first(0);
    const std::int64_t column = first(1);
    for (std::int64_t i = 0; i < to[0]; ++i)
      std::copy_n(weights.data(tensor) + (row + i) * from[1] + column, to[1],
                  mine.data(tensor) + i * to[1]);
  }
  return mine;
}

}  // namespace

LayerShape layer_share(const LayerShape& whole, int workers) {
  const TensorShare share = tensor_share(split_parts(whole), workers);
  LayerShape mine = whole;
  mine.heads = share.q_heads;
  mine.kv_heads = share.kv_heads;
  mine.feed_forward_dim = share.feed_forward_dim;
  mine.hidden_width = whole.hidden();
  return mine;
}

std::int64_t all_reduce_sent_bytes(const LayerShape& whole, std::int64_t block_tokens,
                                   int workers) {
  const std::int64_t n = whole.n_tokens;
  const std::int64_t block = block_tokens == 0 ? n : std::min(block_tokens, n);
  std::int64_t most = 0;
  for (int worker = 0; worker < workers; ++worker) {
    std::int64_t sent = 0;
    for (std::int64_t begin = 0; begin < n; begin += block) {
      const std::int64_t sums = std::min(block, n - begin) * whole.hidden();
      for (int step = 0; step < all_reduce_steps(workers); ++step)
        sent += chunk_of(sums, worker - step, workers).count();
    }
    most = std::max(most, sent);
  }
  return 2 * whole.batch * most * size_of(DType::f32);
}

// Its one step meets the others in each all-reduce, so all workers run at once.
struct TensorParallelLayer::Worker final : StepWorker {
  Worker(const LayerShape& whole, const LayerShape& share, const LayerWeights& all,
         const LayerOptions& given, int place, Allocator& ledger)
      : index(place),
        workers(given.workers),
        memory(ledger, place),
        device(given.threads),
        weights(weights_share(whole, all, workers, place, memory)),
        own_output(place == 0 ? Tensor() : Tensor(memory, DType::f32, whole.states(), "output")),
        y(own_output.view()),
        layer(device, share, DType::f32, with_all_reduce(given), ClockKind::synchronized, memory) {}

  [[nodiscard]] int steps() const override { return 1; }
  void prepare() override {
    times = {};
    times.steps.resize(1);
    messages = 0;
  }
  void begin(double now) override { begin_s = now; }
  void compute_step() override { parts = layer.run(weights, x, y).times; }
  void finish() override {
    times.wall_s = now_s() - begin_s;
    times.compute_s = times.steps[0].compute_s += times.wall_s;
  }
  [[nodiscard]] const WorkerTime& time() const override { return times; }

  [[nodiscard]] LayerOptions with_all_reduce(LayerOptions options) {
    options.all_reduce = [this](float* sums, std::int64_t count, float* received) {
      all_reduce({sums, static_cast<std::size_t>(count)}, received);
    };
    return options;
  }
  void all_reduce(std::span<float> sums, float* received);
  // Sends to the next worker and receives from the one before.
  void exchange(std::span<const float> out, std::span<float> in);

  const int index;
  const int workers;
  MemoryOfWorker memory;
  CpuDevice device;
  LayerWeights weights;
  Tensor own_output;
  TensorView y;
  DeviceLayer layer;
  // These are of the present run.
  TensorView x{};
  WorkerTeam* team = nullptr;
  double begin_s = 0.0;
  int messages = 0;
  WorkerTime times{};
  LayerTimes parts{};
};

TensorParallelLayer::TensorParallelLayer(const LayerShape& shape, const LayerWeights& weights,
                                         LayerOptions options, int workers, Allocator& allocator) {
  const LayerShape share = layer_share(shape, workers);
  options.workers = workers;
  options.threads = std::max(1, options.threads / workers);
  for (int w = 0; w < workers; ++w)
    workers_.push_back(std::make_shared<Worker>(shape, share, weights, options, w, allocator));
}

TensorParallelLayer::~TensorParallelLayer() = default;

TensorParallelLayer::Run TensorParallelLayer::run(const TensorView& x, const TensorView& y,
                                                  const LinkLimit& link, double message_timeout_s) {
  workers_.front()->y = y;
  const auto make = [&](int w, WorkerTeam& team) {
    const auto& worker = workers_[static_cast<std::size_t>(w)];
    worker->x = x;
    worker->team = &team;
    return worker;
  };
  Run run{run_workers(Ranks::threads,
                      {.carrier = !(link == LinkLimit{}),
                       .link = link,
                       .timeout_s = message_timeout_s,
                       .workers = static_cast<int>(workers_.size()),
                       .instead = "fewer workers"},
                      make),
          {}};
  for (const auto& worker : workers_) run.parts.push_back(worker->parts);
  return run;
}

const TensorView& TensorParallelLayer::output_of(int worker) const {
  return workers_[static_cast<std::size_t>(worker)]->y;
}

void TensorParallelLayer::Worker::all_reduce(std::span<float> sums, float* received) {
  const auto n = static_cast<std::int64_t>(sums.size());
  StepTime& step_time = times.steps[0];
  const double idle_s = step_time.idle_s;
  const double start_s = now_s();
  for (int step = 0; step < all_reduce_steps(workers); ++step) {
    const Range out = chunk_of(n, index - step, workers);
    const Range in = chunk_of(n, index - step - 1, workers);
    const bool adds = step < workers - 1;
    float* const mine = sums.data() + in.begin;
    exchange({sums.data() + out.begin, sums.data() + out.end},
             {adds ? received : mine, static_cast<std::size_t>(in.count())});
    if (adds) std::transform(mine, mine + in.count(), received, mine, std::plus<>());
  }
  const double all_s = now_s() - start_s;
  // Nothing is computed during an all-reduce, which hides none of it.
  step_time.exposed_communication_s += all_s - (step_time.idle_s - idle_s);
  step_time.communication_s = step_time.exposed_communication_s;
  step_time.compute_s -= all_s;
}

void TensorParallelLayer::Worker::exchange(std::span<const float> out, std::span<float> in) {
  const int step = messages++;
  double exposed_s = 0.0;
  try {
    const Ticket receive =
        team->receive({(index + workers - 1) % workers, index, step}, std::as_writable_bytes(in));
    const Ticket send = team->send({index, (index + 1) % workers, step}, std::as_bytes(out));
    (void)team->timed_wait(receive, times.steps[0].idle_s, exposed_s);
    (void)team->wait(send);
  } catch (...) {
    team->fail(std::current_exception());  // the buffers are gone after this
    throw;
  }
}

}  // namespace qb
