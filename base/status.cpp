// SPDX-License-Identifier: Apache-2.0
#include "base/status.h"

#include <fmt/format.h>

#include <new>

#include "base/numbers.h"

namespace qb {

OutOfMemory::OutOfMemory(std::string_view label, std::uint64_t requested_bytes,
                         std::uint64_t active_bytes, std::uint64_t budget_bytes)
    : CaseError(Status::oom,
                fmt::format("{} needs {} with {} in use, {}", label, format_bytes(requested_bytes),
                            format_bytes(active_bytes),
                            budget_bytes == 0 ? std::string("and the machine has no more")
                                              : fmt::format("over the budget of {}",
                                                            format_bytes(budget_bytes)))) {}

CaseError case_error(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const CaseError& of_case) {
    return of_case;
  } catch (const std::bad_alloc&) {
    return {Status::oom, "the heap has no more memory"};
  } catch (const std::exception& other) {
    return {Status::error, other.what()};
  } catch (...) {
    return {Status::error, "an exception of an unknown type"};
  }
}

}  // namespace qb
