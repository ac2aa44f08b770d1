// SPDX-License-Identifier: Apache-2.0
// The verbs of the command line: one file each, and one line here. CLI11 parses the words; verb.cpp
// alone includes it, since each file that does takes twice as long to compile.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace qb {

// An option or a flag of a verb.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option& required();
  Option& excludes(const Option& other);
  Option& needs(const Option& other);
  Option& type_name(const std::string& type);  // what --help calls its value
  Option& show_default();
  [[nodiscard]] bool was_given() const;

 private:
  CLI::Option* option_;
};

// A verb that is being declared; copies declare the same one.
class Verb {
 public:
  explicit Verb(CLI::App* app) : app_(app) {}

  // --help lists the verb below this one with `what`, and its own --help ends with the footer.
  Verb add_verb(const std::string& name, const std::string& what, const std::string& footer) const;
  void hide() const;          // --help above does not list it
  void require_verb() const;  // one of those below it
  // What it does once its words are read.
  void act(std::function<ExitCode()> action) const;

  Option add_flag(const std::string& name, bool& value, const std::string& what) const;
  Option add_flag(const std::string& name, std::function<void()> action,
                  const std::string& what) const;
  // A name without dashes is a word in that place. T is a text, a double or a list of texts.
  template <class T>
  Option add_option(const std::string& name, T& value, const std::string& what) const;
  // It may be given several times, each time with one value.
  Option add_repeated(const std::string& name, std::vector<std::string>& values,
                      const std::string& what) const;
  Option add_text(const std::string& name, const std::string& type, const std::string& what,
                  std::function<void(const std::string&)> read) const;

  [[nodiscard]] CLI::App* app() const { return app_; }

 private:
  CLI::App* app_;
};

// The order is that of --help. verbs/NAME.cpp defines add_NAME(Verb program) for each.
// clang-format off
#define QB_VERBS(line) \
  line(run) \
  line(plan) \
  line(attend) \
  line(reproduce) \
  line(papers) \
  line(verify) \
  line(verify_tensors) \
  line(status) \
  line(join) \
  line(slurm) \
  line(compare) \
  line(ab) \
  line(plot) \
  line(report) \
  line(explore) \
  line(table) \
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

// A verb below `qb sets` that has a file of its own.
void add_sets_search(Verb sets);

// The option of a key of a spec: link.mode is --link-mode.
[[nodiscard]] std::string option_of(std::string_view key);

// Does what `words` ask for, which do not include the program's own name; `add_verbs` declares what
// they can be. It answers --help and --version itself. Throws UsageError: one sentence says what is
// wrong, gives the nearest word that exists, and says where the others are listed.
ExitCode run_words(const std::function<void(Verb)>& add_verbs, std::vector<std::string> words,
                   const std::string& description = "", const std::string& footer = "",
                   const std::string& version = "");

}  // namespace qb
