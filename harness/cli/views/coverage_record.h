// A build checks itself by the published tables: data/papers/coverage.csv records how many rows of
// each table have each standing, and of which data. A build that answers the same data otherwise is
// wrong, as one of a compiler with a fault may be.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/papers/coverage.h"

namespace qb {

// A row for each table with the counts of its standings and a fingerprint of the data that the
// answers follow from: data/papers, data/published, data/devices and the cases of data/measured.
// CSV.
[[nodiscard]] std::string coverage_record(std::span<const AnsweredPaper> papers);

enum class BuildCheck { same, other_data, wrong };
struct CheckedBuild {
  BuildCheck found = BuildCheck::same;
  std::string sentence{};  // what to say; empty where all is as it was
};
// Compares the records of these answers and of the committed ones.
[[nodiscard]] CheckedBuild check_build(std::string_view ours, std::string_view committed);

// Compares these answers, which committed data gave, with the committed record; says on stderr what
// check_build() found. Returns false if this build is wrong.
[[nodiscard]] bool answers_as_recorded(std::span<const AnsweredPaper> papers);
// Answers all papers by the committed runs first.
[[nodiscard]] bool answers_as_recorded(const Library& library);

}  // namespace qb
