// SPDX-License-Identifier: Apache-2.0
// CQS-Attention is built on interest sets, which are difference covers of Z_W. An interest set I of
// W holds m residues, 0 and 1 among them, whose pairwise differences cover every non-zero residue
// mod W (the all-pairs property). The quorum of worker k is S_k = {(x+k) mod W}. (Bian & Somani,
// IEEE Access 2025, and its supplement, section B.)
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qb {

struct InterestSet {
  int modulus = 0;            // W
  std::vector<int> residues;  // in the order given; the order decides the self-distillation

  friend bool operator==(const InterestSet&, const InterestSet&) = default;
};

// Returns the smallest non-zero residue that is not a difference of two members; nullopt when all
// are covered. It takes O(m^2) time and memory, whatever the modulus.
[[nodiscard]] std::optional<int> first_uncovered_difference(const InterestSet& set);

// Throws UsageError with one sentence on a modulus < 3, a residue outside [0, W), a repeated
// residue, where 0 or 1 is missing, or on the first uncovered difference.
void verify(const InterestSet& set);

// Reads `0,1,3` or `0 1 3`. Throws UsageError. It does not verify the set.
[[nodiscard]] InterestSet parse_interest_set(std::string_view text, int modulus);

[[nodiscard]] std::string to_string(const InterestSet& set);  // Returns `0,1,3`.

// Returns S_k in the order of I. Throws std::out_of_range unless 0 <= worker < W.
[[nodiscard]] std::vector<int> quorum(const InterestSet& set, int worker);

// Returns the published set of the supplement's table for W = 3..111; nullopt outside.
[[nodiscard]] std::optional<InterestSet> published_interest_set(int modulus);

// Returns a verified set for any W >= 3: a published or stored one (known_sets.h), Singer's, or a
// ruler. Throws UsageError if W < 3.
[[nodiscard]] InterestSet default_interest_set(int modulus);

}  // namespace qb
