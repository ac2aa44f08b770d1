// SPDX-License-Identifier: Apache-2.0
#include "base/schema/declared_figure.h"

#include <algorithm>
#include <cctype>

#include "base/json.h"
#include "base/numbers.h"
#include "base/schema/value_names.h"
#include "base/words.h"

namespace qb {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kKeys[] = {"name", "y",    "x",     "lines", "panels",
                                      "log",  "base", "bound", "only"};

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  throw UsageError("it takes a text");
}

// Makes words of a list, or of a text with commas.
std::vector<std::string> words_of(const Json& value, const auto& word_of) {
  std::vector<std::string> words;
  if (value.is_array())
    for (const Json& one : value) words.push_back(word_of(text_of(one)));
  const std::string text = value.is_array() ? "" : text_of(value);
  for (const std::string_view one : split_words(text, ","))
    words.push_back(word_of(std::string(one)));
  return words;
}

std::string y_word(const std::string& typed) {
  const DerivedValue* derived = find_derived(value_word(typed));
  if (derived != nullptr && derived->on_x)
    throw UsageError(fmt::format("'{}' can be x, and no y", typed));
  return value_word(typed);
}

// A parameter or, where it is none, a value.
std::string column_word(const std::string& typed) {
  try {
    return parameter_word(typed);
  } catch (const UsageError& no_parameter) {
    try {
      return value_word(typed);
    } catch (const UsageError&) {
      const std::string why = no_parameter.what();  // it says more where a name is near
      if (why.find("did you mean") != std::string::npos) throw UsageError(why);
      throw;
    }
  }
}

// Writes whole numbers out: 4Ki is 4096.
std::string plain_values(std::string_view values) {
  std::vector<std::string> plain;
  for (const std::string_view one : split_words(values, "|")) {
    const std::optional<std::int64_t> number = parse_integer(one);
    plain.push_back(number ? fmt::format("{}", *number) : std::string(one));
  }
  return fmt::format("{}", fmt::join(plain, "|"));
}

std::string known_word(std::string_view key, const std::string& typed,
                       std::span<const std::string_view> known) {
  if (std::ranges::count(known, typed) == 0) throw UsageError(unknown_word(key, typed, known));
  return typed;
}

std::string stem(const std::string& name) {
  if (std::ranges::any_of(
          name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_' && c != '-'; }))
    throw UsageError(fmt::format("it has only letters, digits, '_' and '-', got '{}'", name));
  return name;
}

void take(DeclaredFigure& figure, std::string_view key, const Json& value) {
  constexpr std::string_view kLogs[] = {"x", "y", "xy", "none"};
  std::vector<std::string_view> bounds;
  for (const FigureBound& bound : kFigureBounds) bounds.push_back(bound.word);
  if (key == "name") figure.name = stem(text_of(value));
  if (key == "y") figure.y = words_of(value, y_word);
  if (key == "x") figure.x = column_word(text_of(value));
  if (key == "lines" || key == "panels")
    (key == "lines" ? figure.lines : figure.panels) = words_of(
        value, [](const auto& typed) { return typed == "run" ? typed : column_word(typed); });
  if (key == "log") figure.log = known_word(key, text_of(value), kLogs);
  if (key == "bound") figure.bound = known_word(key, text_of(value), bounds);
  if (key == "only")  // its texts may have commas
    for (const Json& one : value.is_array() ? value : Json::array({value}))
      (void)read_condition(figure.only.emplace_back(text_of(one)));
  if (key == "base" && !value.is_object())
    throw UsageError("it takes a map, such as {algorithm: ring}");
  if (key == "base")
    for (const auto& item : value.items())
      figure.base.emplace_back(parameter_word(item.key()), text_of(item.value()));
}

}  // namespace

Condition read_condition(std::string_view text) {
  const std::size_t at = text.find_first_of("=!<>");
  const std::size_t value = text.find_first_not_of("=!<>", at);
  const std::string_view relation = at == std::string_view::npos ? "" : text.substr(at, value - at);
  constexpr std::string_view kRelations[] = {"=", "!=", "<", "<=", ">", ">="};
  if (at == 0 || std::ranges::count(kRelations, relation) == 0)
    throw UsageError(
        fmt::format("'{}' is no condition; write KEY=VALUE (also !=, <, <=, >, >=)", text));
  return {column_word(std::string(text.substr(0, at))), std::string(relation),
          value == std::string_view::npos ? "" : plain_values(text.substr(value))};
}

DeclaredFigure read_declared_figure(std::string_view json) {
  const Json value = parse_json(json, "figure", false);
  if (!value.is_object())
    throw UsageError(
        fmt::format("figure: '{}' is no JSON object such as {{\"y\": \"time\"}}", json));
  DeclaredFigure figure;
  for (const auto& item : value.items()) {
    (void)known_word("key of a figure", item.key(), kKeys);
    try {
      take(figure, item.key(), item.value());
    } catch (const UsageError& problem) {
      throw UsageError(fmt::format("{}: {}", item.key(), problem.what()));
    }
  }
  if (figure.y.empty())
    throw UsageError("a declared figure needs y, a value such as time or device_peak");
  if (!figure.name.empty()) return figure;
  for (const std::string& one : figure.y)
    figure.name += (figure.name.empty() ? "" : "_and_") + std::string(without_unit(one));
  figure.name += "_by_" + figure.x;
  return figure;
}

std::string to_json(const DeclaredFigure& figure) {
  Json out = {{"name", figure.name}, {"y", figure.y}, {"x", figure.x}};
  if (!figure.lines.empty()) out["lines"] = figure.lines;
  if (!figure.panels.empty()) out["panels"] = figure.panels;
  if (!figure.log.empty()) out["log"] = figure.log;
  for (const auto& [name, value] : figure.base) out["base"][name] = value;
  if (!figure.bound.empty()) out["bound"] = figure.bound;
  if (!figure.only.empty()) out["only"] = figure.only;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace qb
