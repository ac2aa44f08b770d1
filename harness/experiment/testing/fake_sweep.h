// SPDX-License-Identifier: Apache-2.0
// Fakes for tests of the sweep: cases, a launcher with scripted answers, and a clock.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/sweep/sweep_runner.h"

namespace qb {

inline Case small_case(std::int64_t n_tokens, int workers = 7) {
  Case c;
  c.experiment = "study";
  c.algorithm = "cqs";
  c.kernel = Kernel::materialized;
  c.device = Device::cpu;
  c.workers = workers;
  c.interest_set = {0, 1, 3};
  c.shape = {.batch = 1,
             .q_heads = 8,
             .kv_heads = 8,
             .q_len = n_tokens,
             .kv_len = n_tokens,
             .head_dim = 64,
             .value_dim = 64};
  return c;
}

inline CaseResult good_result() {
  CaseResult result;
  result.status = Status::ok;
  result.samples = {{.repeat = 0, .warmup = true, .wall_s = 2.0}, {.repeat = 0, .wall_s = 0.5}};
  result.values = {{"wall_time_median_s", "0.5"},
                   {"wall_time_low95_s", "0.4"},
                   {"wall_time_high95_s", "0.6"},
                   {"device_peak_bytes", "4096"}};
  result.steps = {{{"worker", "0"},
                   {"step", "0"},
                   {"unmasked_pairs", "10"},
                   {"executed_pairs", "12"},
                   {"kv_tokens", "10"},
                   {"compute_s", "0.5"}}};
  result.timeline = {{{"time_s", "0.1"},
                      {"action", "alloc"},
                      {"label", "scores, of \"one\" head"},
                      {"worker", "0"},
                      {"bytes", "64"},
                      {"active_bytes", "64"},
                      {"reserved_bytes", "64"}}};
  return result;
}

inline CaseResult bad_result(Status status, const std::string& message) {
  CaseResult result;
  result.status = status;
  result.message = message;
  return result;
}

inline Spec fake_spec(std::vector<Case> cases) {
  Spec spec;
  spec.name = "study";
  spec.description = "A description.";
  spec.figures = {"wall_clock"};
  for (const Case& c : cases) spec.resolved_yaml += case_id(c) + '\n';
  spec.cases = std::move(cases);
  return spec;
}

class FakeLauncher final : public Launcher {
 public:
  CaseResult launch(const Case& c, const CasePaths& paths) override {
    launched.push_back(c);
    last_paths = paths;
    return answer(c);
  }
  std::function<CaseResult(const Case&)> answer = [](const Case&) { return good_result(); };
  std::vector<Case> launched;
  CasePaths last_paths;
};

// A sweep in a fake world whose clock advances by a second at each call.
struct FakeSweep {
  FakeLauncher launcher;
  std::string said;
  bool stop = false;
  std::function<bool()> stop_requested = [this] { return stop; };
  double now_s = 0.0;
  std::time_t utc = 1'700'000'000;
  std::function<void(const Case&)> require = require_device;
  std::string environment = R"({"device_fingerprint": "this machine"})";

  RunOutcome run(const Spec& spec, const RunOptions& options) {
    launcher.launched.clear();
    said.clear();
    Progress progress({}, [this](std::string_view text) { said += text; });
    SweepWorld world{launcher,
                     [this] { return now_s += 1.0; },
                     [this] { return utc++; },
                     stop_requested,
                     environment,
                     progress,
                     require};
    return run_spec(spec, options, world);
  }
};

}  // namespace qb
