// SPDX-License-Identifier: Apache-2.0
// FlashLaunch runs a GroupedCall on the device.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/flash/flash_kernels.h"
#include "kernels/cuda/flash/flash_maps.h"
#include "kernels/cuda/flash/flash_work.h"
#include "kernels/cuda/flash/input_copy.h"
#include "kernels/cuda/flash/kernel_costs.h"
#include "kernels/cuda/runtime/check.cuh"

namespace qb::cuda {

void allow_shared_memory(const void* kernel, int bytes) {
  static std::mutex mutex;
  static std::set<std::pair<const void*, int>> allowed;
  int device = 0;
  QB_CUDA_CHECK(cudaGetDevice(&device));
  const std::lock_guard lock(mutex);
  if (allowed.contains({kernel, device})) return;
  QB_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  allowed.emplace(kernel, device);
}

struct FlashLists::State {
  State(const GroupedCall& call, const LaunchContext& context)
      : inputs(align_inputs(call)),
        lists(lower(aligned_call(call, inputs), flash_path(context), context.n_sms)),
        memory(context.workspace, list_bytes(lists), "tile_lists", context.worker) {
    std::vector<std::byte> bytes(memory.bytes());
    FlashParameters p;
    MergeParameters merging;
    for_each_list(lists, p, merging, [to = bytes.data()](const auto& list, auto&) mutable {
      if (!list.empty()) std::memcpy(to, list.data(), list.size() * sizeof(list[0]));
      to += place_bytes(list);
    });
    // The memory is pageable: the call returns when the bytes have been copied.
    QB_CUDA_CHECK(cudaMemcpyAsync(memory.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice,
                                  static_cast<cudaStream_t>(context.stream)));
  }

  AlignedInputs inputs;
  WorkLists lists;
  Buffer memory;
  mutable KeptMaps maps;  // maps of the last launch with these lists
};

FlashLists::FlashLists(const GroupedCall& call, const LaunchContext& context) {
  check_call(call);
  state_ = std::make_shared<State>(call, context);
}

struct FlashLaunch::State {
  State(const GroupedCall& call, std::shared_ptr<const FlashLists::State> of_call,
        const LaunchContext& context)
      : inputs(align_inputs(call)),
        bf16(call.q.dtype == DType::bf16),
        n_blocks_at_most(context.n_sms),
        stream(context.stream),
        shape(of_call->lists.shape),
        kept_lists(std::move(of_call)) {
    require_form_of(kept_lists->inputs);
    GroupedCall aligned = call;
    copies.emplace_back(aligned.q, inputs.q, "q_aligned", context);
    copies.emplace_back(aligned.k, inputs.k, "k_aligned", context);
    copies.emplace_back(aligned.v, inputs.v, "v_aligned", context);
    const WorkLists& lists = kept_lists->lists;
    parameters = flash_parameters(aligned, lists, inputs.scale);
    point_to(*kept_lists);
    make_partials(call, lists, context);
    prepare(aligned, *kept_lists);
  }

  // The form of the inputs decided the kernel and its tiles.
  void require_form_of(const AlignedInputs& listed) const {
    const auto same = [](const AlignedInputs::Input& a, const AlignedInputs::Input& b) {
      return a.copied == b.copied && a.extent == b.extent;
    };
    if (!same(inputs.q, listed.q) || !same(inputs.k, listed.k) || !same(inputs.v, listed.v))
      throw std::invalid_argument(
          "flash: the tensors are shaped or aligned otherwise than the lists'");
  }

  void point_to(const FlashLists::State& of_call) {
    for_each_list(of_call.lists, parameters, merging,
                  [at = of_call.memory.as<std::byte>()](const auto& list, auto& pointer) mutable {
                    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(at);
                    at += place_bytes(list);
                  });
    merging.n_tiles = static_cast<std::int32_t>(of_call.lists.merge_tiles.size());
  }

  // Prepares what costs host time and stays the same from launch to launch.
  void prepare(const GroupedCall& aligned, const FlashLists::State& of_call) {
    if (parameters.n_items == 0) return;
    if (shape.variant != FlashVariant::hopper) return prepare_sm80(shape, bf16);
    prepare_sm90(shape, bf16);
    maps = of_call.maps.of(boxed_inputs(aligned, of_call.lists), tensor_map_encoder());
  }

  void make_partials(const GroupedCall& call, const WorkLists& lists,
                     const LaunchContext& context) {
    if (lists.n_partial_rows > 0) {
      Extent extent = partial_extent(call, lists);
      out = Tensor(context.workspace, DType::f32, extent, "out_partial", context.worker);
      extent.head_dim = 1;
      lse = Tensor(context.workspace, DType::f32, extent, "lse_partial", context.worker);
    }
    parameters.out[1] = address(out.view());
    parameters.lse[1] = address(lse.view());
    merging.out = parameters.out[0];
    merging.lse = parameters.lse[0];
    merging.part_out = parameters.out[1];
    merging.part_lse = parameters.lse[1];
    merging.heads = parameters.q_heads;
    merging.value_dim = parameters.value_dim;
    merging.accumulate = call.accumulate ? 1 : 0;
    n_merge_slots = head_slots(call.q.extent);
  }

  AlignedInputs inputs;
  std::vector<InputCopy> copies;
  bool bf16;
  int n_blocks_at_most;  // blocks of a persistent grid
  void* stream;
  FlashShape shape;
  std::shared_ptr<const FlashLists::State> kept_lists;
  FlashParameters parameters;
  TensorMaps maps;  // sm_90a only
  MergeParameters merging;
  int n_merge_slots = 0;
  Tensor out;
  Tensor lse;
};

FlashLaunch::FlashLaunch(const GroupedCall& call, const LaunchContext& context)
    : FlashLaunch(call, FlashLists(call, context), context) {}
FlashLaunch::FlashLaunch(const GroupedCall& call, const FlashLists& lists,
                         const LaunchContext& context)
    : state_(std::make_shared<State>(call, lists.state_, context)) {}

void FlashLaunch::attend() const {
  const State& s = *state_;
  for (const InputCopy& copy : s.copies) copy.refresh(s.stream);
  const int n_items = s.parameters.n_items;
  if (s.shape.variant == FlashVariant::hopper)
    launch_sm90(s.parameters, s.maps, s.shape, s.bf16, std::min(n_items, s.n_blocks_at_most),
                s.stream);
  else
    launch_sm80(s.parameters, s.shape, s.bf16, n_items, s.stream);
}

void FlashLaunch::merge() const {
  launch_merge(state_->merging, state_->n_merge_slots, state_->stream);
}

void flash(const AttentionArguments& a, const LaunchContext& context) {
  const FlashLaunch launch(whole_call(a, context.worker), context);
  launch.attend();
  launch.merge();
}

void merge(const TensorView& acc_out, const TensorView& acc_lse, const TensorView& part_out,
           const TensorView& part_lse, const LaunchContext& context) {
  MergeParameters p;
  p.out = address(acc_out);
  p.lse = address(acc_lse);
  p.part_out = address(part_out);
  p.part_lse = address(part_lse);
  p.heads = static_cast<std::int32_t>(acc_out.extent.heads);
  p.value_dim = static_cast<std::int32_t>(acc_out.extent.head_dim);
  p.accumulate = 1;
  launch_merge_rows(p, acc_out.extent.length, head_slots(acc_out.extent), context.stream);
}

void clear_partial(const TensorView& out, const TensorView& lse, const LaunchContext& context) {
  MergeParameters p;
  p.out = address(out);
  p.lse = address(lse);
  p.heads = static_cast<std::int32_t>(out.extent.heads);
  p.value_dim = static_cast<std::int32_t>(out.extent.head_dim);
  launch_merge_rows(p, out.extent.length, head_slots(out.extent), context.stream);
}

}  // namespace qb::cuda
