// SPDX-License-Identifier: Apache-2.0
// How a case ended, how the program exits, and the exceptions that report either. One catch in
// harness/experiment/process/run_case.cpp makes a CaseError a row with its status, and main makes
// an ExitError one sentence on stderr and an exit code.
#pragma once

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/words.h"

namespace qb {

enum class Status {
  ok,
  oom,          // ran out of memory: budget, allocator or the kernel's killer
  oom_skipped,  // it did not run: a smaller N of the same series already ran out
  infeasible,   // it did not run: by the work model it cannot fit or end in time
  unsupported,  // no implementation for this combination, with the reason
  incorrect,    // it ran, and the output differs from float64
  timeout,
  crashed,
  error,
  interrupted,
};

QB_WORDS(Status, "status", ok, oom, oom_skipped, infeasible, unsupported, incorrect, timeout,
         crashed, error, interrupted);

enum class ExitCode : int {
  ok = 0,
  case_failed = 1,
  usage = 2,        // bad spec or command line; nothing ran
  environment = 3,  // missing tool, unwritable or full disk, no device
  regression = 4,   // regression, or a mismatch with a published or expected value
  not_comparable = 5,
  interrupted = 130,
};

// Ends the program with `code` and one sentence.
class ExitError : public std::runtime_error {
 public:
  ExitError(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// A bad spec, command line or input file ends the program with exit code 2.
class UsageError : public ExitError {
 public:
  explicit UsageError(const std::string& message) : ExitError(ExitCode::usage, message) {}
};

class EnvironmentError : public ExitError {
 public:
  explicit EnvironmentError(const std::string& message)
      : ExitError(ExitCode::environment, message) {}
};

// Ends the case with `status` and one sentence; the sweep continues.
class CaseError : public std::runtime_error {
 public:
  CaseError(Status status, const std::string& message)
      : std::runtime_error(message), status_(status) {}
  [[nodiscard]] Status status() const { return status_; }

 private:
  Status status_;
};

class Unsupported : public CaseError {
 public:
  explicit Unsupported(const std::string& message) : CaseError(Status::unsupported, message) {}
};

class OutOfMemory : public CaseError {
 public:
  // `label` names the tensor that did not fit. budget_bytes is 0 where the machine itself ran out.
  OutOfMemory(std::string_view label, std::uint64_t requested_bytes, std::uint64_t active_bytes,
              std::uint64_t budget_bytes);
};

// How a case ends with this exception, which may be none of the above.
[[nodiscard]] CaseError case_error(const std::exception_ptr& error);

}  // namespace qb
