#include "harness/experiment/mpi_case.h"

#include <fmt/format.h>

#include <string>

#include "harness/execute/inputs.h"
#include "harness/execute/memory_ledger.h"
#include "harness/execute/mpi_world.h"
#include "harness/experiment/case_link.h"
#include "harness/experiment/prediction.h"

namespace qb {
namespace {

// What rank 0 says: a case as JSON, then `time` or `verify` for each execution of it, then `over`.
constexpr const char* kTime = "time";
constexpr const char* kVerify = "verify";
constexpr const char* kOver = "over";
constexpr const char* kNoMore = "no more";

// A case on a rank other than 0: its shards, its own ledger.
void serve_case(MpiWorld& world, const Case& c) {
  const PlannedCase planned = plan_case(c);
  const Problem& problem = planned.plan.problem;
  LedgerOptions options;
  options.budget_bytes = static_cast<std::uint64_t>(c.memory_budget_bytes);
  MemoryLedger ledger(options);
  for (std::string text = world.broadcast({}); text != kOver; text = world.broadcast({})) {
    ExecutionArguments arguments;
    arguments.kernel = c.kernel;
    arguments.threads = planned.threads;
    arguments.allocator = &ledger;
    arguments.message_timeout_s = message_timeout_s(c);
    arguments.shard = [&problem](TensorRole what, const TokenGroup& tokens, const HeadRange& heads,
                                 const TensorView& view) {
      make_shard(problem, what, tokens, heads, view);
    };
    arguments.collect_output = text == kVerify;
    arguments.guard_messages = text == kVerify;
    // What goes wrong here is rank 0's to tell.
    (void)execute(Ranks::mpi, planned.plan, arguments);
  }
}

}  // namespace

MpiCase::MpiCase(const Case& c) {
  MpiWorld* const world = MpiWorld::current();
  if (c.ranks != Ranks::mpi || world == nullptr || c.workers > world->size()) return;
  (void)world->broadcast(case_to_json(c));
  announced_ = true;
}

MpiCase::~MpiCase() {
  if (announced_ && !MpiWorld::current()->is_broken()) (void)MpiWorld::current()->broadcast(kOver);
}

void MpiCase::announce_execution(bool verifying) const {
  if (announced_) (void)MpiWorld::current()->broadcast(verifying ? kVerify : kTime);
}

void serve_mpi_cases() {
  MpiWorld& world = *MpiWorld::current();
  for (std::string text = world.broadcast({}); text != kNoMore; text = world.broadcast({}))
    serve_case(world, case_from_json(text));
}

void end_mpi_cases() {
  if (!MpiWorld::current()->is_broken()) (void)MpiWorld::current()->broadcast(kNoMore);
}

CaseResult MpiLauncher::launch(const Case& c, const CasePaths& paths) {
  if (c.ranks != Ranks::mpi) return others_.launch(c, paths);
  if (MpiWorld::current()->is_broken())
    throw EnvironmentError(
        "a rank no longer answers (the last case says which), so that no further case of ranks: "
        "mpi can run");
  return run_case(c, paths.trace_directory);
}

}  // namespace qb
