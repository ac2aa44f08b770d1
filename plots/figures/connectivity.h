// Which pairs of tokens sparse patterns keep: a square a pattern, queries down, keys across.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/csv.h"
#include "plots/frame/figure.h"

namespace qb {

// One pattern over n_tokens. `rectangles` has the columns of a partition of one worker (see
// partition.h).
struct Connectivity {
  std::string mask{};  // as it is written
  std::int64_t n_tokens = 0;
  double kept_share = 0.0;  // of all pairs
  CsvTable rectangles{};
};

// Name of the figure: sparse_connectivity. Kept pairs in the colour of the pattern, pale where a
// square of tokens has some of them.
[[nodiscard]] Figure connectivity_figure(std::span<const Connectivity> patterns);

}  // namespace qb
