// SPDX-License-Identifier: Apache-2.0
// Adds base cases, and chooses cases by filters.
#include <algorithm>
#include <iterator>
#include <set>

#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/spec/spec.h"
#include "harness/experiment/spec/sweep.h"

namespace qb {
namespace {

Case base_of(Case c) {
  for (const Parameter& parameter : parameters())
    if (parameter.group == FieldGroup::split) parameter.set(c, parameter, parameter.standard);
  return with_needs_met(std::move(c));
}

}  // namespace

std::vector<Case> with_base_cases(std::vector<Case> cases) {
  std::set<std::string> there;
  for (const Case& c : cases) there.insert(case_id(c));
  std::vector<Case> all;
  for (const Case& c : cases)
    if (Case base = base_of(c); there.insert(case_id(base)).second) all.push_back(std::move(base));
  std::ranges::move(cases, std::back_inserter(all));
  return all;
}

std::vector<Case> cases_kept(const std::vector<Case>& cases,
                             const std::vector<std::string>& filters, std::string_view option) {
  const std::vector<bool> kept =
      kept_by(filters, option, cases.size(), [&](std::size_t i, const Parameter& parameter) {
        return parameter.get(cases[i], parameter);
      });
  std::vector<Case> chosen;
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (kept[i]) chosen.push_back(cases[i]);
  return chosen;
}

}  // namespace qb
