// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/scheme_settings.h"

#include "base/schema/run_tables.h"
#include "base/schema/strategies.h"

namespace qb {
namespace {

#define QB_NAME(name, ...) #name,
#define QB_NOTHING(...)
constexpr const char* kSchemes[] = {QB_SCHEMES_AND_OTHERS(QB_NAME, QB_NOTHING)};
constexpr const char* kOthers[] = {QB_SCHEMES_AND_OTHERS(QB_NOTHING, QB_NAME) "tensor_parallel"};
#undef QB_NAME
#undef QB_NOTHING

const Columns kSetting =
    joined({"n_tokens", "kv_len", "sequences"}, joined(kShapeColumns, kPlaceColumns));

}  // namespace

bool is_compared_scheme(const Row& row) {
  return std::ranges::count(kOthers, row.text("algorithm")) == 0;
}

std::size_t count_schemes(const Rows& rows) {
  return group(where(rows, ran), Columns{"algorithm"}).size();
}

std::string least_of(Rows rows, std::string_view verb, double (*value)(const Row&)) {
  rows = where(rows, [&](const Row& row) { return ran(row) && value(row) > 0.0; });
  rows = of_largest(rows, number_in("workers"));
  if (rows.size() < 2) return {};
  constexpr double kSame = 1.001;
  const auto [least, most] = std::ranges::minmax(numbers_of(rows, value));
  if (most <= kSame * least) return {};
  std::vector<std::string> best;
  Row other;
  for (const Row& row : rows) {
    if (value(row) <= kSame * least) best.push_back(row.text("algorithm"));
    // A ring is the scheme that readers know; where it is among the best, the worst.
    if (value(row) == most && other.table == nullptr) other = row;
    if (row.is("algorithm", "ring") && value(row) > kSame * least) other = row;
  }
  return fmt::format("At W = {} a device {} least in {}, {:.3g} times less than in {}",
                     rows.front().text("workers"), verb, listed(best, " and "),
                     value(other) / least, other.text("algorithm"));
}

Groups scheme_settings(const CsvTable& cases) {
  const Rows rows = where(standing_rows(cases), [](const Row& row) {
    return is_compared_scheme(row) && row.number("workers") >= 2;
  });
  const Columns named = without(joined({"n_tokens", "sequences"}, kShapeColumns), "threads");
  Groups found = panels_by(rows, kSetting,
                           joined(differing_columns(standing_rows(cases), named), kPlaceColumns));
  std::ranges::stable_sort(found, std::greater{}, [](const Group& one) {
    const Rows done = where(one.rows, ran);
    return std::tuple(count_schemes(done), group(done, Columns{"workers"}).size(),
                      one.rows.front().number("n_tokens"), done.size(),
                      one.rows.front().is("ranks", "threads"));
  });
  return found;
}

Rows best_setting(const CsvTable& cases, bool (*has)(const Row&), std::string* name) {
  Groups all = scheme_settings(cases);
  std::erase_if(all, [=](const Group& one) { return count_schemes(where(one.rows, has)) < 2; });
  std::ranges::stable_partition(all, [](const Group& one) { return is_forward(one.rows.front()); });
  if (all.empty()) return {};
  if (name != nullptr) *name = all.front().name;
  return all.front().rows;
}

Groups compared_lines(const Rows& rows) {
  std::vector<const char*> names(std::begin(kSchemes), std::end(kSchemes));
  for (const Group& one : group(where(rows, is_compared_scheme), Columns{"algorithm"}))
    if (const std::string& name = one.rows.front().text("algorithm");
        std::ranges::count(kSchemes, name) == 0)
      names.push_back(name.c_str());
  Groups lines = algorithm_lines(rows, names);
  std::erase_if(lines, [](const Group& line) { return line.rows.empty(); });
  for (Group& line : lines) line.rows = order(line.rows, number_in("workers"));
  return lines;
}

Rows rows_like(const CsvTable& cases, const Row& like, const Columns& free) {
  return where(standing_rows(cases), [&](const Row& row) {
    return std::ranges::all_of(kSetting, [&](const std::string& column) {
      return std::ranges::count(free, column) > 0 ||
             own_value(row, column) == own_value(like, column);
    });
  });
}

double held_bytes(const Row& row) {
  const double measured = fullest_device_bytes(row);
  return std::isnan(measured) ? predicted_fullest_bytes(row) : measured;
}

std::string crowded_name(const Rows& rows, int cores) {
  const auto crowded = [=](const Row& row) { return ran(row) && oversubscribed(row); };
  const auto found = std::ranges::find_if(rows, crowded);
  return found == rows.end() ? ""
                             : fmt::format("{} on {}", found->text("ranks"),
                                           counted(static_cast<std::size_t>(cores), "core"));
}

}  // namespace qb
