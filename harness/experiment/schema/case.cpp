// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/schema/parameters.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/numbers.h"

namespace qb {
namespace {

using UnorderedJson = nlohmann::json;

constexpr double kMaxRepeats = 1e6;

constexpr MeasureField kMeasureFields[] = {
    {"warmups", "warmups", &Measure::warmups, 0, kMaxRepeats},
    {"min_repeats", "min_repeats", &Measure::min_repeats, 1, kMaxRepeats},
    {"max_repeats", "max_repeats", &Measure::max_repeats, 1, kMaxRepeats},
    {"relative_interval", "relative_interval", &Measure::relative_interval, 0, 1},
    {"max_time", "max_time_s", &Measure::max_time_s, 0, 0, true},
    {"timeout", "timeout_s", &Measure::timeout_s, 0, 0, true},
    {"verify_rows", "verify_rows", &Measure::verify_rows, 0, static_cast<double>(kMaxTokens)},
    {"memory_timeline", "memory_timeline", &Measure::memory_timeline},
    {.key = "device_memory", .name = "device_memory", .member = &Measure::device_memory},
    {.key = "retakes", .name = "retakes", .member = &Measure::retakes, .max = kMaxRepeats},
};

UnorderedJson measure_to_json(const Measure& measure) {
  UnorderedJson json;
  for (const MeasureField& field : measure_fields())
    std::visit([&](auto member) { json[std::string(field.name)] = measure.*member; }, field.member);
  return json;
}

Measure measure_from_json(const UnorderedJson& json) {
  Measure measure;
  for (const MeasureField& field : measure_fields())
    std::visit([&](auto member) { json.at(std::string(field.name)).get_to(measure.*member); },
               field.member);
  return measure;
}

// Returns the settings that differ from the standard ones.
UnorderedJson measure_of_id(const Measure& measure) {
  UnorderedJson differing = UnorderedJson::object();
  const UnorderedJson standard = measure_to_json(Measure{});
  const UnorderedJson given = measure_to_json(measure);
  for (const auto& [name, value] : given.items())
    if (value != standard[name]) differing[name] = value;
  return differing;
}

}  // namespace

std::span<const MeasureField> measure_fields() { return kMeasureFields; }

std::string case_id(const Case& c) {
  const Case standard;
  std::string key;
  // What has its standard value is left out, so that a new parameter or setting changes no id.
  for (const Parameter& parameter : parameters())
    if (const std::string value = parameter.get(c, parameter);
        value != parameter.get(standard, parameter))
      key += fmt::format("{}={}\n", parameter.column, value);
  // value_dim is not a column, but cases with different value_dim are different.
  if (c.shape.value_dim != c.shape.head_dim)
    key += fmt::format("value_dim={}\n", c.shape.value_dim);
  key += measure_of_id(c.measure).dump();
  // The low bits of FNV-1a mix best; the high ones are folded in.
  const std::uint64_t hash = fnv1a(key);
  return id_of(hash ^ (hash >> 48));
}

std::string case_to_json(const Case& c) {
  UnorderedJson values;
  for (const auto& [column, value] : case_parameters(c)) values[column] = value;
  return UnorderedJson{
      {"experiment", c.experiment},
      {"parameters", values},
      {"value_dim", c.shape.value_dim},
      {"measure", measure_to_json(c.measure)},
      {"gpu_peak_flop_per_s",
       c.gpu_peak_flop_per_s ? UnorderedJson(*c.gpu_peak_flop_per_s) : UnorderedJson(nullptr)}}
      .dump();
}

Case case_from_json(std::string_view text) {
  try {
    const UnorderedJson json = UnorderedJson::parse(text);
    Case c;
    json.at("experiment").get_to(c.experiment);
    const UnorderedJson& values = json.at("parameters");
    for (const Parameter& parameter : parameters())
      parameter.set(c, parameter,
                    values.at(std::string(parameter.column)).get_ref<const std::string&>());
    json.at("value_dim").get_to(c.shape.value_dim);
    c.measure = measure_from_json(json.at("measure"));
    if (const UnorderedJson& peak = json.at("gpu_peak_flop_per_s"); !peak.is_null())
      c.gpu_peak_flop_per_s = peak.get<double>();
    return c;
  } catch (const UnorderedJson::exception& problem) {
    throw UsageError(fmt::format("cannot read the case: {}", problem.what()));
  }
}

}  // namespace qb
