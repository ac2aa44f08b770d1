// Rank 0 of a case whose workers have a GPU each. The whole inputs are on its GPU only where the
// plan begins with a scatter; else it makes its shard as the other ranks make theirs.
#include "harness/execute/player/nccl_executor.h"
#include "harness/experiment/process/case_link.h"
#include "harness/experiment/process/gpu_arena.h"
#include "harness/experiment/process/mpi_case.h"

namespace qb {
namespace {

class NcclArena final : public GpuArenaBase {
 public:
  NcclArena(const Case& c, const PlannedCase& planned, bool record, ComputeDevice& device,
            const MpiCase& ranks)
      : GpuArenaBase(c, planned, record, device), ranks_(ranks) {
    ranks_.announce_link();
    rank_.emplace(c.workers, &device, std::string(), message_timeout_s(c));
  }

  Execution execute(bool verifying) override {
    ranks_.announce_execution(verifying);
    ExecutionArguments arguments{.q = whole_.q.view(),
                                 .k = whole_.k.view(),
                                 .v = whole_.v.view(),
                                 .out = out_.view(),
                                 .lse = lse_.view(),
                                 .kernel = case_.kernel,
                                 .threads = planned_.threads,
                                 .allocator = &ledger_,
                                 .message_timeout_s = message_timeout_s(case_),
                                 .collect_output = verifying};
    if (!is_scattered(planned_.plan)) arguments.shard = shard_source(planned_.plan.problem);
    Execution execution = rank_->execute(planned_.plan, arguments);
    if (verifying) download_output();
    return execution;
  }

 private:
  void fill_device() override {
    whole_ = {};
    if (is_scattered(planned_.plan)) whole_ = upload_inputs();
  }

  const MpiCase& ranks_;
  std::optional<NcclRank> rank_;
  Whole whole_;
};

}  // namespace

std::unique_ptr<Arena> make_nccl_arena(const Case& c, const PlannedCase& planned, bool record,
                                       ComputeDevice& device, const MpiCase& ranks) {
  return std::make_unique<NcclArena>(c, planned, record, device, ranks);
}

}  // namespace qb
