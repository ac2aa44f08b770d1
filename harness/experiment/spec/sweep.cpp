// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/spec/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/numbers.h"

namespace qb {
namespace {

void require_kind(std::string_view key, const YamlNode& node, YamlNode::Kind kind,
                  std::string_view shape) {
  if (node.kind != kind) fail_at(node.place, fmt::format("'{}:' takes {}", key, shape));
}

std::size_t parameter_of(const YamlNode& entry) {
  if (const auto index = find_parameter(entry.key)) return *index;
  fail_unknown_key(entry.key_place, entry.key, parameter_keys());
}

}  // namespace

Grid::Grid(const YamlNode& spec, std::span<const std::size_t> overridden) {
  read_fixed(spec);
  for (const YamlNode& entry : spec.items) {
    if (entry.key == "sweep") read_sweep(entry);
    if (entry.key == "zip") read_zip(entry);
    if (entry.key != "cases") continue;
    for (std::string_view other : {"sweep", "zip", "exclude"})
      if (spec.find(other) != nullptr)
        fail_at(entry.key_place,
                fmt::format("'cases:' lists every case; '{}:' cannot be given beside it", other));
    read_cases(entry);
  }
  count_workers();
  complete(spec.place);
  for (Axis& axis : axes_) axis.masks.assign(axis.rows(), 0);
  if (const YamlNode* excludes = spec.find("exclude")) read_excludes(*excludes, overridden);
}

// Two equal rows would run one case twice.
void Grid::require_distinct_rows(const Axis& axis, std::string_view what) {
  std::unordered_map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < axis.rows(); ++i) {
    std::string key;
    for (const Value& value : axis.row(i)) key += value.text + '\n';
    const auto [first, fresh] = seen.emplace(std::move(key), i);
    if (!fresh)
      fail_at(axis.row(i).front().place,
              fmt::format("{} {} and {} are the same", what, first->second + 1, i + 1));
  }
}

void Grid::read_fixed(const YamlNode& spec) {
  fixed_.resize(parameters().size());
  for (const YamlNode& entry : spec.items) {
    const auto index = find_parameter(entry.key);
    if (!index) continue;
    const Parameter& parameter = parameters()[*index];
    // An interest set may be a list and a mask a map; each is still one value.
    if (parameter.kind != FieldKind::residues && parameter.kind != FieldKind::mask &&
        (entry.kind == YamlNode::map || entry.kind == YamlNode::list))
      fail_at(entry.place, fmt::format("{} takes one value here; a list or range belongs "
                                       "under 'sweep:'",
                                       entry.key));
    fixed_[*index] = read_value(parameter, entry);
  }
}

bool Grid::on_axis(std::size_t parameter) const {
  return std::ranges::any_of(
      axes_, [&](const Axis& axis) { return std::ranges::count(axis.parameters, parameter) > 0; });
}

void Grid::require_free(std::size_t parameter, const YamlNode& entry) const {
  if (fixed_[parameter])
    fail_at(entry.key_place, fmt::format("{} is fixed already, at {}", entry.key,
                                         to_string(fixed_[parameter]->place)));
  if (on_axis(parameter))
    fail_at(entry.key_place, fmt::format("{} is given under both 'sweep:' and 'zip:'", entry.key));
}

void Grid::read_sweep(const YamlNode& sweep) {
  require_kind("sweep", sweep, YamlNode::map, "a map of parameters to lists or ranges");
  for (const YamlNode& entry : sweep.items) {
    const std::size_t index = parameter_of(entry);
    require_free(index, entry);
    axes_.push_back({{index}, read_values(parameters()[index], entry), {}});
    // The values of a range are distinct by construction.
    if (entry.kind == YamlNode::list)
      require_distinct_rows(axes_.back(), fmt::format("values of {}:", entry.key));
  }
}

void Grid::read_zip(const YamlNode& zip) {
  require_kind("zip", zip, YamlNode::map, "a map of parameters to lists of equal length");
  if (zip.items.empty()) return;
  Axis axis;
  std::vector<std::vector<Value>> columns;
  for (const YamlNode& entry : zip.items) {
    const std::size_t index = parameter_of(entry);
    require_free(index, entry);
    axis.parameters.push_back(index);
    columns.push_back(read_values(parameters()[index], entry));
    if (columns.back().size() != columns.front().size())
      fail_at(entry.key_place,
              fmt::format("zipped lists must be of equal length: {} has {} values, {} has {}",
                          zip.items.front().key, columns.front().size(), entry.key,
                          columns.back().size()));
  }
  for (std::size_t row = 0; row < columns.front().size(); ++row)
    for (std::vector<Value>& column : columns) axis.values.push_back(std::move(column[row]));
  require_distinct_rows(axis, "zip entries");
  axes_.push_back(std::move(axis));
}

Value Grid::missing_value(std::size_t parameter, const Place& place) const {
  const Parameter& p = parameters()[parameter];
  if (p.key == "n_tokens") fail_at(place, "n_tokens is missing");
  return {std::string(p.standard), {}};
}

void Grid::read_cases(const YamlNode& cases) {
  require_kind("cases", cases, YamlNode::list, "a list of maps of parameters");
  if (cases.items.empty()) fail_at(cases.place, "'cases:' needs at least one case");
  const std::size_t n = parameters().size();
  std::vector<bool> used(n, false);
  for (const YamlNode& item : cases.items) {
    if (item.kind != YamlNode::map || item.items.empty())
      fail_at(item.place, "a case is a map of parameters");
    for (const YamlNode& entry : item.items) {
      const std::size_t index = parameter_of(entry);
      require_free(index, entry);
      used[index] = true;
    }
  }
  Axis axis;
  for (std::size_t p = 0; p < n; ++p)
    if (used[p]) axis.parameters.push_back(p);
  for (const YamlNode& item : cases.items) {
    std::vector<Value> row(n);  // n_tokens comes before kv_len, q_heads before kv_heads
    for (const std::size_t p : axis.parameters) {
      const Parameter& parameter = parameters()[p];
      if (const YamlNode* entry = item.find(parameter.key)) {
        row[p] = read_value(parameter, *entry);
      } else if (!parameter.follows.empty()) {
        const std::size_t leader = *find_parameter(parameter.follows);
        row[p] = used[leader]     ? row[leader]
                 : fixed_[leader] ? *fixed_[leader]
                                  : missing_value(leader, item.place);
      } else {
        row[p] = missing_value(p, item.place);
      }
      axis.values.push_back(row[p]);
      axis.values.back().place = row[p].place.source.empty() ? item.place : row[p].place;
    }
  }
  require_distinct_rows(axis, "cases");
  axes_.push_back(std::move(axis));
}

// Where a spec says nothing of the workers, each place of its cluster has one.
void Grid::count_workers() {
  const std::size_t cluster = *find_parameter("cluster");
  const std::size_t workers = *find_parameter("workers");
  if (fixed_[workers] || on_axis(workers)) return;
  const auto count = [](const Value& value) -> Value {
    if (value.text == kNoCluster) return {"1", value.place};
    const int n = at_place(value.place, [&] { return read_cluster(value.text).workers(); });
    return {to_text(std::int64_t{n}), value.place};
  };
  if (fixed_[cluster]) fixed_[workers] = count(*fixed_[cluster]);
  for (Axis& axis : axes_) {
    const auto found = std::ranges::find(axis.parameters, cluster);
    if (found == axis.parameters.end()) continue;
    const auto column = static_cast<std::size_t>(found - axis.parameters.begin());
    Axis wider{axis.parameters, {}, {}};
    wider.parameters.push_back(workers);
    for (std::size_t i = 0; i < axis.rows(); ++i) {
      const std::span<const Value> row = axis.row(i);
      wider.values.insert(wider.values.end(), row.begin(), row.end());
      wider.values.push_back(count(row[column]));
    }
    axis = std::move(wider);
  }
}

void Grid::complete(const Place& place) {
  for (std::size_t p = 0; p < parameters().size(); ++p) {
    follows_.push_back(p);
    if (fixed_[p] || on_axis(p)) continue;
    const std::string_view leader = parameters()[p].follows;
    if (leader.empty())
      fixed_[p] = missing_value(p, place);
    else
      follows_[p] = *find_parameter(leader);
  }
}

void Grid::read_excludes(const YamlNode& excludes, std::span<const std::size_t> overridden) {
  require_kind("exclude", excludes, YamlNode::list, "a list of maps of parameters to values");
  if (excludes.items.size() > kMaxExcludeRules)
    fail_at(excludes.place,
            fmt::format("at most {} rules, got {}", kMaxExcludeRules, excludes.items.size()));
  std::uint64_t bit = 1;
  for (const YamlNode& item : excludes.items) {
    if (item.kind != YamlNode::map || item.items.empty())
      fail_at(item.place, "a rule of 'exclude:' is a map of parameters to values");
    std::vector<Predicate> rule;
    bool may_be_idle = false;
    for (const YamlNode& entry : item.items) {
      const std::size_t index = parameter_of(entry);
      may_be_idle = may_be_idle || std::ranges::count(overridden, index) > 0;
      rule.push_back({follows_[index], "=", read_value(parameters()[index], entry)});
    }
    if (!apply_rule(rule, bit) && !may_be_idle)
      fail_at(item.place, "this rule of 'exclude:' matches no case");
    bit <<= 1;
  }
}

// Sets the rule's bit in the rows that do not contradict it; true when the rule matches a point.
bool Grid::apply_rule(std::span<const Predicate> rule, std::uint64_t bit) {
  const bool fixed_match = std::ranges::all_of(rule, [&](const Predicate& predicate) {
    const auto& fixed = fixed_[predicate.parameter];
    return !fixed || predicate.holds(*fixed);
  });
  if (fixed_match) fixed_mask_ |= bit;
  bool matches = fixed_match;
  for (Axis& axis : axes_) {
    bool axis_matches = false;
    for (std::size_t i = 0; i < axis.rows(); ++i) {
      bool row_matches = true;
      for (const Predicate& predicate : rule)
        for (std::size_t column = 0; column < axis.parameters.size(); ++column)
          if (axis.parameters[column] == predicate.parameter)
            row_matches = row_matches && predicate.holds(axis.row(i)[column]);
      if (row_matches) axis.masks[i] |= bit;
      axis_matches = axis_matches || row_matches;
    }
    matches = matches && axis_matches;
  }
  return matches;
}

void Grid::filter(const Predicate& predicate) {
  const std::size_t parameter = follows_[predicate.parameter];
  if (fixed_[parameter] && !predicate.holds(*fixed_[parameter])) empty_ = true;
  for (Axis& axis : axes_) {
    const auto found = std::ranges::find(axis.parameters, parameter);
    if (found == axis.parameters.end()) continue;
    const auto column = static_cast<std::size_t>(found - axis.parameters.begin());
    Axis kept{axis.parameters, {}, {}};
    for (std::size_t i = 0; i < axis.rows(); ++i) {
      const std::span<const Value> row = axis.row(i);
      if (!predicate.holds(row[column])) continue;
      kept.values.insert(kept.values.end(), row.begin(), row.end());
      kept.masks.push_back(axis.masks[i]);
    }
    axis = std::move(kept);
  }
}

std::optional<std::uint64_t> Grid::count() const {
  if (empty_) return 0;
  // The number of points of the axes so far, by the rules that may still match them.
  std::map<std::uint64_t, std::uint64_t> points = {{fixed_mask_, 1}};
  bool overflow = false;
  for (const Axis& axis : axes_) {
    std::map<std::uint64_t, std::uint64_t> rows;
    for (const std::uint64_t mask : axis.masks) ++rows[mask];
    std::map<std::uint64_t, std::uint64_t> next;
    for (const auto& [mask, n] : points)
      for (const auto& [row_mask, m] : rows) {
        std::uint64_t product = 0;
        std::uint64_t& sum = next[mask & row_mask];
        overflow = __builtin_mul_overflow(n, m, &product) || overflow;
        overflow = __builtin_add_overflow(sum, product, &sum) || overflow;
      }
    points = std::move(next);
  }
  if (overflow) return std::nullopt;
  const auto kept = points.find(0);
  return kept == points.end() ? 0 : kept->second;
}

void Grid::walk(const std::function<void(const SweepPoint&)>& visit) const {
  SweepPoint point(fixed_.size(), nullptr);
  for (std::size_t p = 0; p < fixed_.size(); ++p)
    if (fixed_[p]) point[p] = &*fixed_[p];
  const std::function<void(std::size_t, std::uint64_t)> descend = [&](std::size_t depth,
                                                                      std::uint64_t mask) {
    if (depth == axes_.size()) {
      if (mask != 0) return;
      for (std::size_t p = 0; p < point.size(); ++p) point[p] = point[follows_[p]];
      visit(point);
      return;
    }
    const Axis& axis = axes_[depth];
    for (std::size_t i = 0; i < axis.rows(); ++i) {
      for (std::size_t column = 0; column < axis.parameters.size(); ++column)
        point[axis.parameters[column]] = &axis.row(i)[column];
      descend(depth + 1, mask & axis.masks[i]);
    }
  };
  if (!empty_) descend(0, fixed_mask_);
}

}  // namespace qb
