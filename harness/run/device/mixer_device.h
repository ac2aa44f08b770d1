// SPDX-License-Identifier: Apache-2.0
// A device that computes the operators of kernels/mixer/mixer.h, which says what each call does.
// They are the operators of the CPU: no GPU has kernels for them.
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
                   const KernelContext& context, const MixerState* before) {
    qb::mix(options, arguments, here(context), before);
  }
  virtual void mix_state(const MixerOptions& options, const MixerArguments& arguments,
                         const KernelContext& context, const MixerState& state) {
    qb::mix_state(options, arguments, here(context), state);
  }
  virtual void attend_state(const MixerOptions& options, const MixerArguments& arguments,
                            const KernelContext& context, const MixerState& state) {
    qb::attend_state(options, arguments, here(context), state);
  }
  virtual void append_state(const MixerOptions& options, const MixerState& state,
                            const MixerState& next, const TensorView& a) {
    if (computes_operators()) qb::append_state(options, state, next, a);
  }
  virtual void attend_lines(const MixerArguments& arguments, std::int64_t length,
                            const KernelContext& context, const TensorView& lse) {
    qb::attend_lines(arguments, length, here(context), lse);
  }
  virtual void attend_lines_backward(const MixerArguments& arguments, const TensorView& lse,
                                     const MixerGradients& gradients, std::int64_t length,
                                     const KernelContext& context) {
    qb::attend_lines_backward(arguments, lse, gradients, length, here(context));
  }
  virtual void mix_backward(const MixerOptions& options, const MixerArguments& arguments,
                            const MixerGradients& gradients, const KernelContext& context,
                            const MixerState* before, const MixerState* later) {
    qb::mix_backward(options, arguments, gradients, here(context), before, later);
  }
  virtual void mix_state_backward(const MixerOptions& options, const MixerArguments& arguments,
                                  const TensorView& d_out, const KernelContext& context,
                                  const MixerState* before, const MixerState& own,
                                  const MixerState& state) {
    qb::mix_state_backward(options, arguments, d_out, here(context), before, own, state);
  }

 private:
  // A rehearsal does not: its calls only take their memory.
  [[nodiscard]] virtual bool computes_operators() const { return true; }
  [[nodiscard]] KernelContext here(KernelContext context) const {
    context.computes = computes_operators();
    return context;
  }
};

}  // namespace qb
