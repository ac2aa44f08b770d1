#include "interest_sets/sets/best_known.h"

#include <vector>

#include "interest_sets/search/minimum_list.h"
#include "interest_sets/sets/constructions.h"

namespace qb {
namespace embedded {
extern const std::string_view best_known_sets;
}

std::span<const ListedSet> stored_best_sets() {
  static const std::vector<ListedSet> sets = [] {
    auto parsed = parse_interest_sets(embedded::best_known_sets, "best_known.txt");
    for (const ListedSet& listed : parsed) verify(listed.set);
    return parsed;
  }();
  return sets;
}

Standing standing_of(int modulus, int size) {
  const auto order = singer_order(modulus);
  if (order && size == *order + 1) return Standing::singer;
  return size == proved_lower_bound(modulus) ? Standing::optimal : Standing::best_known;
}

KnownSet known_interest_set(int modulus) {
  InterestSet set = default_interest_set(modulus);
  const int size = static_cast<int>(set.residues.size());
  return {std::move(set), standing_of(modulus, size), proved_lower_bound(modulus)};
}

}  // namespace qb
