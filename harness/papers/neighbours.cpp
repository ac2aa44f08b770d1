// SPDX-License-Identifier: Apache-2.0
#include "harness/papers/rules.h"

#include <algorithm>
#include <map>

#include "base/numbers.h"
#include "base/statistics.h"
#include "harness/papers/quantities.h"

namespace qb {
namespace {

// A row's place along each key, counted from 0.
using Place = std::vector<std::size_t>;

// Where the values of a key stand: by size if it is a length, else as they come.
std::vector<std::size_t> places_along(const PublishedTable& table, const std::string& key) {
  std::vector<std::string> values;
  for (std::size_t row = 0; row < table.cells.size(); ++row)
    if (const std::string& value = table.cells.text(row, key);
        std::ranges::find(values, value) == values.end())
      values.push_back(value);
  if (key == table.tokens) std::ranges::sort(values, {}, tokens_of_label);
  std::vector<std::size_t> places;
  for (std::size_t row = 0; row < table.cells.size(); ++row)
    places.push_back(static_cast<std::size_t>(
        std::ranges::find(values, table.cells.text(row, key)) - values.begin()));
  return places;
}

class Grid {
 public:
  Grid(const PublishedTable& table, const std::string& column) : keys_(table.keys()) {
    std::vector<std::vector<std::size_t>> along;
    for (const std::string& key : keys_) {
      along.push_back(places_along(table, key));
      is_length_.push_back(key == table.tokens);
      sizes_.push_back(along.back().empty() ? 0 : std::ranges::max(along.back()) + 1);
    }
    for (std::size_t row = 0; row < table.cells.size(); ++row) {
      Place place;
      for (const std::vector<std::size_t>& places : along) place.push_back(places[row]);
      const auto value = parse_real(table.cells.text(row, column));
      if (value && *value > 0.0) values_[place] = *value;
      places_.push_back(std::move(place));
    }
  }

  std::optional<double> expected(std::size_t row) const {
    if (!values_.contains(places_[row])) return std::nullopt;
    std::vector<double> found;
    for (std::size_t a = 0; a < keys_.size(); ++a)
      for (std::size_t b = a + 1; b < keys_.size(); ++b) add_values(places_[row], a, b, found);
    if (found.size() < kFewestNeighbours) return std::nullopt;
    return median(found);
  }

 private:
  std::vector<std::size_t> others(const Place& place, std::size_t key) const {
    std::vector<std::size_t> places;
    for (std::size_t other = 0; other < sizes_[key]; ++other)
      if (other != place[key] &&
          (!is_length_[key] || other + 1 == place[key] || other == place[key] + 1))
        places.push_back(other);
    return places;
  }

  void add_values(const Place& place, std::size_t a, std::size_t b,
                  std::vector<double>& found) const {
    for (const std::size_t in_a : others(place, a)) {
      Place one = place;
      one[a] = in_a;
      const auto beside = values_.find(one);
      if (beside == values_.end()) continue;
      for (const std::size_t in_b : others(place, b)) {
        Place other = place;
        other[b] = in_b;
        const auto above = values_.find(other);
        other[a] = in_a;
        const auto across = values_.find(other);
        if (above != values_.end() && across != values_.end())
          found.push_back(beside->second * above->second / across->second);
      }
    }
  }

  std::vector<std::string> keys_;
  std::vector<bool> is_length_;
  std::vector<std::size_t> sizes_;  // how many values each key has
  std::vector<Place> places_;       // by row
  std::map<Place, double> values_;
};

}  // namespace

std::vector<std::optional<double>> by_neighbours(const PublishedTable& table,
                                                 const std::string& column) {
  const Grid grid(table, column);
  std::vector<std::optional<double>> expected;
  for (std::size_t row = 0; row < table.cells.size(); ++row) expected.push_back(grid.expected(row));
  return expected;
}

}  // namespace qb
