#include "harness/cli/views/table_format.h"

namespace qb {

std::string printed(const Table& table, TableFormat format) {
  switch (format) {
    case TableFormat::text:
      return table_terminal(table);
    case TableFormat::markdown:
      return table_markdown(table);
    case TableFormat::latex:
      return table_latex(table);
    case TableFormat::csv:
      return table_csv(table);
  }
  return {};
}

}  // namespace qb
