// SPDX-License-Identifier: Apache-2.0
// BackwardLaunch runs a backward call on the device.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/flash/backward/backward_kernels.h"
#include "kernels/cuda/flash/backward/backward_work.h"
#include "kernels/cuda/flash/flash_kernels.h"
#include "kernels/cuda/flash/input_copy.h"
#include "kernels/cuda/runtime/check.cuh"

namespace qb::cuda {

namespace {

Buffer buffer(std::int64_t bytes, const char* label, const LaunchContext& context) {
  return {context.workspace, static_cast<std::size_t>(bytes), label, context.worker};
}

}  // namespace

struct BackwardDeviceLists::State {
  State(const BackwardArguments& aligned, const AlignedInputs& of_call, BackwardWork lowered,
        const LaunchContext& context)
      : inputs(of_call),
        work(std::move(lowered)),
        sizes(backward_memory(aligned, inputs, work)),
        memory(buffer(sizes.list_bytes, "backward_lists", context)) {
    std::vector<std::byte> bytes(memory.bytes());
    BackwardParameters p;
    for_each_list(work, p, [to = bytes.data()](const auto& list, auto&) mutable {
      if (!list.empty()) std::memcpy(to, list.data(), list.size() * sizeof(list[0]));
      to += place_bytes(list);
    });
    // The memory is pageable: the call returns when the bytes have been copied.
    QB_CUDA_CHECK(cudaMemcpyAsync(memory.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice,
                                  static_cast<cudaStream_t>(context.stream)));
  }

  AlignedInputs inputs;
  BackwardWork work;
  BackwardMemory sizes;
  Buffer memory;
};

BackwardDeviceLists::BackwardDeviceLists(const BackwardArguments& a, const LaunchContext& context) {
  check_backward_call(a);
  const AlignedInputs inputs = align_inputs(a);
  const BackwardArguments aligned = aligned_call(a, inputs);
  BackwardWork work = lower_backward(aligned, flash_path(context));
  if (work.empty()) return;
  state_ = std::make_shared<const State>(aligned, inputs, std::move(work), context);
}

struct BackwardLaunch::State {
  State(const BackwardArguments& a, std::shared_ptr<const BackwardDeviceLists::State> lists,
        const LaunchContext& context)
      : kept_lists(std::move(lists)),
        kernel{kept_lists->work.shape, a.q.dtype == DType::bf16},
        stream(context.stream) {
    const BackwardDeviceLists::State& of_call = *kept_lists;
    BackwardArguments aligned = a;
    copies.emplace_back(aligned.q, of_call.inputs.q, "q_aligned", context);
    copies.emplace_back(aligned.k, of_call.inputs.k, "k_aligned", context);
    copies.emplace_back(aligned.v, of_call.inputs.v, "v_aligned", context);
    copies.emplace_back(aligned.d_out, of_call.inputs.d_out, "d_out_aligned", context);
    numbers = buffer(of_call.sizes.numbers_bytes, "backward_row_numbers", context);
    query_flags = buffer(of_call.sizes.query_flag_bytes, "backward_query_flags", context);
    key_flags = buffer(of_call.sizes.key_flag_bytes, "backward_key_flags", context);
    // A run that finds NaN or infinity sets the number for all later ones, which costs them time
    // only: the flags say which rows they are.
    const BackwardPlaces places{numbers.as<RowNumbers>(), query_flags.as<std::int32_t>(),
                                key_flags.as<std::int32_t>(), of_call.memory.as<std::int32_t>()};
    of_queries = rows_parameters(aligned, false, places);
    of_keys = rows_parameters(aligned, true, places);
    parameters = backward_parameters(aligned, of_call.work, places);
    for_each_list(of_call.work, parameters,
                  [at = of_call.memory.as<std::byte>()](const auto& list, auto& pointer) mutable {
                    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(at);
                    at += place_bytes(list);
                  });
    if (kernel.shape.variant == FlashVariant::wide) {
      prepare_backward_sm80(kernel);
      return;
    }
    prepare_backward_sm90(kernel);
    encode(aligned, kernel.shape, tensor_map_encoder(), maps);
  }

  void run() const {
    for (const InputCopy& copy : copies) copy.refresh(stream);
    launch_backward_rows(of_queries, stream);
    launch_backward_rows(of_keys, stream);
    if (kernel.shape.variant == FlashVariant::hopper)
      launch_backward_sm90(parameters, maps, kernel, stream);
    else
      launch_backward_sm80(parameters, kernel, stream);
    launch_backward_pairs(parameters, kernel.bf16, stream);
  }

 private:
  std::shared_ptr<const BackwardDeviceLists::State> kept_lists;
  std::vector<InputCopy> copies;
  Buffer numbers;
  Buffer query_flags;
  Buffer key_flags;
  BackwardKernel kernel;
  void* stream;
  RowsParameters of_queries;
  RowsParameters of_keys;
  BackwardParameters parameters;
  BackwardMaps maps;  // sm_90a only
};

BackwardLaunch::BackwardLaunch(const BackwardArguments& a, const LaunchContext& context)
    : BackwardLaunch(a, BackwardDeviceLists(a, context), context) {}

BackwardLaunch::BackwardLaunch(const BackwardArguments& a, const BackwardDeviceLists& lists,
                               const LaunchContext& context) {
  check_backward_tensors("flash_backward", a);
  if (lists.state_ == nullptr) return;
  if (align_inputs(a) != lists.state_->inputs)
    throw std::invalid_argument(
        "flash_backward: the tensors are shaped or aligned otherwise than the lists'");
  state_ = std::make_shared<const State>(a, lists.state_, context);
}

void BackwardLaunch::run() const {
  if (state_ != nullptr) state_->run();
}

void flash_backward(const BackwardArguments& a, const LaunchContext& context) {
  BackwardLaunch(a, context).run();
}

}  // namespace qb::cuda
