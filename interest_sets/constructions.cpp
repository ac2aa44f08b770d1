#include "interest_sets/constructions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <random>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/base/status.h"
#include "interest_sets/finite_field.h"
#include "interest_sets/minimum_sets.h"

namespace qb {
namespace {

// x^3 = c[0] + c[1] x + c[2] x^2. The exponents below W at which the power of x has no x^2; empty
// where x^i is in GF(q) already for some 0 < i < W.
std::vector<int> line_exponents(const FiniteField& field, const std::array<int, 3>& c,
                                int modulus) {
  std::vector<int> exponents;
  std::array<int, 3> power = {1, 0, 0};
  for (int i = 0; i < modulus; ++i) {
    if (i > 0 && power[1] == 0 && power[2] == 0) return {};
    if (power[2] == 0) exponents.push_back(i);
    const int top = power[2];
    power = {field.multiply(top, c[0]), field.add(power[0], field.multiply(top, c[1])),
             field.add(power[1], field.multiply(top, c[2]))};
  }
  return exponents;
}

// Marks of Wichmann's ruler.
std::vector<int> wichmann_marks(int r, int s) {
  std::vector<int> marks = {0};
  const auto steps = [&](int times, int step) {
    for (int i = 0; i < times; ++i) marks.push_back(marks.back() + step);
  };
  steps(r, 1);
  steps(1, r + 1);
  steps(r, 2 * r + 1);
  steps(s, 4 * r + 3);
  steps(r + 1, 2 * r + 2);
  steps(r, 1);
  return marks;
}

// Leaves out residues, from the last one down, as long as the differences stay covered.
void thin_out(InterestSet& set) {
  const auto half = static_cast<std::size_t>(set.modulus / 2);
  std::vector<int> times(half + 1, 0);
  const auto of = [&](int a, int b) -> int& {
    const int apart = std::abs(a - b);
    return times[static_cast<std::size_t>(std::min(apart, set.modulus - apart))];
  };
  for (std::size_t i = 0; i < set.residues.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) ++of(set.residues[i], set.residues[j]);
  for (std::size_t i = set.residues.size(); i-- > 2;) {
    const int residue = set.residues[i];
    bool needed = false;
    for (int other : set.residues)
      if (other != residue) needed |= --of(residue, other) == 0;
    if (!needed) {
      set.residues.erase(set.residues.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    for (int other : set.residues)
      if (other != residue) ++of(residue, other);
  }
}

// Orbits of Z_W under x -> u x. Differences of a union of orbits come in orbits too.
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
  std::vector<int> of;  // of each residue
  std::vector<std::vector<int>> members;
};

// A union of orbits, how often each class of differences (orbits, up to sign) occurs, and the
// classes that do not.
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

  // Closes one open difference; takes that back, mostly, where it opens more. True when nothing is
  // open.
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
  // One that has an open difference to a residue already there.
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
  // residue of the one against all of the other stands for all pairs of two orbits.
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
  std::vector<int> class_of_;  // of each difference
  std::vector<int> chosen_;    // orbits
  std::vector<int> residues_;  // of the chosen orbits
  std::vector<int> times_;     // of each class
  std::vector<int> open_;      // classes that do not occur
  std::vector<int> place_;     // of a class in open_
  std::vector<bool> taken_;    // orbits
  std::vector<int> left_;      // orbits that made room in the present move
};

// Moves one pair a difference of 1 apart onto (0, 1) and sorts.
InterestSet with_zero_and_one(int modulus, std::vector<int> residues) {
  std::sort(residues.begin(), residues.end());
  for (int zero : residues)
    if (std::binary_search(residues.begin(), residues.end(), (zero + 1) % modulus)) {
      for (int& residue : residues) residue = (residue - zero + modulus) % modulus;
      break;
    }
  std::sort(residues.begin(), residues.end());
  return {modulus, std::move(residues)};
}

// Units whose powers do not hold -1, one for each cyclic group of at most `largest` of them, small
// groups first: those are what local search can use.
std::vector<int> useful_multipliers(int modulus, int largest) {
  std::vector<std::pair<int, int>> found;  // order, least generator
  std::vector<bool> generates_known(static_cast<std::size_t>(modulus), false);
  for (int unit = 1; unit < modulus; ++unit) {
    if (std::gcd(unit, modulus) != 1 || generates_known[static_cast<std::size_t>(unit)]) continue;
    std::vector<int> powers = {1};
    bool has_minus_one = false;
    for (int x = unit; x != 1 && std::ssize(powers) <= largest;
         x = static_cast<int>(std::int64_t{x} * unit % modulus)) {
      has_minus_one |= x == modulus - 1;
      powers.push_back(x);
    }
    const int order = static_cast<int>(powers.size());
    if (has_minus_one || order > largest) continue;
    found.emplace_back(order, unit);
    for (int i = 0; i < order; ++i)
      if (std::gcd(i, order) == 1)
        generates_known[static_cast<std::size_t>(powers[static_cast<std::size_t>(i)])] = true;
  }
  std::sort(found.begin(), found.end());
  std::vector<int> units;
  for (const auto& [order, unit] : found) units.push_back(unit);
  return units;
}

}  // namespace

std::optional<int> singer_order(int modulus) {
  const int q = static_cast<int>(std::sqrt(static_cast<double>(modulus)));
  for (int near : {q - 1, q})
    if (near >= 2 && std::int64_t{near} * near + near + 1 == modulus && prime_power(near))
      return near;
  return std::nullopt;
}

InterestSet singer_set(int modulus) {
  const auto order = singer_order(modulus);
  if (!order)
    throw UsageError(fmt::format(
        "W = {} has no Singer set: W = q^2 + q + 1 with q a prime power does", modulus));
  const FiniteField field(*order);
  for (int c2 = 0; c2 < *order; ++c2)
    for (int c1 = 0; c1 < *order; ++c1)
      for (int c0 = 1; c0 < *order; ++c0) {
        InterestSet set{modulus, line_exponents(field, {c0, c1, c2}, modulus)};
        if (std::ssize(set.residues) != *order + 1 || first_uncovered_difference(set)) continue;
        return set;
      }
  throw std::logic_error("no cubic gives the plane");
}

InterestSet ruler_set(int modulus) {
  if (modulus < 3) return default_interest_set(modulus);  // refuses
  const std::int64_t half = modulus / 2;
  int best_r = 0;
  int best_s = 0;
  std::int64_t fewest = half + 2;
  for (std::int64_t r = 0; 4 * r < fewest; ++r) {
    // L = 4 r (r + s + 2) + 3 (s + 1) >= W/2.
    const std::int64_t short_of = half - 4 * r * (r + 2) - 3;
    const std::int64_t s = short_of <= 0 ? 0 : (short_of + 4 * r + 2) / (4 * r + 3);
    if (4 * r + s + 3 >= fewest) continue;
    fewest = 4 * r + s + 3;
    best_r = static_cast<int>(r);
    best_s = static_cast<int>(s);
  }
  InterestSet set{modulus, {}};
  for (int mark : wichmann_marks(best_r, best_s))
    if (mark < modulus) set.residues.push_back(mark);
  thin_out(set);
  verify(set);
  return set;
}

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

InterestSet searched_set(int modulus, std::int64_t moves) {
  if (singer_order(modulus)) return singer_set(modulus);
  InterestSet best = ruler_set(modulus);
  if (modulus < 5) return best;
  const std::vector<int> multipliers =
      useful_multipliers(modulus, static_cast<int>(best.residues.size()) / 2);
  constexpr std::int64_t kMovesAtATime = 100'000;
  for (std::uint64_t turn = 0; moves > 0; ++turn, moves -= kMovesAtATime) {
    const int size = static_cast<int>(best.residues.size()) - 1;
    if (size < least_conceivable_size(modulus)) break;
    // Every second turn looks at all sets.
    const int multiplier = turn % 2 == 0 ? 1 : multipliers[turn / 2 % multipliers.size()];
    if (auto better = local_search(modulus, size, multiplier, turn, kMovesAtATime)) {
      best = *std::move(better);
      thin_out(best);
      moves += kMovesAtATime;
    }
  }
  verify(best);
  return best;
}

}  // namespace qb
