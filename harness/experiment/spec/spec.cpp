// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/spec/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <iterator>
#include <map>
#include <set>

#include "base/files.h"
#include "base/json.h"
#include "base/numbers.h"
#include "base/schema/declared_figure.h"
#include "base/schema/figure_names.h"
#include "base/schema/other_names.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/spec/sweep.h"
#include "harness/workload/needs.h"

namespace qb {
namespace {

void check_top_level(const YamlNode& spec) {
  if (spec.kind == YamlNode::null)
    fail_at(spec.place, "the file is empty; an experiment needs 'experiment:' and 'n_tokens:'");
  if (spec.kind != YamlNode::map)
    fail_at(spec.place, "an experiment is a map of keys to values, such as 'n_tokens: 1024'");
  const auto measure = measure_keys();
  const auto is_measure = [&](std::string_view key) {
    return std::ranges::find(measure, key) != measure.end();
  };
  for (const YamlNode& entry : spec.items) {
    const std::string_view ours = our_name(entry.key);
    if (is_measure(entry.key) || is_measure(ours))
      fail_at(entry.key_place,
              fmt::format("unknown key '{}'; {} belongs under 'measure:'", entry.key,
                          is_measure(ours) ? fmt::format("qb calls this {}, which", ours) : "it"));
  }
  check_keys(spec, spec_keys());
}

std::string read_name(const YamlNode& spec) {
  const YamlNode* entry = spec.find("experiment");
  if (entry == nullptr)
    fail_at(spec.place, "'experiment:' is missing; it names the experiment and its results folder");
  const std::string& name = entry->text;
  const bool good = !name.empty() && std::ranges::all_of(name, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  });
  if (!good)
    fail_at(
        entry->place,
        fmt::format("an experiment's name has only letters, digits, '_' and '-', got '{}'", name));
  constexpr std::size_t kLongest = 200;  // the name of a folder has at most 255
  if (name.size() > kLongest)
    fail_at(entry->place,
            fmt::format("an experiment's name has at most {} letters, this one has {}", kLongest,
                        name.size()));
  return name;
}

std::string read_description(const YamlNode& spec) {
  const YamlNode* entry = spec.find("description");
  if (entry == nullptr) return {};
  if (entry->kind != YamlNode::scalar) fail_at(entry->place, "description must be a text");
  // A block scalar ends with a line end.
  const std::string& text = entry->text;
  return text.substr(0, text.find_last_not_of(" \n") + 1);
}

nlohmann::ordered_json node_as_json(const YamlNode& node) {
  using Json = nlohmann::ordered_json;
  if (node.kind == YamlNode::scalar) return node.text;
  Json json = node.kind == YamlNode::map ? Json::object() : Json::array();
  for (const YamlNode& item : node.items)
    (node.kind == YamlNode::list ? json.emplace_back() : json[item.key]) = node_as_json(item);
  return json;
}

// Reads each key alone first, so that an error has the place of its key.
DeclaredFigure read_declaration(const YamlNode& map) {
  const nlohmann::ordered_json json = node_as_json(map);
  for (const YamlNode& entry : map.items) {
    nlohmann::ordered_json alone = {{"y", "time"}};
    alone[entry.key] = json[entry.key];
    (void)at_place(entry.key_place, [&] { return read_declared_figure(alone.dump()); });
  }
  return at_place(map.place, [&] { return read_declared_figure(json.dump()); });
}

std::vector<std::string> read_figures(const YamlNode& spec) {
  const YamlNode* entry = spec.find("figures");
  if (entry == nullptr) return {};
  if (entry->kind != YamlNode::list)
    fail_at(entry->place, "'figures:' takes a list of figure names, and of maps such as {y: time}");
  std::vector<std::string> figures;
  std::set<std::string> names;
  for (const YamlNode& item : entry->items) {
    std::string name = item.text;
    if (item.kind == YamlNode::map) {
      const DeclaredFigure figure = read_declaration(item);
      name = figure.name;
      figures.push_back(to_json(figure));
    } else if (item.kind != YamlNode::scalar) {
      fail_at(item.place, "a figure is a name, or a map such as {y: time}");
    } else if (std::ranges::find(kFigureNames, name) == std::end(kFigureNames)) {
      fail_at(item.place, unknown_word("figure", name, kFigureNames));
    } else {
      figures.push_back(name);
    }
    if (!names.insert(name).second)
      fail_at(
          item.place,
          fmt::format("figure '{}' is named twice; leave one out, or give a map another 'name:'",
                      name));
  }
  return figures;
}

bool read_baseline(const YamlNode& spec) {
  const YamlNode* entry = spec.find("baseline");
  if (entry == nullptr || entry->kind == YamlNode::null) return false;
  if (entry->kind != YamlNode::scalar || entry->text != "dense")
    fail_at(entry->place, "'baseline:' takes dense, or ~ for none");
  return true;
}

// Reads a setting of `measure:` in the member's type.
void read_setting(const MeasureField& field, const YamlNode& node, Measure& measure) {
  const auto read = [&](auto member) {
    auto& setting = measure.*member;
    using T = std::remove_reference_t<decltype(setting)>;
    if constexpr (std::is_same_v<T, bool>) {
      setting = read_bool(field.key, node);
    } else if constexpr (std::is_integral_v<T>) {
      setting = static_cast<T>(read_integer(field.key, node, static_cast<std::int64_t>(field.min),
                                            static_cast<std::int64_t>(field.max)));
    } else {
      setting = field.is_time ? read_seconds(field.key, node) : read_real(field.key, node);
      if (!field.is_time && !(setting >= field.min && setting <= field.max))
        fail_at(node.place, fmt::format("{} must be from {} to {}, got {}", field.key, field.min,
                                        field.max, node.text));
    }
  };
  std::visit(read, field.member);
}

// `repeats` sets both min_repeats and max_repeats.
void read_repeats(const YamlNode& map, Measure& measure) {
  const YamlNode* const least = map.find("min_repeats");
  const YamlNode* const most = map.find("max_repeats");
  if (const YamlNode* repeats = map.find("repeats")) {
    for (const MeasureField& field : measure_fields())
      if (field.key == "min_repeats" || field.key == "max_repeats") {
        MeasureField both = field;
        both.key = "repeats";
        read_setting(both, *repeats, measure);
      }
    if (least != nullptr || most != nullptr)
      fail_at(repeats->key_place,
              fmt::format("'repeats' sets min_repeats and max_repeats both; '{}' cannot be given "
                          "beside it",
                          least != nullptr ? "min_repeats" : "max_repeats"));
    return;
  }
  if (measure.min_repeats > measure.max_repeats)
    fail_at((least != nullptr ? least : most)->place,
            fmt::format("min_repeats {} is above max_repeats {}{}", measure.min_repeats,
                        measure.max_repeats,
                        least == nullptr || most == nullptr ? " (a default)" : ""));
}

Measure read_measure(const YamlNode& spec) {
  Measure measure;
  const YamlNode* section = spec.find("measure");
  if (section == nullptr) return measure;
  const YamlNode& map = *section;
  if (map.kind != YamlNode::map) fail_at(map.place, "'measure:' takes a map of keys to values");
  check_keys(map, measure_keys());
  for (const MeasureField& field : measure_fields())
    if (const YamlNode* entry = map.find(field.key)) read_setting(field, *entry, measure);
  read_repeats(map, measure);
  return measure;
}

using InterestSets = std::set<std::pair<std::vector<int>, int>>;  // with numbers of workers

// Checks combinations of values, each of which is valid alone. verified: by the calls before.
void check_combination(const Case& c, const SweepPoint& point, InterestSets& verified) {
  const auto place = [&](std::string_view name) { return point[*find_parameter(name)]->place; };
  if (c.shape.q_heads % c.shape.kv_heads != 0)
    fail_at(place("kv_heads"), fmt::format("q_heads {} is not a multiple of kv_heads {}",
                                           c.shape.q_heads, c.shape.kv_heads));
  // Global tokens, dilations and window sizes must fit the length.
  if (c.mask.kind() == MaskKind::pattern && c.sequences.empty())
    at_place(place("mask"), [&] { return c.mask.mask(c.shape.q_len, c.shape.kv_len); });
  if (c.cluster != kNoCluster)
    at_place(place("cluster"), [&] { return network_of(cluster_of(c), c.workers); });
  if (c.interest_set.empty() || !takes_interest_set(c.algorithm)) return;
  // Fewer workers have no quorums: their case becomes a row `unsupported`.
  const int n = splitting_workers(c);
  if (n < 3 || !verified.emplace(c.interest_set, n).second) return;
  at_place(place("interest_set"), [&] { verify(InterestSet{n, c.interest_set}); });
}

// Refuses a value that no case of the spec can use. Where some can, the others become rows
// `unsupported`.
class Uses {
 public:
  void note(const Case& c, const SweepPoint& point) {
    std::set<std::string_view> unused;
    for (UnmetNeed& unmet : unmet_needs(c)) {
      const std::size_t p = *find_parameter(unmet.parameter->key);
      unused.insert(unmet.parameter->key);
      refused_.try_emplace(p, point[p]->place, std::move(unmet.reason));
    }
    for (std::size_t p = 0; p < point.size(); ++p)
      if (!unused.contains(parameters()[p].key) && point[p]->text != parameters()[p].standard)
        used_.insert(p);
  }
  void check() const {
    for (const auto& [p, refusal] : refused_)
      if (!used_.contains(p)) fail_at(refusal.first, refusal.second);
  }

 private:
  std::map<std::size_t, std::pair<Place, std::string>> refused_;  // by parameter: the first
  std::set<std::size_t> used_;
};

// Adds the base case of each case. Each is there once, and they come first.
std::vector<Case> with_base_cases(std::vector<Case> cases) {
  std::set<std::string> there;
  for (const Case& c : cases) there.insert(case_id(c));
  std::vector<Case> all;
  for (const Case& c : cases)
    if (Case base = base_of(c); there.insert(case_id(base)).second) all.push_back(std::move(base));
  std::ranges::move(cases, std::back_inserter(all));
  return all;
}

void check_count(std::optional<std::uint64_t> count, const YamlNode& spec,
                 const Spec::Options& options) {
  Place place = spec.place;
  for (std::string_view key : {"cases", "zip", "sweep"})
    if (const YamlNode* entry = spec.find(key)) place = entry->key_place;
  if (count == std::uint64_t{0})
    fail_at(place, options.filter.empty() ? "'exclude:' leaves no case"
                                          : "no case is left after --filter");
  if (count && *count <= options.max_cases) return;
  // The message has the count of the spec, then the remedy.
  const std::string n =
      count ? format_grouped(static_cast<std::int64_t>(std::min<std::uint64_t>(*count, INT64_MAX)))
            : "more than 10^19";
  fail_at(place, fmt::format("this spec has {} cases, more than {}; narrow it with --filter, or "
                             "pass --yes to run them all",
                             n, format_grouped(static_cast<std::int64_t>(options.max_cases))));
}

}  // namespace

Spec parse_spec(std::string_view yaml, std::string_view file_name, const Spec::Options& options) {
  // Places point into these texts, and a deque does not move them.
  std::deque<std::string> labels;
  YamlNode root = read_yaml(yaml, file_name);
  check_top_level(root);
  std::vector<std::size_t> overridden;
  for (const std::string& text : options.set)
    overridden.push_back(apply_override(root, labels.emplace_back("--set " + text)));

  Spec spec;
  spec.name = read_name(root);
  spec.description = read_description(root);
  spec.figures = read_figures(root);
  Case base;
  base.experiment = spec.name;
  base.measure = read_measure(root);

  Grid grid(root, overridden);
  for (const std::string& text : options.filter)
    grid.filter(parse_filter(text, {labels.emplace_back("--filter " + text), 0, 0}));
  check_count(grid.count(), root, options);

  InterestSets verified;
  Uses uses;
  grid.walk([&](const SweepPoint& point) {
    Case c = base;
    for (std::size_t p = 0; p < point.size(); ++p)
      parameters()[p].set(c, parameters()[p], point[p]->text);
    check_combination(c, point, verified);
    uses.note(c, point);
    spec.cases.push_back(std::move(c));
  });
  uses.check();
  if (read_baseline(root)) spec.cases = with_base_cases(std::move(spec.cases));
  check_count(spec.cases.size(), root, options);
  spec.resolved_yaml = write_resolved(spec);
  return spec;
}

Spec load_spec(const std::string& path, const Spec::Options& options) {
  return parse_spec(read_text(path), path, options);
}

Case base_of(Case c) {
  for (const Parameter& parameter : parameters())
    if (parameter.group == FieldGroup::split) parameter.set(c, parameter, parameter.standard);
  return with_needs_met(std::move(c));
}

std::vector<Case> cases_kept(const std::vector<Case>& cases,
                             const std::vector<std::string>& filters, std::string_view option) {
  const std::vector<bool> kept =
      kept_by(filters, option, cases.size(), [&](std::size_t i, const Parameter& parameter) {
        return parameter.get(cases[i], parameter);
      });
  std::vector<Case> chosen;
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (kept[i]) chosen.push_back(cases[i]);
  return chosen;
}

}  // namespace qb
