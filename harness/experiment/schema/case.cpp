#include "harness/experiment/schema/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/numbers.h"
#include "harness/experiment/schema/listed.h"
#include "harness/experiment/schema/measure_fields.h"
#include "harness/experiment/schema/parameters.h"

namespace qb {
namespace {

using Json = nlohmann::json;

Json measure_to_json(const Measure& measure) {
  Json json;
  for (const MeasureField& field : measure_fields())
    std::visit([&](auto member) { json[std::string(field.name)] = measure.*member; }, field.member);
  return json;
}

Measure measure_from_json(const Json& json) {
  Measure measure;
  for (const MeasureField& field : measure_fields())
    std::visit([&](auto member) { json.at(std::string(field.name)).get_to(measure.*member); },
               field.member);
  return measure;
}

// The settings that tell cases apart.
Json measure_of_id(const Measure& measure) {
  Json json = measure_to_json(measure);
  const Json standard = measure_to_json(Measure{});
  for (const MeasureField& field : measure_fields()) {
    const std::string name(field.name);
    if (field.is_later && json[name] == standard[name]) json.erase(name);
  }
  return json;
}

}  // namespace

std::string case_id(const Case& c) {
  const Case standard;
  std::string key;
  for (const Parameter& parameter : parameters()) {
    const std::string value = to_string(parameter.get(c, parameter));
    // Runs from before there was such a parameter ran with its standard value.
    if (parameter.since > 1 && value == to_string(parameter.get(standard, parameter))) continue;
    key += fmt::format("{}={}\n", parameter.column, value);
  }
  // value_dim is no column, but a case of another value_dim is another case.
  key += fmt::format("value_dim={}\n", c.shape.value_dim) + measure_of_id(c.measure).dump();
  // The low bits of FNV-1a mix best; the high ones are folded in.
  const std::uint64_t hash = fnv1a(key);
  return fmt::format("{:012x}", (hash ^ (hash >> 48)) & 0xffffffffffffu);
}

std::string case_to_json(const Case& c) {
  Json values;
  for (const auto& [column, value] : case_parameters(c)) values[column] = value;
  return Json{
      {"experiment", c.experiment},
      {"parameters", values},
      {"value_dim", c.shape.value_dim},
      {"measure", measure_to_json(c.measure)},
      {"gpu_peak_flop_per_s", c.gpu_peak_flop_per_s ? Json(*c.gpu_peak_flop_per_s) : Json(nullptr)}}
      .dump();
}

Case case_from_json(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    Case c;
    json.at("experiment").get_to(c.experiment);
    const Json& values = json.at("parameters");
    for (const Parameter& parameter : parameters())
      parameter.set(c, value_of_text(parameter, values.at(std::string(parameter.column))));
    json.at("value_dim").get_to(c.shape.value_dim);
    c.measure = measure_from_json(json.at("measure"));
    if (const Json& peak = json.at("gpu_peak_flop_per_s"); !peak.is_null())
      c.gpu_peak_flop_per_s = peak.get<double>();
    return c;
  } catch (const Json::exception& problem) {
    throw UsageError(fmt::format("cannot read the case: {}", problem.what()));
  }
}

std::vector<Sequence> parse_sequences(std::string_view text) {
  std::vector<Sequence> sequences;
  for (const std::string_view item : listed(text)) {
    const std::size_t plus = item.find('+');
    const bool cached = plus != std::string_view::npos;
    const auto first = parse_integer(item.substr(0, std::min(plus, item.size())));
    const auto second = cached ? parse_integer(item.substr(plus + 1)) : first;
    if (!first || !second || *first < 0 || *second < 1)
      throw UsageError(fmt::format(
          "sequences: '{}' is no sequence; write cached+new tokens such as 100+8, or 64", item));
    sequences.push_back({cached ? *first : 0, *second});
  }
  if (sequences.empty())
    throw UsageError("sequences needs at least one, written as cached+new tokens such as 100+8");
  return sequences;
}

std::string to_string(const std::vector<Sequence>& sequences) {
  std::string text;
  for (const Sequence& sequence : sequences)
    text += fmt::format("{}{}+{}", text.empty() ? "" : " ", sequence.cached_tokens,
                        sequence.new_tokens);
  return text;
}

}  // namespace qb
