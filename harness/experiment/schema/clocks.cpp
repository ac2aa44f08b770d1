// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/schema/columns.h"

namespace qb {

// clocks_test.cpp adds up the letters as the executors compose the clocks.
std::string clocks_picture() {
  return
      R"(Three workers: g copies a worker's tokens together, C computes, m merges its partial output
(a letter is 1 ms; the times are made up).

ranks: serial: the workers take turns on the whole machine
  worker 0       ggCCCCCCm
  worker 1                ggCCCCCCCCCm
  worker 2                            ggCCCCCCCm
  wall_time      |-----------------------------|   31 ms, from the inputs to the output
  worker_sum     |-----------------------------|   31 ms, what all workers did
  critical_path  |------------|                    14 ms, what a machine for each worker would need:
                                                   the slowest worker, then all merges

ranks: threads: all at once, each on its share of the machine; the root merges
  worker 0       ggCCCCCC
  worker 1       ggCCCCCCCCC
  worker 2       ggCCCCCCC
  root                      mmm
  wall_time      |------------|                    14 ms, measured; critical_path is the same time
  worker_sum     |-----------------------------|   31 ms, what all workers did

longest_subsequence is the C of the worker with the most tokens alone: 9 ms if that is worker 1.
)";
}

}  // namespace qb
