// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/runtime.h"

#include "kernels/cuda/runtime/check.cuh"

namespace qb::cuda {
namespace {

cudaStream_t native(const Stream& stream) { return static_cast<cudaStream_t>(stream.get()); }

cudaEvent_t native_event(const Handle& handle) { return static_cast<cudaEvent_t>(handle.get()); }

template <auto destroy, class Native>
Handle owned(Native native) {
  return {native, [](void* handle) { (void)destroy(static_cast<Native>(handle)); }};
}

// Returns nullptr where memory is out and clears that error, so that the next call starts clean.
void* memory_or_null(cudaError_t error, void* memory, const char* what, int line) {
  if (error == cudaSuccess) return memory;
  if (error != cudaErrorMemoryAllocation) fail(error, what, __FILE__, line);
  (void)cudaGetLastError();
  return nullptr;
}

// Returns 0 where the device is lost: it is called while memory is given back and must not throw.
std::uint64_t pool_attribute(const Handle& pool, cudaMemPoolAttr attribute) noexcept {
  std::uint64_t value = 0;
  const cudaError_t error =
      cudaMemPoolGetAttribute(static_cast<cudaMemPool_t>(pool.get()), attribute, &value);
  return error == cudaSuccess ? value : 0;
}

}  // namespace

void use_device(int ordinal) {
  QB_CUDA_CHECK(cudaSetDevice(ordinal));
  QB_CUDA_CHECK(cudaFree(nullptr));
}

Stream::Stream(Priority priority) {
  int least = 0;
  int greatest = 0;
  QB_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t stream = nullptr;
  QB_CUDA_CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                             priority == Priority::high ? greatest : least));
  handle_ = owned<cudaStreamDestroy>(stream);
}

void Stream::wait() const { QB_CUDA_CHECK(cudaStreamSynchronize(native(*this))); }

Event::Event() {
  cudaEvent_t event = nullptr;
  QB_CUDA_CHECK(cudaEventCreate(&event));
  handle_ = owned<cudaEventDestroy>(event);
}

void Event::record(void* stream) {
  QB_CUDA_CHECK(cudaEventRecord(native_event(handle_), static_cast<cudaStream_t>(stream)));
}

double Event::seconds_since(const Event& earlier) const {
  float milliseconds = 0.0f;
  QB_CUDA_CHECK(
      cudaEventElapsedTime(&milliseconds, native_event(earlier.handle_), native_event(handle_)));
  return static_cast<double>(milliseconds) * 1e-3;
}

void Event::hold_back(void* stream) const {
  QB_CUDA_CHECK(cudaStreamWaitEvent(static_cast<cudaStream_t>(stream), native_event(handle_), 0));
}

bool Event::has_happened() const {
  const cudaError_t error = cudaEventQuery(native_event(handle_));
  if (error == cudaErrorNotReady) return false;
  QB_CUDA_CHECK(error);
  return true;
}

Graph::Graph(const Stream& stream, const std::function<void()>& enqueue) {
  cudaGraph_t graph = nullptr;
  QB_CUDA_CHECK(cudaStreamBeginCapture(native(stream), cudaStreamCaptureModeThreadLocal));
  try {
    enqueue();
  } catch (...) {
    (void)cudaStreamEndCapture(native(stream), &graph);
    if (graph != nullptr) (void)cudaGraphDestroy(graph);
    throw;
  }
  QB_CUDA_CHECK(cudaStreamEndCapture(native(stream), &graph));
  cudaGraphExec_t executable = nullptr;
  const cudaError_t error = cudaGraphInstantiate(&executable, graph, 0);
  (void)cudaGraphDestroy(graph);
  QB_CUDA_CHECK(error);
  handle_ = owned<cudaGraphExecDestroy>(executable);
}

void Graph::launch(const Stream& stream) const {
  QB_CUDA_CHECK(cudaGraphLaunch(static_cast<cudaGraphExec_t>(handle_.get()), native(stream)));
}

std::uint64_t DirectMemory::free_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  QB_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  return free;
}

void* DirectMemory::allocate(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, bytes);
  return memory_or_null(error, memory, "cudaMalloc", __LINE__);
}

void DirectMemory::release(void* memory, void* stream) noexcept {
  (void)cudaStreamSynchronize(static_cast<cudaStream_t>(stream));
  (void)cudaFree(memory);
}

Pool::Pool(const Stream& stream) : stream_(stream) {
  int device = 0;
  QB_CUDA_CHECK(cudaGetDevice(&device));
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  cudaMemPool_t pool = nullptr;
  QB_CUDA_CHECK(cudaMemPoolCreate(&pool, &properties));
  handle_ = owned<cudaMemPoolDestroy>(pool);
  std::uint64_t keep_all = UINT64_MAX;
  QB_CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_all));
}

void* Pool::allocate(std::size_t bytes) const {
  void* memory = nullptr;
  const cudaError_t error = cudaMallocFromPoolAsync(
      &memory, bytes, static_cast<cudaMemPool_t>(handle_.get()), native(stream_));
  return memory_or_null(error, memory, "cudaMallocFromPoolAsync", __LINE__);
}

void Pool::release(void* memory) const noexcept { (void)cudaFreeAsync(memory, native(stream_)); }

void Pool::trim() const {
  stream_.wait();
  QB_CUDA_CHECK(cudaMemPoolTrimTo(static_cast<cudaMemPool_t>(handle_.get()), 0));
}

std::uint64_t Pool::reserved_bytes() const {
  return pool_attribute(handle_, cudaMemPoolAttrReservedMemCurrent);
}

std::uint64_t Pool::used_bytes() const {
  return pool_attribute(handle_, cudaMemPoolAttrUsedMemCurrent);
}

void copy_to_device(const void* host, void* device, std::size_t bytes, void* stream) {
  QB_CUDA_CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice,
                                static_cast<cudaStream_t>(stream)));
}

void copy_to_host(const void* device, void* host, std::size_t bytes, void* stream) {
  const auto native_stream = static_cast<cudaStream_t>(stream);
  QB_CUDA_CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, native_stream));
  QB_CUDA_CHECK(cudaStreamSynchronize(native_stream));
}

void fill_bytes(void* device, unsigned char value, std::size_t bytes, void* stream) {
  QB_CUDA_CHECK(cudaMemsetAsync(device, value, bytes, static_cast<cudaStream_t>(stream)));
}

}  // namespace qb::cuda
