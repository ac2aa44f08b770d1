// Masks as specs and the command line write them: `causal`, `{sliding_window: {left: 4, right:
// 4}}`. What the names mean is in kernels/mask/mask_spec.h.
#pragma once

#include <string_view>

#include "harness/experiment/spec/yaml_reader.h"
#include "kernels/mask/mask_spec.h"

namespace qb {

// Throws UsageError at the node's place.
[[nodiscard]] MaskSpec read_mask(const YamlNode& node);

// The same text without a place; `source` begins the message, such as --mask.
[[nodiscard]] MaskSpec parse_mask(std::string_view text, std::string_view source = "mask");

}  // namespace qb
