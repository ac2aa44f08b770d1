// SPDX-License-Identifier: Apache-2.0
// The lanes in which messages leave and arrive one after another, for the model and for emulated
// links alike; link_model.h has the rules.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/run/transport/link_model.h"

namespace qb {

class LinkLanes {
 public:
  // between: of a flat link, or between hosts. The nodes are the workers and the root.
  LinkLanes(const LinkLimit& between, const Hosts& hosts, int n_workers);

  // Returns true where a message passes without delay: to oneself, or over a link without a limit.
  [[nodiscard]] bool takes_no_time(int from, int to) const;
  // Messages that are ready at the same moment leave in this order, the least first.
  [[nodiscard]] std::int64_t order(int from, int to) const;
  // A message is ready to leave at at_s. Returns when its first byte reaches the receiver.
  [[nodiscard]] double leave(int from, int to, std::int64_t bytes, double at_s);
  // Its first byte reaches the receiver at at_s. Returns when all of it has arrived.
  [[nodiscard]] double arrive(int from, int to, std::int64_t bytes, double at_s);

 private:
  [[nodiscard]] int place_of(int node) const {
    return hosts_.root_is_worker && node == n_workers_ ? 0 : node;
  }
  [[nodiscard]] bool is_inside(int from, int to) const;
  [[nodiscard]] const LinkLimit& limit_of(int from, int to) const {
    return is_inside(from, to) ? hosts_.inside : between_;
  }
  [[nodiscard]] std::size_t lane_of(int node, bool inside) const;
  // Returns when the message begins to pass a lane, and keeps the lane busy until it has passed.
  double occupy(double& free_s, const LinkLimit& limit, std::int64_t bytes, double at_s) const;

  const LinkLimit between_;
  const Hosts hosts_;
  const int n_workers_;
  std::vector<double> out_free_s_;
  std::vector<double> in_free_s_;
};

}  // namespace qb
