#include "kernels/cuda/memory_activity.h"

#include <cupti.h>

#include <cstdlib>
#include <mutex>

#include "kernels/cuda/dynamic_library.h"
#include "kernels/cuda/memory_tally.h"

namespace qb::cuda {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

struct Functions {
  decltype(&cuptiActivityRegisterCallbacks) set_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityFlushAll) flush = nullptr;
  decltype(&cuptiActivityGetNextRecord) next = nullptr;
};

// CUPTI calls back without a word of ours, so what is recorded is the process's.
struct Recording {
  Functions cupti;
  std::mutex mutex;
  MemoryTally tally;
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
  while (valid_bytes > 0 && now.cupti.next(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    if (record->kind != CUPTI_ACTIVITY_KIND_MEMORY2) continue;
    const auto* memory = reinterpret_cast<const CUpti_ActivityMemory4*>(record);
    if (memory->memoryKind != CUPTI_ACTIVITY_MEMORY_KIND_DEVICE) continue;
    now.tally.add({memory->timestamp,
                   memory->memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION,
                   memory->address, memory->bytes});
  }
  std::free(buffer);
}

// Why not; empty when it records.
std::string begin(Functions& cupti) {
  const DynamicLibrary library({"libcupti.so." + std::to_string(CUDART_VERSION / 1000)},
                               toolkit_folders());
  if (!library) return library.reason();
  library.load(cupti.set_callbacks, "cuptiActivityRegisterCallbacks");
  library.load(cupti.enable, "cuptiActivityEnable");
  library.load(cupti.disable, "cuptiActivityDisable");
  library.load(cupti.flush, "cuptiActivityFlushAll");
  library.load(cupti.next, "cuptiActivityGetNextRecord");
  const CUptiResult set = cupti.set_callbacks(give_buffer, take_buffer);
  const CUptiResult enabled =
      set == CUPTI_SUCCESS ? cupti.enable(CUPTI_ACTIVITY_KIND_MEMORY2) : set;
  return enabled == CUPTI_SUCCESS ? "" : "CUPTI refuses with error " + std::to_string(enabled);
}

}  // namespace

MemoryActivity::MemoryActivity() {
  recording().tally = {};
  reason_ = begin(recording().cupti);
}

MemoryActivity::~MemoryActivity() {
  if (!reason_.empty()) return;
  (void)recording().cupti.disable(CUPTI_ACTIVITY_KIND_MEMORY2);
  (void)recording().cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

std::optional<std::uint64_t> MemoryActivity::peak_bytes() const {
  if (!reason_.empty()) return std::nullopt;
  Recording& now = recording();
  if (now.cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != CUPTI_SUCCESS) return std::nullopt;
  const std::lock_guard lock(now.mutex);
  return now.tally.peak_bytes();
}

}  // namespace qb::cuda
