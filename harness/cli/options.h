// SPDX-License-Identifier: Apache-2.0
// Declares verbs and the options that several of them have. Numbers are written as in the specs:
// 1e6, 32Ki, 1_024, 80GiB.
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <memory>

#include "base/numbers.h"
#include "harness/cli/verb.h"
#include "harness/workload/case.h"

namespace qb {

// Adds a verb: --help of `above` lists it with `what`, and its own --help ends with the footer.
// Makes a Words, which the options fill in; the verb then calls act(words), which may return an
// ExitCode.
template <class Words>
std::pair<Verb, Words&> add_verb(Verb above, const std::string& name, const std::string& what,
                                 auto act, const std::string& footer) {
  const Verb verb = above.add_verb(name, what, footer);
  const auto words = std::make_shared<Words>();
  verb.act([words, act] {
    if constexpr (std::is_void_v<decltype(act(*words))>) {
      act(*words);
      return ExitCode::ok;
    } else {
      return act(*words);
    }
  });
  return {verb, *words};
}

// Adds options for parameters of a spec: key link.mode is --link-mode. They take the values that a
// spec takes, and --help describes them as the schema does. The default is the value in `c`. Throws
// std::logic_error for a key that no parameter has.
Option add_parameter(Verb verb, Case& c, std::string_view key);
void add_parameters(Verb verb, Case& c, std::initializer_list<std::string_view> keys);

// Fills in the parameters that follow others where they are 0: as many keys as tokens, as many
// key-value heads as query heads, values as wide as keys. Throws UsageError for an option that
// would have no effect or cannot be had with the others.
[[nodiscard]] Case whole_case(Case c);

// The same of a question about schemes, with so many tokens in the cache. Throws UsageError for a
// negative number of them, and for more workers than schemes are compared for.
[[nodiscard]] Case case_with_cache(Case c, std::int64_t cached_tokens);

// Warns of what is allowed in a case and hardly ever meant: more workers than tokens, keys, heads
// and tokens that look swapped, a bandwidth without a latency.
void print_cautions(std::span<const Case> cases);

// Returns what make() returns. Whether a mask fits the tokens is known only when both are: a
// UsageError about the mask then gets `--mask: ` in front.
[[nodiscard]] auto with_mask_option(auto make) {
  try {
    return make();
  } catch (const UsageError& problem) {
    if (!std::string_view(problem.what()).starts_with("mask ")) throw;
    throw UsageError(fmt::format("--mask: {}", problem.what()));
  }
}

template <class Integer>
Option add_integer(Verb verb, const std::string& name, Integer& value, const std::string& what) {
  return verb.add_text(name, "NUMBER", what, [name, &value](const std::string& text) {
    const auto parsed = [&] {
      if constexpr (std::is_same_v<Integer, std::uint64_t>) return parse_seed(text);
      if constexpr (!std::is_same_v<Integer, std::uint64_t>) return parse_integer(text);
    }();
    if (!parsed || !std::in_range<Integer>(*parsed))
      throw UsageError(fmt::format(
          "{} {}: not a whole number in range; write it as 4096, 1e6 or 32Ki", name, text));
    value = static_cast<Integer>(*parsed);
  });
}

// Adds `name` as a number above 0.
Option add_positive(Verb verb, const std::string& name, double& value, const std::string& what);

// Adds --metric: what the verb compares of a row.
Option add_metric(Verb verb, std::string& metric);

// Adds --clock, an entry of the spec that is asked for most on the command line.
Option add_clock(Verb verb, std::vector<std::string>& set);

// Adds `name` as one of the words of the enum E; --help lists them behind `what` (a sentence
// without its full stop), and gives the default, which is the word in `value`.
template <class E>
Option add_word(Verb verb, const std::string& name, E& value, const std::string& what) {
  const std::string words =
      fmt::format("{}: {} (default: {}).", what, join(all_words<E>(), ", "), word(value));
  return verb.add_text(name, "WORD", words, [name, &value](const std::string& text) {
    const auto parsed = parse_word<E>(text);
    if (!parsed) throw UsageError(name + ": " + unknown_word(kWords<E>.what, text, all_words<E>()));
    value = *parsed;
  });
}

}  // namespace qb
