// SPDX-License-Identifier: Apache-2.0
// A device that computes the operators of kernels/mixer/mixer.h, which says what each call does.
#pragma once

#include <string_view>

#include "harness/run/device/compute_device.h"
#include "kernels/mixer/mixer.h"

namespace qb {

class MixerDevice : public virtual ComputeDevice {
 public:
  static constexpr std::string_view kMissing =
      "this device mixes tokens by attention alone; the nearest is device: cpu";

  virtual void mix(const MixerOptions& options, const MixerArguments& arguments,
                   const KernelContext& context, const MixerState* before) = 0;
  virtual void mix_state(const MixerOptions& options, const MixerArguments& arguments,
                         const KernelContext& context, const MixerState& state) = 0;
  virtual void attend_state(const MixerOptions& options, const MixerArguments& arguments,
                            const KernelContext& context, const MixerState& state) = 0;
  virtual void append_state(const MixerOptions& options, const MixerState& state,
                            const MixerState& next, const TensorView& a) = 0;
  virtual void attend_lines(const MixerArguments& arguments, std::int64_t length,
                            const KernelContext& context, const TensorView& lse) = 0;
  virtual void attend_lines_backward(const MixerArguments& arguments, const TensorView& lse,
                                     const MixerGradients& gradients, std::int64_t length,
                                     const KernelContext& context) = 0;
  virtual void mix_backward(const MixerOptions& options, const MixerArguments& arguments,
                            const MixerGradients& gradients, const KernelContext& context,
                            const MixerState* before, const MixerState* later) = 0;
  virtual void mix_state_backward(const MixerOptions& options, const MixerArguments& arguments,
                                  const TensorView& d_out, const KernelContext& context,
                                  const MixerState* before, const MixerState& own,
                                  const MixerState& state) = 0;
};

}  // namespace qb
