// The verbs of the command line: one file each, and one line here.
#pragma once

#include "harness/cli/command_line.h"

namespace qb {

// The order is that of --help. verbs/NAME.cpp defines add_NAME(Verb program) for each.
// clang-format off
#define QB_VERBS(line) \
  line(run) \
  line(plan) \
  line(attend) \
  line(layer) \
  line(reproduce) \
  line(verify) \
  line(status) \
  line(compare) \
  line(plot) \
  line(report) \
  line(masks) \
  line(sets) \
  line(bounds) \
  line(select) \
  line(calibrate) \
  line(advise) \
  line(columns) \
  line(env)
// clang-format on

#define QB_DECLARE_VERB(name) void add_##name(Verb program);
QB_VERBS(QB_DECLARE_VERB)
#undef QB_DECLARE_VERB

// Verbs below `qb sets` that have a file of their own.
void add_sets_search(Verb sets);
void add_sets_figures(Verb sets);

}  // namespace qb
