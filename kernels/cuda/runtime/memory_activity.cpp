// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/memory_activity.h"

#include <cupti.h>

#include <cstdlib>
#include <mutex>

#include "base/status.h"
#include "kernels/cuda/runtime/loaded_library.h"

namespace qb::cuda {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

struct Cupti : LoadedLibrary {
  Cupti() : LoadedLibrary(NvidiaLibrary::cupti, "counting the device's memory needs CUPTI") {}
  decltype(&cuptiActivityRegisterCallbacks) set_callbacks =
      function("cuptiActivityRegisterCallbacks");
  decltype(&cuptiActivityEnable) enable = function("cuptiActivityEnable");
  decltype(&cuptiActivityDisable) disable = function("cuptiActivityDisable");
  decltype(&cuptiActivityFlushAll) flush = function("cuptiActivityFlushAll");
  decltype(&cuptiActivityGetNextRecord) next = function("cuptiActivityGetNextRecord");
};

const Cupti& cupti() { return loaded<Cupti>(); }

// CUPTI calls back without user data, so the record belongs to the process.
struct Recording {
  std::mutex mutex;
  std::vector<MemoryActivity::Operation> operations;
};

Recording& recording() {
  static Recording one;
  return one;
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *max_records = 0;  // as many as fit
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid_bytes) {
  Recording& now = recording();
  const std::lock_guard lock(now.mutex);
  CUpti_Activity* record = nullptr;
  while (valid_bytes > 0 && cupti().next(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    if (record->kind != CUPTI_ACTIVITY_KIND_MEMORY2) continue;
    const auto* memory = reinterpret_cast<const CUpti_ActivityMemory4*>(record);
    if (memory->memoryKind != CUPTI_ACTIVITY_MEMORY_KIND_DEVICE) continue;
    now.operations.push_back(
        {memory->timestamp,
         memory->memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION,
         memory->address, memory->bytes});
  }
  std::free(buffer);
}

// Returns why it does not record; an empty text when it does.
std::string begin() {
  try {
    const CUptiResult set = cupti().set_callbacks(give_buffer, take_buffer);
    const CUptiResult enabled =
        set == CUPTI_SUCCESS ? cupti().enable(CUPTI_ACTIVITY_KIND_MEMORY2) : set;
    return enabled == CUPTI_SUCCESS ? "" : "CUPTI refuses with error " + std::to_string(enabled);
  } catch (const EnvironmentError& error) {
    return error.what();
  }
}

}  // namespace

MemoryActivity::MemoryActivity() {
  recording().operations.clear();
  reason_ = begin();
}

MemoryActivity::~MemoryActivity() {
  if (!reason_.empty()) return;
  (void)cupti().disable(CUPTI_ACTIVITY_KIND_MEMORY2);
  (void)cupti().flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

std::optional<std::uint64_t> MemoryActivity::peak_bytes() const {
  if (!reason_.empty()) return std::nullopt;
  Recording& now = recording();
  if (cupti().flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != CUPTI_SUCCESS) return std::nullopt;
  const std::lock_guard lock(now.mutex);
  return peak_of(now.operations);
}

}  // namespace qb::cuda
