// Whether a mask fits the tokens is known only when both are: the sentence then names the option.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "base/status.h"

namespace qb {

// What make() returns. A UsageError about the mask gets `--mask: ` in front.
template <class Make>
[[nodiscard]] auto with_mask_option(Make make) {
  try {
    return make();
  } catch (const UsageError& problem) {
    if (!std::string_view(problem.what()).starts_with("mask ")) throw;
    throw UsageError(fmt::format("--mask: {}", problem.what()));
  }
}

}  // namespace qb
