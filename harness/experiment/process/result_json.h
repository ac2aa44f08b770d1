// The answer of a child process: a CaseResult as one JSON document.
#pragma once

#include <string>
#include <string_view>

#include "harness/workload/result.h"

namespace qb {

[[nodiscard]] std::string result_to_json(const CaseResult& result);

// Throws std::runtime_error, which says what is wrong, on a malformed or torn answer.
[[nodiscard]] CaseResult result_from_json(std::string_view text);

}  // namespace qb
