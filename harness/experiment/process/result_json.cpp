#include "harness/experiment/process/result_json.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/experiment/schema/columns.h"

namespace qb {
namespace {

using nlohmann::json;

json sample_json(const Sample& sample) {
  json object = {{"repeat", sample.repeat}, {"warmup", sample.warmup}};
  // JSON has no NaN; null means "not available".
  for (const SampleField& field : sample_fields()) {
    const double value = sample.*field.member;
    object[std::string(field.column)] = std::isnan(value) ? json(nullptr) : json(value);
  }
  return object;
}

Sample sample_of(const json& object) {
  Sample sample;
  sample.repeat = object.at("repeat").get<int>();
  sample.warmup = object.at("warmup").get<bool>();
  for (const SampleField& field : sample_fields()) {
    const json& value = object.at(std::string(field.column));
    sample.*field.member =
        value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
  }
  return sample;
}

}  // namespace

std::string result_to_json(const CaseResult& result) {
  json samples = json::array();
  for (const Sample& sample : result.samples) samples.push_back(sample_json(sample));
  const json answer = {
      {"status", word(result.status)}, {"message", result.message}, {"samples", samples},
      {"values", result.values},       {"steps", result.steps},     {"parts", result.parts},
      {"timeline", result.timeline}};
  // A message may quote bytes that are not UTF-8 (a file name): they become U+FFFD.
  return answer.dump(-1, ' ', false, json::error_handler_t::replace);
}

CaseResult result_from_json(std::string_view text) {
  try {
    const json answer = json::parse(text);
    CaseResult result;
    const auto status = parse_word<Status>(answer.at("status").get<std::string>());
    if (!status) throw std::runtime_error("an unknown status");
    result.status = *status;
    answer.at("message").get_to(result.message);
    for (const json& sample : answer.at("samples")) result.samples.push_back(sample_of(sample));
    answer.at("values").get_to(result.values);
    answer.at("steps").get_to(result.steps);
    answer.at("parts").get_to(result.parts);
    answer.at("timeline").get_to(result.timeline);
    return result;
  } catch (const std::exception& problem) {
    throw std::runtime_error(
        fmt::format("malformed answer of {} bytes: {}", text.size(), problem.what()));
  }
}

}  // namespace qb
