// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/model_network.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace qb {
namespace {

std::uint64_t packed(const MessageKey& key) {
  constexpr int kNodeBits = 16;
  constexpr int kNodes = 1 << kNodeBits;
  if (key.from >= kNodes || key.to >= kNodes)
    throw std::logic_error("the model takes at most 65536 workers");
  const std::uint64_t step = 2 * static_cast<std::uint64_t>(key.step) + (key.late ? 1U : 0U);
  return (step << (2 * kNodeBits)) | (static_cast<std::uint64_t>(key.from) << kNodeBits) |
         static_cast<std::uint64_t>(key.to);
}

}  // namespace

ModelNetwork::ModelNetwork(const ModelLink& link, int n_nodes, std::function<void(int)> landed)
    : no_communication_(link.no_communication),
      n_nodes_(n_nodes),
      lanes_(link.limit, link.hosts, n_nodes - 1),
      landed_(std::move(landed)) {}

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

void ModelNetwork::start(int index) {
  const Flight& starting = flight(index);
  const double at_s = starting.passage.started_s;
  if (no_communication_ || lanes_.takes_no_time(starting.from, starting.to))
    land(index, at_s);
  else
    events_.push({at_s, lanes_.order(starting.from, starting.to), index});
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
  const auto& [from, to, bytes] = std::tuple(moving.from, moving.to, moving.bytes);
  if (moving.left) return land(event.flight, lanes_.arrive(from, to, bytes, event.at_s));
  moving.left = true;
  // Messages that leave come before those that arrive at the same time.
  events_.push({lanes_.leave(from, to, bytes, event.at_s),
                n_nodes_ * n_nodes_ + lanes_.order(from, to), event.flight});
}

}  // namespace qb
