// SPDX-License-Identifier: Apache-2.0
// Writes the resolved spec.
#include <fmt/format.h>

#include <regex>

#include "base/numbers.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/spec/spec.h"

namespace qb {
namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

// A double-quoted scalar. UTF-8 stays unchanged, but for characters that YAML 1.1 refuses or takes
// for line ends.
std::string quote(std::string_view text) {
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    unsigned code = static_cast<unsigned char>(text[at]);
    const std::size_t bytes = code < 0xc0 ? 1 : code < 0xe0 ? 2 : code < 0xf0 ? 3 : 4;
    const std::string_view letter = text.substr(at, bytes);
    if (bytes > 1) code &= 0x7fu >> bytes;
    for (const char c : letter.substr(1)) code = (code << 6) | (static_cast<unsigned>(c) & 0x3fu);
    if (code == '"' || code == '\\')
      out += fmt::format("\\{}", letter);
    else if (code < 0x20 || (code >= 0x7f && code <= 0xa0) || code == 0x2028 || code == 0x2029 ||
             code == 0xfeff || code == 0xfffe || code == 0xffff)
      out += fmt::format("\\u{:04x}", code);
    else
      out += letter;
    at += bytes;
  }
  return out + '"';
}

// `name: value` as in a spec; parameters() and case_parameters() have the same order. Readers of
// YAML 1.1 (PyYAML) and 1.2 find the same numbers and texts.
std::string entry(std::size_t index, const std::string& value) {
  const Parameter& parameter = parameters()[index];
  if (value.empty()) return fmt::format("{}: ~", parameter.key);
  const bool is_name = parameter.kind == FieldKind::word && value.find('.') == std::string::npos &&
                       value != "true" && value != "false";
  if (is_name || parameter.is_number()) return fmt::format("{}: {}", parameter.key, value);
  if (parameter.kind != FieldKind::mask) return fmt::format("{}: {}", parameter.key, quote(value));
  static const std::regex kWithoutPoint(R"( (\d+)e)");  // a real of a pattern
  return fmt::format("{}: {}", parameter.key, std::regex_replace(value, kWithoutPoint, " $1.0e"));
}

std::string measure_text(const Measure& measure) {
  std::string text = "measure:\n";
  for (const MeasureField& field : measure_fields()) {
    const auto text_of = [&](auto member) -> std::string {
      const auto value = measure.*member;
      if constexpr (std::is_same_v<decltype(value), const bool>) return value ? "true" : "false";
      if constexpr (std::is_integral_v<decltype(value)>)
        return to_text(static_cast<std::int64_t>(value));
      return to_text(static_cast<double>(value));
    };
    text += fmt::format("  {}: {}\n", field.key, std::visit(text_of, field.member));
  }
  return text;
}

std::vector<bool> varying(const std::vector<Case>& cases) {
  const Parameters first = case_parameters(cases.front());
  std::vector<bool> varies(first.size(), false);
  for (const Case& c : cases) {
    const Parameters here = case_parameters(c);
    for (std::size_t i = 0; i < here.size(); ++i)
      varies[i] = varies[i] || here[i].second != first[i].second;
  }
  return varies;
}

}  // namespace

std::string write_resolved(const Spec& spec) {
  const std::vector<bool> varies = varying(spec.cases);
  const Parameters first = case_parameters(spec.cases.front());

  std::string out =
      "# Written by qb: every parameter of every case, defaults included. Reading it again gives\n"
      "# the same cases.\n";
  out += fmt::format("experiment: {}\n", quote(spec.name));
  if (!spec.description.empty()) out += fmt::format("description: {}\n", quote(spec.description));
  for (std::size_t i = 0; i < first.size(); ++i)
    if (!varies[i]) out += entry(i, first[i].second) + '\n';
  out += measure_text(spec.cases.front().measure);
  out += fmt::format("figures: [{}]\n", fmt::join(spec.figures, ", "));
  if (spec.cases.size() == 1) return out;

  out += "cases:\n";
  for (const Case& c : spec.cases) {
    const Parameters here = case_parameters(c);
    std::string separator = "  - {";
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (!varies[i]) continue;
      out += std::exchange(separator, ", ") + entry(i, here[i].second);
    }
    out += "}\n";
  }
  return out;
}

}  // namespace qb
