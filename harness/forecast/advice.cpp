// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <utility>

#include "base/status.h"

namespace qb {
namespace {

// `holds` is true at `from` and false at `to`. Returns the point between them where it ends, to a
// millionth, on the far side.
double bisect(double from, double to, const std::function<bool(double)>& holds) {
  while (std::abs(std::log(to / from)) > 1e-6) {
    const double middle = std::sqrt(from * to);
    (holds(middle) ? from : to) = middle;
  }
  return to;
}

double wall_s_of(const std::vector<SchemeForecast>& forecasts, std::string_view scheme) {
  return std::ranges::find(forecasts, scheme, &SchemeForecast::scheme)->wall_s;
}

// Returns the name of a better scheme; empty if `scheme` is still the answer or there is none.
std::string better_than(std::string_view scheme, const std::vector<SchemeForecast>& forecasts) {
  const SchemeForecast* best = fastest(forecasts);
  if (best == nullptr || best->scheme == scheme) return {};
  const auto found = std::ranges::find_if(
      forecasts, [&](const SchemeForecast& f) { return f.scheme == scheme && f.ranked(); });
  const bool close =
      found != forecasts.end() && found->wall_s <= best->wall_s * (1.0 + kTellsApart);
  return close ? std::string() : best->scheme;
}

class BandwidthSearch {
 public:
  BandwidthSearch(const PlannedSchemes& schemes, const LinkLimit& given)
      : schemes_(schemes), given_(given) {}

  // Returns the nearest bandwidth from which on another scheme than `winner` is fastest.
  [[nodiscard]] std::optional<Advice::Change> change(const std::string& winner,
                                                     double factor) const {
    double far = given_.bandwidth_byte_per_s;
    std::string other;
    for (int i = 0; i < kBandwidthDoublings && other.empty(); ++i) {
      far *= factor;
      other = better_than(winner, schemes_.forecast(at(far)));
    }
    if (other.empty()) return std::nullopt;
    for (;;) {
      const double meeting = bisect(given_.bandwidth_byte_per_s, far, [&](double byte_per_s) {
        return schemes_.wall_s(winner, at(byte_per_s)) <= schemes_.wall_s(other, at(byte_per_s));
      });
      // A third scheme that is faster than both there has met the winner earlier.
      const auto forecasts = schemes_.forecast(at(meeting));
      const SchemeForecast& best = *fastest(forecasts);
      if (!(best.wall_s < wall_s_of(forecasts, other) * (1.0 - kAhead)))
        return Advice::Change{meeting, other};
      far = meeting;
      other = best.scheme;
    }
  }

  [[nodiscard]] std::optional<double> splitting_pays_above() const {
    const auto pays = [&](double byte_per_s) {
      const auto forecasts = schemes_.forecast(at(byte_per_s));
      return fastest(forecasts)->wall_s < wall_s_of(forecasts, "dense");
    };
    double far = given_.bandwidth_byte_per_s;
    const bool pays_here = pays(far);
    for (int i = 0; i < kBandwidthDoublings; ++i) {
      far *= pays_here ? 0.5 : 2.0;
      if (pays(far) != pays_here)
        return bisect(given_.bandwidth_byte_per_s, far,
                      [&](double byte_per_s) { return pays(byte_per_s) == pays_here; });
    }
    return std::nullopt;
  }

 private:
  static constexpr double kAhead = 1e-4;  // far above the error of bisect()
  [[nodiscard]] LinkLimit at(double byte_per_s) const { return {byte_per_s, given_.latency_s}; }
  const PlannedSchemes& schemes_;
  LinkLimit given_;
};

Advice::Changes changes_around(SizeSearch search, const BetterAt& better_at) {
  const auto change = [&](bool up) {
    search.up = up;
    return size_change(search, better_at);
  };
  return {.below = change(false), .above = change(true)};
}

// For another size, the best shape of the winner's grid is the same answer.
std::string better_for(const SchemeQuestion& question, std::string_view winner) {
  const auto family = [](std::string_view scheme) { return scheme.substr(0, scheme.find(' ')); };
  const std::vector<SchemeForecast> forecasts = PlannedSchemes(question, false).forecast();
  std::vector<SchemeForecast> alike = forecasts;
  std::erase_if(alike, [&](const SchemeForecast& f) { return family(f.scheme) != family(winner); });
  const SchemeForecast* same = fastest(alike);
  return better_than(same == nullptr ? winner : same->scheme, forecasts);
}

void search_sizes(const SchemeQuestion& question, const std::string& winner, Advice& advice) {
  const Problem& problem = question.problem;
  const std::int64_t cached = problem.shape.kv_len - problem.shape.q_len;
  const BetterAt for_tokens = [&](std::int64_t new_tokens) {
    SchemeQuestion other = question;
    Shape shape = problem.shape;
    shape.q_len = new_tokens;
    shape.kv_len = new_tokens + cached;
    other.problem = make_problem(shape, problem.mask.kind, problem.dtype, problem.seed);
    return better_for(other, winner);
  };
  const BetterAt for_workers = [&](std::int64_t workers) {
    SchemeQuestion other = question;
    other.workers = static_cast<int>(workers);
    return better_for(other, winner);
  };
  advice.searched_sizes = true;
  advice.new_tokens = changes_around({.given = problem.shape.q_len,
                                      .doublings = kTokenDoublings,
                                      .most = kMaxTokens - cached,
                                      .refine = true},
                                     for_tokens);
  advice.workers = changes_around({.given = question.workers,
                                   .doublings = kWorkerDoublings,
                                   .most = kMostWorkersBySize,
                                   .refine = false},
                                  for_workers);
  // With one worker the answer is always dense.
  if (advice.workers.below && advice.workers.below->at == 1.0) advice.workers.below.reset();
}

// Returns the best rate that the device has for the problem: C.
double peak_flop_per_s(const SchemeQuestion& question) {
  double peak = 0.0;
  for (const RatePoint& point : question.device.rates)
    if (point.kernel == question.kernel && point.dtype == question.problem.dtype &&
        point.head_dim == question.problem.shape.head_dim)
      peak = std::max(peak, point.flop_per_s);
  const double cores = question.device.cores.value;
  const bool shared = !question.link && cores > 0.0 && cores < question.workers;
  return shared ? peak * cores / question.workers : peak;
}

std::optional<SelectorAdvice> ask_selectors(const SchemeQuestion& question, const Advice& advice) {
  const Shape& shape = question.problem.shape;
  const SchemeForecast* pass_kv = advice.find("pass_kv");
  const SchemeForecast* pass_q = advice.find("pass_q");
  SelectorAdvice asked;
  asked.prefill = {.new_tokens = shape.q_len,
                   .cached_tokens = shape.kv_len - shape.q_len,
                   .workers = question.workers,
                   .q_heads = shape.q_heads,
                   .kv_heads = shape.kv_heads,
                   .element_bytes = size_of(question.problem.dtype),
                   .compute_flop_per_s = peak_flop_per_s(question),
                   .link_byte_per_s = question.link ? question.link->bandwidth_byte_per_s
                                                    : question.device.copy_byte_per_s.value};
  if (asked.prefill.cached_tokens == 0 || question.workers == 1 ||
      !(asked.prefill.link_byte_per_s > 0.0) || pass_kv == nullptr || pass_q == nullptr ||
      !pass_kv->has_plan() || !pass_q->has_plan())
    return std::nullopt;
  asked.algorithm_1 = choose_algorithm_1(asked.prefill);
  asked.algorithm_5 = choose_algorithm_5(asked.prefill);
  asked.pass_kv_s = pass_kv->wall_s;
  asked.pass_q_s = pass_q->wall_s;
  return asked;
}

}  // namespace

Limit limit_of(const SchemeForecast& forecast) {
  const double even_s = std::min(forecast.compute_s, forecast.mean_compute_s);
  const double uneven_s = forecast.compute_s - even_s + forecast.idle_s;
  if (forecast.exposed_s >= std::max(even_s, uneven_s)) return Limit::link;
  return uneven_s >= even_s ? Limit::imbalance : Limit::compute;
}

const SchemeForecast* Advice::winner() const {
  return !schemes.empty() && schemes.front().ranked() ? &schemes.front() : nullptr;
}

const SchemeForecast* Advice::next() const {
  return schemes.size() > 1 && schemes[1].ranked() ? &schemes[1] : nullptr;
}

const SchemeForecast* Advice::base() const {
  for (const SchemeForecast& scheme : schemes)
    if (scheme.base && scheme.usable()) return &scheme;
  return nullptr;
}

const SchemeForecast* Advice::find(std::string_view name) const {
  for (const SchemeForecast& scheme : schemes)
    if (scheme.scheme == name || scheme.alias == name) return &scheme;
  return nullptr;
}

std::optional<Advice::Change> size_change(const SizeSearch& search, const BetterAt& better_at) {
  const auto& [given, up, doublings, most, refine] = search;
  std::int64_t near = given;
  for (int i = 0; i < doublings; ++i) {
    if (up ? near > most / 2 : near == 1) return std::nullopt;
    std::int64_t far = up ? near * 2 : near / 2;
    std::string other = better_at(far);
    if (other.empty()) {
      near = far;
      continue;
    }
    while (refine && std::abs(far - near) > std::max<std::int64_t>(1, std::min(near, far) / 50)) {
      const std::int64_t middle = near + (far - near) / 2;
      std::string here = better_at(middle);
      (here.empty() ? near : far) = middle;
      if (!here.empty()) other = std::move(here);
    }
    return Advice::Change{static_cast<double>(far), other};
  }
  return std::nullopt;
}

Advice advise(const SchemeQuestion& question) {
  if (question.workers > kMostWorkers)
    throw UsageError(
        fmt::format("workers is {}; every scheme is planned in full, and that goes up to {}",
                    question.workers, kMostWorkers));
  Advice advice;
  const PlannedSchemes schemes(question);
  advice.schemes = ranking(schemes.forecast());
  advice.selectors = ask_selectors(question, advice);
  const SchemeForecast* winner = advice.winner();
  if (winner == nullptr || question.workers == 1) return advice;
  if (question.link && question.link->bandwidth_byte_per_s > 0.0 &&
      question.workers <= kMostWorkersByBandwidth) {
    advice.searched_bandwidth = true;
    const BandwidthSearch search(schemes, *question.link);
    advice.bandwidth = {search.change(winner->scheme, 0.5), search.change(winner->scheme, 2.0)};
    if (advice.base() != nullptr)
      advice.splitting_pays_above_byte_per_s = search.splitting_pays_above();
  }
  if (question.workers <= kMostWorkersBySize) search_sizes(question, winner->scheme, advice);
  return advice;
}

}  // namespace qb
