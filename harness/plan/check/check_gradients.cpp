// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/check/check_gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace qb {
namespace {

std::size_t place_of(TensorRole gradient) {
  return static_cast<std::size_t>(std::ranges::find(kGradients, gradient) - kGradients);
}

std::string gradient_text(TensorRole what, int group) {
  return fmt::format("{} of {} group {}", word(what), is_of_keys(what) ? "key" : "query", group);
}

}  // namespace

std::string GradientFlow::shared_heads(TensorRole what, int group, int step) const {
  return fmt::format("worker {} step {}: two sums of {} share some heads", worker_, step,
                     gradient_text(what, group));
}

GradientFlow::Sum* GradientFlow::sum_of(TensorRole what, int group, const Range& heads) {
  if (heads != heads_) {
    heads_ = heads;
    kv_heads_ = kv_heads_of(plan_.problem.shape, heads);
  }
  const Range own = is_of_keys(what) ? kv_heads_ : heads;
  std::vector<Sum>& sums = sums_[place_of(what)][group];
  for (Sum& sum : sums) {
    if (sum.heads == own) return &sum;
    if (sum.heads.begin < own.end && own.begin < sum.heads.end) return nullptr;
  }
  return &sums.emplace_back(Sum{own, State::zero});
}

std::optional<std::string> GradientFlow::compute(const PairTask& task, int step) {
  for (const TensorRole what : kGradients) {
    const int group = is_of_keys(what) ? task.kv_group : task.q_group;
    Sum* const sum = sum_of(what, group, task.heads);
    if (sum == nullptr) return shared_heads(what, group, step);
    if (sum->state == State::sent)
      return fmt::format("worker {} step {}: adds to {} that it has sent", worker_, step,
                         gradient_text(what, group));
    sum->state = State::added_to;
  }
  return std::nullopt;
}

std::optional<std::string> GradientFlow::receive(const Transfer& transfer, int step) {
  for (int group : plan_.groups_of(transfer)) {
    Sum* const sum = sum_of(transfer.what, group, transfer.heads);
    if (sum == nullptr) return shared_heads(transfer.what, group, step);
    sum->state = State::added_to;
  }
  return std::nullopt;
}

std::optional<std::string> GradientFlow::send(const Transfer& transfer, int group, bool held,
                                              int step) {
  const auto refused = [&](std::string_view why) {
    return fmt::format("worker {} step {}: sends {} {}", worker_, step,
                       gradient_text(transfer.what, group), why);
  };
  if (transfer.peer == kRoot && plan_.result != Result::root)
    return refused("to the root, but its owner adds it up");
  Sum* const sum = sum_of(transfer.what, group, transfer.heads);
  if (sum == nullptr) return shared_heads(transfer.what, group, step);
  if (sum->state == State::sent) return refused("a second time");
  if (sum->state == State::zero && !held) return refused("that it does not have");
  sum->state = State::sent;
  return std::nullopt;
}

std::optional<std::string> GradientFlow::finish(const std::vector<bool>& owns_q,
                                                const std::vector<bool>& owns_kv) const {
  const bool gathered = plan_.result == Result::root;
  if (gathered && plan_.workers.size() == 1) return std::nullopt;  // it works in place
  for (const TensorRole what : kGradients) {
    const std::vector<bool>& owned = is_of_keys(what) ? owns_kv : owns_q;
    int first = -1;  // of the groups whose sum is left
    for (const auto& [group, sums] : sums_[place_of(what)].all())
      if ((gathered || !owned[static_cast<std::size_t>(group)]) &&
          std::ranges::count(sums, State::added_to, &Sum::state) > 0 &&
          (first < 0 || group < first))
        first = group;
    if (first >= 0)
      return fmt::format("worker {}: its {} never reaches {}", worker_, gradient_text(what, first),
                         gathered ? "the root" : "its owner");
  }
  return std::nullopt;
}

}  // namespace qb
