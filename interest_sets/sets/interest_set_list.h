// Text files of interest sets, one set a line:
//
//   # a comment
//   7: 0 1 3                 W: residues, apart by spaces or commas
//   7 3: 0 1 3               W m: residues
//   7 3 6.9095: 0 1 3        W m asym-RR: residues; the ratio as its source printed it
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interest_sets/sets/interest_set.h"

namespace qb {

struct ListedSet {
  int line = 0;  // from 1
  InterestSet set;
  std::string printed_ratio;  // empty where the line has none
};

// Blank lines and everything after `#` are skipped. Throws UsageError `NAME:LINE: …` on a line of
// another form, an m that is not the number of residues, a ratio that is no number, and
// `NAME: …` where there is no set at all. Does not verify the sets.
[[nodiscard]] std::vector<ListedSet> parse_interest_sets(std::string_view text,
                                                         std::string_view name);

}  // namespace qb
