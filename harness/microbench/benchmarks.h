// The microbenchmarks: attention's parts on one device, each alone, the whole kernels, and the cost
// of a CQS plan over the dense kernel.
#pragma once

#include "harness/microbench/recorder.h"

namespace qb {

// quick: what the targets need. Else sweeps over N, types, masks, head_dims and threads.
// Names are part/n:…/d:… and kernel/dtype/mask/n:…/d:…/h:…/threads:…, with /isa:… where one is
// forced.
void register_ceilings(Recorder& recorder);
void register_parts(Recorder& recorder);
void register_kernels(Recorder& recorder, bool quick);
void register_cqs(Recorder& recorder, bool quick);
// Sparse patterns over the ideal, and their schedules over the kernel: sparse/PATTERN/n:… and
// schedule/PATTERN/n:….
void register_sparse(Recorder& recorder, bool quick);
// Accuracy against float64, and a million tokens.
void register_limits(Recorder& recorder);

}  // namespace qb
