// Attention of a decode step against the worker count: wall clock with its computing and exposed
// communication, and relative to one worker beside the published tables.
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// Cases of decode, flash_decoding, tree_decode, and of dense on one worker, in which n_tokens
// decode steps in a row end at kv_len keys. `cases` has the columns of cases.csv.
[[nodiscard]] Figure decode_attention_figure(const CsvTable& cases, const FigureContext& context);

}  // namespace qb
