// SPDX-License-Identifier: Apache-2.0
#include "plots/report/report.h"

#include <filesystem>
#include <iterator>
#include <map>

#include "base/csv.h"
#include "base/files.h"
#include "plots/frame/frame.h"

namespace qb {

std::string write_findings(const std::vector<Figure>& figures, const std::string& directory) {
  ensure_directory(directory);
  const std::string path = (std::filesystem::path(directory) / "findings.csv").string();
  std::map<std::string, std::vector<std::string>> rows;  // by figure
  if (std::filesystem::exists(path)) {
    const CsvTable old = CsvTable::parse(read_text(path), path);
    for (const Row& row : all_rows(old)) rows[row.at(kFindingColumns[0])] = old.row(row.index);
  }
  for (const Figure& figure : figures)
    if (figure.empty_reason.empty())
      rows[figure.name] = {figure.name, figure.title, figure.finding};
  CsvTable table({std::begin(kFindingColumns), std::end(kFindingColumns)});
  for (const auto& [name, row] : rows) table.append(row);
  write_file_atomically(path, table.to_string());
  return path;
}

}  // namespace qb
