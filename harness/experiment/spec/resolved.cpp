// SPDX-License-Identifier: Apache-2.0
// Writes the resolved spec.
#include <fmt/format.h>

#include "base/numbers.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/spec/spec.h"

namespace qb {
namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

// A double-quoted scalar. UTF-8 stays unchanged.
std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += fmt::format("\\{}", c);
    else if (c == '\n')
      out += "\\n";
    else if (byte < 0x20 || byte == 0x7f)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out + '"';
}

// `name: value` as in a spec; parameters() and case_parameters() have the same order.
std::string entry(std::size_t index, const std::string& value) {
  const Parameter& parameter = parameters()[index];
  if (value.empty()) return fmt::format("{}: ~", parameter.key);
  if (parameter.kind == FieldKind::residues || parameter.kind == FieldKind::sequences ||
      parameter.kind == FieldKind::speeds || parameter.kind == FieldKind::file ||
      parameter.kind == FieldKind::link_limit)
    return fmt::format("{}: {}", parameter.key, quote(value));
  return fmt::format("{}: {}", parameter.key, value);
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
