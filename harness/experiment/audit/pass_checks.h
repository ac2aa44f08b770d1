// What a row says of a backward pass, and whether it holds.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/experiment/store/run_folder.h"

namespace qb {

// Returns what is wrong with an ok row, one sentence each: the gradients of a backward pass must be
// there and within their tolerances, the times of the two passes must be those that the samples
// give, and must add up to the wall clock of each repeat. Rows of other passes have none of these.
// repeats(column): the numbers of the row's repeats that count. samples: those rows of samples.csv.
[[nodiscard]] std::vector<std::string> pass_findings(
    const RunFolder& run, std::size_t row,
    const std::function<std::vector<double>(std::string_view column)>& repeats,
    const std::vector<std::size_t>& samples);

}  // namespace qb
