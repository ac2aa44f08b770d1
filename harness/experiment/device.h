// What the open choices of a case come to on this machine.
#pragma once

#include "harness/experiment/case.h"

namespace qb {

// `auto` becomes the device that runs it, cqs without an interest set gets the default one; so a
// row says what ran.
[[nodiscard]] Case resolve_case(Case c);

// Throws EnvironmentError where the case's device is missing on this machine.
void require_device(const Case& c);

}  // namespace qb
