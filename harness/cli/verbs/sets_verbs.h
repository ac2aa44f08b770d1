// The verbs below `qb sets` that have a file of their own.
#pragma once

#include "harness/cli/command_line.h"

namespace qb {

void add_sets_search(Verb sets);
void add_sets_figures(Verb sets);

}  // namespace qb
