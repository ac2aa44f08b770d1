#include "harness/experiment/resolved.h"

#include <fmt/format.h>

#include <iterator>

#include "harness/base/numbers.h"
#include "harness/experiment/parameters.h"

namespace qb {
namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

// A double-quoted scalar. UTF-8 passes as it is.
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

// `name: value` as a spec says it; parameters() and case_parameters() are in the same order.
std::string entry(std::size_t index, const std::string& value) {
  const Parameter& parameter = parameters()[index];
  if (value.empty()) return fmt::format("{}: ~", parameter.name);
  if (parameter.type == ParameterType::interest_set || parameter.type == ParameterType::sequences ||
      parameter.type == ParameterType::speeds || parameter.type == ParameterType::file)
    return fmt::format("{}: {}", parameter.name, quote(value));
  return fmt::format("{}: {}", parameter.name, value);
}

std::string measure_text(const Measure& m) {
  return fmt::format(
      "measure:\n"
      "  warmups: {}\n"
      "  min_repeats: {}\n"
      "  max_repeats: {}\n"
      "  relative_interval: {}\n"
      "  max_time: {}\n"
      "  timeout: {}\n"
      "  verify_rows: {}\n"
      "  memory_timeline: {}\n"
      "  device_memory: {}\n",
      m.warmups, m.min_repeats, m.max_repeats, to_text(m.relative_interval), to_text(m.max_time_s),
      to_text(m.timeout_s), m.verify_rows, m.memory_timeline, m.device_memory);
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
  const std::vector<std::string_view> figures(spec.figures.begin(), spec.figures.end());
  out += fmt::format("figures: [{}]\n", join(figures, ", "));
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
