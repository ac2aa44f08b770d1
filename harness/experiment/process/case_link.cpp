#include "harness/experiment/process/case_link.h"

#include <algorithm>

namespace qb {

LinkLimit link_of(const Case& c) {
  return {c.link_bandwidth_byte_per_s.value_or(0.0), c.link_latency_s.value_or(0.0)};
}

ModelLink model_link_of(const Case& c) {
  return {.limit = link_of(c),
          .overlap = c.link_mode == LinkMode::overlap,
          .no_communication = c.link_mode == LinkMode::nocomm,
          .root_has_link = c.ranks != Ranks::threads && c.ranks != Ranks::serial};
}

double message_timeout_s(const Case& c) {
  constexpr double kLongest = 600.0;
  return std::min(kLongest, c.measure.timeout_s / 3.0);
}

}  // namespace qb
