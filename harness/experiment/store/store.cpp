// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/store/store.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/files.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/store/machine.h"

namespace qb {
namespace {

constexpr const char* kCases = "cases.csv";

struct SideFile {
  const RunTable& (*table)();
  std::vector<RowValues> RunStore::Record::*rows;
};

// These files are written before the row of cases.csv.
constexpr SideFile kSideFiles[] = {
    {sample_table, &RunStore::Record::samples},
    {step_table, &RunStore::Record::steps},
    {part_table, &RunStore::Record::parts},
    {timeline_table, &RunStore::Record::timeline},
};

// The whole records of a file; only the header where even that is missing or torn.
CsvTable read_table(const std::string& path, const std::vector<std::string>& columns,
                    std::size_t& file_bytes) {
  const std::string text = std::filesystem::exists(path) ? read_text(path) : std::string();
  file_bytes = text.size();
  if (text.find('\n') == std::string::npos) return CsvTable(columns);
  CsvTable table = CsvTable::parse(text, path);
  if (table.header() != columns)
    throw UsageError(fmt::format(
        "{} has the columns of another version of qb; start a new run with --run-id", path));
  return table;
}

// Returns the CSV text of the rows that are kept.
std::string rows_that(const CsvTable& table, const auto& are_kept) {
  CsvTable kept(table.header());
  for (std::size_t row = 0; row < table.size(); ++row)
    if (are_kept(row)) kept.append(table.row(row));
  return kept.to_string();
}

// Returns the CSV text of the rows by the places of their cases.
std::string sorted_rows(const CsvTable& table, const std::map<std::string, std::size_t>& places) {
  Rows rows = all_rows(table);
  std::ranges::stable_sort(rows, {}, [&](const Row& row) {
    const auto place = places.find(row.text("case_id"));
    return place == places.end() ? places.size() : place->second;
  });
  CsvTable sorted(table.header());
  for (const Row& row : rows) sorted.append(table.row(row.index));
  return sorted.to_string();
}

// `latest` beside the run folders names the newest one. A file system without links gets none.
void point_latest_at(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).lexically_normal();
  const std::filesystem::path link = folder.parent_path() / "latest";
  const std::filesystem::path temporary = folder.parent_path() / ".latest.part";
  std::error_code ignored;
  if (std::filesystem::exists(link, ignored) && !std::filesystem::is_symlink(link, ignored)) return;
  std::filesystem::remove(temporary, ignored);
  std::filesystem::create_directory_symlink(folder.filename(), temporary, ignored);
  std::filesystem::rename(temporary, link, ignored);
}

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::vector<RowValues> with_case_id(const std::string& id, std::vector<RowValues> rows) {
  for (RowValues& row : rows) row.set("case_id", id);
  return rows;
}

// A row is one line, so a missing line end shows that the last one is torn.
std::vector<std::string> fields_of(const RunTable& table, const RowValues& row) {
  std::vector<std::string> fields = table.fields_of(row);
  for (std::string& field : fields) field = one_line(std::move(field));
  return fields;
}

std::string process_in(int fd) {
  std::array<char, 128> text{};
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  return got > 0 ? std::string(text.data(), static_cast<std::size_t>(got)) : std::string("?");
}

}  // namespace

RunStore::RunStore(std::string path) : path_(std::move(path)), lock_(lock_folder(path_)) {
  // Removes temporary files of write_file_atomically that a killed writer left.
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(path_, ignored))
    if (entry.path().extension() == ".part") std::filesystem::remove(entry.path(), ignored);
}

RunStore RunStore::create(const std::string& path, const Manifest& manifest,
                          const std::string& resolved_yaml) {
  ensure_directory(path + "/logs");
  RunStore store(path);
  if (std::filesystem::exists(store.file("manifest.json")))
    throw FolderBusy(fmt::format("another run has made {} meanwhile", path));
  store.manifest_ = manifest;
  write_file_atomically(store.file("spec.resolved.yaml"), resolved_yaml);
  write_file_atomically(store.file(kCases), csv_record(case_table().columns));
  for (const SideFile& side : kSideFiles)
    write_file_atomically(store.file(side.table().file), csv_record(side.table().columns));
  // The manifest comes last: a folder with a manifest is a run.
  store.write_manifest();
  store.load_cases();
  point_latest_at(path);
  return store;
}

RunStore RunStore::open(const std::string& path) {
  RunStore store(path);
  store.manifest_ = read_manifest(path);
  if (store.manifest_.schema_version != kSchemaVersion)
    throw UsageError(
        fmt::format("{} has schema version {}, this qb writes {}; start a new run "
                    "with --run-id",
                    path, store.manifest_.schema_version, kSchemaVersion));
  ensure_directory(path + "/logs");
  store.repair();
  return store;
}

std::string RunStore::log_path(const std::string& case_id) const {
  return fmt::format("{}/logs/{}.log", path_, case_id);
}

std::string RunStore::trace_directory() const {
  ensure_directory(path_ + "/traces");
  return path_ + "/traces";
}

void RunStore::load_cases() {
  std::size_t file_bytes = 0;
  cases_ = read_table(file(kCases), case_table().columns, file_bytes);
  done_.clear();
  for (const Row& row : all_rows(cases_)) done_.insert(row.text("case_id"));
  if (cases_.to_string().size() != file_bytes)
    write_file_atomically(file(kCases), cases_.to_string());
}

void RunStore::repair() {
  load_cases();
  for (const SideFile& side : kSideFiles) {
    const RunTable& of = side.table();
    std::size_t file_bytes = 0;
    const CsvTable table = read_table(file(of.file), of.columns, file_bytes);
    const std::string text =
        rows_that(table, [&](std::size_t row) { return has(table.row(row).front()); });
    if (text.size() != file_bytes) write_file_atomically(file(of.file), text);
  }
}

void RunStore::commit(const Record& record) {
  const std::vector<std::string> row = fields_of(case_table(), record.row);
  std::vector<std::string> texts;
  for (const SideFile& side : kSideFiles) {
    std::string& text = texts.emplace_back();
    for (const RowValues& values : record.*side.rows)
      text += csv_record(fields_of(side.table(), values));
  }
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (!texts[i].empty()) append_and_flush(file(kSideFiles[i].table().file), texts[i]);
  append_and_flush(file(kCases), csv_record(row));
  cases_.append(row);
  done_.insert(record.case_id);
}

void RunStore::drop_for_retry() {
  // The manifest becomes unfinished before the rows go: a run killed in between resumes, runs no
  // case and finishes again.
  manifest_.finished_at.clear();
  write_manifest();
  write_file_atomically(file(kCases), rows_that(cases_, [&](std::size_t row) {
                          const std::string& by = Row{&cases_, row}.text("disturbed_by");
                          return Row{&cases_, row}.text("status") == word(Status::ok) &&
                                 (by.empty() || by == word(Disturbance::oversubscribed));
                        }));
  repair();
}

void RunStore::sort_rows(const std::vector<std::string>& case_ids) {
  std::map<std::string, std::size_t> places;
  for (const std::string& id : case_ids) places.emplace(id, places.size());
  const auto sort = [&](const RunTable& table) {
    std::size_t file_bytes = 0;
    const CsvTable rows = read_table(file(table.file), table.columns, file_bytes);
    write_file_atomically(file(table.file), sorted_rows(rows, places));
  };
  for (const SideFile& side : kSideFiles) sort(side.table());
  sort(case_table());
  load_cases();
}

void RunStore::note_resume(const std::string& utc) {
  manifest_.resumed_at.push_back(utc);
  write_manifest();
}

void RunStore::finish(const std::string& utc, const std::optional<NoiseFloor>& noise_floor) {
  manifest_.finished_at = utc;
  manifest_.noise_floor = noise_floor;
  write_manifest();
}

void RunStore::write_manifest() {
  write_file_atomically(file("manifest.json"), manifest_to_json(manifest_));
}

RunStore::Record make_record(const Case& c, const CaseResult& result, const std::string& started_at,
                             double duration_s) {
  RunStore::Record record;
  record.case_id = case_id(c);
  record.row = result.values;
  for (const auto& [name, value] : case_parameters(c)) record.row.set_text(name, value);
  record.row.set("schema_version", kSchemaVersion);
  record.row.set("case_id", record.case_id);
  record.row.set("experiment", c.experiment);
  record.row.set("status", word(result.status));
  record.row.set("message", result.message);
  record.row.set("started_at", started_at);
  record.row.set("duration_s", duration_s);
  if (result.status == Status::ok)
    record.samples = with_case_id(record.case_id, sample_rows(result.samples));
  record.steps = with_case_id(record.case_id, result.steps);
  record.parts = with_case_id(record.case_id, result.parts);
  record.timeline = with_case_id(record.case_id, result.timeline);
  return record;
}

Fd lock_folder(const std::string& folder) {
  Fd file(::open((folder + "/.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (file.get() < 0)
    throw EnvironmentError(
        fmt::format("cannot write to the run folder {}: {}; choose another with "
                    "--out",
                    folder, std::strerror(errno)));
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK)
      throw FolderBusy(
          fmt::format("another run (pid {}) is writing {}", process_in(file.get()), folder));
    throw EnvironmentError(
        fmt::format("cannot lock the run folder {}: {}; choose one on another file system with "
                    "--out",
                    folder, std::strerror(errno)));
  }
  // It serves only the message above: where it cannot be written, the lock still holds.
  const std::string process = fmt::format("{} on {}", ::getpid(), host_name());
  [[maybe_unused]] const auto cut = ::ftruncate(file.get(), 0);
  [[maybe_unused]] const auto written = ::pwrite(file.get(), process.data(), process.size(), 0);
  return file;
}

std::string writer_of(const std::string& folder) {
  const Fd file(::open((folder + "/.lock").c_str(), O_RDONLY | O_CLOEXEC));
  const bool busy = file.get() >= 0 && ::flock(file.get(), LOCK_SH | LOCK_NB) != 0;
  return busy ? process_in(file.get()) : std::string();
}

}  // namespace qb
