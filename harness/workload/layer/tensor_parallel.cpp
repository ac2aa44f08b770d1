// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/layer/tensor_parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <latch>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>

#include "base/clock.h"
#include "base/status.h"
#include "harness/execute/device/cpu_device.h"
#include "harness/execute/transport/memory_transport.h"
#include "harness/plan/tensor_share.h"

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

class TensorParallelLayer::State {
 public:
  State(const LayerShape& shape, const LayerWeights& weights, const TensorParallelOptions& options,
        Allocator& memory)
      : options_(options) {
    const LayerShape share = layer_share(shape, options.workers);
    LayerOptions layer = options.layer;
    layer.workers = options.workers;
    layer.threads = std::max(1, options.layer.threads / options.workers);
    for (int w = 0; w < options.workers; ++w) {
      layer.all_reduce = [this, w](float* sums, std::int64_t count, float* received) {
        all_reduce(w, {sums, static_cast<std::size_t>(count)}, received);
      };
      members_.emplace_back(shape, share, weights, layer, w, memory);
    }
  }

  Run run(const TensorView& x, const TensorView& y) {
    const bool is_limited =
        options_.link.bandwidth_byte_per_s > 0.0 || options_.link.latency_s > 0.0;
    transport_.emplace(MemoryTransport::Options{.carrier = is_limited,
                                                .link = options_.link,
                                                .timeout_s = options_.message_timeout_s,
                                                .workers = options_.workers});
    meeting_.emplace(static_cast<std::ptrdiff_t>(members_.size()));
    error_ = nullptr;
    members_.front().y = y;
    play(x);
    if (error_) std::rethrow_exception(error_);
    return result();
  }

  [[nodiscard]] const TensorView& output_of(int worker) const {
    return members_[static_cast<std::size_t>(worker)].y;
  }

 private:
  struct Member {
    Member(const LayerShape& whole, const LayerShape& share, const LayerWeights& all,
           const LayerOptions& options, int worker, Allocator& ledger)
        : memory(ledger, worker),
          device(options.threads),
          weights(weights_share(whole, all, options.workers, worker, memory)),
          own_output(worker == 0 ? Tensor() : Tensor(memory, DType::f32, whole.states(), "output")),
          y(own_output.view()),
          layer(device, share, DType::f32, options, ClockKind::synchronized, memory) {}

    MemoryOfWorker memory;
    CpuDevice device;
    LayerWeights weights;
    Tensor own_output;
    TensorView y;
    DeviceLayer layer;
    WorkerRun told{};
    double begin_s = 0.0;
    double end_s = 0.0;
    int messages = 0;        // in this run
    bool has_ended = false;  // it failed in a message, and others know
  };

  struct Meeting {
    explicit Meeting(std::ptrdiff_t workers) : ready(workers), ended(workers) {}
    std::latch ready;
    std::latch ended;        // no worker sends or receives any more
    std::latch released{1};  // and no message is under way
  };

  // Returns when all workers have ended.
  void play(const TensorView& x) {
    const std::size_t n = members_.size();
    std::vector<std::jthread> threads;
    threads.reserve(n);
    try {
      for (Member& member : members_)
        threads.emplace_back([this, &member, &x] { work(member, x); });
    } catch (const std::system_error& error) {
      fail(std::make_exception_ptr(CaseError(
          Status::error, fmt::format("the system gives {} of the {} threads that the workers need "
                                     "({}); use fewer workers",
                                     threads.size(), n, error.what()))));
      const auto missing = static_cast<std::ptrdiff_t>(n - threads.size());
      meeting_->ready.count_down(missing);
      meeting_->ended.count_down(missing);
    }
    meeting_->ended.wait();
    transport_.reset();
    meeting_->released.count_down();
  }

  void work(Member& member, const TensorView& x) noexcept {
    member.told = {};
    member.messages = 0;
    member.has_ended = false;
    meeting_->ready.arrive_and_wait();
    member.begin_s = now_s();
    try {
      member.told.times = member.layer.run(member.weights, x, member.y).times;
    } catch (...) {
      if (!member.has_ended) fail(std::current_exception());
    }
    member.end_s = now_s();
    if (!member.has_ended) meeting_->ended.count_down();
  }

  // The first error counts; it ends the waits of all workers.
  void fail(const std::exception_ptr& error) {
    {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = error;
    }
    transport_->fail(error);
  }

  void all_reduce(int worker, std::span<float> sums, float* received) {
    Member& member = members_[static_cast<std::size_t>(worker)];
    const int workers = options_.workers;
    const auto n = static_cast<std::int64_t>(sums.size());
    const double begin_s = now_s();
    for (int step = 0; step < all_reduce_steps(workers); ++step) {
      const Range out = chunk_of(n, worker - step, workers);
      const Range in = chunk_of(n, worker - step - 1, workers);
      const bool adds = step < workers - 1;
      float* const mine = sums.data() + in.begin;
      exchange(member, worker, {sums.data() + out.begin, sums.data() + out.end},
               {adds ? received : mine, static_cast<std::size_t>(in.count())});
      if (adds) std::transform(mine, mine + in.count(), received, mine, std::plus<>());
    }
    member.told.all_reduce_s += now_s() - begin_s;
  }

  // Sends to the next worker and receives from the one before.
  void exchange(Member& member, int worker, std::span<const float> out, std::span<float> in) {
    try {
      pass(member, worker, out, in);
    } catch (...) {
      fail(std::current_exception());
      // The buffers live until nobody can copy from or into them any more.
      member.has_ended = true;
      meeting_->ended.count_down();
      meeting_->released.wait();
      throw;
    }
  }

  void pass(Member& member, int worker, std::span<const float> out, std::span<float> in) {
    const int workers = options_.workers;
    const int step = member.messages++;
    const Ticket receive = transport_->receive({(worker + workers - 1) % workers, worker, step},
                                               std::as_writable_bytes(in));
    const Ticket send =
        transport_->send({worker, (worker + 1) % workers, step}, std::as_bytes(out));
    const double wait_s = now_s();
    const Passage passage = transport_->wait(receive);
    const double waited_s = now_s() - wait_s;
    member.told.idle_s += std::clamp(passage.started_s - wait_s, 0.0, waited_s);
    (void)transport_->wait(send);
  }

  [[nodiscard]] Run result() const {
    Run run;
    double begin_s = members_.front().begin_s;
    double end_s = members_.front().end_s;
    for (const Member& member : members_) {
      run.workers.push_back(member.told);
      run.workers.back().wall_s = member.end_s - member.begin_s;
      begin_s = std::min(begin_s, member.begin_s);
      end_s = std::max(end_s, member.end_s);
    }
    run.wall_s = end_s - begin_s;
    return run;
  }

  const TensorParallelOptions options_;
  std::optional<MemoryTransport> transport_;
  std::optional<Meeting> meeting_;
  std::deque<Member> members_;
  std::mutex mutex_;
  std::exception_ptr error_;
};

TensorParallelLayer::TensorParallelLayer(const LayerShape& shape, const LayerWeights& weights,
                                         const TensorParallelOptions& options, Allocator& allocator)
    : state_(std::make_unique<State>(shape, weights, options, allocator)) {}

TensorParallelLayer::~TensorParallelLayer() = default;

TensorParallelLayer::Run TensorParallelLayer::run(const TensorView& x, const TensorView& y) {
  return state_->run(x, y);
}

const TensorView& TensorParallelLayer::output_of(int worker) const {
  return state_->output_of(worker);
}

}  // namespace qb
