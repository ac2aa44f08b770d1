// Names of cases for people: `cqs W=7 N=10000 materialized f16 head_dim=128`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/experiment/schema/case.h"

namespace qb {

// Parameters that take more than one value in these cases, besides those that every label has
// (algorithm, workers, n_tokens, kernel, dtype), in column order.
[[nodiscard]] std::vector<std::string> varying_parameters(std::span<const Case> cases);

[[nodiscard]] std::string case_label(const Case& c, std::span<const std::string> varying);

}  // namespace qb
