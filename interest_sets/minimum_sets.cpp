#include "interest_sets/minimum_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "harness/base/status.h"

namespace qb {
namespace {

// Depth-first over ascending residues. A difference and its negative are one bit, d = 1..W/2; a
// branch ends where the pairs still to come are fewer than the bits still open.
class Search {
 public:
  Search(int modulus, int size)
      : modulus_(modulus), size_(size), all_((std::uint64_t{2} << (modulus / 2)) - 2) {}

  std::vector<InterestSet> run() {
    chosen_ = {0, 1};
    extend(difference_bit(1));
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::uint64_t difference_bit(int apart) const {
    return std::uint64_t{1} << std::min(apart, modulus_ - apart);
  }

  void extend(std::uint64_t covered) {
    const int have = static_cast<int>(chosen_.size());
    const int pairs_to_come = size_ * (size_ - 1) / 2 - have * (have - 1) / 2;
    if (std::popcount(all_ & ~covered) > pairs_to_come) return;
    if (have == size_) {
      found_.push_back({.modulus = modulus_, .residues = chosen_});
      return;
    }
    for (int next = chosen_.back() + 1; next < modulus_; ++next) {
      std::uint64_t with_next = covered;
      for (int residue : chosen_) with_next |= difference_bit(next - residue);
      chosen_.push_back(next);
      extend(with_next);
      chosen_.pop_back();
    }
  }

  int modulus_;
  int size_;
  std::uint64_t all_;
  std::vector<int> chosen_;
  std::vector<InterestSet> found_;
};

}  // namespace

std::vector<InterestSet> minimum_interest_sets(int modulus) {
  if (modulus < 3 || modulus > kMostExhaustiveWorkers)
    throw UsageError(fmt::format("the exhaustive search for interest sets covers W = 3..{}, not {}",
                                 kMostExhaustiveWorkers, modulus));
  for (int size = 2;; ++size) {
    auto found = Search(modulus, size).run();
    if (!found.empty()) return found;
  }
}

}  // namespace qb
