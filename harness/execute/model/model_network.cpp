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
      out_free_s_(static_cast<std::size_t>(n_nodes), 0.0),
      in_free_s_(static_cast<std::size_t>(n_nodes), 0.0) {}

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

void ModelNetwork::start(int index) {
  const Flight& starting = flight(index);
  const bool at_once = link_.no_communication || starting.from == starting.to ||
                       (link_.limit.bandwidth_byte_per_s <= 0.0 && link_.limit.latency_s <= 0.0);
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
  const double bandwidth = link_.limit.bandwidth_byte_per_s;
  const double on_link_s = bandwidth > 0.0 ? static_cast<double>(moving.bytes) / bandwidth : 0.0;
  const bool leaves = !moving.left;
  double& free_s = leaves ? out_free_s_[static_cast<std::size_t>(moving.from)]
                          : in_free_s_[static_cast<std::size_t>(moving.to)];
  const double begin_s = std::max(event.at_s, free_s);
  free_s = begin_s + on_link_s;
  if (!leaves) return land(event.flight, free_s);
  moving.left = true;
  events_.push({begin_s + link_.limit.latency_s, order_of(moving, true), event.flight});
}

}  // namespace qb
