// The command line: verbs, their options, and what each runs. CLI11 parses it. CLI11 compiles
// slowly, so command_line.cpp alone includes it.
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

// An option of a verb. This is a handle: copies mean the same option, which lives as long as its
// CommandLine.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& required();
  Option& needs(const Option& other);
  Option& excludes(const Option& other);
  Option& type_name(const std::string& name);  // --help shows it instead of TEXT or FLOAT
  Option& show_default();                      // --help shows the variable's value now

  // A list may be given several times, each time with one value. --help calls it a value, or a
  // list.
  Option& repeatable();
  Option& repeatable_list();

  // Says whether the words named it; call it once they are parsed.
  [[nodiscard]] bool given() const;

 private:
  CLI::Option* option_;
};

// A verb, or the program itself. This is a handle, as Option is.
//
// The `name` of an option is --word, or WORD if its position identifies it. Variables must live
// until the words are parsed.
class Verb {
 public:
  Verb(CLI::App* app, Action* action) : app_(app), action_(action) {}

  [[nodiscard]] Verb add_verb(const std::string& name, const std::string& what);
  void require_verb();  // one of its own verbs must follow
  void hide();          // --help does not list it
  void footer(const std::string& text);
  void runs(Action action);

  Option option(const std::string& name, std::string& value, const std::string& what);
  Option option(const std::string& name, double& value, const std::string& what);
  Option option(const std::string& name, std::optional<double>& value, const std::string& what);
  // Values follow one another; commas may also separate numbers.
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

  // Returns what to do for `words`, which do not include the program's own name. --help and
  // --version are answered here, and the action then does nothing. Throws UsageError: one sentence
  // says what is wrong, gives the nearest word that exists, and says where the others are listed.
  [[nodiscard]] Action parse(std::vector<std::string> words);

 private:
  std::unique_ptr<CLI::App> app_;
  Action action_;
};

}  // namespace qb
