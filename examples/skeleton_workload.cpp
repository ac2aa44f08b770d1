// SPDX-License-Identifier: Apache-2.0
// A workload to copy: the sum over all tokens of a tensor, by one worker on the CPU. To add it, put
// the part between the two lines into harness/workload/token_sum.cpp, its word into WorkloadKind
// and its line into plan_workload().
// ---- harness/workload/token_sum.cpp -------------------------------------------------------------
#include <cmath>
#include <vector>

#include "base/clock.h"
#include "base/numbers.h"
#include "harness/execute/verify/inputs.h"
#include "harness/workload/workload.h"

namespace qb {
namespace {

class TokenSum final : public Workload {
 public:
  explicit TokenSum(const Case& c) : Workload(c), sums_(static_cast<std::size_t>(width())) {}

  RowValues predict(const cuda::KernelCosts*) override {
    RowValues row;
    row.set("unmasked_flop", flop());
    row.set("predicted_active_peak_bytes", 4 * case_.shape.q_len * width());
    return row;
  }
  double flop() const override {
    return static_cast<double>(case_.shape.q_len) * static_cast<double>(width());
  }
  int threads() const override { return 1; }
  std::optional<std::string> flaw() const override { return std::nullopt; }  // it has no plan

  Sample run(bool) override {
    const double begin_s = now_s();
    sums_.assign(sums_.size(), 0.0);
    for (std::int64_t n = 0; n < case_.shape.q_len; ++n)
      for (std::size_t x = 0; x < sums_.size(); ++x)
        sums_[x] += tokens_.view().row_as<float>(0, 0, n)[x];
    const double seconds = now_s() - begin_s;
    return {.wall_s = seconds, .critical_path_s = seconds, .worker_sum_s = seconds};
  }

  Peaks peaks() override { return {static_cast<std::int64_t>(ledger().active_peak_bytes())}; }
  Verification verify() override {
    Verification found;
    found.tolerance = 1e-12 * static_cast<double>(case_.shape.q_len);
    for (std::size_t x = 0; x < sums_.size(); ++x) {
      double sum = 0.0;
      for (std::int64_t n = case_.shape.q_len; n-- > 0;)  // the other way round
        sum += tokens_.view().row_as<float>(0, 0, n)[x];
      found.max_error = std::fmax(found.max_error, std::abs(sums_[x] - sum));
    }
    found.correct = found.max_error <= found.tolerance;
    if (!found.correct) found.message = "a sum is off by " + to_text(found.max_error);
    return found;
  }
  void report(CaseResult&) override {}  // it has no columns and rows of its own

 private:
  [[nodiscard]] std::int64_t width() const { return case_.shape.head_dim; }
  void hold(const std::string&) override {
    tokens_ = Tensor(ledger(), DType::f32, {1, 1, case_.shape.q_len, width()}, "tokens");
    fill_normal(tokens_.view(), case_.seed, threads());
  }
  void release() override { tokens_ = Tensor(); }

  Tensor tokens_;
  std::vector<double> sums_;
};

}  // namespace

std::unique_ptr<Workload> plan_token_sum(const Case& c) { return std::make_unique<TokenSum>(c); }

}  // namespace qb
// ---- what its test may ask ----------------------------------------------------------------------
#include <cstdio>

#include "harness/execute/device/cpu_device.h"

int main() {
  qb::Case c;
  c.shape.q_len = 1000;
  c.shape.head_dim = 16;
  qb::CpuDevice cpu(1);
  const auto workload = qb::plan_token_sum(c);
  workload->open(&cpu, {});
  const bool wrong_before = !workload->verify().correct;  // nothing was computed yet
  const qb::Sample sample = workload->run(/*verifying=*/false);
  const qb::Verification found = workload->verify();
  const auto peak = static_cast<double>(workload->ledger().active_peak_bytes());
  const bool as_predicted =
      workload->predict(nullptr).number("predicted_active_peak_bytes") == peak;
  workload->close();
  std::printf("%g s, error %g, %.0f bytes\n", sample.wall_s, found.max_error, peak);
  return wrong_before && found.correct && as_predicted ? 0 : 1;
}
