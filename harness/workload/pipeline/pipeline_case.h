// SPDX-License-Identifier: Apache-2.0
// The parameters of a case of workload pipeline.
#pragma once

#include "harness/plan/pipeline/pipeline_plan.h"

namespace qb {

struct PipelineCase {
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  int stages = 0;          // 0: one a worker; others are groups of workers
  int layers = 0;          // of the stack; 0: one for each virtual stage of each stage
  int microbatches = 0;    // 0: one for each sequence of the batch
  int chunks = 1;          // of a sequence
  int virtual_stages = 1;  // of a stage
  ChunkCut cut = ChunkCut::times;
};

}  // namespace qb
