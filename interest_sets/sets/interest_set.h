// Interest sets: difference covers of Z_W, the combinatorial heart of CQS-Attention.
//
// An interest set I of W holds m residues, 0 and 1 among them, whose pairwise differences cover
// every non-zero residue mod W (the all-pairs property). Quorum of worker k: S_k = {(x+k) mod W}.
// (Bian & Somani, IEEE Access 2025, and its supplement, section B.)
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qb {

struct InterestSet {
  int modulus = 0;            // W
  std::vector<int> residues;  // in the order given; the order decides the self-distillation

  friend bool operator==(const InterestSet&, const InterestSet&) = default;
};

// The smallest non-zero residue that is no difference of two members; nullopt when all are covered.
// O(m^2) time and memory, whatever the modulus.
[[nodiscard]] std::optional<int> first_uncovered_difference(const InterestSet& set);

// Throws UsageError with one sentence: modulus < 3, a residue outside [0, W), a repeated residue, 0
// or 1 missing, or the first uncovered difference.
void verify(const InterestSet& set);

// `0,1,3` or `0 1 3`. Throws UsageError. Does not verify.
[[nodiscard]] InterestSet parse_interest_set(std::string_view text, int modulus);

// `0,1,3`
[[nodiscard]] std::string to_string(const InterestSet& set);

// S_k in the order of I, 0 <= worker < W. Throws std::out_of_range outside.
[[nodiscard]] std::vector<int> quorum(const InterestSet& set, int worker);

// The published set of the supplement's table, W = 3..111; nullopt outside.
[[nodiscard]] std::optional<InterestSet> published_interest_set(int modulus);

// A verified set for any W >= 3: published, stored (best_known.h), Singer's, or a ruler. Throws
// UsageError below 3.
[[nodiscard]] InterestSet default_interest_set(int modulus);

}  // namespace qb
