// The smallest known interest set of every W >= 3, with what is known of its size.
#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "base/words.h"
#include "interest_sets/sets/interest_set.h"
#include "interest_sets/sets/interest_set_list.h"

namespace qb {

enum class Standing {
  optimal,     // no smaller set exists: by counting or by exhaustive search
  singer,      // a perfect difference set, optimal by counting
  best_known,  // a smaller one is not excluded
};

template <>
struct Words<Standing> {
  static constexpr std::string_view what = "standing";
  static constexpr std::pair<Standing, std::string_view> table[] = {
      {Standing::optimal, "optimal"},
      {Standing::singer, "singer"},
      {Standing::best_known, "best known"}};
};

struct KnownSet {
  InterestSet set;
  Standing standing = Standing::best_known;
  int lower_bound = 0;  // no set has fewer residues: proved
};

// The lines of best_known.txt, W = 112..1024 ascending, verified. `qb sets construct` wrote them.
[[nodiscard]] std::span<const ListedSet> stored_best_sets();

// default_interest_set() with its standing. Throws UsageError below 3.
[[nodiscard]] KnownSet known_interest_set(int modulus);

// Of a set of this many residues.
[[nodiscard]] Standing standing_of(int modulus, int size);

}  // namespace qb
