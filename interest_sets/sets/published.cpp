#include "interest_sets/sets/published.h"

#include <cmath>
#include <string_view>

#include "base/numbers.h"
#include "interest_sets/split/distillation.h"

namespace qb {
namespace embedded {
extern const std::string_view published_interest_sets;
}

namespace {

constexpr int kFirstWorkers = 3;

const ListedSet* find_published(int modulus) {
  const auto sets = published_interest_sets();
  const auto index = static_cast<std::size_t>(modulus - kFirstWorkers);
  return modulus >= kFirstWorkers && index < sets.size() ? &sets[index] : nullptr;
}

}  // namespace

std::span<const ListedSet> published_interest_sets() {
  static const std::vector<ListedSet> sets = [] {
    auto parsed = parse_interest_sets(embedded::published_interest_sets, "published.txt");
    for (const ListedSet& listed : parsed) verify(listed.set);
    return parsed;
  }();
  return sets;
}

std::optional<InterestSet> published_interest_set(int modulus) {
  const ListedSet* found = find_published(modulus);
  return found ? std::optional(found->set) : std::nullopt;
}

std::optional<PublishedRatio> published_asymptotic_ratio(int modulus) {
  const ListedSet* found = find_published(modulus);
  if (!found) return std::nullopt;
  return PublishedRatio{found->printed_ratio, parse_real(found->printed_ratio).value()};
}

bool agrees_with_published(double ours, const PublishedRatio& published) {
  constexpr double kUnitsPerOne = 1e4;
  const double off = std::round(ours * kUnitsPerOne) - std::round(published.value * kUnitsPerOne);
  return std::abs(off) <= 1.0;
}

std::vector<PublishedComparison> compare_with_published() {
  std::vector<PublishedComparison> rows;
  for (const ListedSet& listed : published_interest_sets()) {
    PublishedComparison row;
    row.set = listed.set;
    row.ours = asymptotic_responsibility_ratio(listed.set);
    row.published = published_asymptotic_ratio(listed.set.modulus).value();
    row.agrees = agrees_with_published(row.ours, row.published);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace qb
