// SPDX-License-Identifier: Apache-2.0
// Obey or refuse: a value of a parameter that would have no effect in a case, or could not run
// there, is refused with a sentence. The schema says what each parameter needs of the others
// (Field::needs in base/schema/parameter_fields.h), and this is the one place that reads it, for
// specs, cases, dry runs and the command line alike.
#pragma once

#include <string>
#include <vector>

#include "base/schema/field.h"
#include "harness/workload/case.h"

namespace qb {

struct UnmetNeed {
  const Field* parameter;
  const ParameterNeed* need;
  std::string reason;  // `link.latency: 1 needs ranks: threads, mpi or model, and this case has …`
};

// The first unmet need of each parameter whose value is not the standard one. `device: auto` meets
// needs of either device: what it becomes depends on the machine.
[[nodiscard]] std::vector<UnmetNeed> unmet_needs(const Case& c);

// The words of the need; of a fact the registered algorithms whose plans of such passes have it.
[[nodiscard]] std::string_view words_of(const ParameterNeed& need, Passes passes = Passes::both);

// What every value of the parameter but the standard one needs: `ranks: model` and `link.bandwidth`
// or `link.latency`, in Markdown. Empty where it needs nothing.
[[nodiscard]] std::string needs_text(const Field& parameter);

// Throws Unsupported with the first of unmet_needs().
void require_needs(const Case& c);

}  // namespace qb
