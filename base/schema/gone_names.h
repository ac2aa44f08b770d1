// SPDX-License-Identifier: Apache-2.0
// What specs, tables and the command line no longer have. A message about such a name says what to
// use instead, and readers of older runs drop its column.
#pragma once

#include <string_view>

namespace qb {

struct GoneName {
  std::string_view
      what;  // as unknown_word() says it: a key, a verb, a figure, a word of a parameter
  std::string_view name;
  int until = 0;              // the first schema version without it
  std::string_view instead;   // the end of a sentence
  std::string_view column{};  // of cases.csv
  // A resolved spec that gives the key this value, ~ for none, is still read.
  std::string_view neutral{};
};

inline constexpr std::string_view kInsteadOfSpeeds = "the workers of a case are equally fast";

inline constexpr std::string_view kInsteadOfForms = "`qb bounds schemes` counts all three in plans";

inline constexpr GoneName kGoneNames[] = {
    {"key", "worker_speeds", 1, kInsteadOfSpeeds, "worker_speeds", "~"},
    {"key", "group_sizes", 1, kInsteadOfSpeeds, "group_sizes", "equal"},
    {"key", "layer.weights", 1, "the weights of a layer follow from seed", "layer_weights", "~"},
    {"kernel", "cudnn", 1, "experiments/peers/torch_sdpa.py --backend cudnn measures its engine"},
    {"verb", "layer", 1, "workload: transformer_layer of a spec computes one"},
    {"verb", "masks", 1, "`qb plan --algorithm dense --mask …` counts the pairs that it keeps"},
    {"verb", "bytes", 1, kInsteadOfForms},
    {"verb", "path", 1, kInsteadOfForms},
    {"verb", "memory", 1, kInsteadOfForms},
};

// Returns null where nothing of that name is gone.
[[nodiscard]] constexpr const GoneName* find_gone(std::string_view what, std::string_view name) {
  for (const GoneName& gone : kGoneNames)
    if (gone.what == what && gone.name == name) return &gone;
  return nullptr;
}

}  // namespace qb
