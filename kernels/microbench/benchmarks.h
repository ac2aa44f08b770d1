// The parts of attention on one device, each alone: score product, softmax, value product, merge,
// gather; and the whole kernels.
#pragma once

namespace qb {

// Names are part/n:…/d:… and kernel/dtype/mask/n:…/d:…/threads:…; shapes are 8 heads of n queries
// and keys.
void register_benchmarks();

}  // namespace qb
