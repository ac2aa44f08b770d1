// Achieved FLOP/s against sequence length: a line per kernel and element type, a panel per head
// dimension and mask. Other runs' cases, of this program or another, stand in the same panels.
#pragma once

#include <span>
#include <string>

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// A run's cases.csv under a name that no other of the figure has.
struct NamedCases {
  std::string run{};
  const CsvTable* cases = nullptr;
};

// One table of the first run's columns and `run`, the rows run by run; cases of different runs
// never share a case_id in it. Throws UsageError where a later run lacks a column of the first.
[[nodiscard]] CsvTable join_runs(std::span<const NamedCases> runs);

// `cases` is what join_runs gives. The rate is unmasked FLOP over the wall clock of the whole call.
[[nodiscard]] Figure throughput_figure(const CsvTable& cases, const FigureContext& context);

}  // namespace qb
