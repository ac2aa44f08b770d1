// SPDX-License-Identifier: Apache-2.0
// These classes own what the CUDA runtime hands out. The header needs no CUDA. Everything throws as
// QB_CUDA_CHECK does, except destructors: an error that they meet has been thrown before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "kernels/tensor.h"

namespace qb::cuda {

using Handle = std::unique_ptr<void, void (*)(void*)>;

// Makes this the device of the process from now on, and creates its context.
void use_device(int ordinal);

class Stream {  // does not wait for the default stream
 public:
  enum class Priority { normal, high };  // high: its blocks are placed before those of others
  explicit Stream(Priority priority = Priority::normal);
  [[nodiscard]] void* get() const { return handle_.get(); }
  void wait() const;

 private:
  Handle handle_{nullptr, nullptr};
};

class Event {
 public:
  Event();
  void record(const Stream& stream) { record(stream.get()); }
  void record(void* stream);  // a cudaStream_t
  // Returns the seconds from `earlier` to this; both must have happened.
  [[nodiscard]] double seconds_since(const Event& earlier) const;
  // Later work of the stream waits for this event.
  void hold_back(const Stream& stream) const { hold_back(stream.get()); }
  void hold_back(void* stream) const;
  [[nodiscard]] bool has_happened() const;

 private:
  Handle handle_{nullptr, nullptr};
};

class Graph {  // what `enqueue` enqueues on the stream, recorded once
 public:
  Graph(const Stream& stream, const std::function<void()>& enqueue);
  void launch(const Stream& stream) const;

 private:
  Handle handle_{nullptr, nullptr};
};

// Makes plain allocations; giving one back waits for the device.
struct DirectMemory {
  [[nodiscard]] static std::uint64_t free_bytes();
  [[nodiscard]] static void* allocate(std::size_t bytes);  // nullptr: out of memory
  // Waits for the earlier work of the stream. A lost device is reported elsewhere.
  static void release(void* memory, void* stream) noexcept;
};

// A private pool of the driver's, ordered with one stream, keeps the memory that it gets back.
class Pool {
 public:
  explicit Pool(const Stream& stream);
  [[nodiscard]] void* allocate(std::size_t bytes) const;  // nullptr: out of memory
  void release(void* memory) const noexcept;
  void trim() const;  // waits, and gives unused memory back to the driver
  [[nodiscard]] std::uint64_t reserved_bytes() const;
  [[nodiscard]] std::uint64_t used_bytes() const;

 private:
  const Stream& stream_;
  Handle handle_{nullptr, nullptr};
};

// These enqueue copies between the host and the device; stream is a cudaStream_t. Host memory is
// pageable: its bytes have been read when this returns.
void copy_to_device(const void* host, void* device, std::size_t bytes, void* stream);
void copy_to_host(const void* device, void* host, std::size_t bytes, void* stream);  // waits
void fill_bytes(void* device, unsigned char value, std::size_t bytes, void* stream);

// Gathers or scatters rows of token groups: copies them between device views of equal extent. Where
// one has f32 and the other f16 or bf16 it converts, rounding to nearest even.
void copy_rows(const TensorView& source, const TensorView& destination, void* stream);

// These do what kernels/merge.h and kernels/attention_backward.h say, over device views: rows := 0;
// sum += part; delta := the sums of the rows of d_out times out; the gradients of sinks. A part,
// out and d_out are of any type but f64. They throw std::invalid_argument where the views do not
// fit together.
void clear_rows(const TensorView& rows, void* stream);
void add_rows(const TensorView& sum, const TensorView& part, void* stream);
void compute_delta(const TensorView& out, const TensorView& d_out, const TensorView& delta,
                   void* stream);
void sink_gradients(const TensorView& lse, const TensorView& delta, const TensorView& sinks,
                    const TensorView& d_sinks, void* stream);

}  // namespace qb::cuda
