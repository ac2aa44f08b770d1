#include "harness/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace qb {
namespace {

// Lists the verbs below `verb`, or its long options, as they are typed.
std::vector<std::string> words_of(const CLI::App& verb, bool options) {
  std::vector<std::string> words;
  if (options)
    for (const CLI::Option* option : verb.get_options())
      for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  else
    // --help does not list a verb in the empty group either.
    for (const CLI::App* below :
         verb.get_subcommands([](const CLI::App* app) { return !app->get_group().empty(); }))
      words.push_back(below->get_name());
  return words;
}

// Gives the required option of `verb` whose absence is the error, as it is typed; empty for other
// errors.
std::string missing_option(const CLI::App& verb, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::RequiredError*>(&error) == nullptr) return {};
  for (const CLI::Option* option : verb.get_options())
    if (option->get_required() && option->count() == 0) return option->get_name();
  return {};
}

// Says which words the parser does not understand; `app` is in the state that its parse() left.
std::string usage_sentence(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* verb = &app;
  std::string words = app.get_name();
  while (!verb->get_subcommands().empty()) {
    verb = verb->get_subcommands().front();
    words += " " + verb->get_name();
  }
  std::string what = error.what();
  if (const std::vector<std::string> unread = app.remaining(true); !unread.empty()) {
    const std::string_view word =
        std::string_view(unread.front()).substr(0, unread.front().find('='));
    const bool option = word.starts_with('-');
    const std::vector<std::string> known = words_of(*verb, option);
    if (known.empty())
      what = fmt::format("'{}' is one word too many", word);
    else
      what = unknown_word(option ? "option" : "verb", word,
                          std::vector<std::string_view>(known.begin(), known.end()));
  } else if (verb->get_subcommands().empty() && !words_of(*verb, false).empty()) {
    what = "a verb is missing";
  } else if (const std::string option = missing_option(*verb, error); !option.empty()) {
    what = option + " is required";
  }
  return fmt::format("{} (see {} --help)", what, words);
}

}  // namespace

Verb::Option& Verb::Option::required() {
  option_->required();
  return *this;
}

Verb::Option& Verb::Option::needs(const Option& other) {
  option_->needs(other.option_);
  return *this;
}

Verb::Option& Verb::Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

Verb::Option& Verb::Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Verb::Option& Verb::Option::show_default() {
  option_->capture_default_str();
  return *this;
}

Verb::Option& Verb::Option::repeatable() {
  option_->expected(1)->take_all();
  return *this;
}

Verb::Option& Verb::Option::repeatable_list() {
  option_->allow_extra_args(false);
  return *this;
}

bool Verb::Option::given() const { return option_->count() > 0; }

Verb Verb::add_verb(const std::string& name, const std::string& what, const std::string& footer) {
  CLI::App* const verb = app_->add_subcommand(name, what);
  verb->footer(footer);
  if (what.empty()) verb->group("");
  return Verb(verb, action_);
}

void Verb::require_verb() { app_->require_subcommand(1); }

void Verb::set_action(std::function<ExitCode()> action) {
  app_->callback([chosen = action_, action = std::move(action)] { *chosen = action; });
}

Verb::Option Verb::option(const std::string& name, std::string& value, const std::string& what) {
  return Option(app_->add_option(name, value, what));
}

Verb::Option Verb::option(const std::string& name, double& value, const std::string& what) {
  return Option(app_->add_option(name, value, what));
}

Verb::Option Verb::option(const std::string& name, std::vector<std::string>& values,
                          const std::string& what) {
  return Option(app_->add_option(name, values, what));
}

Verb::Option Verb::option(const std::string& name, std::function<void(const std::string&)> read,
                          const std::string& what) {
  return Option(app_->add_option_function<std::string>(name, read, what));
}

Verb::Option Verb::flag(const std::string& name, bool& value, const std::string& what) {
  return Option(app_->add_flag(name, value, what));
}

Verb::Option Verb::flag(const std::string& name, std::function<void()> then,
                        const std::string& what) {
  return Option(app_->add_flag_callback(name, std::move(then), what));
}

ExitCode run_words(const std::function<void(Verb)>& add_verbs, std::vector<std::string> words,
                   const std::string& description, const std::string& footer,
                   const std::string& version) {
  CLI::App app(description, "qb");
  app.set_version_flag("--version", version);
  app.footer(footer);
  std::function<ExitCode()> action = [] { return ExitCode::ok; };
  add_verbs(Verb(&app, &action));
  std::ranges::reverse(words);  // as CLI11 wants them
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw UsageError(usage_sentence(app, error));
    app.exit(error);  // --help, --version
    return ExitCode::ok;
  }
  return action();
}

}  // namespace qb
