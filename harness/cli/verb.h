// The verbs of the command line: one file each. A verb adds its subcommand to the parser and leaves
// in `action` what to do once its words are parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "harness/base/status.h"

namespace qb {

using Action = std::function<ExitCode()>;

void add_run(CLI::App& app, Action& action);
void add_plan(CLI::App& app, Action& action);
void add_attend(CLI::App& app, Action& action);
void add_layer(CLI::App& app, Action& action);
void add_reproduce(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_status(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_plot(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_masks(CLI::App& app, Action& action);
void add_sets(CLI::App& app, Action& action);
void add_bounds(CLI::App& app, Action& action);
void add_select(CLI::App& app, Action& action);
void add_calibrate(CLI::App& app, Action& action);
void add_advise(CLI::App& app, Action& action);
void add_env(CLI::App& app, Action& action);

}  // namespace qb
