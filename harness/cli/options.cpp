// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/numbers.h"
#include "base/print.h"
#include "harness/experiment/audit/compare.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/forecast/advice.h"
#include "harness/run/transport/link_model.h"
#include "harness/workload/needs.h"

namespace qb {
namespace {

std::string help_of(const Parameter& parameter, const Case& c) {
  std::string standard = parameter.get(c, parameter);
  if (standard.empty()) standard = plain_standard(parameter);
  if (parameter.min > 0 && standard == "0") standard = parameter.follows;
  return fmt::format("Sets {}: {}{}.", parameter.key, plain_meaning(parameter),
                     standard.empty() ? "" : fmt::format(" (default: {})", standard));
}

std::string type_of(const Parameter& parameter) {
  if (parameter.is_number()) return "NUMBER";
  if (parameter.kind == FieldKind::mask) return "MASK";
  return parameter.words != nullptr ? "WORD" : "TEXT";
}

std::string idle_workers(const Case& c) {
  const std::int64_t tokens = std::max(c.shape.q_len, c.shape.kv_len) * c.shape.batch;
  if (c.workload == WorkloadKind::pipeline || c.workers <= tokens) return "";
  return fmt::format("{} workers share {} tokens, so that some have none", c.workers, tokens);
}

std::string swapped_axes(const Case& c) {
  constexpr std::int64_t kManyHeads = 128;
  if (c.shape.q_heads < kManyHeads || c.shape.q_heads <= 4 * c.shape.kv_len) return "";
  return fmt::format("{} heads over {} tokens: are heads and tokens swapped?", c.shape.q_heads,
                     c.shape.kv_len);
}

std::string free_latency(const Case& c) {
  const auto has_none = [](const std::optional<std::string>& link) {
    return link && parse_link("", *link).first.latency_s == 0.0;
  };
  if (!(c.link_bandwidth_byte_per_s && !c.link_latency_s) && !has_none(c.cluster_inside) &&
      !has_none(c.cluster_between))
    return "";
  return "a link has a bandwidth and no latency, so that messages begin to arrive at once; write "
         "the latency too, such as 5us";
}

// Of the order of 50 bytes/s or 5 s: was a unit forgotten?
std::string slow_link(const Case& c) {
  constexpr LinkLimit kOdd{1e6, 1e-2};
  LinkLimit link{c.link_bandwidth_byte_per_s.value_or(kOdd.bandwidth_byte_per_s),
                 c.link_latency_s.value_or(0.0)};
  for (const auto& text : {c.cluster_inside, c.cluster_between})
    if (const auto limit = text ? parse_link("", *text).first : link;
        limit.bandwidth_byte_per_s < kOdd.bandwidth_byte_per_s || limit.latency_s > kOdd.latency_s)
      return fmt::format("a link of {} bytes/s and {}: is a unit missing, as in 50GB/s,5us?",
                         format_si(limit.bandwidth_byte_per_s), format_seconds(limit.latency_s));
  return "";
}

// A sentence for each kind of doubt, which names its first case and counts the others.
std::vector<std::string> cautions(std::span<const Case> cases) {
  std::vector<std::string> all;
  for (const auto doubt : {idle_workers, swapped_axes, free_latency, slow_link}) {
    std::string first;
    std::size_t n = 0;
    for (const Case& c : cases)
      if (std::string said = doubt(c); !said.empty() && n++ == 0)
        first = cases.size() == 1 ? said : fmt::format("{} W={}: {}", c.algorithm, c.workers, said);
    if (n > 1) first += fmt::format(" (and {} more cases)", n - 1);
    if (n > 0) all.push_back(std::move(first));
  }
  return all;
}

}  // namespace

Option add_parameter(Verb verb, Case& c, std::string_view key) {
  const auto index = find_parameter(key);
  if (!index) throw std::logic_error(fmt::format("no parameter has the key {}", key));
  const Parameter& parameter = parameters()[*index];
  const std::string name = option_of(key);
  return verb.add_text(name, type_of(parameter), help_of(parameter, c),
                       [name, &parameter, &c](const std::string& text) {
                         const std::string label = fmt::format("{} {}", name, text);
                         const std::string value =
                             parameter.kind == FieldKind::mask
                                 ? parse_mask(text, name).text()
                                 : read_value(parameter, {YamlNode::scalar, {label}, text}).text;
                         parameter.set(c, parameter, value);
                       });
}

void add_parameters(Verb verb, Case& c, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) (void)add_parameter(verb, c, key);
}

Case whole_case(Case c) {
  if (c.shape.kv_len == 0) c.shape.kv_len = c.shape.q_len;
  if (c.shape.kv_heads == 0) c.shape.kv_heads = c.shape.q_heads;
  c.shape.value_dim = c.shape.head_dim;
  if (const auto unmet = unmet_needs(c); !unmet.empty()) throw UsageError(unmet.front().reason);
  return c;
}

Case case_with_cache(Case c, std::int64_t cached_tokens) {
  if (cached_tokens < 0)
    throw UsageError(fmt::format("--cached-tokens {}: it must be 0 or more", cached_tokens));
  if (c.workers > kMostWorkers)
    throw UsageError(fmt::format("--workers {}: it must be 1 to {}", c.workers, kMostWorkers));
  c.shape.kv_len = c.shape.q_len + cached_tokens;
  return whole_case(std::move(c));
}

void print_cautions(std::span<const Case> cases) {
  for (const std::string& doubt : cautions(cases)) print_note("qb: warning: {}\n", doubt);
}

Option add_positive(Verb verb, const std::string& name, double& value, const std::string& what) {
  return verb.add_text(name, "NUMBER", what, [name, &value](const std::string& text) {
    const auto parsed = parse_real(text);
    if (!parsed || !(*parsed > 0.0))
      throw UsageError(
          fmt::format("{} {}: not a number above 0; write it as 312e12, 25e9 or 25GB", name, text));
    value = *parsed;
  });
}

Option add_clock(Verb verb, std::vector<std::string>& set) {
  return verb.add_text("--clock", "WORD",
                       "Sets `clock` in the spec: `cpu` judges cases of one thread by CPU time.",
                       [&set](const std::string& text) { set.push_back("clock=" + text); });
}

Option add_metric(Verb verb, std::string& metric) {
  const std::string what =
      fmt::format("Compares {} (default: wall_time where ranks are threads, else critical_path).",
                  join(kMetrics, ", "));
  return verb.add_text("--metric", "WORD", what, [&metric](const std::string& text) {
    if (std::ranges::find(kMetrics, text) == std::end(kMetrics))
      throw UsageError("--metric: " + unknown_word("metric", text, kMetrics));
    metric = text;
  });
}

}  // namespace qb
