// Command-line numbers as the specs write them: 1e6, 32Ki, 1_024, 80GiB.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "base/numbers.h"
#include "base/status.h"
#include "harness/cli/command_line.h"
#include "harness/experiment/schema/mask_reader.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {

// Adds `name` as an integer option with a default shown in --help.
template <class Integer>
Option add_integer(Verb app, const std::string& name, Integer& value, const std::string& what) {
  return app
      .option(
          name,
          [name, &value](const std::string& text) {
            const auto parsed = parse_integer(text);
            if (!parsed || !std::in_range<Integer>(*parsed))
              throw UsageError(
                  fmt::format("{} {}: not a whole number in range; write it as 4096, "
                              "1e6, 32Ki or 80GiB",
                              name, text));
            value = static_cast<Integer>(*parsed);
          },
          what)
      .type_name("NUMBER");
}

// Adds `name` as a number above 0.
inline Option add_positive(Verb app, const std::string& name, double& value,
                           const std::string& what) {
  return app
      .option(
          name,
          [name, &value](const std::string& text) {
            const auto parsed = parse_real(text);
            if (!parsed || !(*parsed > 0.0))
              throw UsageError(fmt::format(
                  "{} {}: not a number above 0; write it as 312e12, 25e9 or 25GB", name, text));
            value = *parsed;
          },
          what)
      .type_name("NUMBER");
}

// The names of all strategies, for --help.
[[nodiscard]] inline std::string algorithm_words() {
  std::vector<std::string_view> names;
  for (const Strategy& strategy : strategies()) names.push_back(strategy.name);
  return join(names, ", ");
}

// Adds `name` as a mask, a word or a pattern.
inline Option add_mask(Verb app, const std::string& name, MaskSpec& value,
                       const std::string& what) {
  return app
      .option(
          name, [name, &value](const std::string& text) { value = parse_mask(text, name); },
          what +
              " (full, causal, or a pattern such as {sliding_window: {left: 128, right: 128}}: " +
              "experiments/README.md)")
      .type_name("MASK");
}

// Adds `name` as one of the words of the enum E.
template <class E>
Option add_word(Verb app, const std::string& name, E& value, const std::string& what) {
  return app
      .option(
          name,
          [name, &value](const std::string& text) {
            const auto parsed = parse_word<E>(text);
            if (!parsed) {
              const auto known = all_words<E>();
              throw UsageError(name + ": " + unknown_word(Words<E>::what, text, known));
            }
            value = *parsed;
          },
          what + " (" + join(all_words<E>(), ", ") + ")")
      .type_name("WORD");
}

}  // namespace qb
