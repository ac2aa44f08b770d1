// A table as a value, and its four printers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace qb {

struct Table {
  std::string name{};   // stem of files, LaTeX label
  std::string title{};  // caption
  std::vector<std::string> header{};
  std::vector<std::vector<std::string>> rows{};  // each as long as the header
  std::vector<std::string> notes{};
};

// Aligned columns; title above, notes below.
[[nodiscard]] std::string table_terminal(const Table& table);
[[nodiscard]] std::string table_markdown(const Table& table);
// A table environment for the packages booktabs and, in UTF-8, inputenc or a newer engine.
[[nodiscard]] std::string table_latex(const Table& table);
// Header and rows alone.
[[nodiscard]] std::string table_csv(const Table& table);

// Text that LaTeX sets as it stands.
[[nodiscard]] std::string latex_escape(std::string_view text);

// A column whose cells all read as numbers (reads_as_number): right-aligned in every form.
[[nodiscard]] bool numeric_column(const Table& table, std::size_t column);

// Writes NAME.md, NAME.tex and NAME.csv into `directory` and returns the paths. Throws
// EnvironmentError as write_file_atomically.
std::vector<std::string> write_table(const Table& table, const std::string& directory);

}  // namespace qb
