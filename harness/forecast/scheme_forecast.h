// SPDX-License-Identifier: Apache-2.0
// Forecasts what every way of splitting attention would cost on a device and a link: each scheme
// that has a plan for the problem is planned, checked, counted by the work model and run by the
// model executor. It measures nothing.
//
// Three settings:
//   one memory  (no link)  the workers are threads of one machine: they share the device's cores,
//                          and messages are copies at its copy rate
//   a link                 every worker has a device of its own and one link, and so has the root
//                          of a scheme that scatters and gathers
//   hosts                  the same, with other links inside of a host than between hosts
//
// Grids of workers (usp, mesh, grid) are forecast in each shape, and on hosts in each order of its
// heads, rows and columns; those that nothing is gained by are left out.
//
// Tokens stay sharded as each scheme wants them. The times include what a root scatters and gathers
// (cqs) and the all-reduces that give every worker the result (tree_decode).
//
// A backward pass begins with the tensors where the forward pass left them. For both passes,
// as in a step of training, times, bytes and pairs are sums, and memory is that of the pass that
// needs more.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/forecast/device_model.h"
#include "harness/plan/plan.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/run/transport/link_model.h"
#include "kernels/attention.h"

namespace qb {

// The plan of `decode` takes one token after another; it is made for at most this many new tokens.
inline constexpr std::int64_t kFewNewTokens = 16;

struct SchemeQuestion {
  Problem problem;  // must not be packed
  int workers = 1;
  DeviceModel device;
  std::optional<LinkLimit> link{};  // empty: one memory; with hosts, the link between them
  Hosts hosts{};
  Kernel kernel = Kernel::flash;
  std::int64_t memory_budget_bytes = 0;  // for one worker; 0: no limit
  Passes passes = Passes::forward;
};

struct SchemeForecast {
  std::string scheme;       // `zigzag`, or a grid with its shape and order: `usp 8x1x2`
  std::string alias;        // another name of the same plan, or empty
  bool base = false;        // dense on one worker, to compare schemes that split with; not ranked
  std::string unsupported;  // why there is no plan of a pass; the numbers are then unset
  bool over_budget = false;
  // The three parts of wall_s, for the worker that ends last:
  double wall_s = 0.0;
  double compute_s = 0.0;  // kernels and merges
  double idle_s = 0.0;     // waiting for workers that are not ready
  double exposed_s = 0.0;  // the rest: transfers and packing that no compute hides, and the root
  double mean_compute_s = 0.0;       // mean over workers: an even share
  std::int64_t sent_bytes = 0;       // by the worker that sends most
  std::int64_t between_bytes = 0;    // to other hosts, by the worker that sends most of these
  std::int64_t root_sent_bytes = 0;  // by the root that scatters, if there is one
  // device_peak_bytes and root_peak_bytes of PlanMemory, with the workspace of this program's
  // kernels.
  std::int64_t memory_bytes = 0;
  std::int64_t root_memory_bytes = 0;
  std::int64_t critical_path_pairs = 0;  // per head
  double critical_path_ratio = 1.0;      // critical path pairs over an even share of all pairs

  [[nodiscard]] bool has_plan() const { return unsupported.empty(); }
  [[nodiscard]] bool usable() const { return has_plan() && !over_budget; }
  [[nodiscard]] bool ranked() const { return usable() && !base; }
};

class PlannedSchemes {
 public:
  // Plans every scheme for the question. Throws UsageError for an impossible problem or number of
  // workers, Unsupported if the device has no rate for the problem, CaseError with status `error`
  // if a plan is not an exact cover. check_plans: false if the plans were checked before.
  explicit PlannedSchemes(const SchemeQuestion& question, bool check_plans = true);

  // Returns them in the order of the registry, with schemes that have no plan. A scheme that
  // differs from another one in its backward pass only is left out where that is not asked about.
  [[nodiscard]] std::vector<SchemeForecast> forecast() const { return forecast(question_.link); }
  // Does the same for another limit of the link; a question without a link must pass none.
  [[nodiscard]] std::vector<SchemeForecast> forecast(const std::optional<LinkLimit>& limit) const;
  // Returns the time of one scheme that has a plan.
  [[nodiscard]] double wall_s(std::string_view scheme, const LinkLimit& limit) const;

 private:
  struct Planned {
    SchemeForecast weighed;                  // without times
    std::vector<Plan> plans;                 // of each pass that is asked about
    std::vector<Representatives> alike{};    // of each plan, when it is weighed
    std::optional<SchemeForecast> played{};  // over the link of the question
    std::vector<int> slot{};                 // on hosts, where each worker stands; empty: in order
  };
  struct Candidate {  // a grid in one order
    std::string name;
    std::size_t grid = 0;
    std::vector<int> slot;
    double least_s = 0.0;  // a lower bound of its time
  };
  [[nodiscard]] Planned planned_strategy(const Strategy& strategy) const;
  void add_grids(bool check_plan);
  void play_best(std::vector<Planned>& grids, std::vector<Candidate> candidates, bool check_plan);
  void weigh(Planned& planned, bool check_plan) const;
  void add_between_bytes(Planned& planned) const;
  [[nodiscard]] ModelLink model_link(const std::vector<int>& slot,
                                     const std::optional<LinkLimit>& limit) const;
  [[nodiscard]] SchemeForecast play(const Planned& planned,
                                    const std::optional<LinkLimit>& limit) const;

  SchemeQuestion question_;
  std::vector<Planned> planned_;
};

// Returns the fastest ranked() forecast, or nullptr. Of equally fast ones (but for rounding)
// it takes the one that sends least, then the one that needs least memory, then the first.
[[nodiscard]] const SchemeForecast* fastest(std::span<const SchemeForecast> forecasts);

// Sorts by speed, as fastest() does; then come forecasts over the budget, the base, and schemes
// without a plan.
[[nodiscard]] std::vector<SchemeForecast> ranking(std::vector<SchemeForecast> forecasts);

}  // namespace qb
