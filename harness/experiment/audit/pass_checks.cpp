#include "harness/experiment/audit/pass_checks.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/numbers.h"
#include "base/schema/column_fields.h"
#include "base/statistics.h"
#include "base/words.h"
#include "harness/workload/case.h"

namespace qb {
namespace {

constexpr const char* kPassClocks[] = {"forward_time", "backward_time"};
// Times are written with every digit, and a sum is rounded once more.
constexpr double kSumRounding = 1e-9;

class PassChecks {
 public:
  PassChecks(const RunFolder& run, std::size_t row)
      : cases_(run.cases), samples_(run.samples), row_(row) {}

  // Attention has gradients of Q, K and V, a layer those of its hidden states and of its weights.
  void check_gradients() {
    const bool computed = cases_.text(row_, "ranks") != word(Ranks::model) &&
                          cases_.text(row_, "pass") != word(Passes::forward);
    const bool layer = cases_.text(row_, "workload") == word(WorkloadKind::transformer_layer);
    for (const std::string_view gradient : kGradientColumns)
      check_gradient(std::string(gradient), computed && !layer);
    for (const std::string_view gradient : kLayerGradientColumns)
      check_gradient(std::string(gradient), computed && layer);
    if (computed && !layer && !(cases_.number(row_, "verified_keys") > 0.0))
      findings.emplace_back("the row is ok, but the gradient of no key was verified");
  }

  void check_clocks(const std::function<std::vector<double>(std::string_view)>& repeats,
                    const std::vector<std::size_t>& samples) {
    const bool both = cases_.text(row_, "pass") == word(Passes::both);
    for (const std::string clock : kPassClocks) {
      const Summary summary = both ? summarise(repeats(clock + "_s")) : Summary{};
      const auto expect = [&](const std::string& column, double value) {
        const std::string& written = cases_.text(row_, column);
        const std::string recomputed = both ? to_text(value) : std::string();
        if (written != recomputed)
          findings.push_back(
              fmt::format("{} is '{}', but samples.csv gives '{}'", column, written, recomputed));
      };
      expect(clock + "_median_s", summary.median);
      expect(clock + "_low95_s", summary.low95);
      expect(clock + "_high95_s", summary.high95);
    }
    if (both)
      for (const std::size_t sample : samples) check_sum(sample);
  }

  std::vector<std::string> findings;

 private:
  void check_gradient(const std::string& name, bool computed) {
    const std::string& error = cases_.text(row_, name + "_max_error");
    if (!computed && !error.empty())
      findings.push_back(
          fmt::format("{}_max_error is '{}', but the case computes no such gradient", name, error));
    if (computed &&
        !(cases_.number(row_, name + "_max_error") <= cases_.number(row_, name + "_tolerance")))
      findings.push_back(
          fmt::format("the row is ok, but {}_max_error '{}' is not within the tolerance '{}'", name,
                      error, cases_.text(row_, name + "_tolerance")));
  }

  void check_sum(std::size_t sample) {
    const double forward_s = samples_.number(sample, "forward_time_s");
    const double backward_s = samples_.number(sample, "backward_time_s");
    const double wall_s = samples_.number(sample, "wall_time_s");
    if (forward_s > 0.0 && backward_s > 0.0 &&
        std::abs(forward_s + backward_s - wall_s) <= kSumRounding * wall_s)
      return;
    findings.push_back(fmt::format(
        "in repeat {} the passes take {} s and {} s, and wall_time_s is {} s",
        samples_.text(sample, "repeat"), to_text(forward_s), to_text(backward_s), to_text(wall_s)));
  }

  const CsvTable& cases_;
  const CsvTable& samples_;
  const std::size_t row_;
};

}  // namespace

std::vector<std::string> pass_findings(
    const RunFolder& run, std::size_t row,
    const std::function<std::vector<double>(std::string_view column)>& repeats,
    const std::vector<std::size_t>& samples) {
  PassChecks checks(run, row);
  checks.check_gradients();
  checks.check_clocks(repeats, samples);
  return std::move(checks.findings);
}

}  // namespace qb
