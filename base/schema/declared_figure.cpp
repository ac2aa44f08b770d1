// SPDX-License-Identifier: Apache-2.0
#include "base/schema/declared_figure.h"

#include <algorithm>

#include "base/json.h"
#include "base/numbers.h"
#include "base/schema/value_names.h"
#include "base/words.h"

namespace qb {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kKeys[] = {"name", "y",    "x",     "lines", "panels",
                                      "log",  "base", "bound", "only"};
constexpr std::string_view kLogs[] = {"x", "y", "xy", "none"};

std::string text_of(const Json& value, std::string_view key) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  throw UsageError(fmt::format("figure: '{}:' takes a text", key));
}

std::vector<std::string> texts_of(const Json& value, std::string_view key) {
  if (!value.is_array()) return {text_of(value, key)};
  std::vector<std::string> texts;
  for (const Json& one : value) texts.push_back(text_of(one, key));
  return texts;
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

// Does what a key asks for, and names the key in a UsageError of it.
void at_key(std::string_view key, const auto& act) {
  try {
    act();
  } catch (const UsageError& problem) {
    throw UsageError(fmt::format("{}: {}", key, problem.what()));
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

bool is_stem(std::string_view name) {
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
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

DeclaredFigure checked(DeclaredFigure figure) {
  if (figure.y.empty())
    throw UsageError("a declared figure needs y, a value such as time or device_peak");
  at_key("y", [&] {
    for (std::string& one : figure.y) {
      one = value_word(one);
      if (const DerivedValue* derived = find_derived(one); derived != nullptr && derived->on_x)
        throw UsageError(fmt::format("'{}' can be x, and no y", one));
    }
  });
  at_key("x", [&] { figure.x = column_word(figure.x); });
  const auto as_columns = [](std::vector<std::string>& names) {
    for (std::string& name : names) name = name == "run" ? name : column_word(name);
  };
  at_key("lines", [&] { as_columns(figure.lines); });
  at_key("panels", [&] { as_columns(figure.panels); });
  at_key("base", [&] {
    for (auto& [name, value] : figure.base) name = parameter_word(name);
  });
  if (!figure.log.empty() && std::ranges::count(kLogs, figure.log) == 0)
    throw UsageError(unknown_word("log", figure.log, kLogs));
  std::vector<std::string_view> bounds;
  for (const FigureBound& bound : kFigureBounds) bounds.push_back(bound.word);
  if (!figure.bound.empty() && std::ranges::count(bounds, figure.bound) == 0)
    throw UsageError(unknown_word("bound", figure.bound, bounds));
  at_key("only", [&] {
    for (const std::string& one : figure.only) (void)read_condition(one);
  });
  if (!is_stem(figure.name))
    throw UsageError(fmt::format("a figure's name has only letters, digits, '_' and '-', got '{}'",
                                 figure.name));
  if (figure.name.empty()) {
    for (const std::string& one : figure.y)
      figure.name += (figure.name.empty() ? "" : "_and_") + std::string(without_unit(one));
    figure.name += "_by_" + figure.x;
  }
  return figure;
}

DeclaredFigure read_declared_figure(std::string_view json) {
  const Json value = parse_json(json, "figure", false);
  if (!value.is_object())
    throw UsageError(
        fmt::format("figure: '{}' is no JSON object such as {{\"y\": \"time\"}}", json));
  DeclaredFigure figure;
  for (const auto& [key, one] : value.items()) {
    if (key == "name")
      figure.name = text_of(one, key);
    else if (key == "y")
      figure.y = texts_of(one, key);
    else if (key == "x")
      figure.x = text_of(one, key);
    else if (key == "lines")
      figure.lines = texts_of(one, key);
    else if (key == "panels")
      figure.panels = texts_of(one, key);
    else if (key == "log")
      figure.log = text_of(one, key);
    else if (key == "bound")
      figure.bound = text_of(one, key);
    else if (key == "only")
      figure.only = texts_of(one, key);
    else if (key != "base")
      throw UsageError(unknown_word("key of a figure", key, kKeys));
    else if (!one.is_object())
      throw UsageError("figure: 'base:' takes a map, as in base: {algorithm: ring}");
    else
      for (const auto& [name, text] : one.items())
        figure.base.emplace_back(name, text_of(text, key));
  }
  return checked(std::move(figure));
}

std::string to_json(const DeclaredFigure& figure) {
  Json out;
  out["name"] = figure.name;
  out["y"] = figure.y;
  out["x"] = figure.x;
  if (!figure.lines.empty()) out["lines"] = figure.lines;
  if (!figure.panels.empty()) out["panels"] = figure.panels;
  if (!figure.log.empty()) out["log"] = figure.log;
  for (const auto& [name, value] : figure.base) out["base"][name] = value;
  if (!figure.bound.empty()) out["bound"] = figure.bound;
  if (!figure.only.empty()) out["only"] = figure.only;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace qb
