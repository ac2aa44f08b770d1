// What changed since the previous run of the same spec, as a section of a page.
#pragma once

#include <optional>
#include <string>

#include "plots/report/report.h"

namespace qb {

// Compares a run with the newest finished one before it, of the same spec and machine, in the
// folder that holds both (RESULTS/EXPERIMENT). Nothing if there is none.
[[nodiscard]] std::optional<Report::Section> change_section(const std::string& folder);

}  // namespace qb
