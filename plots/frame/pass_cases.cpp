#include "plots/frame/pass_cases.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "plots/frame/case_series.h"
#include "plots/frame/scheme_cases.h"

namespace qb {
namespace {

constexpr std::array<std::string_view, 2> kPasses = {"pass_kv", "pass_q"};

// Whether some number of keys has several numbers of new tokens.
bool one_context(const CsvTable& cases, const std::vector<std::size_t>& rows) {
  return group_cases(cases, rows, {"kv_len"}).size() <
         group_cases(cases, rows, {"kv_len", "n_tokens"}).size();
}

}  // namespace

std::vector<std::size_t> pass_rows(const CsvTable& cases) {
  return rows_of_algorithms(cases, kPasses);
}

double miss_rate_percent(const CsvTable& cases, std::size_t row) {
  return 100.0 * cases.number(row, "n_tokens") / cases.number(row, "kv_len");
}

std::vector<PassGroup> pass_groups(const CsvTable& cases) {
  const std::vector<std::size_t> rows = pass_rows(cases);
  const Columns place = joined({"workers"}, place_columns());
  Columns told_by = joined(place, shape_columns());
  Columns shown = joined(place, differing_columns(cases, rows, shape_columns()));
  if (one_context(cases, rows)) {
    told_by.emplace_back("kv_len");
    shown.emplace_back("kv_len");
  }
  std::vector<PassGroup> groups;
  for (auto& [key, members] : group_cases(cases, rows, told_by)) {
    if (std::none_of(members.begin(), members.end(),
                     [&](std::size_t row) { return ran(cases, row); }))
      continue;
    PassGroup group{.name = named_values(cases, members.front(), shown), .rows = members};
    std::stable_sort(group.rows.begin(), group.rows.end(), [&](std::size_t a, std::size_t b) {
      return miss_rate_percent(cases, a) < miss_rate_percent(cases, b);
    });
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace qb
