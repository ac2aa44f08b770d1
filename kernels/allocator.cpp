// SPDX-License-Identifier: Apache-2.0
#include "kernels/allocator.h"

#include <new>

#include "base/status.h"

namespace qb {
namespace {

constexpr std::align_val_t kAlignment{64};

class HeapAllocator final : public Allocator {
 public:
  void* allocate(std::size_t bytes, std::string_view label, int /*worker*/) override {
    // No machine has more, and sanitizers end the process on such a request.
    const bool absurd = bytes > static_cast<std::size_t>(PTRDIFF_MAX);
    void* const pointer = absurd ? nullptr : ::operator new(bytes, kAlignment, std::nothrow);
    if (pointer == nullptr) throw OutOfMemory(label, bytes, 0, 0);
    return pointer;
  }
  void deallocate(void* pointer) noexcept override { ::operator delete(pointer, kAlignment); }
};

}  // namespace

Allocator& heap_allocator() {
  static HeapAllocator allocator;
  return allocator;
}

}  // namespace qb
