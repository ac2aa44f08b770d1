// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/value.h"

#include <memory>

#include "base/csv.h"
#include "base/numbers.h"
#include "base/schema/column.h"
#include "base/schema/column_fields.h"
#include "plots/frame/claims.h"
#include "plots/frame/lines.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

constexpr std::string_view kMedian = "_median_s";

Unit unit_of(std::string_view unit, double largest) {
  if (unit == "s") return time_unit(largest);
  if (unit == "bytes") return byte_unit(largest);
  if (unit == "FLOP/s") return {.name = "GFLOP/s", .suffix = "gflop_per_s", .factor = 1e-9};
  return {.name = std::string(unit), .suffix = unit == "%" ? "percent" : "", .factor = 1.0};
}

std::function<Point(const Row&)> value_of_column(const std::string& column) {
  if (!column.ends_with(kMedian))
    return [column](const Row& row) { return Point{.y = row.number_at(column)}; };
  return [prefix = column.substr(0, column.size() - kMedian.size())](const Row& row) {
    Point point{.y = row.number_at(prefix + std::string(kMedian))};
    if (!row.table->has(prefix + "_low95_s")) return point;
    point.low = row.number_at(prefix + "_low95_s");
    point.high = row.number_at(prefix + "_high95_s");
    return point;
  };
}

Point inverse(const Point& point, double over) {
  return {.y = over / point.y, .low = over / point.high, .high = over / point.low};
}

Point time_of(const Row& row) { return timed(row, clock_of(row), 1.0); }

// The waiting over bytes / bandwidth. Under `serial` workers take turns, and what a root scatters
// and gathers has no such time.
Point exposed_ratio(const Row& row) {
  if (row.is("ranks", "serial") || has_root(row)) return {};
  const double link_s = row.number("device_sent_bytes") / row.number("link_bandwidth_byte_per_s");
  return link_s > 0.0 ? timed(row, "exposed_communication", 1.0 / link_s) : Point{};
}

double peak_of_device(const Row& row, const PeakOf& modelled_peak) {
  if (modelled(row)) return modelled_peak ? modelled_peak(row) / row.number("workers") : kNaN;
  const double peak = row.number("peak_flop_per_s");  // of one device that played all under serial
  return row.is("ranks", "serial") ? peak : peak / row.number("workers");
}

// The base case's time over the row's, in the sense of `name`.
std::function<Point(const Row&)> quotient(const std::string& name, const BaseOf& base) {
  return [=](const Row& row) {
    const std::optional<Row> over = base(row);
    if (!over || !ran(*over) || (name == "over_ideal" && *over == row)) return Point{};
    Point ratio = *over == row
                      ? Point{.y = 1.0}
                      : time_ratio(*over, row,
                                   name == "paper_speed_up" ? IntervalColumns("longest_subsequence")
                                                            : clock_of(row));
    if (name == "efficiency") ratio = scaled(ratio, 1.0 / row.number("workers"));
    if (name != "over_ideal") return ratio;
    return inverse(ratio, over->number("unmasked_pairs") / row.number("unmasked_pairs"));
  };
}

std::function<Point(const Row&)> derived_value(const std::string& word, const PeakOf& peak) {
  const auto number = [](double (*of)(const Row&)) {
    return [of](const Row& row) { return Point{.y = of(row)}; };
  };
  if (word == "time") return time_of;
  if (word == "device_sent") return number(busiest_sent_bytes);
  if (word == "device_peak") return number(fullest_device_bytes);
  if (word == "planned_peak") return number(predicted_fullest_bytes);
  if (word == "exposed_ratio") return exposed_ratio;
  if (word == "imbalance")
    return [](const Row& row) {
      return Point{.y = row.number("critical_path_pairs") * row.number("workers") /
                        row.number("unmasked_pairs")};
    };
  const bool share = word == "mfu";
  return [=](const Row& row) {
    const double flop_of_worker = row.number("unmasked_flop") / row.number("workers");
    return inverse(time_of(row),
                   flop_of_worker * (share ? kPercent / peak_of_device(row, peak) : 1.0));
  };
}

}  // namespace

BaseOf case_like(const Rows& rows, const std::function<bool(const Field&)>& excepted) {
  Columns columns;
  for (const Field& field : kParameterFields)
    if (!excepted(field)) columns.emplace_back(field.column);
  if (!rows.empty() && rows.front().table->has("run")) columns.emplace_back("run");
  auto found = std::make_shared<std::map<std::vector<std::string>, Row>>();
  for (const Row& row : rows) found->insert_or_assign(values_of(row, columns), row);
  return [=](const Row& row) -> std::optional<Row> {
    const auto at = found->find(values_of(row, columns));
    return at == found->end() ? std::nullopt : std::optional(at->second);
  };
}

BaseOf base_of(const CaseWords& words, const CsvTable& cases) {
  const auto among = [&](const CaseWords& wanted) {
    return where(all_rows(cases), [&](const Row& row) {
      return std::ranges::all_of(wanted,
                                 [&](const auto& one) { return row.at(one.first) == one.second; });
    });
  };
  if (words.empty()) return case_like(among({{"workers", "1"}}), says_how_split);
  CaseWords wanted;
  for (const auto& [name, value] : words) wanted.emplace_back(parameter_word(name), value);
  const auto is_wanted = [=](const Field& field) {
    return std::ranges::any_of(wanted, [&](const auto& one) { return one.first == field.column; });
  };
  const BaseOf same = case_like(among(wanted), is_wanted);
  const bool other_split = std::ranges::any_of(wanted, [](const auto& one) {
    return find_parameter_field(one.first)->group == FieldGroup::split;
  });
  if (!other_split) return same;
  const auto split_but = [=](std::string_view kept) {
    return [=](const Field& field) {
      return is_wanted(field) || (says_how_split(field) && field.column != kept);
    };
  };
  const BaseOf as_many = case_like(among(wanted), split_but("workers"));
  CaseWords alone = wanted;
  alone.emplace_back("workers", "1");
  const BaseOf of_one = case_like(among(alone), split_but({}));
  return [=](const Row& row) {
    for (const BaseOf* rule : {&same, &as_many, &of_one})
      if (const std::optional<Row> found = (*rule)(row)) return found;
    return std::optional<Row>();
  };
}

std::string ShownValue::with_unit() const {
  return name + (unit.name.empty() ? "" : " (" + unit.name + ")");
}

ShownValue value_named(const std::string& typed, const CaseWords& base, const Rows& cases,
                       const PeakOf& modelled_peak) {
  constexpr std::string_view kQuotients[] = {"speed_up", "efficiency", "paper_speed_up",
                                             "over_ideal"};
  const std::string word = value_word(typed);
  const DerivedValue* const derived = find_derived(word);
  ShownValue shown{
      .value = {},
      .word = word,
      .name =
          derived != nullptr && !derived->said.empty()
              ? std::string(derived->said)
              : replaced(derived != nullptr ? word : without_unit(word),
                         {{"_", " "}, {"l2", "L2"}, {"d_q", "dQ"}, {"d_k", "dK"}, {"d_v", "dV"}}),
      .all_modelled = count(cases, modelled) == count(cases, ran)};
  if (std::ranges::count(kQuotients, word) > 0) {
    const bool ideal = word == "over_ideal";
    shown.base = ideal ? base_of({{"mask", "full"}, {"kernel", "flash"}}, *cases.at(0).table)
                       : base_of(base, *cases.at(0).table);
    shown.value = quotient(word, shown.base);
    if (ideal)
      shown.value = [of = shown.value](const Row& row) {
        return row.text("mask").starts_with('{') ? of(row) : Point{};
      };
  } else {
    shown.value = derived != nullptr ? derived_value(word, modelled_peak) : value_of_column(word);
  }
  constexpr std::string_view kTimed[] = {"time", "worker_speed", "mfu", "exposed_ratio",
                                         "achieved_flop_per_s"};
  shown.timed = shown.quotient() || word.ends_with(kMedian) || std::ranges::count(kTimed, word) > 0;
  shown.more_is_better = (shown.quotient() && word != "over_ideal") || word == "mfu" ||
                         word == "worker_speed" || word.ends_with("_flop_per_s");
  if (word == "achieved_flop_per_s") {
    shown.name = "speed";
    shown.value = [](const Row& row) { return flop_rate(row, 1.0); };
  }
  const std::string of_root = replaced(word, {{"device_", "root_"}});
  if (word == "device_sent" || word == "device_peak" || word == "planned_peak")
    shown.root_note = "A root that scatters the shards counts as a device.";
  else if (of_root != word && find_field(of_root) != nullptr)
    shown.root_note = fmt::format("{} is without a root that scatters: see {}.", word, of_root);
  const Field* const field = find_field(word);
  shown.unit = unit_of(derived != nullptr ? derived->unit : field->unit,
                       largest(cases, [&](const Row& row) { return shown.value(row).y; }));
  shown.whole = derived == nullptr && field->kind == FieldKind::integer && shown.unit.factor == 1.0;
  return shown;
}

// Speed-ups over a base that reaches less than this fraction of its machine's measured peak look
// better than they are.
constexpr double kSlowBase = 0.6;

std::string slow_base_note(const Rows& rows, const BaseOf& base_of_row) {
  std::set<std::pair<double, std::size_t>> slow;  // by fraction; a base counts once
  for (const Row& row : rows)
    if (const auto base = base_of_row(row); base && base->number("peak_fraction") < kSlowBase)
      slow.insert({base->number("peak_fraction"), base->index});
  if (slow.empty()) return {};
  const std::string least = fmt::format("{:.0f}", kPercent * slow.begin()->first);
  const std::string most = fmt::format("{:.0f}", kPercent * slow.rbegin()->first);
  return fmt::format("Base at {} % of peak ({}): speed-ups may look too good.",
                     least == most ? least : least + " to " + most, counted(slow.size(), "case"));
}

double number_named(const Row& row, const std::string& word) {
  if (word == "tokens_per_worker") return row.number("n_tokens") / row.number("workers");
  if (word == "miss_rate") return kPercent * row.number("n_tokens") / row.number("kv_len");
  // Scores of normal queries and keys are as large as this, in the middle.
  if (word == "typical_score") return row.number("scale") * std::sqrt(row.number("head_dim"));
  const Field* const field = find_field(word);
  const bool number = field != nullptr && (is_number_kind(field->kind));
  return number ? row.number_at(word) : kNaN;
}

std::string text_named(const Row& row, const std::string& word) {
  return find_derived(word) != nullptr ? to_text(number_named(row, word)) : row.at(word);
}

}  // namespace qb
