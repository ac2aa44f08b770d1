// The order in which the cases of a sweep run, and which of them need not run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/workload/case.h"

namespace qb {

// The seed of an experiment's order: a hash of its name, so that it is the same on every machine.
[[nodiscard]] std::uint64_t order_seed(std::string_view experiment);

// A permutation of 0 … n-1 (Fisher-Yates over SplitMix64). It is random, so that slow drift of a
// machine does not look like an effect of the swept parameter, and its seed makes it repeatable.
[[nodiscard]] std::vector<std::size_t> seeded_order(std::size_t n, std::uint64_t seed);

// Cases that differ only in n_tokens, or in n_tokens and a kv_len equal to it, form a series.
[[nodiscard]] std::string series_of(const Case& c);

// Remembers the smallest n_tokens of each series that ran out of memory.
class OutOfMemoryRecord {
 public:
  void note(const Case& c);
  // The n_tokens of this series that already ran out, where it is smaller than the case's own.
  [[nodiscard]] std::optional<std::int64_t> smaller_that_ran_out(const Case& c) const;

 private:
  std::map<std::string, std::int64_t> smallest_;
};

}  // namespace qb
