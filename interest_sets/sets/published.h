// The published interest sets, compiled in from published.txt, and our ratio beside theirs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "interest_sets/sets/interest_set.h"
#include "interest_sets/sets/interest_set_list.h"

namespace qb {

// All 109, W = 3..111 ascending, verified. The lines are those of published.txt.
[[nodiscard]] std::span<const ListedSet> published_interest_sets();

struct PublishedRatio {
  std::string printed;  // as the supplement prints it: `34.898`
  double value = 0.0;
};
// nullopt outside W = 3..111.
[[nodiscard]] std::optional<PublishedRatio> published_asymptotic_ratio(int modulus);

// Whether `ours`, rounded to four decimals, is the printed value or one unit in the last place off.
// The supplement prints four decimals and drops trailing zeros, so `34.898` means 34.8980.
[[nodiscard]] bool agrees_with_published(double ours, const PublishedRatio& published);

struct PublishedComparison {
  InterestSet set;
  double ours = 0.0;  // asymptotic_responsibility_ratio(set)
  PublishedRatio published;
  bool agrees = false;
};
// One row a published set, W ascending.
[[nodiscard]] std::vector<PublishedComparison> compare_with_published();

}  // namespace qb
