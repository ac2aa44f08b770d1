// SPDX-License-Identifier: Apache-2.0
// Holds an input of a launch where the kernels read it: in place, or copied before each launch.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/flash/flash_kernels.h"
#include "kernels/cuda/flash/flash_work.h"

namespace qb::cuda {

// Returns how many slices of one head a tensor has.
[[nodiscard]] inline int head_slots(const Extent& extent) {
  return static_cast<int>(extent.batch * extent.heads);
}

class InputCopy {
 public:
  // Where the input is copied, `view` becomes that of the copy.
  InputCopy(TensorView& view, const AlignedInputs::Input& aligned, const char* label,
            const LaunchContext& context)
      : from_(view), factor_(aligned.factor) {
    if (!aligned.copied) return;
    copy_.emplace(context.workspace, view.dtype, aligned.extent, label, context.worker);
    view = copy_->view();
  }
  void refresh(void* stream) const {
    if (!copy_) return;
    PadParameters p;
    p.from = address(from_);
    p.to = address(copy_->view());
    p.n_tokens = static_cast<std::int32_t>(from_.extent.length);
    p.heads = static_cast<std::int32_t>(from_.extent.heads);
    p.columns = static_cast<std::int32_t>(from_.extent.head_dim);
    p.padded_columns = static_cast<std::int32_t>(copy_->view().extent.head_dim);
    p.factor = factor_;
    launch_pad(p, head_slots(from_.extent), stream);
  }

 private:
  TensorView from_;
  float factor_;
  std::optional<Tensor> copy_;
};

}  // namespace qb::cuda
