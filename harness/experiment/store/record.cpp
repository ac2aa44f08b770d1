// Makes the rows of a case from its answer.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/numbers.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/store/store.h"

namespace qb {
namespace {

// A row is one line, so a missing line end shows that the last one is torn.
std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::vector<std::vector<std::string>> with_case_id(
    const std::string& id, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::vector<std::string>> result;
  for (const auto& row : rows) {
    std::vector<std::string> fields = {id};
    for (const std::string& field : row) fields.push_back(one_line(field));
    result.push_back(std::move(fields));
  }
  return result;
}

std::string text_or_empty(double value) {
  return std::isnan(value) ? std::string() : to_text(value);
}

std::vector<std::string> sample_row(const std::string& id, const Sample& sample) {
  std::vector<std::string> row = {id, to_text(std::int64_t{sample.repeat}),
                                  sample.warmup ? "1" : "0"};
  for (const SampleField& field : sample_fields())
    row.push_back(text_or_empty(sample.*field.member));
  return row;
}

}  // namespace

RunStore::Record make_record(const Case& c, const CaseResult& result, const std::string& started_at,
                             double duration_s) {
  RunStore::Record record;
  record.case_id = case_id(c);
  std::map<std::string, std::string> values = result.values;
  for (const auto& [name, value] : case_parameters(c)) values[name] = value;
  values["schema_version"] = to_text(std::int64_t{kSchemaVersion});
  values["case_id"] = record.case_id;
  values["experiment"] = c.experiment;
  values["status"] = word(result.status);
  values["message"] = result.message;
  values["started_at"] = started_at;
  values["duration_s"] = to_text(duration_s);
  for (const std::string& column : case_table().columns)
    record.row.push_back(one_line(values[column]));
  if (result.status == Status::ok)
    for (const Sample& sample : result.samples)
      record.samples.push_back(sample_row(record.case_id, sample));
  record.steps = with_case_id(record.case_id, result.steps);
  record.parts = with_case_id(record.case_id, result.parts);
  record.timeline = with_case_id(record.case_id, result.timeline);
  return record;
}

}  // namespace qb
