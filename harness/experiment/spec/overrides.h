// `--set key.path=value`: edits of a spec's tree before it is read as an experiment.
#pragma once

#include <string_view>
#include <vector>

#include "harness/experiment/spec/yaml_reader.h"

namespace qb {

// Every key of a spec's top level, and of its `measure:`.
[[nodiscard]] std::vector<std::string_view> spec_keys();
[[nodiscard]] std::vector<std::string_view> measure_keys();

// Applies one override. `label` is `--set key.path=value` and outlives the tree, whose places show
// it. The value is YAML. A parameter has one place only: setting it takes it out of where it stood
// (fixed, sweep or zip), and a list or range goes where the parameter's values belong. Returns the
// index of the parameter that was set, or parameters().size() for another key. Throws UsageError.
std::size_t apply_override(YamlNode& spec, std::string_view label);

}  // namespace qb
