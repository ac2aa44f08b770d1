// SPDX-License-Identifier: Apache-2.0
// How the workers of a case share an operator: states of consecutive tokens (harness/plan/scan/),
// or, of axial, its rows and its columns (harness/plan/axial/). One worker alone shares nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/execute/model/scan_model.h"
#include "harness/plan/axial/axial_plan.h"
#include "harness/plan/scan/scan_plan.h"
#include "harness/workload/case.h"
#include "harness/workload/mixer/crew_member.h"

namespace qb {

class MixerShare {
 public:
  // Throws Unsupported where so many workers cannot share it. `problem` must outlive it.
  MixerShare(const Case& c, const MixerProblem& problem);

  [[nodiscard]] const MixerProblem& problem() const { return problem_; }
  [[nodiscard]] int workers() const { return scan_.workers; }
  // The worker holds the inputs and the output of these.
  [[nodiscard]] Range tokens(int worker) const;
  // That the worker computes, without making states its own.
  [[nodiscard]] double flop(int worker) const;
  // The worker takes its memory from there; what it refers to must outlive it.
  [[nodiscard]] std::unique_ptr<CrewMember> member(int worker, Allocator& memory) const;

  // There are some with several workers, each with rounds from 0 on: a worker makes what it sends
  // in one after it has what the one before brings.
  [[nodiscard]] const std::vector<std::vector<SizedMessage>>& exchanges() const {
    return exchanges_;
  }
  [[nodiscard]] int rounds() const;
  // The links' time for all exchanges, during which nothing is computed.
  [[nodiscard]] double links_s(const Network& network) const;
  // What tokens leave to those of other workers, in all exchanges; none where no state is shared.
  [[nodiscard]] std::optional<std::int64_t> state_bytes() const;
  // The first error of the plan.
  [[nodiscard]] std::optional<std::string> flaw() const;

 private:
  const MixerProblem& problem_;
  ScanPlan scan_;
  std::optional<AxialPlan> axial_;  // of axial on several workers; scan_ has no messages then
  std::vector<std::vector<SizedMessage>> exchanges_;
};

}  // namespace qb
