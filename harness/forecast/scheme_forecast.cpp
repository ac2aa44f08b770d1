// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/scheme_forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "base/status.h"
#include "harness/forecast/hosts.h"
#include "harness/forecast/least_time.h"
#include "harness/forecast/model_simulation.h"
#include "harness/plan/check/check.h"
#include "harness/plan/rotation.h"
#include "harness/plan/work/work.h"
#include "harness/rehearse/device_rehearsal.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

constexpr std::size_t kMostGrids = 4;

constexpr std::string_view kDecoders[] = {"decode", "flash_decoding", "tree_decode", "helix"};

// Decoding deals sequences to workers, so a batch of equal sequences is packed for it.
Problem problem_for(std::string_view scheme, const Problem& problem) {
  const Shape& shape = problem.shape;
  if (scheme != "decode" || shape.batch == 1) return problem;
  const std::vector<Sequence> sequences(static_cast<std::size_t>(shape.batch),
                                        {shape.kv_len - shape.q_len, shape.q_len});
  Shape packed = shape;
  packed.batch = 1;
  return make_packed_problem(packed, problem.mask.kind, problem.dtype, problem.seed, sequences);
}

Plan plan_for(const Strategy& strategy, const SchemeQuestion& question, Pass pass) {
  if (strategy.plan == plan_flash_decoding && question.link)
    throw Unsupported("flash_decoding splits the keys on one device, so that no link carries them");
  constexpr int kMostOfDelays = 1024;
  if (strategy.plan == plan_double_ring && question.workers > kMostOfDelays)
    throw Unsupported(
        fmt::format("a double ring is modelled message by message, for at most {} "
                    "workers",
                    kMostOfDelays));
  return make_plan(strategy.name, problem_for(strategy.name, question.problem),
                   {.workers = strategy.plan == plan_dense ? 1 : question.workers,
                    .pass = pass,
                    .workers_per_host = question.hosts.workers_per_host});
}

// Some workers of the first and the last host, whose times bound that of all.
std::vector<int> sampled_workers(const Hosts& hosts, int workers) {
  constexpr int kOfAHost = 4;
  const int each = hosts.workers_per_host > 0 ? hosts.workers_per_host : 1;
  std::vector<int> sampled;
  for (int w = 0; w < workers; ++w) {
    const int slot = hosts.slot_of(w);
    const bool is_at_an_end = slot / each == 0 || slot / each == (workers - 1) / each;
    const int place = slot % each;
    if (is_at_an_end && (place == each - 1 || place % (each / kOfAHost + 1) == 0))
      sampled.push_back(w);
  }
  return sampled;
}

// Worker times add up to the time at which it ends, without the root's share.
struct WorkerSums {
  double compute_s = 0.0;
  double idle_s = 0.0;
  double end_s = 0.0;
};

WorkerSums sums_of(const WorkerTime& worker) {
  WorkerSums sums;
  sums.compute_s = worker.compute_s;
  sums.end_s = worker.gather_s + worker.compute_s;
  for (const StepTime& step : worker.steps) {
    sums.idle_s += step.idle_s;
    sums.end_s += step.idle_s + step.exposed_communication_s;
  }
  return sums;
}

// Adds those of one pass to those of the passes before it.
void add_times(const Execution& execution, SchemeForecast& forecast) {
  WorkerSums last;
  double compute_s = 0.0;
  for (const WorkerTime& worker : execution.workers) {
    const WorkerSums sums = sums_of(worker);
    compute_s += sums.compute_s;
    // If workers end together, the one that computes most counts.
    const bool together = sums.end_s >= last.end_s * (1.0 - 1e-9);
    if (sums.end_s > last.end_s * (1.0 + 1e-9) || (together && sums.compute_s > last.compute_s))
      last = sums;
  }
  forecast.wall_s += execution.wall_s;
  forecast.compute_s += last.compute_s;
  forecast.idle_s += last.idle_s;
  forecast.exposed_s += std::max(0.0, execution.wall_s - last.compute_s - last.idle_s);
  forecast.mean_compute_s += compute_s / static_cast<double>(execution.workers.size());
}

}  // namespace

PlannedSchemes::PlannedSchemes(const SchemeQuestion& question, bool check_plans)
    : question_(question) {
  // Each worker has its own device, unless all share one memory.
  if (question_.link) question_.device.cores.value = 0.0;
  (void)DeviceCosts(question_.device, question_.kernel, question_.problem);  // checks the rates
  const Strategy* before = nullptr;
  for (const Strategy& strategy : strategies()) {
    if (std::ranges::count(kDecoders, strategy.name) > 0 &&
        question_.problem.shape.q_len > kFewNewTokens)
      continue;
    if (question_.passes == Passes::forward && !has_own_forward_pass(strategy.name)) continue;
    if (strategy.plan == plan_rectangular) continue;  // there is no model of a memory tier
    // Elsewhere a double ring is a zigzag ring that holds more.
    const int host = question_.hosts.workers_per_host;
    if (strategy.plan == plan_double_ring && (host < 2 || host >= question_.workers)) continue;
    if (before != nullptr && strategy.plan == before->plan)
      planned_.back().weighed.alias = strategy.name;
    else if (strategy.plan == plan_grid)
      add_grids(check_plans);
    else if (strategy.plan != plan_usp && strategy.plan != plan_mesh)
      planned_.push_back(planned_strategy(strategy));
    before = &strategy;
  }
  parallel_for(std::ssize(planned_), available_cores(), 1, [&](std::int64_t i, std::int64_t, int) {
    Planned& planned = planned_[static_cast<std::size_t>(i)];
    if (!planned.weighed.has_plan() || !planned.alike.empty()) return;
    try {
      weigh(planned, check_plans);
      add_between_bytes(planned);
    } catch (const Unsupported& reason) {
      planned.weighed.unsupported = reason.what();
    }
  });
}

PlannedSchemes::Planned PlannedSchemes::planned_strategy(const Strategy& strategy) const {
  Planned planned;
  planned.weighed.scheme = strategy.name;
  planned.weighed.base = strategy.plan == plan_dense && question_.workers > 1;
  try {
    for (const Pass pass : passes_of(question_.passes))
      planned.plans.push_back(plan_for(strategy, question_, pass));
  } catch (const Unsupported& reason) {
    planned.weighed.unsupported = reason.what();
  }
  return planned;
}

void PlannedSchemes::add_grids(bool check_plan) {
  const std::vector<GridShape> shapes = other_grids(question_.problem.shape, question_.workers);
  std::vector<Planned> planned;  // by shape that has a plan
  std::vector<Candidate> candidates;
  Planned refused;
  int n_refused = 0;
  for (const GridShape& shape : shapes) {
    Planned& grid = planned.emplace_back();
    try {
      for (const Pass pass : passes_of(question_.passes))
        grid.plans.push_back(
            make_plan("grid", question_.problem,
                      {.workers = question_.workers, .keys = grid_keys(shape), .pass = pass}));
    } catch (const Unsupported& reason) {
      refused.weighed.unsupported = fmt::format("{} of {} shapes, the last since {}", ++n_refused,
                                                shapes.size(), reason.what());
      planned.pop_back();
      continue;
    }
    std::vector<LeastTime> least;
    for (const Plan& plan : grid.plans)
      least.emplace_back(plan,
                         DeviceCosts(question_.device, question_.kernel, plan.problem, plan.pass));
    // A search over sizes compares shapes in their first order, which is most often the best.
    for (const GridOrder order : orders_of(shape, check_plan ? question_.hosts : Hosts())) {
      Candidate& candidate = candidates.emplace_back();
      candidate.name = grid_name(shape, order);
      candidate.grid = planned.size() - 1;
      candidate.slot = grid_slots(order, shape);
      const ModelLink link = model_link(candidate.slot, question_.link);
      for (const LeastTime& pass : least)
        candidate.least_s += pass.wall_s(link, sampled_workers(link.hosts, question_.workers));
    }
  }
  play_best(planned, std::move(candidates), check_plan);
  refused.weighed.scheme = "grids";
  if (n_refused > 0) planned_.push_back(std::move(refused));
}

// Runs grids from the one that may be fastest on, until none that is left can be among the best.
void PlannedSchemes::play_best(std::vector<Planned>& grids, std::vector<Candidate> candidates,
                               bool check_plan) {
  std::ranges::stable_sort(candidates, {}, &Candidate::least_s);
  std::vector<std::pair<double, Planned>> played;
  std::vector<double> fit_s;  // ascending
  for (Candidate& candidate : candidates) {
    if (fit_s.size() >= kMostGrids && candidate.least_s > fit_s[kMostGrids - 1]) break;
    Planned& grid = grids[candidate.grid];
    if (grid.alike.empty()) weigh(grid, check_plan);
    grid.weighed.scheme = candidate.name;
    grid.slot = std::move(candidate.slot);
    add_between_bytes(grid);
    grid.played.reset();
    grid.played = play(grid, question_.link);
    const double wall_s = grid.played->wall_s;
    if (!grid.weighed.over_budget) fit_s.insert(std::ranges::upper_bound(fit_s, wall_s), wall_s);
    played.emplace_back(wall_s, grid);
  }
  std::ranges::stable_sort(played, {}, [](const auto& one) { return one.first; });
  // One that does not fit is kept beside those that do, to say that memory limits the choice.
  std::size_t n_fit = 0;
  std::size_t n_over = 0;
  for (auto& [wall_s, grid] : played)
    if (grid.weighed.over_budget ? n_over++ < 1 : n_fit++ < kMostGrids)
      planned_.push_back(std::move(grid));
}

void PlannedSchemes::add_between_bytes(Planned& planned) const {
  Hosts hosts = question_.hosts;
  hosts.slot = planned.slot;
  std::vector<const Plan*> passes;
  for (const Plan& plan : planned.plans) passes.push_back(&plan);
  planned.weighed.between_bytes = std::ranges::max(bytes_between_hosts(passes, hosts));
}

void PlannedSchemes::weigh(Planned& planned, bool check_plan) const {
  SchemeForecast& weighed = planned.weighed;
  const std::size_t n_workers = planned.plans.front().workers.size();
  std::vector<std::int64_t> sent_bytes(n_workers, 0);
  std::int64_t pairs = 0;
  for (const Plan& plan : planned.plans) {
    if (check_plan)
      if (const auto offence = check(plan))
        throw CaseError(Status::error, fmt::format("the plan of {} is not an exact cover: {}",
                                                   plan.algorithm, *offence));
    const Representatives& alike = planned.alike.emplace_back(plan);
    const Work work = model_work(plan, alike, question_.kernel);
    const PlanMemory memory = plan_memory(plan, alike, question_.kernel, 1);
    for (std::size_t w = 0; w < n_workers; ++w) sent_bytes[w] += work.workers[w].bytes_out;
    weighed.memory_bytes = std::max(weighed.memory_bytes, memory.device_peak_bytes);
    weighed.root_memory_bytes = std::max(weighed.root_memory_bytes, memory.root_peak_bytes);
    weighed.root_sent_bytes += work.root_sent_bytes;
    weighed.critical_path_pairs += work.critical_path_pairs;
    pairs += std::max<std::int64_t>(work.unmasked_pairs, 1);
  }
  weighed.sent_bytes = std::ranges::max(sent_bytes);
  weighed.over_budget =
      question_.memory_budget_bytes > 0 && weighed.memory_bytes > question_.memory_budget_bytes;
  weighed.critical_path_ratio = static_cast<double>(weighed.critical_path_pairs) *
                                static_cast<double>(n_workers) / static_cast<double>(pairs);
}

ModelLink PlannedSchemes::model_link(const std::vector<int>& slot,
                                     const std::optional<LinkLimit>& limit) const {
  ModelLink link{.limit = limit.value_or(LinkLimit{}),
                 .hosts = question_.hosts,
                 .root_has_link = limit.has_value()};
  link.hosts.slot = slot;
  return link;
}

SchemeForecast PlannedSchemes::play(const Planned& planned,
                                    const std::optional<LinkLimit>& limit) const {
  if (planned.played && limit == question_.link) return *planned.played;
  SchemeForecast forecast = planned.weighed;
  if (!forecast.has_plan()) return forecast;
  const ModelLink link = model_link(planned.slot, limit);
  for (std::size_t i = 0; i < planned.plans.size(); ++i)
    add_times(model_execution(planned.plans[i], planned.alike[i], question_.device, link,
                              question_.kernel),
              forecast);
  return forecast;
}

std::vector<SchemeForecast> PlannedSchemes::forecast(const std::optional<LinkLimit>& limit) const {
  if (limit.has_value() != question_.link.has_value())
    throw std::logic_error("PlannedSchemes: a link is not one memory");
  std::vector<SchemeForecast> forecasts(planned_.size());
  parallel_for(std::ssize(planned_), available_cores(), 1, [&](std::int64_t i, std::int64_t, int) {
    const auto at = static_cast<std::size_t>(i);
    forecasts[at] = play(planned_[at], limit);
  });
  return forecasts;
}

double PlannedSchemes::wall_s(std::string_view scheme, const LinkLimit& limit) const {
  for (const Planned& planned : planned_)
    if (planned.weighed.scheme == scheme) return play(planned, limit).wall_s;
  throw std::logic_error(fmt::format("PlannedSchemes: no scheme {}", scheme));
}

const SchemeForecast* fastest(std::span<const SchemeForecast> forecasts) {
  constexpr double kRounding = 1e-9;
  double bound_s = std::numeric_limits<double>::infinity();
  for (const SchemeForecast& candidate : forecasts)
    if (candidate.ranked()) bound_s = std::min(bound_s, candidate.wall_s * (1.0 + kRounding));
  const auto cost = [](const SchemeForecast& f) {
    return std::tuple(f.sent_bytes, f.memory_bytes);
  };
  const SchemeForecast* best = nullptr;
  for (const SchemeForecast& candidate : forecasts)
    if (candidate.ranked() && candidate.wall_s <= bound_s &&
        (best == nullptr || cost(candidate) < cost(*best)))
      best = &candidate;
  return best;
}

std::vector<SchemeForecast> ranking(std::vector<SchemeForecast> forecasts) {
  std::vector<SchemeForecast> ranked;
  while (const SchemeForecast* next = fastest(forecasts)) {
    ranked.push_back(*next);
    forecasts.erase(forecasts.begin() + (next - forecasts.data()));
  }
  const auto behind = [](const SchemeForecast& f) {
    return std::tuple(!f.has_plan(), f.base, f.wall_s);
  };
  std::ranges::stable_sort(forecasts, {}, behind);
  ranked.insert(ranked.end(), forecasts.begin(), forecasts.end());
  return ranked;
}

}  // namespace qb
