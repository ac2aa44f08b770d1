// SPDX-License-Identifier: Apache-2.0
// Kernels and executors take all their memory from an Allocator. The memory ledger
// (harness/execute) is the implementation that measures; kernels know only this interface.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "kernels/tensor.h"

namespace qb {

class Allocator {
 public:
  virtual ~Allocator() = default;
  // Returns memory that is aligned to 64 bytes and not initialised. `label` must outlive the
  // allocator (it is a literal). Throws OutOfMemory. Any thread may call it.
  [[nodiscard]] virtual void* allocate(std::size_t bytes, std::string_view label, int worker) = 0;
  virtual void deallocate(void* pointer) noexcept = 0;
};

// Owns one allocation; a default-constructed or moved-from Buffer holds nothing.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Allocator& allocator, std::size_t bytes, std::string_view label, int worker = 0)
      : data_(allocator.allocate(bytes, label, worker), {&allocator, bytes}) {}

  [[nodiscard]] void* data() const { return data_.get(); }
  [[nodiscard]] std::size_t bytes() const {
    return data() == nullptr ? 0 : data_.get_deleter().bytes;
  }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data());
  }

 private:
  struct Release {
    Allocator* allocator;
    std::size_t bytes;
    void operator()(void* memory) const noexcept { allocator->deallocate(memory); }
  };
  std::unique_ptr<void, Release> data_;
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

// Returns the process's allocator of aligned heap memory. It sets no limit and keeps no record.
[[nodiscard]] Allocator& heap_allocator();

}  // namespace qb
