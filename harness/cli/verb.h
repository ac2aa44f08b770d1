// The verbs of the command line: one file each.
#pragma once

#include "harness/cli/command_line.h"

namespace qb {

void add_run(Verb program);
void add_plan(Verb program);
void add_attend(Verb program);
void add_layer(Verb program);
void add_reproduce(Verb program);
void add_verify(Verb program);
void add_status(Verb program);
void add_compare(Verb program);
void add_plot(Verb program);
void add_report(Verb program);
void add_masks(Verb program);
void add_sets(Verb program);
void add_bounds(Verb program);
void add_select(Verb program);
void add_calibrate(Verb program);
void add_advise(Verb program);
void add_env(Verb program);
void add_columns(Verb program);

}  // namespace qb
