// The command line: verbs, their options, and what each runs. CLI11 parses it, and takes a compiler
// so long that command_line.cpp alone includes it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace qb {

// What a verb does once all words are parsed.
using Action = std::function<ExitCode()>;

// An option of a verb. A handle: copies mean the same option, which lives as long as its
// CommandLine.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& required();
  Option& needs(const Option& other);
  Option& excludes(const Option& other);
  Option& type_name(const std::string& name);  // in --help, in place of TEXT or FLOAT
  Option& show_default();                      // in --help: the variable's value now

  // Of a list: may be given several times, each time with one value. --help calls it a value, or a
  // list.
  Option& repeatable();
  Option& repeatable_list();

  // Once the words are parsed.
  [[nodiscard]] bool given() const;

 private:
  CLI::Option* option_;
};

// A verb, or the program itself. A handle, as Option is.
//
// `name` of an option: --word, or WORD where it is told by its place. Variables must live until the
// words are parsed.
class Verb {
 public:
  Verb(CLI::App* app, Action* action) : app_(app), action_(action) {}

  [[nodiscard]] Verb add_verb(const std::string& name, const std::string& what);
  void require_verb();  // one of those below it
  void hide();          // from --help
  void footer(const std::string& text);
  void runs(Action action);

  Option option(const std::string& name, std::string& value, const std::string& what);
  Option option(const std::string& name, double& value, const std::string& what);
  Option option(const std::string& name, std::optional<double>& value, const std::string& what);
  // Values one after the other; numbers also between commas.
  Option option(const std::string& name, std::vector<std::string>& values, const std::string& what);
  Option option(const std::string& name, std::vector<double>& values, const std::string& what);
  // `read` throws UsageError on what it does not understand.
  Option option(const std::string& name, std::function<void(const std::string&)> read,
                const std::string& what);

  Option flag(const std::string& name, bool& value, const std::string& what);
  Option flag(const std::string& name, std::function<void()> then, const std::string& what);

 private:
  CLI::App* app_;
  Action* action_;
};

class CommandLine {
 public:
  CommandLine(const std::string& description, const std::string& name, const std::string& version);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  [[nodiscard]] Verb program();

  // What to do for `words`, the program's own name not among them. --help and --version are
  // answered here, which leaves nothing to do. Throws UsageError: one sentence with what is wrong,
  // the nearest word that exists, and where the others are listed.
  [[nodiscard]] Action parse(std::vector<std::string> words);

 private:
  std::unique_ptr<CLI::App> app_;
  Action action_;
};

}  // namespace qb
