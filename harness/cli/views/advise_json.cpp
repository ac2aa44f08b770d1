// SPDX-License-Identifier: Apache-2.0
// The advice as JSON, for programs.
#include <nlohmann/json.hpp>

#include "harness/cli/views/advise_view.h"

namespace qb {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json scheme_json(const SchemeForecast& scheme) {
  Json out;
  out["scheme"] = scheme.scheme;
  out["alias"] = text_or_null(scheme.alias);
  out["base"] = scheme.base;
  out["unsupported"] = text_or_null(scheme.unsupported);
  if (!scheme.has_plan()) return out;
  out["over_budget"] = scheme.over_budget;
  out["wall_s"] = scheme.wall_s;
  out["compute_s"] = scheme.compute_s;
  out["idle_s"] = scheme.idle_s;
  out["exposed_communication_s"] = scheme.exposed_s;
  out["mean_compute_s"] = scheme.mean_compute_s;
  out["device_sent_bytes"] = scheme.sent_bytes;
  out["between_hosts_bytes"] = scheme.between_bytes;
  out["root_sent_bytes"] = scheme.root_sent_bytes;
  out["device_peak_bytes"] = scheme.memory_bytes;
  out["root_peak_bytes"] = scheme.root_memory_bytes;
  out["critical_path_pairs"] = scheme.critical_path_pairs;
  out["critical_path_ratio"] = scheme.critical_path_ratio;
  return out;
}

Json changes_json(const Advice::Changes& changes, const char* at) {
  const auto json = [&](const std::optional<Advice::Change>& change) -> Json {
    if (!change) return {};
    if (at == std::string_view("value"))
      return {{at, static_cast<std::int64_t>(change->at)}, {"scheme", change->scheme}};
    return {{at, change->at}, {"scheme", change->scheme}};
  };
  return {{"below", json(changes.below)}, {"above", json(changes.above)}};
}

Json selector_json(const std::optional<SelectorAdvice>& asked) {
  if (!asked) return {};
  return {{"miss_rate", asked->prefill.miss_rate()},
          {"compute_flop_per_s", asked->prefill.compute_flop_per_s},
          {"link_byte_per_s", asked->prefill.link_byte_per_s},
          {"algorithm_1", word(asked->algorithm_1)},
          {"algorithm_5", word(asked->algorithm_5)},
          {"model", word(asked->faster())},
          {"pass_kv_s", asked->pass_kv_s},
          {"pass_q_s", asked->pass_q_s}};
}

Json published_json(std::span<const PublishedScheme> published) {
  Json out = Json::array();
  for (const PublishedScheme& one : published)
    out.push_back({{"scheme", one.scheme},
                   {"rows", one.rows},
                   {"least_published_over_predicted_time", one.low},
                   {"median_published_over_predicted_time", one.median},
                   {"most_published_over_predicted_time", one.high}});
  return out;
}

Json problem_json(const SchemeQuestion& question) {
  const Shape& shape = question.problem.shape;
  return {{"new_tokens", shape.q_len},
          {"cached_tokens", shape.kv_len - shape.q_len},
          {"batch", shape.batch},
          {"q_heads", shape.q_heads},
          {"kv_heads", shape.kv_heads},
          {"head_dim", shape.head_dim},
          {"mask", word(question.problem.mask.kind)},
          {"dtype", word(question.problem.dtype)},
          {"kernel", word(question.kernel)},
          {"pass", word(question.passes)},
          {"workers", question.workers},
          {"memory_budget_bytes",
           question.memory_budget_bytes > 0 ? Json(question.memory_budget_bytes) : Json()}};
}

}  // namespace

std::string advice_json(const SchemeQuestion& question, const std::string& link_source,
                        const Advice& advice, std::span<const PublishedScheme> published) {
  Json out;
  out["problem"] = problem_json(question);
  out["device"] = question.device.name;
  out["link"] = question.link ? Json{{"bandwidth_byte_per_s", question.link->bandwidth_byte_per_s},
                                     {"latency_s", question.link->latency_s}}
                              : Json();
  const Hosts& hosts = question.hosts;
  out["hosts"] = hosts.workers_per_host > 0
                     ? Json{{"workers_per_host", hosts.workers_per_host},
                            {"inside_byte_per_s", hosts.inside.bandwidth_byte_per_s},
                            {"inside_latency_s", hosts.inside.latency_s},
                            {"nics", hosts.nics}}
                     : Json();
  out["assumptions"] = advice_assumptions(question, link_source);
  out["schemes"] = Json::array();
  for (const SchemeForecast& scheme : advice.schemes) out["schemes"].push_back(scheme_json(scheme));
  const SchemeForecast* winner = advice.winner();
  out["winner"] = winner != nullptr ? Json(winner->scheme) : Json();
  out["limit"] = winner != nullptr ? Json(word(limit_of(*winner))) : Json();
  out["bandwidth_changes"] = changes_json(advice.bandwidth, "byte_per_s");
  out["splitting_pays_above_byte_per_s"] = advice.splitting_pays_above_byte_per_s
                                               ? Json(*advice.splitting_pays_above_byte_per_s)
                                               : Json();
  out["token_changes"] = changes_json(advice.new_tokens, "value");
  out["worker_changes"] = changes_json(advice.workers, "value");
  out["selectors"] = selector_json(advice.selectors);
  out["published"] = published_json(published);
  out["advice"] = advice_sentences(question, advice, published);
  return out.dump(2) + "\n";
}

}  // namespace qb
