// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/advise_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/numbers.h"
#include "base/text_table.h"

namespace qb {
namespace {

std::string rate_text(double byte_per_s) { return format_si(byte_per_s) + "B/s"; }

std::int64_t cached_tokens(const SchemeQuestion& question) {
  return question.problem.shape.kv_len - question.problem.shape.q_len;
}

std::string problem_line(const SchemeQuestion& question) {
  const Shape& shape = question.problem.shape;
  const std::int64_t cached = cached_tokens(question);
  return fmt::format(
      "Problem: {} {}token{}{}, {} mask, batch {}, {} query and {} key-value heads of {}, {}; {} "
      "worker{}, kernel {}{}.",
      format_grouped(shape.q_len), cached > 0 ? "new " : "", shape.q_len == 1 ? "" : "s",
      cached > 0 ? fmt::format(" on {} cached ones", format_grouped(cached)) : "",
      word(question.problem.mask.kind), shape.batch, shape.q_heads, shape.kv_heads, shape.head_dim,
      word(question.problem.dtype), question.workers, question.workers == 1 ? "" : "s",
      word(question.kernel), passes_text(question.passes));
}

// Names the provenance of the rates that this problem needs: `measured`, `estimated and measured`.
std::string rate_provenance(const SchemeQuestion& question) {
  std::set<std::string_view> words;
  for (const RatePoint& point : question.device.rates)
    if (point.kernel == question.kernel && point.dtype == question.problem.dtype &&
        point.head_dim == question.problem.shape.head_dim)
      words.insert(word(point.provenance));
  const std::vector<std::string_view> listed(words.begin(), words.end());
  return join(listed, " and ");
}

std::string device_line(const SchemeQuestion& question) {
  const double cores = question.device.cores.value;
  const std::string shared =
      question.link || !(cores > 0.0)
          ? "one a worker"
          : fmt::format("its {:.0f} cores shared by the workers, one thread each", cores);
  const std::string text = fmt::format("Device: {}, {}; its kernel rates are {}",
                                       question.device.name, shared, rate_provenance(question));
  if (question.passes == Passes::forward) return text + ".";
  const DeviceNumber share = backward_share(question.device);
  return fmt::format("{}, and those of a backward pass {:.3g} of them ({}).", text, share.value,
                     word(share.provenance));
}

std::string link_line(const SchemeQuestion& question, const std::string& source) {
  if (!question.link) {
    const double copy = question.device.copy_byte_per_s.value;
    return fmt::format("Link: none, the workers are threads of one memory; messages are copied {}.",
                       copy > 0.0 ? "at " + rate_text(copy) : "in no time");
  }
  if (question.hosts.workers_per_host > 0)
    return fmt::format(
        "Cluster: {} hosts of {} workers; inside of a host {} each way a worker, latency {}; "
        "between hosts {} each way a {}, latency {}{}.",
        question.workers / question.hosts.workers_per_host, question.hosts.workers_per_host,
        rate_text(question.hosts.inside.bandwidth_byte_per_s),
        format_seconds(question.hosts.inside.latency_s),
        rate_text(question.link->bandwidth_byte_per_s),
        question.hosts.nics == 0 ? "worker" : fmt::format("NIC, {} a host", question.hosts.nics),
        format_seconds(question.link->latency_s), source.empty() ? "" : " (" + source + ")");
  return fmt::format(
      "Link: {} each way a worker, latency {}{}.", rate_text(question.link->bandwidth_byte_per_s),
      format_seconds(question.link->latency_s), source.empty() ? "" : " (" + source + ")");
}

std::string scheme_text(const SchemeForecast& scheme) {
  return scheme.alias.empty() ? scheme.scheme : fmt::format("{} ({})", scheme.scheme, scheme.alias);
}

std::string why_not(const SchemeForecast& scheme) {
  if (scheme.over_budget) return "over the budget";
  return scheme.base ? "base: one worker" : "";
}

// Returns the scheme with the least value among those that are allowed; null if there is none.
const SchemeForecast* least(const Advice& advice, auto SchemeForecast::*value,
                            const auto& allowed) {
  const SchemeForecast* best = nullptr;
  for (const SchemeForecast& scheme : advice.schemes)
    if (allowed(scheme) && (best == nullptr || scheme.*value < best->*value)) best = &scheme;
  return best;
}

// Times that a scheme can be expected to take: the predicted one times what published times were of
// predicted ones.
struct Expected {
  double least_s;
  double most_s;
};

Expected expected(const SchemeForecast& scheme, std::span<const PublishedScheme> published) {
  const auto of_it = std::ranges::find(published, scheme.scheme, &PublishedScheme::scheme);
  if (of_it == published.end()) return {scheme.wall_s, scheme.wall_s * (1.0 + kTellsApart)};
  return {scheme.wall_s * of_it->low, scheme.wall_s * std::max(of_it->high, 1.0 + kTellsApart)};
}

std::string error_sentence(const SchemeQuestion& question, const SchemeForecast& winner,
                           std::span<const PublishedScheme> published) {
  const auto of_it = std::ranges::find(published, winner.scheme, &PublishedScheme::scheme);
  if (question.workers == 1 || of_it == published.end() || of_it->high == 1.0) return {};
  const std::string range =
      fmt::format("took {:.2f} to {:.2f} times the predicted time (median {:.2f}).", of_it->low,
                  of_it->high, of_it->median);
  if (of_it->rows == 0)
    return fmt::format(
        "How good is the model? Nobody published a time of {} {}. Published cases of other schemes "
        "with several workers {}",
        winner.scheme, question.link ? "over such a link" : "in one memory", range);
  return fmt::format("How good is the model? The {} published case{} of {} {} {}", of_it->rows,
                     of_it->rows == 1 ? "" : "s", winner.scheme,
                     question.link->bandwidth_byte_per_s >= kHostLink_byte_per_s
                         ? "over links of 100 GB/s or more"
                         : "over slower links",
                     range);
}

std::string lead_sentence(const Advice& advice, std::span<const PublishedScheme> published) {
  const SchemeForecast& winner = *advice.winner();
  std::string text =
      fmt::format("Use {}: predicted {}", scheme_text(winner), format_seconds(winner.wall_s));
  const SchemeForecast* next = advice.next();
  if (next == nullptr) return text + ", the only scheme with a plan that fits.";
  const double most_s = expected(winner, published).most_s;
  const auto is_level = [&](const SchemeForecast& scheme) {
    return scheme.ranked() && &scheme != &winner && expected(scheme, published).least_s <= most_s;
  };
  std::vector<std::string> level;
  for (const SchemeForecast& scheme : advice.schemes)
    if (is_level(scheme))
      level.push_back(fmt::format("{} ({})", scheme.scheme, format_seconds(scheme.wall_s)));
  if (level.empty())
    return text + fmt::format(", {:.3g} times as fast as the next, {} ({}).",
                              next->wall_s / winner.wall_s, next->scheme,
                              format_seconds(next->wall_s));
  const std::vector<std::string_view> names(level.begin(), level.end());
  const auto may_win = [&](const SchemeForecast& scheme) {
    return &scheme == &winner || is_level(scheme);
  };
  const SchemeForecast& smallest = *least(advice, &SchemeForecast::memory_bytes, may_win);
  const SchemeForecast& quietest = *least(advice, &SchemeForecast::sent_bytes, may_win);
  text += fmt::format(
      "; {} may be as fast: a tie for this model. Choose among these by memory (least: {}, {}) or "
      "by bytes (fewest: {}, {})",
      join(names, ", "), smallest.scheme, format_bytes(smallest.memory_bytes), quietest.scheme,
      format_bytes(quietest.sent_bytes));
  const SchemeForecast* const behind =
      least(advice, &SchemeForecast::wall_s, [&](const SchemeForecast& scheme) {
        return scheme.ranked() && &scheme != &winner && !is_level(scheme);
      });
  if (behind == nullptr) return text + ".";
  return text + fmt::format(". {} is {:.3g} times as fast as {} ({}).", winner.scheme,
                            behind->wall_s / winner.wall_s, behind->scheme,
                            format_seconds(behind->wall_s));
}

std::string base_sentence(const Advice& advice) {
  const SchemeForecast* base = advice.base();
  if (base == nullptr) return {};
  const double ratio = base->wall_s / advice.winner()->wall_s;
  std::string text =
      ratio > 1.0
          ? fmt::format("One worker alone (dense) needs {}, {:.3g} times as long",
                        format_seconds(base->wall_s), ratio)
          : fmt::format("Splitting does not pay: one worker alone (dense) needs {}, {:.3g} of that",
                        format_seconds(base->wall_s), ratio);
  if (advice.splitting_pays_above_byte_per_s)
    text += fmt::format("; splitting pays above {}",
                        rate_text(*advice.splitting_pays_above_byte_per_s));
  return text + ".";
}

std::string limit_sentence(const SchemeQuestion& question, const SchemeForecast& winner) {
  const double even_s = std::min(winner.compute_s, winner.mean_compute_s);
  const double uneven_s = winner.compute_s - even_s + winner.idle_s;
  const auto percent = [&](double seconds) { return 100.0 * seconds / winner.wall_s; };
  const Limit limit = limit_of(winner);
  const std::string_view subject = limit == Limit::compute     ? "Compute"
                                   : limit == Limit::imbalance ? "Uneven work"
                                   : question.link             ? "The link"
                                                               : "Copying and merging";
  return fmt::format(
      "{} limits it: {:.0f} % of the time is an even share of the compute, {:.0f} % uneven work "
      "and waiting for other workers, {:.0f} % {} that no compute hides; its critical path is "
      "{:.2f} times an even share of the pairs.",
      subject, percent(even_s), percent(uneven_s), percent(winner.exposed_s),
      question.link ? "communication" : "copying and merging", winner.critical_path_ratio);
}

std::string budget_sentence(const SchemeQuestion& question, const Advice& advice) {
  const SchemeForecast* const faster =
      least(advice, &SchemeForecast::wall_s, [&](const SchemeForecast& scheme) {
        return scheme.over_budget && !scheme.base && scheme.wall_s < advice.winner()->wall_s;
      });
  if (faster == nullptr) return {};
  return fmt::format("Memory limits the choice: {} would take {}, but needs {} a worker, over {}.",
                     faster->scheme, format_seconds(faster->wall_s),
                     format_bytes(faster->memory_bytes),
                     format_bytes(question.memory_budget_bytes));
}

// Writes `below 3.1 GB/s x would win and above 90 GB/s y`; the two formats take text_of(at).
std::string changes_text(const Advice::Changes& changes, std::string_view below,
                         std::string_view above, const auto& text_of) {
  const auto at = [&](std::string_view format, const Advice::Change& change) {
    return fmt::format(fmt::runtime(format), text_of(change.at));
  };
  const auto& [down, up] = changes;
  if (down && up && down->scheme == up->scheme)
    return fmt::format("{} and {} {} would win", at(below, *down), at(above, *up), down->scheme);
  if (down && up)
    return fmt::format("{} {} would win, {} {}", at(below, *down), down->scheme, at(above, *up),
                       up->scheme);
  if (down) return fmt::format("{} {} would win", at(below, *down), down->scheme);
  return up ? fmt::format("{} {} would win", at(above, *up), up->scheme) : "";
}

std::string bandwidth_sentence(const SchemeQuestion& question, const Advice& advice) {
  if (!question.link)
    return "One memory has no bandwidth to vary; with --link every worker gets a device and a link "
           "of its own.";
  if (!advice.searched_bandwidth) return {};
  const std::string text = changes_text(advice.bandwidth, "below {}", "above {}", rate_text);
  const double given = question.link->bandwidth_byte_per_s;
  const double factor = std::exp2(kBandwidthDoublings);
  if (text.empty())
    return fmt::format(
        "No bandwidth from {} to {} makes another of these schemes faster by {:.0f} %.",
        rate_text(given / factor), rate_text(given * factor), 100.0 * kTellsApart);
  return fmt::format("By bandwidth{}, {}.",
                     question.hosts.workers_per_host > 0 ? " between hosts" : "", text);
}

std::string sizes_sentence(const Advice& advice) {
  if (!advice.searched_sizes) return {};
  const std::string tokens =
      changes_text(advice.new_tokens, "at about {} or fewer", "from about {} on",
                   [](double at) { return format_grouped(static_cast<std::int64_t>(at)); });
  const std::string workers = changes_text(advice.workers, "with {}", "with {}",
                                           [](double at) { return fmt::format("{:.0f}", at); });
  return fmt::format(
      "{}; {}.",
      tokens.empty() ? fmt::format("No number of tokens within a factor of {} would change that",
                                   1 << kTokenDoublings)
                     : "By tokens, " + tokens,
      workers.empty()
          ? fmt::format("no doubling or halving of the workers would, up to {}", kMostWorkersBySize)
          : "by workers, " + workers);
}

std::string_view variant_text(RingVariant variant) {
  return variant == RingVariant::pass_kv ? "pass-KV" : "pass-Q";
}

std::string selector_sentence(const SelectorAdvice& asked) {
  const bool first = asked.algorithm_1 == asked.faster();
  const bool fifth = asked.algorithm_5 == asked.faster();
  const std::string_view verdict = first && fifth ? "agrees with both"
                                   : first        ? "agrees with Algorithm 1 only"
                                   : fifth        ? "agrees with Algorithm 5 only"
                                                  : "disagrees with both";
  return fmt::format(
      "At a miss rate of {:.3g} % (C = {}FLOP/s, B = {}) Algorithm 1 of arXiv 2411.01783 takes {} "
      "and Algorithm 5 {}; the model {}: pass-KV {}, pass-Q {}.",
      100.0 * asked.prefill.miss_rate(), format_si(asked.prefill.compute_flop_per_s),
      rate_text(asked.prefill.link_byte_per_s), variant_text(asked.algorithm_1),
      variant_text(asked.algorithm_5), verdict, format_seconds(asked.pass_kv_s),
      format_seconds(asked.pass_q_s));
}

std::string nothing_fits_sentence(const SchemeQuestion& question, const Advice& advice) {
  const SchemeForecast* const smallest =
      least(advice, &SchemeForecast::memory_bytes,
            [](const SchemeForecast& scheme) { return scheme.over_budget && !scheme.base; });
  if (smallest == nullptr) return "No scheme has a plan for this.";
  return fmt::format("No scheme fits {} a worker: {} needs the least, {}.",
                     format_bytes(question.memory_budget_bytes), smallest->scheme,
                     format_bytes(smallest->memory_bytes));
}

}  // namespace

std::vector<std::string> advice_assumptions(const SchemeQuestion& question,
                                            const std::string& link_source) {
  const Problem& problem = question.problem;
  return {
      problem_line(question), device_line(question), link_line(question, link_source),
      fmt::format("Predicted by a model, not measured; tokens lie where a scheme wants them, but "
                  "for the root that cqs scatters from.{}",
                  problem.partials == DType::f32 && problem.dtype != DType::f32
                      ? fmt::format(" Partial outputs travel in f32; most published systems "
                                    "send 16 bits: --partial-dtype {}.",
                                    word(problem.dtype))
                      : "")};
}

std::string advice_table(const Advice& advice) {
  const bool has_hosts = std::ranges::any_of(
      advice.schemes, [](const SchemeForecast& scheme) { return scheme.between_bytes > 0; });
  std::vector<std::string> header = {
      "scheme",           "predicted",      "compute",       "idle",        "exposed",
      "sent by a device", "to other hosts", "memory of one", "path / even", "why not"};
  const auto without_hosts = [&](std::vector<std::string> line) {
    if (!has_hosts) line.erase(line.begin() + 6);
    return line;
  };
  TextTable table(without_hosts(header));
  std::string without;
  for (const SchemeForecast& scheme : advice.schemes) {
    if (scheme.has_plan())
      table.add(
          without_hosts({scheme_text(scheme), format_seconds(scheme.wall_s),
                         format_seconds(scheme.compute_s), format_seconds(scheme.idle_s),
                         format_seconds(scheme.exposed_s), format_bytes(scheme.sent_bytes),
                         format_bytes(scheme.between_bytes), format_bytes(scheme.memory_bytes),
                         fmt::format("{:.3f}", scheme.critical_path_ratio), why_not(scheme)}));
    else
      without += fmt::format("No plan: {}: {}.\n", scheme.scheme, scheme.unsupported);
    if (scheme.root_memory_bytes > 0)
      without +=
          fmt::format("The root of {} sends {} and holds {}.\n", scheme.scheme,
                      format_bytes(scheme.root_sent_bytes), format_bytes(scheme.root_memory_bytes));
  }
  return table.terminal() + without;
}

std::vector<std::string> advice_sentences(const SchemeQuestion& question, const Advice& advice,
                                          std::span<const PublishedScheme> published) {
  if (advice.winner() == nullptr) return {nothing_fits_sentence(question, advice)};
  std::vector<std::string> sentences = {
      lead_sentence(advice, published), error_sentence(question, *advice.winner(), published),
      base_sentence(advice), limit_sentence(question, *advice.winner()),
      budget_sentence(question, advice)};
  if (question.workers > 1) {
    sentences.push_back(bandwidth_sentence(question, advice));
    sentences.push_back(sizes_sentence(advice));
  }
  if (advice.selectors) sentences.push_back(selector_sentence(*advice.selectors));
  std::erase(sentences, "");
  return sentences;
}

}  // namespace qb
