// SPDX-License-Identifier: Apache-2.0
// qb: parses the command line, runs one verb, and turns every error into one sentence and a
// documented exit code.
#include <fmt/format.h>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/print.h"
#include "harness/cli/verb.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

constexpr const char* kDescription =
    "QuorumBench measures what each way of splitting exact attention costs in time, memory and\n"
    "communication, and checks whether a published number is real.";

constexpr const char* kFooter = R"(Examples:
  qb run experiments/smoke.yaml      runs one small sweep, to a verified figure
  qb reproduce                       runs what answers the paper's tables, and says what is reproduced
  qb plan --algorithm cqs --n-tokens 10 --workers 7 --interest-set 0,1,3
  qb sets table                      lists the 109 published interest sets and their balance
  qb advise --n-tokens 128Ki --workers 8 --mask causal --device a100 --link infiniband
  qb attend --q q.npy --k k.npy --v v.npy --algorithm cqs --workers 7 --out o.npy --verify

`./qb test` builds and runs the tests, `./qb microbench --quick` compares the kernels with the ceilings
of this machine, `./qb python` makes a virtual environment with `import quorumbench`, `./qb wheel` a
wheel and an archive for machines that do not compile, and `./qb kit` what a bare machine with a GPU
runs.

Exit codes: 0 everything ended as allowed, 1 some case failed, 2 bad spec or usage (nothing ran),
3 environment (missing tool, full disk), 4 regression or mismatch, 5 not comparable,
130 interrupted (run again to resume).)";

void add_verbs(Verb app) {
#define QB_ADD_VERB(name) add_##name(app);
  QB_VERBS(QB_ADD_VERB)
#undef QB_ADD_VERB
}

// Says what a caught exception says, and returns its exit code.
int failed(ExitCode code, const std::string& message) {
  print_note("qb: {}\n", message);
  return static_cast<int>(code);
}

// A shell may leave less than plans and specs of many cases need. The option is that of ulimit.
void raise_limit(int resource, std::string_view what, rlim_t least, rlim_t usual, rlim_t unit,
                 std::string_view option) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return;
  if (limit.rlim_cur >= usual * unit) return;
  limit.rlim_cur = std::min(limit.rlim_max, usual * unit);
  if (limit.rlim_cur < least * unit)
    throw EnvironmentError(
        fmt::format("the limit of {} is {}, and qb needs {}: raise it with ulimit {}", what,
                    limit.rlim_cur / unit, least, option));
  ::setrlimit(resource, &limit);
}

// A program that starts qb names itself in QB_PARENT. When it ends, however it does, qb ends as if
// it were interrupted.
void end_with_parent() {
  const char* const parent = std::getenv("QB_PARENT");
  if (parent == nullptr) return;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (std::to_string(::getppid()) != parent) ::raise(SIGTERM);  // it has ended already
  ::unsetenv("QB_PARENT");
}

// qb finds itself, its memory and its cores there.
void require_proc() {
  if (::access("/proc/self/exe", X_OK) != 0)
    throw EnvironmentError(
        "/proc/self/exe is not there, and qb reads its machine below /proc: mount it");
}

}  // namespace
}  // namespace qb

int main(int argc, char** argv) {
  using qb::ExitCode;
  // Where both go into one pipe or file, stdout and stderr keep their order and whole lines.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  qb::guard_standard_streams();
  try {
    qb::raise_limit(RLIMIT_STACK, "the stack in KiB", 1024, 8192, 1024, "-s");
    qb::raise_limit(RLIMIT_NOFILE, "open files", 64, 1024, 1, "-n");
    qb::require_proc();
    qb::end_with_parent();
    // A sweep starts a child for each case, which needs no other verb.
    const bool is_child = argc > 1 && std::string_view(argv[1]) == "__case";
    if (const std::string& undone = qb::undone_thread_binding(); !undone.empty() && !is_child)
      qb::print_note("qb: {} would bind all threads to one core; qb undoes that\n", undone);
    const std::vector<std::string> words(argv + 1, argv + argc);
    const ExitCode code = qb::run_words(is_child ? qb::add_run : qb::add_verbs, words,
                                        qb::kDescription, qb::kFooter, "qb " QB_VERSION);
    qb::finish_answers();
    return static_cast<int>(code);
  } catch (const qb::ExitError& error) {
    return qb::failed(error.code(), error.what());
  } catch (const qb::CaseError& error) {
    // A single plan or tensor, outside a sweep, is not possible as asked.
    const bool unsupported = error.status() == qb::Status::unsupported;
    return qb::failed(unsupported ? ExitCode::usage : ExitCode::case_failed, error.what());
  } catch (const std::system_error& error) {
    // Threads cannot be started.
    return qb::failed(ExitCode::environment, error.what());
  } catch (const std::exception& error) {
    return qb::failed(ExitCode::case_failed, fmt::format("unexpected: {}", error.what()));
  }
}
