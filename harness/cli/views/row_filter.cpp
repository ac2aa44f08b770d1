#include "harness/cli/views/row_filter.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/status.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/spec/sweep.h"

namespace qb {

std::vector<bool> rows_kept(const CsvTable& cases, const std::vector<std::string>& filters) {
  std::vector<bool> kept(cases.size(), true);
  for (const std::string& text : filters) {
    const std::string label = "--filter " + text;
    const Grid::Predicate predicate = parse_filter(text, {label, 0, 0});
    const std::string_view column = parameters()[predicate.parameter].column;
    for (std::size_t row = 0; row < kept.size(); ++row)
      kept[row] = kept[row] && predicate.holds({cases.text(row, column), predicate.operand.place});
    if (std::ranges::count(kept, true) == 0)
      throw UsageError(fmt::format("{}: no case of the run is left", label));
  }
  return kept;
}

}  // namespace qb
