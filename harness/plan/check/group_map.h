// SPDX-License-Identifier: Apache-2.0
// What one worker has of some groups. To forget it takes as long as to write it down, so that one
// map serves thousands of workers after one another.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace qb {

template <class Value>
class GroupMap {
 public:
  explicit GroupMap(std::size_t n_groups) : place_(n_groups, 0) {}

  // Returns nullptr where there is nothing, and for a group that does not exist.
  [[nodiscard]] const Value* find(int group) const {
    const auto index = static_cast<std::size_t>(group);  // a negative one is a large one
    return index < place_.size() && place_[index] > 0 ? &values_[place_[index] - 1].second
                                                      : nullptr;
  }
  // The group must exist. A reference is valid until the next group is added.
  [[nodiscard]] Value& operator[](int group) {
    std::size_t& place = place_[static_cast<std::size_t>(group)];
    if (place == 0) {
      values_.emplace_back(group, Value());
      place = values_.size();
    }
    return values_[place - 1].second;
  }
  // By group, in the order in which they came.
  [[nodiscard]] const std::vector<std::pair<int, Value>>& all() const { return values_; }
  void clear() {
    for (const auto& [group, value] : values_) place_[static_cast<std::size_t>(group)] = 0;
    values_.clear();
  }

 private:
  std::vector<std::size_t> place_;  // by group: 1 + its place in values_, or 0
  std::vector<std::pair<int, Value>> values_;
};

}  // namespace qb
