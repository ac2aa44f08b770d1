// What `qb advise` prints, as pure functions.
#pragma once

#include <string>
#include <vector>

#include "harness/execute/model/advice.h"

namespace qb {

// What was asked and what is assumed, a line each: the problem, the device and where its rates
// come from, the link (link_source: where its numbers come from; may be empty).
[[nodiscard]] std::vector<std::string> advice_assumptions(const SchemeQuestion& question,
                                                          const std::string& link_source);

// One row a scheme that has a plan, the winner first; below it why the others have none.
[[nodiscard]] std::string advice_table(const Advice& advice);

// The advice in plain words: the winner and its lead; what limits it; what the budget costs; at
// which bandwidth, number of tokens and number of workers it would change; what selectors of
// pass-KV or pass-Q say.
[[nodiscard]] std::vector<std::string> advice_sentences(const SchemeQuestion& question,
                                                        const Advice& advice);

// All of it with every digit; what does not apply is null.
[[nodiscard]] std::string advice_json(const SchemeQuestion& question,
                                      const std::string& link_source, const Advice& advice);

}  // namespace qb
