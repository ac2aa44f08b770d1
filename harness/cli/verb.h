// The verbs of the command line: one file each, and one line here. CLI11 parses the words.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace CLI {
class App;
}

namespace qb {

// The order is that of --help. verbs/NAME.cpp defines add_NAME(CLI::App* program) for each.
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
  line(ab) \
  line(history) \
  line(plot) \
  line(report) \
  line(table) \
  line(masks) \
  line(sets) \
  line(bounds) \
  line(select) \
  line(calibrate) \
  line(advise) \
  line(columns) \
  line(env)
// clang-format on

#define QB_DECLARE_VERB(name) void add_##name(CLI::App* program);
QB_VERBS(QB_DECLARE_VERB)
#undef QB_DECLARE_VERB

// Verbs below `qb sets` that have a file of their own.
void add_sets_search(CLI::App* sets);
void add_sets_figures(CLI::App* sets);

// The option of a key of a spec: link.mode is --link-mode.
[[nodiscard]] std::string option_of(std::string_view key);

// Does what `words` ask for, which do not include the program's own name; `add_verbs` declares what
// they can be. It answers --help and --version itself. Throws UsageError: one sentence says what is
// wrong, gives the nearest word that exists, and says where the others are listed.
ExitCode run_words(const std::function<void(CLI::App*)>& add_verbs, std::vector<std::string> words,
                   const std::string& description = "", const std::string& footer = "",
                   const std::string& version = "");

}  // namespace qb
