// Interest sets for any W: perfect ones where geometry gives them, else rulers and local search.
#pragma once

#include <cstdint>
#include <optional>

#include "interest_sets/sets/interest_set.h"

namespace qb {

// The order q of the Singer sets of W = q^2 + q + 1, q a prime power; nullopt for other W.
[[nodiscard]] std::optional<int> singer_order(int modulus);

// The perfect difference set of a line of the projective plane over GF(q): q + 1 residues, every
// difference once. The plane's points are the powers x^0, x^1, … of a root of a cubic over GF(q),
// up to factors in GF(q); the line is where x^2 has no share, so 0 and 1 are on it. O(q^2) a cubic
// tried. Throws UsageError where W has no singer_order(). (Singer, Trans. AMS 43, 1938.)
[[nodiscard]] InterestSet singer_set(int modulus);

// A complete ruler (every distance 1..L) of length L >= W/2 with the fewest marks that Wichmann's
// pattern gives, about sqrt(3 W / 2): steps 1 r times, r + 1, 2r + 1 r times, 4r + 3 s times,
// 2r + 2 r + 1 times, 1 r times; marks that nothing needs mod W are left out. W >= 3, else
// UsageError. (Wichmann, J. London Math. Soc. 38, 1963.)
[[nodiscard]] InterestSet ruler_set(int modulus);

// Local search for a cover of at most `size` residues: simulated annealing at a constant
// temperature, each move closing one open difference. Only unions of orbits of x -> multiplier x
// are looked at (1: all sets): far fewer, and their differences come in orbits too, so that a cover
// is far more often met. nullopt where `moves` do not find one. Deterministic for a seed. Contains
// 0 and 1, residues ascending. The multiplier must be a unit, else std::invalid_argument.
[[nodiscard]] std::optional<InterestSet> local_search(int modulus, int size, int multiplier,
                                                      std::uint64_t seed, std::int64_t moves);

// The smallest that the constructions and about `moves` of local search give: the Singer set where
// there is one; else the ruler, and then covers of one residue less at a time, over all sets and
// over unions of orbits of multipliers of small order. Deterministic.
[[nodiscard]] InterestSet searched_set(int modulus, std::int64_t moves);

}  // namespace qb
