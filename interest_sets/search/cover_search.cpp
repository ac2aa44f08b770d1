// SPDX-License-Identifier: Apache-2.0
#include "interest_sets/search/cover_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <set>
#include <stdexcept>

namespace qb {
namespace {

__extension__ using Wide = unsigned __int128;

int count_bits(std::uint64_t mask) { return std::popcount(mask); }
int count_bits(Wide mask) {
  return std::popcount(static_cast<std::uint64_t>(mask)) +
         std::popcount(static_cast<std::uint64_t>(mask >> 64));
}

template <class Mask>
class Engine final : public CoverSearch {
 public:
  Engine(int modulus, int size) : modulus_(modulus), size_(size), types_(modulus) {
    for (int d = 1; d <= modulus / 2; ++d) all_ |= Mask{1} << (d - 1);
    for (int d = 1; d < modulus; ++d)
      class_bit_[static_cast<std::size_t>(d)] = Mask{1} << (std::min(d, modulus - d) - 1);
    list_tasks();
  }

  [[nodiscard]] std::size_t tasks() const override { return tasks_.size(); }

  [[nodiscard]] std::vector<InterestSet> run(std::size_t task,
                                             std::uint64_t* nodes) const override {
    Walk walk(size_);
    const Task& chosen = tasks_.at(task);
    start(walk, chosen.type);
    int level = 0;
    for (int i = 0; i < chosen.prefix; ++i) {
      const std::vector<Candidate>& list = walk.lists[static_cast<std::size_t>(level)];
      const auto residue = chosen.residues[static_cast<std::size_t>(i)];
      std::size_t at = 0;
      while (list[at].residue != residue) ++at;
      if (!descend(walk, level, at)) throw std::logic_error("a task's prefix is a dead end");
      ++level;
    }
    search(walk, level);
    if (nodes != nullptr) *nodes += walk.nodes;
    std::vector<InterestSet> found;
    for (const std::vector<int>& residues : walk.found) found.push_back({modulus_, residues});
    return found;
  }

 private:
  struct Candidate {
    Mask mask = 0;  // classes that it covers with the residues chosen so far
    int residue = 0;
    int gain = 0;
  };
  struct Task {
    int type = 0;
    int prefix = 0;
    std::array<std::int16_t, 2> residues{};
  };
  // Holds the state of one thread: a level is a residue beyond the triple.
  struct Walk {
    explicit Walk(int size)
        : lists(static_cast<std::size_t>(size) + 1),
          covered(lists.size()),
          forbidden(lists.size()) {}
    int type = 0;
    std::vector<std::vector<Candidate>> lists;
    std::vector<Mask> covered;
    std::vector<ResidueBits> forbidden;
    std::vector<int> chosen;
    std::set<std::vector<int>> found;
    std::uint64_t nodes = 0;
  };

  [[nodiscard]] const Mask& class_of(int a, int b) const {
    return class_bit_[static_cast<std::size_t>(a < b ? b - a : a - b)];
  }

  void list_tasks() {
    if (size_ == 2) {
      tasks_.push_back({});
      return;
    }
    for (int type = 0; type < types_.count(); ++type) {
      Walk walk(size_);
      start(walk, type);
      list_tasks_below(walk, 0, {type, 0, {}});
    }
    std::mt19937_64 random(static_cast<std::uint64_t>(modulus_));
    for (std::size_t i = tasks_.size(); i > 1; --i) std::swap(tasks_[i - 1], tasks_[random() % i]);
  }

  // A task fixes up to two residues beyond the triple, while four or more are still to be chosen.
  void list_tasks_below(Walk& walk, int level, const Task& task) {
    const int to_come = size_ - static_cast<int>(walk.chosen.size());
    if (task.prefix == 2 || to_come < 4) {
      tasks_.push_back(task);
      return;
    }
    const std::size_t n = walk.lists[static_cast<std::size_t>(level)].size();
    for (std::size_t at = 0; at < n; ++at) {
      Task longer = task;
      longer.residues[static_cast<std::size_t>(longer.prefix++)] =
          static_cast<std::int16_t>(walk.lists[static_cast<std::size_t>(level)][at].residue);
      if (descend(walk, level, at)) list_tasks_below(walk, level + 1, longer);
      walk.chosen.pop_back();
    }
  }

  void start(Walk& walk, int type) const {
    walk.type = type;
    if (size_ == 2) {
      walk.chosen = {0, 1};
      walk.covered[0] = class_of(0, 1);
      return;
    }
    const int third = types_.third(type);
    walk.chosen = {0, 1, third};
    walk.covered[0] = class_of(0, 1) | class_of(0, third) | class_of(1, third);
    ResidueBits& forbidden = walk.forbidden[0];
    forbidden.reset();
    types_.forbid(type, 0, 1, forbidden);
    types_.forbid(type, 0, third, forbidden);
    types_.forbid(type, 1, third, forbidden);
    std::vector<Candidate>& list = walk.lists[0];
    list.clear();
    for (int residue = 2; residue < modulus_; ++residue) {
      if (residue == third || forbidden[static_cast<std::size_t>(residue)]) continue;
      const Mask mask = class_of(0, residue) | class_of(1, residue) | class_of(third, residue);
      list.push_back({mask, residue, count_bits(mask & ~walk.covered[0])});
    }
  }

  // Chooses candidate `at` of the level and fills the next level's list. Returns false where no
  // cover lies below. The residue stays in walk.chosen.
  bool descend(Walk& walk, int level, std::size_t at) const {
    ++walk.nodes;
    const auto here = static_cast<std::size_t>(level);
    const std::vector<Candidate>& from = walk.lists[here];
    const int added = from[at].residue;
    const Mask covered = walk.covered[here] | from[at].mask;
    const Mask open = all_ & ~covered;
    walk.covered[here + 1] = covered;
    ResidueBits forbidden = walk.forbidden[here];
    for (int residue : walk.chosen) types_.forbid(walk.type, residue, added, forbidden);
    walk.forbidden[here + 1] = forbidden;
    walk.chosen.push_back(added);

    const int have = static_cast<int>(walk.chosen.size());
    const int to_come = size_ - have;
    const int among_new = to_come * (to_come - 1) / 2;
    const int needed = count_bits(open) - among_new;  // by pairs of a new residue and an old one
    if (needed > to_come * have) return false;
    const int least = needed - (to_come - 1) * have;
    std::vector<Candidate>& list = walk.lists[here + 1];
    list.resize(from.size() - at);
    std::array<int, kMostSearchableWorkers> of_gain{};
    std::size_t n = 0;
    Mask closable = 0;
    for (std::size_t i = at + 1; i < from.size(); ++i) {
      const int residue = from[i].residue;
      if (forbidden[static_cast<std::size_t>(residue)]) continue;
      const Mask mask = from[i].mask | class_of(residue, added);
      const int gain = count_bits(mask & open);
      if (gain < least) continue;
      list[n++] = {mask, residue, gain};
      ++of_gain[static_cast<std::size_t>(gain)];
      closable |= mask;
    }
    list.resize(n);
    if (static_cast<int>(n) < to_come) return false;
    if (count_bits(open & ~closable) > among_new) return false;
    // The to_come - 1 largest gains bound what the other residues can add to one.
    int largest = 0;
    int left = to_come - 1;
    for (int gain = have; gain >= 0 && left > 0; --gain) {
      const int take = std::min(left, of_gain[static_cast<std::size_t>(gain)]);
      largest += take * gain;
      left -= take;
    }
    const int tighter = needed - largest;
    if (tighter > least)
      std::erase_if(list, [tighter](const Candidate& c) { return c.gain < tighter; });
    return static_cast<int>(list.size()) >= to_come;
  }

  void search(Walk& walk, int level) const {
    const auto here = static_cast<std::size_t>(level);
    const int to_come = size_ - static_cast<int>(walk.chosen.size());
    if (to_come == 0) {
      if ((all_ & ~walk.covered[here]) == 0) record(walk, {});
      return;
    }
    if (to_come == 1) return close_with_one(walk, here);
    if (to_come == 2) return close_with_two(walk, here);
    for (std::size_t at = 0; at + static_cast<std::size_t>(to_come) <= walk.lists[here].size();
         ++at) {
      if (descend(walk, level, at)) search(walk, level + 1);
      walk.chosen.pop_back();
    }
  }

  void close_with_one(Walk& walk, std::size_t here) const {
    const Mask open = all_ & ~walk.covered[here];
    for (const Candidate& last : walk.lists[here])
      if ((open & ~last.mask) == 0) record(walk, {last.residue});
  }

  void close_with_two(Walk& walk, std::size_t here) const {
    const Mask open = all_ & ~walk.covered[here];
    const int needed = count_bits(open) - 1;
    const std::vector<Candidate>& list = walk.lists[here];
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Mask left = open & ~list[i].mask;
      const int gain = needed - list[i].gain;
      for (std::size_t j = i + 1; j < list.size(); ++j) {
        if (list[j].gain < gain) continue;
        const Mask missing = left & ~list[j].mask;
        if ((missing & ~class_of(list[i].residue, list[j].residue)) == 0)
          record(walk, {list[i].residue, list[j].residue});
      }
    }
  }

  void record(Walk& walk, std::initializer_list<int> last) const {
    InterestSet set{modulus_, walk.chosen};
    set.residues.insert(set.residues.end(), last);
    walk.found.insert(orbit_representative(set).residues);
  }

  int modulus_;
  int size_;
  TripleTypes types_;
  Mask all_ = 0;
  std::array<Mask, kMostSearchableWorkers> class_bit_{};
  std::vector<Task> tasks_;
};

}  // namespace

std::unique_ptr<const CoverSearch> cover_search(int modulus, int size) {
  if (modulus < 3 || modulus > kMostSearchableWorkers || size < 2)
    throw std::invalid_argument("no search for this modulus and size");
  if (modulus / 2 <= 64) return std::make_unique<Engine<std::uint64_t>>(modulus, size);
  return std::make_unique<Engine<Wide>>(modulus, size);
}

}  // namespace qb
