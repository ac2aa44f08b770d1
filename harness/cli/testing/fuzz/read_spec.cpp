// SPDX-License-Identifier: Apache-2.0
// For fuzzing only (cmake/fuzz.sh): reads a damaged spec, and reads again what it resolves to.
#include "harness/cli/testing/fuzz/reader.h"
#include "harness/experiment/spec/spec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qb;
  using namespace qb::testing_support;
  Spec spec;
  read_or_refuse<UsageError>([&] { spec = parse_spec(text_of(data, size), "spec.yaml", {}); });
  if (spec.cases.empty()) return 0;
  const Spec again = parse_spec(spec.resolved_yaml, "spec.resolved.yaml", {});
  require(again.cases.size() == spec.cases.size() && again.resolved_yaml == spec.resolved_yaml);
  return 0;
}
