// SPDX-License-Identifier: Apache-2.0
// The parameters of a case of workload pipeline.
#pragma once

#include "base/schema/field.h"

namespace qb::fields {

inline constexpr ParameterNeed kIsPipeline = need("workload", "pipeline");
inline constexpr ParameterNeed kRunsRanks =
    need("workload", "attention sequence_mixer relayout stack chunked_prefill")
        .because("a pipeline needs ranks: model");

// A count of such a case.
[[nodiscard]] constexpr Field pipeline_count(FieldGroup group, std::string_view column,
                                             const auto&... settings) {
  Field field = parameter(integer, group, column, at_most(1024), quiet_standard, settings...);
  field.needs[field.needs[0].column.empty() ? 0 : 1] = kIsPipeline;
  return field;
}

inline constexpr Field kPipelineFields[] = {
    parameter(
        word, split, "pipeline_schedule", key("pipeline.schedule"), standard("one_f_one_b"),
        label("{}"), quiet_standard,
        meaning("in which order stages compute: {words}; see [Pipelines](README.md#pipelines)"),
        needs(kIsPipeline)),
    pipeline_count(
        split, "pipeline_stages", key("pipeline.stages"), unit("stages"), standard("0"),
        label("S = {}"),
        meaning("S, the stages, each a group of `workers` / S that share its layers by the "
                "`algorithm`, {range}; 0: one a worker")),
    pipeline_count(problem, "pipeline_layers", key("pipeline.layers"), unit("layers"),
                   standard("0"), label("{} layers"),
                   meaning("the layers of the stack, {range}; 0: one for each virtual stage")),
    pipeline_count(split, "pipeline_microbatches", key("pipeline.microbatches"),
                   unit("microbatches"), standard("0"), label("m = {}"),
                   meaning("m, the microbatches of the batch, {range}; 0: one for each of its "
                           "sequences")),
    pipeline_count(split, "pipeline_virtual_stages", key("pipeline.virtual_stages"),
                   unit("virtual stages"), standard("1"), at_least(1), label("v = {}"),
                   meaning("v, the virtual stages of each stage of `interleaved`, {range}"),
                   needs(need("pipeline_schedule", "interleaved"))),
    pipeline_count(split, "pipeline_chunks", key("pipeline.chunks"), unit("chunks"), standard("1"),
                   at_least(1), label("{} chunks"),
                   meaning("the chunks in which a sequence passes the stages of `gpipe` "
                           "(TeraPipe) or `one_f_one_b` (Seq1F1B), {range}"),
                   needs(need("pipeline_schedule", "gpipe one_f_one_b"))),
    parameter(word, split, "pipeline_cut", key("pipeline.cut"), standard("times"),
              label("cut at equal {}"), quiet_standard,
              meaning("the chunks have equal {words}: `times` is equal pairs of queries and "
                      "keys, at boundaries N sqrt(i / chunks)"),
              needs(kIsPipeline, need("pipeline_chunks"))),
};

}  // namespace qb::fields
