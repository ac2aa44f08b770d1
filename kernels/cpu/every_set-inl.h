// SPDX-License-Identifier: Apache-2.0
// Compiles the source that includes it once for each instruction set (highway_targets.h). Highway
// reads that source again for each of them, so that it must be compiled alone. This comes after
// headers of the host's code and before those of vector code.
#define HWY_TARGET_INCLUDE __BASE_FILE__
#include "kernels/cpu/highway_targets.h"
// These includes must come after highway_targets.h.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
