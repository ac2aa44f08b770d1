// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "interest_sets/sets/constructions.h"

namespace qb {
namespace {

// Holds the orbits of Z_W under x -> u x. Differences of a union of orbits come in orbits too.
struct Orbits {
  Orbits(int modulus, int multiplier) : of(static_cast<std::size_t>(modulus), -1) {
    for (int first = 0; first < modulus; ++first) {
      if (of[static_cast<std::size_t>(first)] >= 0) continue;
      const int index = static_cast<int>(members.size());
      members.emplace_back();
      for (int x = first; of[static_cast<std::size_t>(x)] < 0;
           x = static_cast<int>(std::int64_t{x} * multiplier % modulus)) {
        of[static_cast<std::size_t>(x)] = index;
        members.back().push_back(x);
      }
    }
  }
  std::vector<int> of;  // orbit of each residue
  std::vector<std::vector<int>> members;
};

// Holds a union of orbits, how often each class of differences (orbits, up to sign) occurs, and the
// classes that do not occur.
class Annealing {
 public:
  Annealing(int modulus, int size, int multiplier, std::uint64_t seed)
      : modulus_(modulus),
        room_(size),
        random_(seed),
        orbits_(modulus, multiplier),
        class_of_(static_cast<std::size_t>(modulus), 0),
        times_(orbits_.members.size(), 0),
        place_(orbits_.members.size(), -1),
        taken_(orbits_.members.size(), false) {
    for (int d = 1; d < modulus; ++d) {
      const int up = orbits_.of[static_cast<std::size_t>(d)];
      const int down = orbits_.of[static_cast<std::size_t>(modulus - d)];
      class_of_[static_cast<std::size_t>(d)] = std::min(up, down);
      if (up <= down && place_[static_cast<std::size_t>(up)] < 0) open(up);
    }
    for (int trial = 0; trial < 100 && room_ > 0; ++trial) {
      const int orbit = orbits_.of[static_cast<std::size_t>(draw(modulus))];
      if (!taken_[static_cast<std::size_t>(orbit)] && size_of(orbit) <= room_) add(orbit);
    }
  }

  // Covers one uncovered difference; mostly undoes that where it uncovers more. Returns true when
  // all are covered.
  bool move(double temperature) {
    if (open_.empty()) return true;
    if (residues_.empty()) return false;
    const int orbit = wanted_orbit();
    if (taken_[static_cast<std::size_t>(orbit)] || size_of(orbit) > room_ + std::ssize(residues_))
      return false;
    const auto before = static_cast<double>(open_.size());
    std::vector<int>& left = left_;
    left.clear();
    while (size_of(orbit) > room_) {
      const auto at = static_cast<std::size_t>(draw(static_cast<int>(chosen_.size())));
      left.push_back(chosen_[at]);
      remove(at);
    }
    add(orbit);
    const double worse = static_cast<double>(open_.size()) - before;
    if (worse > 0 &&
        std::uniform_real_distribution<double>()(random_) >= std::exp(-worse / temperature)) {
      remove(chosen_.size() - 1);
      for (std::size_t i = left.size(); i-- > 0;) add(left[i]);
    }
    return open_.empty();
  }

  [[nodiscard]] const std::vector<int>& residues() const { return residues_; }

 private:
  int draw(int below) {
    return static_cast<int>((random_() >> 32) * static_cast<std::uint64_t>(below) >> 32);
  }
  [[nodiscard]] std::int64_t size_of(int orbit) const {
    return std::ssize(orbits_.members[static_cast<std::size_t>(orbit)]);
  }
  // Returns an orbit that has an uncovered difference to a residue of the set.
  int wanted_orbit() {
    const int wanted = open_[static_cast<std::size_t>(draw(static_cast<int>(open_.size())))];
    const std::vector<int>& differences = orbits_.members[static_cast<std::size_t>(wanted)];
    int by = differences[static_cast<std::size_t>(draw(static_cast<int>(differences.size())))];
    if ((random_() & 1) != 0) by = modulus_ - by;
    const int anchor =
        residues_[static_cast<std::size_t>(draw(static_cast<int>(residues_.size())))];
    return orbits_.of[static_cast<std::size_t>((anchor + by) % modulus_)];
  }
  [[nodiscard]] int difference_class(int a, int b) const {
    return class_of_[static_cast<std::size_t>(a < b ? b - a : a - b)];
  }
  void open(int d) {
    place_[static_cast<std::size_t>(d)] = static_cast<int>(open_.size());
    open_.push_back(d);
  }
  void close(int d) {
    const int at = place_[static_cast<std::size_t>(d)];
    open_[static_cast<std::size_t>(at)] = open_.back();
    place_[static_cast<std::size_t>(open_.back())] = at;
    open_.pop_back();
  }
  // Calls visit(class) for the differences of the orbit within itself and to the chosen ones: one
  // residue of the first orbit against all of the other represents all pairs of two orbits.
  template <class Visit>
  void for_each_difference(int orbit, Visit&& visit) {
    const std::vector<int>& members = orbits_.members[static_cast<std::size_t>(orbit)];
    for (std::size_t i = 1; i < members.size(); ++i)
      visit(difference_class(members[0], members[i]));
    for (int other : chosen_) {
      const std::vector<int>& others = orbits_.members[static_cast<std::size_t>(other)];
      const auto& [one, all] =
          orbit < other ? std::tie(members, others) : std::tie(others, members);
      for (int residue : all) visit(difference_class(one[0], residue));
    }
  }
  void add(int orbit) {
    for_each_difference(orbit, [this](int d) {
      if (times_[static_cast<std::size_t>(d)]++ == 0) close(d);
    });
    const std::vector<int>& members = orbits_.members[static_cast<std::size_t>(orbit)];
    residues_.insert(residues_.end(), members.begin(), members.end());
    chosen_.push_back(orbit);
    taken_[static_cast<std::size_t>(orbit)] = true;
    room_ -= size_of(orbit);
  }
  void remove(std::size_t at) {
    const int orbit = chosen_[at];
    chosen_.erase(chosen_.begin() + static_cast<std::ptrdiff_t>(at));
    for_each_difference(orbit, [this](int d) {
      if (--times_[static_cast<std::size_t>(d)] == 0) open(d);
    });
    std::erase_if(residues_,
                  [&](int x) { return orbits_.of[static_cast<std::size_t>(x)] == orbit; });
    taken_[static_cast<std::size_t>(orbit)] = false;
    room_ += size_of(orbit);
  }

  int modulus_;
  std::int64_t room_;  // residues that may still be added
  std::mt19937_64 random_;
  Orbits orbits_;
  std::vector<int> class_of_;  // class of each difference
  std::vector<int> chosen_;    // orbits
  std::vector<int> residues_;  // residues of the chosen orbits
  std::vector<int> times_;     // number of times that each class occurs
  std::vector<int> open_;      // classes that do not occur
  std::vector<int> place_;     // place of a class in open_
  std::vector<bool> taken_;    // orbits
  std::vector<int> left_;      // orbits removed to make room in the current move
};

// Moves a pair with difference 1 onto (0, 1) and sorts.
InterestSet with_zero_and_one(int modulus, std::vector<int> residues) {
  std::ranges::sort(residues);
  for (int zero : residues)
    if (std::ranges::binary_search(residues, (zero + 1) % modulus)) {
      for (int& residue : residues) residue = (residue - zero + modulus) % modulus;
      break;
    }
  std::ranges::sort(residues);
  return {modulus, std::move(residues)};
}

}  // namespace

std::optional<InterestSet> local_search(int modulus, int size, int multiplier, std::uint64_t seed,
                                        std::int64_t moves) {
  if (modulus < 3 || size < 2 || std::gcd(multiplier, modulus) != 1)
    throw std::invalid_argument("no such search");
  constexpr double kTemperature = 0.45;
  Annealing annealing(modulus, size, multiplier, seed);
  for (std::int64_t i = 0; i < moves; ++i)
    if (annealing.move(kTemperature)) return with_zero_and_one(modulus, annealing.residues());
  return std::nullopt;
}

}  // namespace qb
