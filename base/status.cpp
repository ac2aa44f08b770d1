// SPDX-License-Identifier: Apache-2.0
#include "base/status.h"

#include <fmt/format.h>

#include "base/numbers.h"

namespace qb {

OutOfMemory::OutOfMemory(std::string_view label, std::uint64_t requested_bytes,
                         std::uint64_t active_bytes, std::uint64_t budget_bytes)
    : CaseError(Status::oom,
                fmt::format("{} needs {} with {} in use, {}", label, format_bytes(requested_bytes),
                            format_bytes(active_bytes),
                            budget_bytes == 0 ? std::string("and the machine has no more")
                                              : fmt::format("over the budget of {}",
                                                            format_bytes(budget_bytes)))) {}

}  // namespace qb
