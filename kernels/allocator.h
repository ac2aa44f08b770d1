// Where kernels and executors take their memory from. The memory ledger (harness/execute) is the
// implementation that measures; kernels know only this interface.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include "kernels/tensor.h"

namespace qb {

class Allocator {
 public:
  virtual ~Allocator() = default;
  // 64-byte aligned, contents unspecified. `label` must outlive the allocator (a literal).
  // Throws OutOfMemory. Thread-safe.
  [[nodiscard]] virtual void* allocate(std::size_t bytes, std::string_view label, int worker) = 0;
  virtual void deallocate(void* pointer) noexcept = 0;
};

// One allocation, move-only. A default-constructed or moved-from Buffer holds nothing.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Allocator& allocator, std::size_t bytes, std::string_view label, int worker = 0)
      : allocator_(&allocator), data_(allocator.allocate(bytes, label, worker)), bytes_(bytes) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (data_ != nullptr) allocator_->deallocate(data_);
  }

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(allocator_, other.allocator_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }

  Allocator* allocator_ = nullptr;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// A contiguous tensor that owns its memory.
class Tensor {
 public:
  Tensor() = default;
  Tensor(Allocator& allocator, DType dtype, const Extent& extent, std::string_view label,
         int worker = 0)
      : buffer_(allocator, static_cast<std::size_t>(extent.elements() * size_of(dtype)), label,
                worker),
        view_(contiguous_view(buffer_.data(), dtype, extent)) {}
  [[nodiscard]] const TensorView& view() const { return view_; }

 private:
  Buffer buffer_;
  TensorView view_;
};

// The plain aligned heap, without limits or records. One for the process.
[[nodiscard]] Allocator& heap_allocator();

}  // namespace qb
