// The verbs below `qb sets` that have a file of their own.
#pragma once

#include <CLI/CLI.hpp>

#include "harness/cli/verb.h"

namespace qb {

void add_sets_search(CLI::App& sets, Action& action);
void add_sets_table(CLI::App& sets, Action& action);
void add_sets_skew(CLI::App& sets, Action& action);
void add_sets_product(CLI::App& sets, Action& action);

}  // namespace qb
