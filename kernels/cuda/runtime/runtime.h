// Owners of what the CUDA runtime hands out, behind a header that needs no CUDA. Everything throws
// as QB_CUDA_CHECK does, except destructors: what they meet has been met before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace qb::cuda {

// A handle that is given back once. Move-only.
template <class Traits>
class Handle {
 public:
  Handle() = default;
  explicit Handle(void* handle) : handle_(handle) {}
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Handle() {
    if (handle_ != nullptr) Traits::destroy(handle_);
  }
  [[nodiscard]] void* get() const { return handle_; }

 private:
  void* handle_ = nullptr;
};

struct StreamTraits {
  static void destroy(void* handle) noexcept;
};
struct EventTraits {
  static void destroy(void* handle) noexcept;
};
struct PoolTraits {
  static void destroy(void* handle) noexcept;
};
struct GraphTraits {
  static void destroy(void* handle) noexcept;
};

// The device of this process from here on. Creates its context.
void use_device(int ordinal);

class Stream {  // that does not wait for the default stream
 public:
  enum class Priority { normal, high };  // high: its blocks are placed before those of others
  explicit Stream(Priority priority = Priority::normal);
  [[nodiscard]] void* get() const { return handle_.get(); }
  void wait() const;

 private:
  Handle<StreamTraits> handle_;
};

class Event {
 public:
  Event();
  void record(const Stream& stream) { record(stream.get()); }
  void record(void* stream);  // a cudaStream_t
  // Seconds from `earlier` to this; both must have happened.
  [[nodiscard]] double seconds_since(const Event& earlier) const;
  // Later work of the stream waits for this event.
  void hold_back(const Stream& stream) const { hold_back(stream.get()); }
  void hold_back(void* stream) const;
  [[nodiscard]] bool has_happened() const;

 private:
  Handle<EventTraits> handle_;
};

// What `enqueue` enqueues on the stream, recorded once.
class Graph {
 public:
  Graph(const Stream& stream, const std::function<void()>& enqueue);
  void launch(const Stream& stream) const;

 private:
  Handle<GraphTraits> handle_;
};

// Plain allocations, which the driver gives back at once and waits for the device to do so.
struct DirectMemory {
  [[nodiscard]] static std::uint64_t free_bytes();
  [[nodiscard]] static void* allocate(std::size_t bytes);  // nullptr: no more
  // Waits for what the stream was given before. A device that is lost is met elsewhere.
  static void release(void* memory, void* stream) noexcept;
};

// A private pool of the driver's, ordered with one stream, that keeps what it gets back.
class Pool {
 public:
  explicit Pool(const Stream& stream);
  [[nodiscard]] void* allocate(std::size_t bytes) const;  // nullptr: no more
  void release(void* memory) const noexcept;
  void trim() const;  // waits, and gives the driver back what is not used
  [[nodiscard]] std::uint64_t reserved_bytes() const;
  [[nodiscard]] std::uint64_t used_bytes() const;

 private:
  const Stream& stream_;
  Handle<PoolTraits> handle_;
};

// Enqueued copies between the host and the device; stream: a cudaStream_t. From pageable memory:
// the bytes have been read when this returns.
void copy_to_device(const void* host, void* device, std::size_t bytes, void* stream);
// Waits for the copy.
void copy_to_host(const void* device, void* host, std::size_t bytes, void* stream);
void fill_bytes(void* device, unsigned char value, std::size_t bytes, void* stream);

}  // namespace qb::cuda
