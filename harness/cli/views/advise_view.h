// SPDX-License-Identifier: Apache-2.0
// What `qb advise` prints, as pure functions.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/views/model_error.h"
#include "harness/forecast/advice.h"

namespace qb {

// Says what was asked and what is assumed, one line each: the problem, the device and where its
// rates come from, the link (link_source says where its numbers come from and may be empty).
[[nodiscard]] std::vector<std::string> advice_assumptions(const SchemeQuestion& question,
                                                          const std::string& link_source);

// Has one row per scheme that has a plan, the winner first; below it says why the others have none.
[[nodiscard]] std::string advice_table(const Advice& advice);

// Gives the advice in plain words: the winner and its lead, or what it ties with by how long
// published cases took beside what the model predicts of them; what limits it; what the budget
// costs; at which bandwidth, number of tokens and number of workers it would change; what selectors
// of pass-KV or pass-Q say. `published` has each scheme with a plan, or is empty.
[[nodiscard]] std::vector<std::string> advice_sentences(const SchemeQuestion& question,
                                                        const Advice& advice,
                                                        std::span<const PublishedScheme> published);

// Gives all of it with every digit; what does not apply is null, or an empty list.
[[nodiscard]] std::string advice_json(const SchemeQuestion& question,
                                      const std::string& link_source, const Advice& advice,
                                      std::span<const PublishedScheme> published);

}  // namespace qb
