// SPDX-License-Identifier: Apache-2.0
// The algorithm of a case as a file, which qb.sweep() of Python writes (python/):
//   {"name": "two_way", "plans": [{"workers": 8, "deal": "zigzag",
//     "forward": [[[step, queries, keys], …], [[step, to, "p2p", "K", of], …]], "backward": …}, …]}
// The numbers are those of a Recipe (harness/plan/recipe.h).
#pragma once

#include <string>

#include "harness/plan/recipe.h"

namespace qb {

// Reads what the file has for so many workers. Throws UsageError, which names the file, where it is
// missing or malformed, and for another number of workers.
[[nodiscard]] Recipe read_recipe(const std::string& path, int workers);

}  // namespace qb
