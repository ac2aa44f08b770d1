// SPDX-License-Identifier: Apache-2.0
// Gives the stored interest sets: the published ones, and the smallest known one of every W.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "interest_sets/sets/interest_set.h"

namespace qb {

// Text files of interest sets have one set on each line:
//
//   # a comment
//   7: 0 1 3                 W: residues, apart by spaces or commas
//   7 3: 0 1 3               W m: residues
//   7 3 6.9095: 0 1 3        W m asym-RR: residues; the ratio as its source printed it

struct ListedSet {
  InterestSet set;
  std::string printed_ratio;  // empty where the line has none
};

// Skips blank lines and everything after `#`. Throws UsageError `NAME:LINE: …` on a line of another
// form or a wrong m, and `NAME: …` where there is no set at all. It does not verify the sets.
[[nodiscard]] std::vector<ListedSet> parse_interest_sets(std::string_view text,
                                                         std::string_view name);

// Returns the 109 published sets, verified, W = 3..111 ascending.
[[nodiscard]] std::span<const ListedSet> published_interest_sets();

enum class Standing {
  optimal,     // proved by counting or by exhaustive search that no smaller set exists
  singer,      // a perfect difference set, optimal by counting
  best_known,  // a smaller one is not excluded
};

template <>
inline constexpr auto kWords<Standing> =
    word_table<Standing>("standing", {{Standing::optimal, "optimal"},
                                      {Standing::singer, "singer"},
                                      {Standing::best_known, "best known"}});

struct KnownSet {
  InterestSet set;
  Standing standing = Standing::best_known;
  int lower_bound = 0;  // proved: no set has fewer residues
};

// Returns the sets of best_known.txt, verified, W = 112..1024 ascending.
[[nodiscard]] std::span<const ListedSet> stored_best_sets();

// Returns default_interest_set() with its standing. Throws UsageError if W < 3.
[[nodiscard]] KnownSet known_interest_set(int modulus);

}  // namespace qb
