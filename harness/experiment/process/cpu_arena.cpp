#include "harness/execute/verify/verify.h"
#include "harness/experiment/process/arena.h"
#include "harness/experiment/process/case_link.h"
#include "harness/experiment/process/measured_columns.h"

namespace qb {
namespace {

class CpuArena final : public Arena {
 public:
  CpuArena(const Case& c, const PlannedCase& planned, bool record,
           std::function<void(bool)> announce)
      : case_(c),
        planned_(planned),
        announce_(std::move(announce)),
        ledger_(ledger_options(c, record)) {}

  MemoryLedger& ledger() override { return ledger_; }

  void fill() override {
    const Problem& problem = planned_.plan.problem;
    inputs_ = make_inputs(problem, ledger_, planned_.threads);
    out_ = Tensor(ledger_, DType::f32, problem.shape.out(), "output");
    lse_ = Tensor(ledger_, DType::f32, problem.shape.lse(), "lse");
  }
  void poison_output() override { poison(out_.view(), lse_.view()); }

  Execution execute(bool verifying) override {
    announce_(verifying);
    StageTimes stages;
    Execution execution = qb::execute(case_.ranks, planned_.plan,
                                      {.q = inputs_.q.view(),
                                       .k = inputs_.k.view(),
                                       .v = inputs_.v.view(),
                                       .out = out_.view(),
                                       .lse = lse_.view(),
                                       .kernel = case_.kernel,
                                       .threads = planned_.threads,
                                       .allocator = &ledger_,
                                       .link = link_of(case_),
                                       .worker_speeds = planned_.worker_speeds,
                                       .message_timeout_s = message_timeout_s(case_),
                                       .collect_output = verifying,
                                       .stages = case_.ranks == Ranks::serial ? &stages : nullptr,
                                       .guard_messages = verifying});
    execution.stages = stages;
    return execution;
  }
  HostTensors tensors() override {
    return {inputs_.q.view(), inputs_.k.view(), inputs_.v.view(), out_.view(), lse_.view()};
  }

 private:
  const Case& case_;
  const PlannedCase& planned_;
  std::function<void(bool)> announce_;
  MemoryLedger ledger_;
  Inputs inputs_;
  Tensor out_;
  Tensor lse_;
};

}  // namespace

std::unique_ptr<Arena> make_cpu_arena(const Case& c, const PlannedCase& planned, bool record,
                                      std::function<void(bool)> announce) {
  return std::make_unique<CpuArena>(c, planned, record, std::move(announce));
}

}  // namespace qb
