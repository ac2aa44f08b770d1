// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/model/model_network.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace qb {
namespace {

std::uint64_t packed(const MessageKey& key) {
  constexpr int kNodeBits = 16;
  constexpr int kNodes = 1 << kNodeBits;
  if (key.from >= kNodes || key.to >= kNodes)
    throw std::logic_error("the model plays at most 65536 workers");
  const std::uint64_t step = 2 * static_cast<std::uint64_t>(key.step) + (key.late ? 1U : 0U);
  return (step << (2 * kNodeBits)) | (static_cast<std::uint64_t>(key.from) << kNodeBits) |
         static_cast<std::uint64_t>(key.to);
}

}  // namespace

ModelNetwork::ModelNetwork(const ModelLink& link, int n_nodes, std::function<void(int)> landed)
    : link_(link),
      n_nodes_(n_nodes),
      landed_(std::move(landed)),
      out_free_s_(lane_of(n_nodes, true) + 1, 0.0),
      in_free_s_(out_free_s_.size(), 0.0) {}

int ModelNetwork::make(const MessageKey& key, std::int64_t bytes, double at_s) {
  int index = static_cast<int>(flights_.size());
  if (free_.empty()) {
    flights_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  flight(index) = {.from = key.from, .to = key.to, .bytes = bytes, .passage = {at_s, at_s}};
  return index;
}

int ModelNetwork::send(const MessageKey& key, std::int64_t bytes, double at_s) {
  const auto [found, is_new] = open_.try_emplace(packed(key), 0);
  if (is_new) return found->second = make(key, bytes, at_s);
  const int index = found->second;
  open_.erase(found);
  Flight& met = flight(index);
  met.bytes = std::max(met.bytes, bytes);
  met.passage.started_s = std::max(met.passage.started_s, at_s);
  start(index);
  return index;
}

int ModelNetwork::send_alone(int from, int to, std::int64_t bytes, double at_s) {
  const int index = make({from, to, 0}, bytes, at_s);
  flight(index).holders = 1;
  start(index);
  return index;
}

void ModelNetwork::let_go(int index) {
  if (--flight(index).holders == 0) free_.push_back(index);
}

std::int64_t ModelNetwork::order_of(const Flight& flight, bool arrives) const {
  const std::int64_t distance = (flight.to - flight.from + n_nodes_) % n_nodes_;
  return ((arrives ? n_nodes_ : 0) + distance) * std::int64_t{n_nodes_} + flight.from;
}

// The root, the last node, has a link of its own to every host.
const LinkLimit& ModelNetwork::limit_of(const Flight& flight) const {
  const bool is_inside = link_.hosts.workers_per_host > 0 &&
                         std::max(flight.from, flight.to) < n_nodes_ - 1 &&
                         !link_.hosts.are_apart(flight.from, flight.to);
  return is_inside ? link_.hosts.inside : link_.limit;
}

// Nodes have the first lanes. On hosts these lead to the same host, and NICs have lanes behind
// them.
std::size_t ModelNetwork::lane_of(int node, bool between_hosts) const {
  const Hosts& hosts = link_.hosts;
  if (hosts.workers_per_host == 0 || !between_hosts || node == n_nodes_ - 1)
    return static_cast<std::size_t>(node);
  const int slot = node < n_nodes_ - 1 ? hosts.slot_of(node) : node;
  if (hosts.nics == 0) return static_cast<std::size_t>(n_nodes_ + slot);
  const int nic = slot % hosts.workers_per_host * hosts.nics / hosts.workers_per_host;
  return static_cast<std::size_t>(n_nodes_ + slot / hosts.workers_per_host * hosts.nics + nic);
}

void ModelNetwork::start(int index) {
  const Flight& starting = flight(index);
  const LinkLimit& limit = limit_of(starting);
  const bool at_once = link_.no_communication || starting.from == starting.to ||
                       (limit.bandwidth_byte_per_s <= 0.0 && limit.latency_s <= 0.0);
  if (at_once)
    land(index, starting.passage.started_s);
  else
    events_.push({starting.passage.started_s, order_of(starting, false), index});
}

void ModelNetwork::land(int index, double at_s) {
  flight(index).passage.done_s = at_s;
  flight(index).done = true;
  landed_(index);
}

double ModelNetwork::next_s() const {
  return events_.empty() ? std::numeric_limits<double>::infinity() : events_.top().at_s;
}

void ModelNetwork::advance() {
  const Event event = events_.top();
  events_.pop();
  Flight& moving = flight(event.flight);
  const LinkLimit& limit = limit_of(moving);
  const double bandwidth = limit.bandwidth_byte_per_s;
  const double on_link_s = bandwidth > 0.0 ? static_cast<double>(moving.bytes) / bandwidth : 0.0;
  const bool leaves = !moving.left;
  const bool between = &limit == &link_.limit;
  double& free_s =
      leaves ? out_free_s_[lane_of(moving.from, between)] : in_free_s_[lane_of(moving.to, between)];
  const double begin_s = std::max(event.at_s, free_s);
  free_s = begin_s + on_link_s;
  if (!leaves) return land(event.flight, free_s);
  moving.left = true;
  events_.push({begin_s + limit.latency_s, order_of(moving, true), event.flight});
}

}  // namespace qb
