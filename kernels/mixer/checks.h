// SPDX-License-Identifier: Apache-2.0
// What the calls of mixing operators check. Each throws with `who`, the function that was called,
// in front: std::invalid_argument for what does not fit together, Unsupported for what no kernel
// computes.
#pragma once

#include <string_view>

#include "kernels/mixer/mixer.h"

namespace qb {

void check_mixer(std::string_view who, const MixerOptions& options, const MixerArguments& arguments,
                 int threads);
void check_output(std::string_view who, const MixerOptions& options,
                  const MixerArguments& arguments);
void check_state(std::string_view who, const MixerOptions& options, const MixerArguments& arguments,
                 const MixerState& state);

// Throws unless the tensor is f32 and has this extent.
void require_floats(std::string_view who, std::string_view name, const TensorView& tensor,
                    const Extent& expected);

}  // namespace qb
