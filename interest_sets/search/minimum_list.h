// What exhaustive search has found, stored: all minimum sets of W = 3..64, and which sizes are
// excluded or counted above.
//
// minimum.txt, a record a W, written by `qb sets search --workers W --compact`:
//
//   8 4 3 10 ad31a8e428f4906d:         W m orbits sets checksum
//   01 02 10                           representatives
//
// A representative (affine.h) is its gaps after 0 and 1, a letter each: gaps 1..10 are 0..9, and on
// through a..z and A..Z; `-` for {0, 1} alone. Sets and checksum are of the whole list, expanded
// and in order.
//
// searches.txt, a line a search:  W m orbits sets nodes cpu_seconds
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interest_sets/search/minimum_sets.h"
#include "interest_sets/sets/interest_set.h"

namespace qb {

struct MinimumList {
  int modulus = 0;
  int size = 0;
  std::uint64_t sets = 0;
  std::uint64_t checksum = 0;
  std::set<std::vector<int>> representatives;
};

// One record with its line ends. Throws UsageError where a gap has no letter (W above 64).
[[nodiscard]] std::string compact_record(const MinimumList& list);
// Throws UsageError `NAME:LINE: …` on what is no record.
[[nodiscard]] std::vector<MinimumList> parse_minimum_lists(std::string_view text,
                                                           std::string_view name);

// Those of minimum.txt, W ascending from 3.
[[nodiscard]] std::span<const MinimumList> stored_minimum_lists();

struct SearchRecord {
  int modulus = 0;
  int size = 0;
  std::int64_t orbits = 0;
  std::int64_t sets = 0;
  std::int64_t nodes = 0;
  double cpu_s = 0.0;
};
// Those of searches.txt.
[[nodiscard]] std::span<const SearchRecord> stored_searches();

// The least size that is not excluded: by counting, or by a search that found nothing.
[[nodiscard]] int proved_lower_bound(int modulus);

}  // namespace qb
