// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/process/supervisor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "base/numbers.h"
#include "harness/experiment/process/child_process.h"
#include "harness/experiment/process/run_case.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/run/memory/system_memory.h"

namespace qb {
namespace {

// How often the kernel killed for memory, in this control group (version 2) or else on the machine.
std::optional<std::uint64_t> kernel_memory_kills(const std::string& root) {
  constexpr std::string_view kKills = "oom_kill ";
  std::ifstream groups(root + "/proc/self/cgroup");
  std::string group;
  while (std::getline(groups, group)) {
    if (!group.starts_with("0::")) continue;
    const std::string folder = root + "/sys/fs/cgroup" + group.substr(3);
    if (const auto count = keyed_number(folder + "/memory.events", kKills)) return count;
  }
  return keyed_number(root + "/proc/vmstat", kKills);
}

std::string with_log(const std::string& sentence, const std::string& log_path) {
  constexpr std::size_t kLongest = 300;
  const std::string last = last_line(log_path).substr(0, kLongest);
  const std::string name = std::filesystem::path(log_path).filename().string();
  return last.empty() ? sentence : fmt::format("{}; logs/{} ends: {}", sentence, name, last);
}

CaseResult exited(const ChildEnd& end, const std::string& log_path) {
  if (end.code != 0 || end.answer.empty())
    return ended(Status::crashed, with_log("its process " + how_it_ended(end), log_path));
  try {
    return result_from_json(end.answer);
  } catch (const std::exception& problem) {
    return ended(Status::crashed, with_log(problem.what(), log_path));
  }
}

// Rows as arrays of their table's columns.
nlohmann::json rows_json(const RunTable& table, const std::vector<RowValues>& rows) {
  nlohmann::json all = nlohmann::json::array();
  for (const RowValues& row : rows) all.push_back(table.fields_of(row));
  return all;
}

std::vector<RowValues> rows_of(const RunTable& table, const nlohmann::json& all) {
  std::vector<RowValues> rows;
  for (const nlohmann::json& fields : all) {
    RowValues& row = rows.emplace_back();
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      row.set_text(table.columns[i], fields.at(i).get<std::string>());
  }
  return rows;
}

}  // namespace

std::string last_line(const std::string& log_path) {
  std::ifstream log(log_path);
  std::string last;
  for (std::string line; std::getline(log, line);)
    if (!line.empty()) last = line;
  return last;
}

CaseResult ended(Status status, const std::string& message) {
  CaseResult result;
  result.status = status;
  result.message = message;
  return result;
}

std::vector<std::string> ProcessLauncher::own_command() { return {"/proc/self/exe", "__case"}; }

CaseResult ProcessLauncher::launch(const Case& c, const CasePaths& paths) {
  ChildOptions options{.command = command_,
                       .input = case_to_json(c),
                       .log_path = paths.log,
                       .timeout_s = c.measure.timeout_s,
                       .wake_fd = interrupt_.wake_fd()};
  if (!paths.trace_directory.empty()) {
    options.command.emplace_back("--traces");
    options.command.push_back(paths.trace_directory);
  }
  const auto kills_before = kernel_memory_kills(root_);
  const ChildEnd end = run_child(options);
  CaseResult result;
  switch (end.cause) {
    case ChildEnd::Cause::exited:
      result = exited(end, paths.log);
      break;
    case ChildEnd::Cause::signalled:
      result = end.code == SIGKILL && kills_before && kernel_memory_kills(root_) > kills_before
                   ? ended(Status::oom, "killed by the kernel: out of memory")
                   : ended(Status::crashed, with_log(how_it_ended(end), paths.log));
      break;
    case ChildEnd::Cause::timed_out:
      result = ended(Status::timeout, fmt::format("no answer within {} (measure.timeout_s)",
                                                  format_seconds(c.measure.timeout_s)));
      break;
    case ChildEnd::Cause::interrupted:
      result = ended(Status::interrupted, "stopped by the user");
      break;
  }
  // Most cases write no log; the empty file is removed.
  std::error_code ignored;
  if (std::filesystem::file_size(paths.log, ignored) == 0)
    std::filesystem::remove(paths.log, ignored);
  return result;
}

void answer_case(const std::string& trace_directory) {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const std::string answer = result_to_json(run_case(case_from_json(text), trace_directory));
  for (std::size_t at = 0; at < answer.size();) {
    const ssize_t written = ::write(kAnswerFd, answer.data() + at, answer.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw EnvironmentError("only `qb run` can start __case");
    at += static_cast<std::size_t>(written);
  }
}

std::string result_to_json(const CaseResult& result) {
  const nlohmann::json answer = {
      {"status", word(result.status)},
      {"message", result.message},
      {"samples", rows_json(sample_table(), sample_rows(result.samples))},
      {"values", rows_json(case_table(), {result.values})},
      {"steps", rows_json(step_table(), result.steps)},
      {"parts", rows_json(part_table(), result.parts)},
      {"timeline", rows_json(timeline_table(), result.timeline)}};
  // A message may quote bytes that are not UTF-8 (a file name): they become U+FFFD.
  return answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

CaseResult result_from_json(std::string_view text) {
  try {
    const nlohmann::json answer = nlohmann::json::parse(text);
    CaseResult result;
    const auto status = parse_word<Status>(answer.at("status").get<std::string>());
    if (!status) throw std::runtime_error("an unknown status");
    result.status = *status;
    answer.at("message").get_to(result.message);
    for (const RowValues& row : rows_of(sample_table(), answer.at("samples")))
      result.samples.push_back(sample_of(row));
    result.values = rows_of(case_table(), answer.at("values")).at(0);
    result.steps = rows_of(step_table(), answer.at("steps"));
    result.parts = rows_of(part_table(), answer.at("parts"));
    result.timeline = rows_of(timeline_table(), answer.at("timeline"));
    return result;
  } catch (const std::exception& problem) {
    throw std::runtime_error(
        fmt::format("malformed answer of {} bytes: {}", text.size(), problem.what()));
  }
}

}  // namespace qb
