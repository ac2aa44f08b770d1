// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/sum_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/workload/exchange_worker.h"

namespace qb {
namespace {

class SumWorkload final : public Workload {
 public:
  SumWorkload(const Case& c, std::vector<CasePart> parts) : Workload(c) {
    for (CasePart& part : parts) {
      std::unique_ptr<Workload> workload = plan_workload(part.of);
      parts_.push_back({std::move(part), std::move(workload), {}});
    }
  }

  void require(ComputeDevice& device) const override {
    for (const Planned& part : parts_) part.workload->require(device);
  }
  RowValues predict(const cuda::KernelCosts* costs) override {
    RowValues values;
    values.set("unmasked_flop", flop());
    set_sent(sent(), case_.cluster != kNoCluster, values);
    std::vector<RowValues> of_parts;
    for (const Planned& part : parts_) of_parts.push_back(part.workload->predict(costs));
    for (const char* const peak : {"predicted_device_peak_bytes", "predicted_active_peak_bytes"}) {
      double most = 0.0;
      const bool known = std::ranges::all_of(of_parts, [&](const RowValues& part) {
        if (!part.at(peak).empty()) most = std::max(most, std::stod(part.at(peak)));
        return !part.at(peak).empty();
      });
      if (known) values.set_number(peak, most);
    }
    return values;
  }
  void model() override {
    for (const Planned& part : parts_) part.workload->model();
  }
  SentBytes sent() const override {
    SentBytes sum(case_.workers);
    for (const Planned& part : parts_) {
      const SentBytes sent = part.workload->sent();
      for (std::size_t w = 0; w < sent.all.size(); ++w) {
        sum.all[w] += part.of.count * sent.all[w];
        sum.between_hosts[w] += part.of.count * sent.between_hosts[w];
      }
    }
    return sum;
  }
  double flop() const override {
    double sum = 0.0;
    for (const Planned& part : parts_) sum += part.of.count * part.workload->flop();
    return sum;
  }
  int threads() const override { return parts_.front().workload->threads(); }
  std::optional<std::string> flaw() const override {
    for (const Planned& part : parts_)
      if (const auto flaw = part.workload->flaw())
        return fmt::format("{}: {}", part.of.name, *flaw);
    return std::nullopt;
  }

  void prepare() override {
    for (const Planned& part : parts_) part.workload->prepare();
  }
  // That of the part with most.
  MemoryLedger& ledger() override {
    const auto peak = [](const Planned& part) {
      return part.workload->ledger().active_peak_bytes();
    };
    return std::ranges::max_element(parts_, {}, peak)->workload->ledger();
  }

  Sample run(bool verifying) override {
    Sample sum;
    for (double Sample::*const time : kTimesThatAdd) sum.*time = 0.0;
    for (Planned& part : parts_) {
      Sample sample = part.workload->run(verifying);
      if (case_.pass == Passes::both && std::isnan(sample.forward_s))  // it counts in both
        sample.forward_s = sample.backward_s = sample.wall_s / 2.0;
      for (double Sample::*const time : kTimesThatAdd) sum.*time += part.of.count * (sample.*time);
      if (!verifying) part.samples.push_back(sample);
    }
    return sum;
  }
  Peaks peaks() override {
    Peaks most;
    for (const Planned& part : parts_)
      most.device_bytes = std::max(most.device_bytes, part.workload->peaks().device_bytes);
    return most;
  }
  Verification verify() override {
    Verification all;
    all.correct = true;
    for (const Planned& part : parts_) {
      Verification one = part.workload->verify();
      if (!one.correct) {
        one.message = fmt::format("{}: {}", part.of.name, one.message);
        return one;
      }
      if (one.relative_l2_error >= all.relative_l2_error) all = std::move(one);
    }
    return all;
  }

  void report(CaseResult& result) override {
    for (const Planned& part : parts_) {
      const SentBytes sent = part.workload->sent();
      for (std::size_t i = 0; i < result.samples.size(); ++i) {
        const Sample& sample = part.samples.at(i);
        RowValues& row = result.parts.emplace_back();
        row.set("repeat", result.samples[i].repeat);
        row.set("warmup", result.samples[i].warmup);
        row.set("part", part.of.name);
        row.set("flop", part.of.count * part.workload->flop());
        row.set("time_s", part.of.count * sample.wall_s);
        row.set("exposed_communication_s", part.of.count * sample.exposed_communication_s);
        row.set("sent_bytes", part.of.count * std::ranges::max(sent.all));
      }
    }
    if (case_.ranks != Ranks::model) return;
    result.values.set("modelled_wall_time_s", result.samples.front().wall_s);
    result.message = "a lower bound: only attention has measured rates of kernels";
  }

 private:
  struct Planned {
    CasePart of;
    std::unique_ptr<Workload> workload;
    std::vector<Sample> samples;
  };

  void hold(const std::string& why_no_device) override {
    for (Planned& part : parts_) {
      part.samples.clear();
      part.workload->open(device_, memory_options_, why_no_device);
    }
  }
  void release() override {
    for (const Planned& part : parts_) part.workload->close();
  }

  std::vector<Planned> parts_;
};

}  // namespace

std::unique_ptr<Workload> sum_of(const Case& c, std::vector<CasePart> parts) {
  return std::make_unique<SumWorkload>(c, std::move(parts));
}

}  // namespace qb
