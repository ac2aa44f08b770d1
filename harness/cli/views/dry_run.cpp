// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/numbers.h"
#include "base/text_table.h"
#include "harness/experiment/process/run_case.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/store/machine.h"
#include "harness/experiment/sweep/progress.h"
#include "harness/experiment/sweep/reasons.h"
#include "harness/workload/prediction.h"
#include "kernels/cpu/roofline.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

// Returns names, and lines that explain the numbers in them: it writes `#2` for the settings that
// vary where they would make a table of more than 120 columns.
std::pair<std::vector<std::string>, std::vector<std::string>> name_cases(
    const std::vector<Case>& cases) {
  constexpr std::size_t kWidest = 38;
  std::vector<std::string> names;
  std::vector<std::string> legend;
  const auto varying = varying_parameters(cases);
  for (const Case& c : cases) names.push_back(case_label(c, varying));
  if (std::ranges::max(names, {}, &std::string::size).size() <= kWidest) return {names, legend};
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string start = case_label(cases[i], {});
    const std::string settings = names[i].substr(start.size());
    if (settings.empty()) continue;
    const auto [at, is_new] = numbers.try_emplace(settings, numbers.size() + 1);
    names[i] = fmt::format("{} #{}", start, at->second);
    if (is_new) legend.push_back(fmt::format("#{}:{}", at->second, settings));
  }
  return {names, legend};
}

// What is known of a case before it runs.
struct Prospect {
  double flop = std::numeric_limits<double>::quiet_NaN();
  std::optional<std::int64_t> peak_bytes;  // of the process; not always known of a GPU
  std::string of_device = "-";             // the peak of a worker's device, and of the root's
  std::string sent = "-";                  // by the device that sends most, and by the root
  std::string verdict = "runs";
  std::string reason;  // why it does not run
  [[nodiscard]] bool has_plan() const { return !std::isnan(flop); }
};

std::int64_t memory_there(const Case& c, const Machine& machine) {
  if (c.device != Device::cuda)
    return machine.memory_limit_bytes > 0
               ? std::min(machine.memory_limit_bytes, machine.memory_bytes)
               : machine.memory_bytes;
  const std::optional<CudaDevice> gpu = first_gpu();
  // There is no limit if the GPU is not here.
  return gpu ? static_cast<std::int64_t>(gpu->memory_bytes)
             : std::numeric_limits<std::int64_t>::max();
}

Prospect prospect_of(const Case& c, const Machine& machine) {
  Prospect prospect;
  const auto refuse = [&](std::string_view status, const std::string& reason) {
    prospect.verdict = status;
    prospect.reason = reason;
  };
  try {
    const RowValues values = predicted_values(c);
    prospect.flop = values.number("unmasked_flop");
    prospect.peak_bytes = parse_integer(values.text("predicted_active_peak_bytes"));
    prospect.of_device = format_bytes_and_root(values.number("predicted_device_peak_bytes"),
                                               values.number("predicted_root_peak_bytes"));
    prospect.sent =
        format_bytes_and_root(values.number("device_sent_bytes"), values.number("root_sent_bytes"));
    if (const auto too_slow = infeasible(c, prospect.flop))
      refuse(word(Status::infeasible), *too_slow);
    const bool budget = c.memory_budget_bytes > 0;
    const std::int64_t limit = budget ? c.memory_budget_bytes : memory_there(c, machine);
    if (prospect.peak_bytes && *prospect.peak_bytes > limit && c.ranks != Ranks::model)
      refuse(word(Status::oom), fmt::format("over the {} of {}",
                                            budget                     ? "budget"
                                            : c.device == Device::cuda ? "GPU's memory"
                                                                       : "machine's memory",
                                            format_bytes(limit)));
  } catch (const CaseError& error) {
    refuse(word(error.status()), error.what());
  } catch (const UsageError& error) {
    refuse(word(Status::error), error.what());
  }
  return prospect;
}

// Breaks into lines of at most 120 columns; those after the first are indented. Lists break, too.
std::string wrapped(std::string text) {
  for (std::size_t at = text.find(','); at < text.size(); at = text.find(',', at + 1))
    if (text.substr(at + 1, 1) != " ") text.insert(at + 1, 1, ' ');
  std::string lines;
  for (const std::string& line : wrap_text(text, 116))
    lines += fmt::format("{}{}\n", lines.empty() ? "" : "    ", line);
  return lines;
}

// The peak of this machine's cores in FLOP/s, each measured once, which takes some milliseconds; 0
// where the time of a case does not go by it.
double peak_for(const Case& c) {
  static std::map<std::pair<Kernel, DType>, double> peaks;
  if (!goes_by_peak(c)) return 0.0;
  const auto [at, is_new] = peaks.try_emplace({c.kernel, c.dtype}, 0.0);
  if (is_new) at->second = cpu::kernel_peak_flop_per_s(c.kernel, c.dtype, available_cores());
  return at->second;
}

PredictedTime time_of(const Case& c, double flop, const EarlierTimes& earlier) {
  if (const auto seconds = earlier.seconds(c)) return {*seconds, 1, 0, 0};
  if (const auto guess = seconds_by_peak(c, flop, peak_for(c))) return {*guess, 1, 1, 0};
  return {0.0, 1, 0, 1};
}

// Nothing of those that cannot run.
std::vector<PredictedTime> times_of(const std::vector<Case>& cases, const EarlierTimes& earlier) {
  const Machine machine = probe_machine();
  std::vector<PredictedTime> times;
  for (const Case& c : cases) {
    const Prospect prospect = prospect_of(c, machine);
    times.push_back(prospect.reason.empty() ? time_of(c, prospect.flop, earlier) : PredictedTime());
  }
  return times;
}

// The work of all cases, once, and how often it is done.
struct TotalWork {
  double flop = 0.0;
  std::int64_t repeats = 0;
  std::int64_t retakes = 0;
  void add(const Case& c, double flop_of_case) {
    flop += flop_of_case;
    if (c.ranks == Ranks::model) return;
    repeats += c.measure.warmups + c.measure.min_repeats;
    retakes += c.measure.retakes;
  }
  [[nodiscard]] std::string text() const {
    return fmt::format(
        "Work: {}FLOP of attention, each case once; {} repeats or more with their warm-ups, and up "
        "to {} that are taken again where something disturbs them.",
        format_si(flop), repeats, retakes);
  }
};

std::string memory_text(std::int64_t largest_bytes, const std::string& largest,
                        const Machine& machine) {
  if (largest_bytes == 0) return "Predicted memory: not known, or none where a case is modelled.";
  return fmt::format(
      "Predicted memory: tensors of at most {} at once, in {}. Cases run one after another. The "
      "memory of this machine is {}.",
      format_bytes(largest_bytes), largest, format_bytes(machine.memory_bytes));
}

}  // namespace

PredictedTime& PredictedTime::operator+=(const PredictedTime& other) {
  seconds += other.seconds;
  cases += other.cases;
  by_peak += other.by_peak;
  unknown += other.unknown;
  return *this;
}

std::string PredictedTime::text(const std::string& out) const {
  constexpr double kRoughFactor = 3.0;  // in 85 of 100 cases, where only the peak is known
  if (unknown == cases)
    return fmt::format("not known, since {} has no such case of this machine", out);
  std::string said = "about " + format_duration(seconds);
  if (unknown > 0) said += fmt::format(" and {} cases of which it is not known", unknown);
  if (by_peak == 0) return said + ", as such cases took on this machine before";
  return fmt::format(
      "{} (roughly: {} to {} on an idle machine; {} has no earlier times for {} cases)", said,
      format_duration(seconds / kRoughFactor), format_duration(seconds * kRoughFactor), out,
      by_peak);
}

PredictedTime predicted_time(const std::vector<Case>& cases, const EarlierTimes& earlier) {
  PredictedTime sum;
  for (const PredictedTime& time : times_of(cases, earlier)) sum += time;
  return sum;
}

std::vector<double> predicted_seconds(const std::vector<Case>& cases, const EarlierTimes& earlier) {
  const std::vector<PredictedTime> times = times_of(cases, earlier);
  PredictedTime all;
  for (const PredictedTime& time : times) all += time;
  const std::size_t known = all.cases - all.unknown;
  const double mean_s = known == 0 ? 1.0 : all.seconds / static_cast<double>(known);
  std::vector<double> seconds;
  for (const PredictedTime& time : times)
    seconds.push_back(time.unknown > 0 ? mean_s : time.seconds);
  return seconds;
}

std::string dry_run_text(const std::string& name, const std::vector<Case>& cases,
                         const EarlierTimes& earlier, const std::string& out) {
  const auto [names, legend] = name_cases(cases);
  const Machine machine = probe_machine();
  TextTable table({"case", "FLOP", "sent by a device", "peak of a device", "feasibility"});
  Reasons reasons;
  PredictedTime time;
  TotalWork work;
  std::size_t shown = 0;
  std::int64_t largest_bytes = 0;
  std::string largest;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Prospect prospect = prospect_of(cases[i], machine);
    const std::int64_t bytes = prospect.peak_bytes.value_or(0);
    if (prospect.has_plan()) {
      ++shown;
      table.add({names[i], format_si(prospect.flop) + "FLOP", prospect.sent, prospect.of_device,
                 prospect.verdict});
    }
    if (!prospect.reason.empty()) {
      reasons.add(strategy_name(cases[i].algorithm, std::to_string(cases[i].workers)), names[i],
                  prospect.verdict, prospect.reason);
      continue;
    }
    time += time_of(cases[i], prospect.flop, earlier);
    work.add(cases[i], prospect.flop);
    if (bytes > largest_bytes && cases[i].ranks != Ranks::model) {
      largest_bytes = bytes;
      largest = names[i];
    }
  }
  std::string text = fmt::format("{}: {} cases, nothing written\n", name, cases.size());
  if (shown > 0) text += table.terminal();
  for (const std::string& line : legend) text += wrapped(line);
  for (const std::string& line : reasons.lines()) text += wrapped(line);
  text += fmt::format("{} cases will run, {} cannot.\n", time.cases, cases.size() - time.cases);
  if (time.cases == 0) return text;
  return text + wrapped(work.text()) + wrapped("Predicted time: " + time.text(out) + ".") +
         wrapped(memory_text(largest_bytes, largest, machine));
}

}  // namespace qb
