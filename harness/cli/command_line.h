// The command line: verbs, their options, and what each runs. CLI11 parses it. CLI11 compiles
// slowly, so command_line.cpp alone includes it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/status.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace qb {

// A verb, or the program itself. This is a handle: copies mean the same verb, which lives as long
// as run_words().
//
// The `name` of an option is --word, or WORD if its position identifies it. Variables must live
// until the words are parsed.
class Verb {
 public:
  // An option of a verb; a handle, too.
  class Option {
   public:
    explicit Option(CLI::Option* option = nullptr) : option_(option) {}

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

  Verb(CLI::App* app, std::function<ExitCode()>* action) : app_(app), action_(action) {}

  // --help lists the verb unless `what` is empty, and its own --help ends with the footer.
  [[nodiscard]] Verb add_verb(const std::string& name, const std::string& what,
                              const std::string& footer = "");
  void require_verb();  // one of its own verbs must follow

  // Makes a Words, which the options fill in; the verb then calls act(words), which may return an
  // ExitCode.
  template <class Words, class Act>
  Words& runs(Act act) {
    const auto words = std::make_shared<Words>();
    set_action([words, act] {
      if constexpr (std::is_void_v<std::invoke_result_t<Act, Words&>>) {
        act(*words);
        return ExitCode::ok;
      } else {
        return act(*words);
      }
    });
    return *words;
  }

  Option option(const std::string& name, std::string& value, const std::string& what);
  Option option(const std::string& name, double& value, const std::string& what);
  // Values follow one another.
  Option option(const std::string& name, std::vector<std::string>& values, const std::string& what);
  // `read` throws UsageError on what it does not understand.
  Option option(const std::string& name, std::function<void(const std::string&)> read,
                const std::string& what);

  Option flag(const std::string& name, bool& value, const std::string& what);
  Option flag(const std::string& name, std::function<void()> then, const std::string& what);

 private:
  void set_action(std::function<ExitCode()> action);

  CLI::App* app_;
  std::function<ExitCode()>* action_;
};

// Does what `words` ask for, which do not include the program's own name; `add_verbs` declares what
// they can be. It answers --help and --version itself. Throws UsageError: one sentence says what is
// wrong, gives the nearest word that exists, and says where the others are listed.
ExitCode run_words(const std::function<void(Verb)>& add_verbs, std::vector<std::string> words,
                   const std::string& description = "", const std::string& footer = "",
                   const std::string& version = "");

}  // namespace qb
