// A case: one tuple of parameters. Specs expand to cases; a child process runs one and answers with
// a row.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/status.h"
#include "harness/execute/executor.h"
#include "harness/plan/problem.h"
#include "kernels/cpu/instruction_set.h"

namespace qb {

enum class Device { automatic, cpu, cuda };

template <>
struct Words<Device> {
  static constexpr std::string_view what = "device";
  static constexpr std::pair<Device, std::string_view> table[] = {
      {Device::automatic, "auto"}, {Device::cpu, "cpu"}, {Device::cuda, "cuda"}};
};

// How a case is timed. Sampling ends at `max_repeats`, or from `min_repeats` on as soon as the 95 %
// interval of the median is narrower than `relative_interval` of it or `max_time_s` is used up.
struct Measure {
  int warmups = 1;
  int min_repeats = 5;
  int max_repeats = 5;
  double relative_interval = 0.02;
  double max_time_s = 600.0;
  double timeout_s = 1800.0;       // of the whole case, in its child process
  std::int64_t verify_rows = 256;  // query rows a head held against float64; 0: none
  bool memory_timeline = false;    // write the events of the memory pass
};

struct Case {
  std::string experiment;
  std::string algorithm = "dense";
  Kernel kernel = Kernel::flash;
  Device device = Device::automatic;
  Ranks ranks = Ranks::serial;
  int workers = 1;
  int threads = 0;  // 0: all cores
  Shape shape;
  MaskKind mask = MaskKind::full;
  DType dtype = DType::f32;
  std::uint64_t seed = 1;
  std::optional<std::string> interest_set;  // `0,1,3`
  std::optional<double> scale;
  std::int64_t memory_budget_bytes = 0;   // 0: none
  std::optional<InstructionSet> cpu_isa;  // none: the best that the CPU has
  Measure measure;
};

// The parameters that make a case the same case, in column order: name and value as in cases.csv.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> case_parameters(const Case& c);

// 12 hex digits of a hash over case_parameters and the measure settings; the key for resuming.
[[nodiscard]] std::string case_id(const Case& c);

// Written to and read by the child process. JSON text, one line.
[[nodiscard]] std::string case_to_json(const Case& c);
[[nodiscard]] Case case_from_json(std::string_view text);

}  // namespace qb
