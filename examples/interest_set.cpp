// SPDX-License-Identifier: Apache-2.0
// Prints an interest set for a number of workers, and how evenly it shares the work of N tokens:
//   interest_set [W [N]]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include "interest_sets/sets/known_sets.h"
#include "interest_sets/split/distillation.h"

int main(int argc, char** argv) try {
  const int workers = argc > 1 ? std::atoi(argv[1]) : 13;
  const long n_tokens = argc > 2 ? std::atol(argv[2]) : 4096;
  const qb::KnownSet known = qb::known_interest_set(workers);
  qb::verify(known.set);  // throws unless every difference is covered
  std::printf("W = %d: {%s}, %s; no set has fewer than %d residues\n", workers,
              qb::to_string(known.set).c_str(), qb::word(known.standing).data(), known.lower_bound);

  std::printf("worker 1 holds groups");
  for (const int group : qb::quorum(known.set, 1)) std::printf(" %d", group);
  std::printf("\nand computes the pairs");
  for (const qb::GroupPair& pair : qb::distill(known.set, 1))
    std::printf(" (%d, %d)", pair.first, pair.second);

  const std::vector<std::int64_t> pairs = qb::responsibilities(known.set, n_tokens);
  const auto [least, most] = std::minmax_element(pairs.begin(), pairs.end());
  std::printf("\nworkers compute %lld to %lld of the %ld query-key pairs\n",
              static_cast<long long>(*least), static_cast<long long>(*most), n_tokens * n_tokens);
} catch (const std::exception& error) {
  std::fprintf(stderr, "interest_set: %s\n", error.what());
  return 1;
}
