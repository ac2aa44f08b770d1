// SPDX-License-Identifier: Apache-2.0
// How long cases take, by what earlier runs on this machine took, or else by the peak of its cores.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/workload/case.h"

namespace qb {

class EarlierTimes {
 public:
  // Reads the rows that are ok of the newest runs below `out` (out/EXPERIMENT/RUN_ID) that are of
  // the machine with this fingerprint. It leaves out runs that it cannot read.
  [[nodiscard]] static EarlierTimes read(const std::string& out, const std::string& fingerprint);

  // A case, as it ran here, and how long it took in all.
  void add(const Case& c, double duration_s);
  [[nodiscard]] std::size_t size() const { return of_case_.size(); }

  // What this case took, or else its work times the rate of all cases of its workload, ranks,
  // device, kernel and type. nullopt where none of these was measured.
  [[nodiscard]] std::optional<double> seconds(const Case& c) const;

 private:
  struct Rate {
    double weight = 0.0;  // as case_weight() has it
    double took_s = 0.0;
  };
  std::map<std::string, double> of_case_;  // by case id
  std::map<std::string, Rate> of_kind_;
};

// Whether the peak of the cores tells the time of a case: it runs on a CPU, no link limits it, and
// it is not one of operators, where comparing with float64 takes most of the time.
[[nodiscard]] bool goes_by_peak(const Case& c);

// How long a case of so much work takes whose kind was never measured on this machine, by the peak
// of the cores that it uses (kernels/cpu/roofline.h), to a factor of three in 85 of 100 committed
// cases. nullopt where the peak is 0, not known.
[[nodiscard]] std::optional<double> seconds_by_peak(const Case& c, double flop,
                                                    double peak_flop_per_s);

}  // namespace qb
