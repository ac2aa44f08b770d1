// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/verb.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/schema/other_names.h"
#include "base/schema/parameter_fields.h"

namespace qb {
namespace {

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

// Writes an option as a key: --q-heads and q_heads.
std::string key_named(std::string_view option) {
  std::string key(option.substr(std::min(option.find_first_not_of('-'), option.size())));
  std::ranges::replace(key, '-', '_');
  return key;
}

// `unknown option '--heads'; qb calls this --q-heads`, or for a key of a spec where the verb has
// --set; empty unless it has one of the two.
std::string known_otherwise(std::string_view option, const std::vector<std::string>& known) {
  std::string_view ours = our_name(key_named(option));
  const auto is_named = [&](const Field& field) { return option_of(field.key) == option; };
  if (const auto field = std::ranges::find_if(kParameterFields, is_named);
      ours.empty() && field != kParameterFields.end())
    ours = field->key;
  const std::string name = option_of(key_of(ours));
  if (ours.empty()) return {};
  const std::string_view value = ours.substr(key_of(ours).size());
  if (std::ranges::find(known, name) == known.end()) {
    if (std::ranges::find(known, "--set") == known.end()) return {};
    return fmt::format("unknown option '{}'; keys of the spec are set by --set {}={}", option,
                       key_of(ours), value.empty() ? "…" : value.substr(2));
  }
  return fmt::format("unknown option '{}'; qb calls this {}{}", option, name,
                     value.empty() ? "" : value.substr(1));
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
      what = fmt::format("unexpected argument '{}'", word);
    else
      what = unknown_word(option ? "option" : "verb", word,
                          std::vector<std::string_view>(known.begin(), known.end()));
    if (const std::string ours = known_otherwise(word, known); option && !ours.empty()) what = ours;
  } else if (verb->get_subcommands().empty() && !words_of(*verb, false).empty()) {
    what = "a verb is missing";
  }
  return fmt::format("{} (see {} --help)", what, words);
}

}  // namespace

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

Option& Option::needs(const Option& other) {
  option_->needs(other.option_);
  return *this;
}

Option& Option::type_name(const std::string& type) {
  option_->type_name(type);
  return *this;
}

Option& Option::show_default() {
  option_->capture_default_str();
  return *this;
}

bool Option::was_given() const { return option_->count() > 0; }

Verb Verb::add_verb(const std::string& name, const std::string& what,
                    const std::string& footer) const {
  return Verb(app_->add_subcommand(name, what)->footer(footer));
}

void Verb::hide() const { app_->group(""); }

void Verb::require_verb() const { app_->require_subcommand(1); }

void Verb::act(std::function<ExitCode()> action) const {
  app_->callback([action = std::move(action)] {
    if (const ExitCode code = action(); code != ExitCode::ok)
      throw CLI::RuntimeError(static_cast<int>(code));
  });
}

Option Verb::add_flag(const std::string& name, bool& value, const std::string& what) const {
  return Option(app_->add_flag(name, value, what));
}

Option Verb::add_flag(const std::string& name, std::function<void()> action,
                      const std::string& what) const {
  return Option(app_->add_flag_callback(name, std::move(action), what));
}

template <class T>
Option Verb::add_option(const std::string& name, T& value, const std::string& what) const {
  return Option(app_->add_option(name, value, what));
}
template Option Verb::add_option(const std::string&, std::string&, const std::string&) const;
template Option Verb::add_option(const std::string&, double&, const std::string&) const;
template Option Verb::add_option(const std::string&, std::vector<std::string>&,
                                 const std::string&) const;

Option Verb::add_repeated(const std::string& name, std::vector<std::string>& values,
                          const std::string& what) const {
  return Option(app_->add_option(name, values, what + " It may be given several times.")
                    ->allow_extra_args(false));
}

Option Verb::add_text(const std::string& name, const std::string& type, const std::string& what,
                      std::function<void(const std::string&)> read) const {
  return Option(
      app_->add_option_function<std::string>(name, std::move(read), what)->type_name(type));
}

std::string option_of(std::string_view key) {
  std::string option = fmt::format("--{}", key);
  std::ranges::replace_if(
      option, [](char letter) { return letter == '_' || letter == '.'; }, '-');
  return option;
}

ExitCode run_words(const std::function<void(Verb)>& add_verbs, std::vector<std::string> words,
                   const std::string& description, const std::string& footer,
                   const std::string& version) {
  CLI::App app(description, "qb");
  app.set_help_flag("-h,--help", "Prints this help and ends.");
  app.set_version_flag("--version", version, "Prints the version and ends.");
  app.footer(footer);
  app.require_subcommand(1);
  add_verbs(Verb(&app));
  std::ranges::reverse(words);  // as CLI11 wants them
  try {
    app.parse(std::move(words));
  } catch (const CLI::RuntimeError& error) {
    return static_cast<ExitCode>(error.get_exit_code());  // a verb ended with it
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw UsageError(usage_sentence(app, error));
    app.exit(error);  // --help, --version
  }
  return ExitCode::ok;
}

}  // namespace qb
