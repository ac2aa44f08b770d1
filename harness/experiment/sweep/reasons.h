// SPDX-License-Identifier: Apache-2.0
// Why cases did not run or failed, each reason once, whatever the number of its cases.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qb {

[[nodiscard]] inline std::string strategy_name(const std::string& algorithm,
                                               const std::string& workers) {
  return algorithm + " W=" + workers;
}

class Reasons {
 public:
  // `label` names the case where it is the only one of its reason, the strategy (`cqs W=7`) where
  // it is not.
  void add(const std::string& strategy, const std::string& label, std::string_view status,
           const std::string& message);

  // `crashed: cqs W=7 N=3000 flash f32: died of SIGSEGV`, and for several cases
  // `unsupported (12 cases: cqs W=1, cqs W=2): cqs needs at least 3 workers`.
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  struct Group {
    std::string label;
    std::size_t count = 0;
    std::vector<std::string> strategies;
  };
  std::map<std::pair<std::string, std::string>, Group> groups_;  // by status and message
};

}  // namespace qb
