// SPDX-License-Identifier: Apache-2.0
#include "harness/papers/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/numbers.h"
#include "base/statistics.h"
#include "harness/papers/quantities.h"
#include "harness/papers/scope.h"

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

class Trial {
 public:
  Trial(const PublishedTable& table, RowScope& scope) : table_(table), scope_(scope) {}

  std::vector<PublishedAnswer> all() {
    for (const PublishedColumn& column : table_.columns) {
      identities(column);
      bounds(column);
      if (column.bytes) fits(column, *column.bytes);
      if (column.neighbours.factor > 1.0) near(column);
      if (table_.tokens.empty()) continue;
      if (column.role == ColumnRole::time || column.role == ColumnRole::memory) growth(column);
    }
    copies();
    return std::move(answers_);
  }

 private:
  // A series: the rows that have a number in the column, by rising tokens; all other keys equal.
  struct Point {
    std::size_t row = 0;
    double tokens = 0.0;
    Interval value{};
  };
  using Series = std::map<std::string, std::vector<Point>>;

  Interval number(std::size_t row, const PublishedColumn& column) const {
    const FormulaValue value = cell_value(table_, row, column.name);
    return value.text || value.numbers.empty() ? as_printed("") : value.numbers[0];
  }

  // The values of all keys but these.
  std::string other_keys(std::size_t row, const std::vector<std::string>& but) const {
    std::string joined;
    for (const std::string& key : table_.keys())
      if (std::ranges::count(but, key) == 0) joined += table_.cells.text(row, key) + ", ";
    return joined;
  }

  Series series_of(const PublishedColumn& column) const {
    Series series;
    for (std::size_t row = 0; row < table_.cells.size(); ++row) {
      const Interval value = number(row, column);
      if (!value.known()) continue;
      const double tokens = tokens_of_label(table_.cells.text(row, table_.tokens));
      series[other_keys(row, {table_.tokens})].push_back({row, tokens, value});
    }
    for (auto& [keys, points] : series) std::ranges::sort(points, {}, &Point::tokens);
    return series;
  }

  void add(const PublishedColumn& column, std::size_t row, Rule rule, const Interval& published,
           const Interval& ours, Verdict verdict, std::string why, std::string formula = {},
           ClaimKind kind = ClaimKind::self) {
    answers_.push_back({.table = &table_,
                        .row = row,
                        .claim = std::string(word(rule)),
                        .column = column.name,
                        .kind = kind,
                        .headline = table_.is_headline(column.name),
                        .published = published,
                        .ours = ours,
                        .verdict = std::move(verdict),
                        .why = std::move(why),
                        .formula = std::move(formula)});
  }

  // Whether a formula needs nothing that was measured: it is a calculation from the parameters.
  bool is_of_parameters(const Expression& formula) const {
    return std::ranges::all_of(formula.references(), [&](const CellReference& reference) {
      return reference.source.empty() &&
             (!table_.cells.has(reference.column) ||
              (!reference.selects && table_.column(reference.column).role == ColumnRole::key));
    });
  }

  // Calls visit(row, published, ours) for each row in which both the column and a formula have one.
  void compare(const PublishedColumn& column, const std::optional<Expression>& formula,
               const auto& visit) {
    for (std::size_t row = 0; formula && row < table_.cells.size(); ++row) {
      scope_.go_to(row);
      const Interval published = number(row, column);
      const Interval ours = scope_.evaluate(*formula);
      if (published.known() && ours.known()) visit(row, published, ours);
    }
  }

  void identities(const PublishedColumn& column) {
    compare(
        column, column.is, [&](std::size_t row, const Interval& published, const Interval& ours) {
          const ClaimKind kind = is_of_parameters(*column.is) ? ClaimKind::exact : ClaimKind::self;
          add(column, row, Rule::identity, published, ours,
              judge_cell(ours, published, column.tolerance),
              fmt::format("{} follows from {}", column.name,
                          kind == ClaimKind::exact ? "the parameters of its row" : "other cells"),
              fmt::format("{} = {}", column.name, column.is->text()), kind);
        });
  }

  void bounds(const PublishedColumn& column) {
    for (const bool most : {true, false}) {
      const std::optional<Expression>& formula = most ? column.at_most : column.at_least;
      compare(column, formula,
              [&](std::size_t row, const Interval& published, const Interval& bound) {
                const bool obeys = most ? published.low <= bound.high : published.high >= bound.low;
                add(column, row, Rule::bound, published, bound,
                    obeys ? Verdict{Answer::obeys, "a bound"}
                          : Verdict{Answer::contradicts,
                                    fmt::format("{:.4g} is {} its bound, {:.4g}", published.value,
                                                most ? "above" : "below", bound.value)},
                    fmt::format("{} has a bound{}{}", column.name,
                                column.because.empty() ? "" : ": ", column.because),
                    fmt::format("{} is {} {}", column.name, most ? "at most" : "at least",
                                formula->text()));
              });
    }
  }

  void growth(const PublishedColumn& column) {
    for (const auto& [keys, points] : series_of(column)) {
      for (std::size_t i = 1; i < points.size(); ++i) step(column, points[i - 1], points[i]);
      if (column.affine) even(column, points);
    }
  }

  void step(const PublishedColumn& column, const Point& before, const Point& after) {
    const double grown = after.value.value / before.value.value;
    const double longer = after.tokens / before.tokens;
    const double most = longer * longer;
    const bool falls = after.value.high * kFallOfNoise < before.value.low;
    const bool is_time = column.role == ColumnRole::time;
    const bool leaps = is_time && after.value.low > kGrowthOfNoise * most * before.value.high;
    const Rule rule = is_time && !falls ? Rule::quadratic : Rule::rising;
    Verdict verdict{Answer::obeys,
                    is_time ? "the growth that attention can have" : "that memory does not fall"};
    if (falls)
      verdict = {Answer::contradicts, fmt::format("it falls from {:.4g} to {:.4g}",
                                                  before.value.value, after.value.value)};
    else if (leaps)
      verdict = {Answer::contradicts,
                 fmt::format("it grows {:.4g}-fold, and the square of the length {:.4g}-fold",
                             grown, most)};
    add(column, after.row, rule, after.value,
        rule == Rule::quadratic ? before.value * exactly(most) : before.value, std::move(verdict),
        fmt::format("{} from {:g} to {:g} tokens", column.name, before.tokens, after.tokens));
  }

  // The memory that each further token takes is the same from step to step.
  void even(const PublishedColumn& column, const std::vector<Point>& points) {
    const auto slope = [&](std::size_t i) {
      return (points[i].value - points[i - 1].value) /
             exactly(points[i].tokens - points[i - 1].tokens);
    };
    for (std::size_t i = 2; i < points.size(); ++i) {
      scope_.go_to(points[i].row);
      if (!scope_.holds(*column.affine)) continue;
      const Interval before = slope(i - 1);
      const Interval now = slope(i);
      if (!before.known() || !now.known()) continue;
      const bool uneven =
          now.low > kUnevenMemory * before.high || now.high * kUnevenMemory < before.low;
      add(column, points[i].row, Rule::affine, now, before,
          uneven ? Verdict{Answer::contradicts,
                           fmt::format("a further token takes {:.4g} times what it took before",
                                       now.value / before.value)}
                 : Verdict{Answer::obeys, "an even growth"},
          fmt::format("{} a further token, from {:g} to {:g}", column.name, points[i - 1].tokens,
                      points[i].tokens));
    }
  }

  // Of the rows that differ in nothing but how large they are, none that needs no more bytes than
  // another which ran is out of memory. Keys that the bytes are calculated from may differ.
  void fits(const PublishedColumn& status, const Expression& bytes) {
    std::vector<std::string> sizes = {table_.tokens};
    for (const CellReference& reference : bytes.references()) sizes.push_back(reference.column);
    struct Ran {
      std::size_t row = 0;
      double bytes = 0.0;
    };
    std::map<std::string, Ran> largest;
    const auto bytes_of = [&](std::size_t row) {
      scope_.go_to(row);
      return scope_.evaluate(bytes).value;
    };
    for (std::size_t row = 0; row < table_.cells.size(); ++row)
      if (table_.cells.text(row, status.name) == "ok") {
        Ran& ran = largest[other_keys(row, sizes)];
        if (bytes_of(row) > ran.bytes) ran = {row, bytes_of(row)};
      }
    for (std::size_t row = 0; row < table_.cells.size(); ++row) {
      const auto ran = largest.find(other_keys(row, sizes));
      if (table_.cells.text(row, status.name) != "oom" || ran == largest.end()) continue;
      const double need = bytes_of(row);
      const bool odd = need <= ran->second.bytes;
      add(status, row, Rule::fits, exactly(need), exactly(ran->second.bytes),
          odd ? Verdict{Answer::contradicts,
                        fmt::format("out of memory with {:.4g} bytes, and line {} ran with {:.4g}",
                                    need, ran->second.row + 2, ran->second.bytes)}
              : Verdict{Answer::obeys, "that it needs more than any that ran"},
          "what needs no more bytes than a case that ran must run too",
          fmt::format("{} by {}", status.name, bytes.text()));
    }
  }

  void near(const PublishedColumn& column) {
    const std::vector<std::optional<double>> expected = by_neighbours(table_, column.name);
    for (std::size_t row = 0; row < expected.size(); ++row) {
      scope_.go_to(row);
      if (!expected[row] || (column.except && scope_.holds(*column.except))) continue;
      const Interval published = number(row, column);
      const double ratio = published.value / *expected[row];
      const bool is_near = std::max(ratio, 1.0 / ratio) <= column.neighbours.factor;
      add(column, row, Rule::neighbours, published, exactly(*expected[row]),
          is_near ? Verdict{Answer::obeys, "what its neighbours give"}
                  : Verdict{Answer::contradicts,
                            fmt::format("it is {:.3g} times what its neighbours give", ratio)},
          fmt::format("{} is within {} of its neighbours: {}", column.name, column.neighbours.text,
                      column.neighbours.because));
    }
  }

  // Two values of a key have the same measured values in every row.
  void copies() {
    for (const PublishedColumn& column : table_.columns) {
      // Memory is calculated more than measured, and may well be the same.
      if (column.role != ColumnRole::time && column.role != ColumnRole::rate &&
          column.role != ColumnRole::value)
        continue;
      if (column.is) continue;
      for (const std::string& key : table_.keys()) copies_over(column, key);
    }
  }

  void copies_over(const PublishedColumn& column, const std::string& key) {
    // By the value of the key: what the rows of all other keys hold.
    std::map<std::string, std::map<std::string, std::size_t>> rows;
    for (std::size_t row = 0; row < table_.cells.size(); ++row)
      if (!table_.cells.text(row, column.name).empty())
        rows[table_.cells.text(row, key)][other_keys(row, {key})] = row;
    for (auto a = rows.begin(); a != rows.end(); ++a)
      for (auto b = std::next(a); b != rows.end(); ++b) {
        std::vector<std::size_t> shared;
        std::vector<std::string> values;
        bool equal = true;
        for (const auto& [others, row] : b->second) {
          const auto first = a->second.find(others);
          if (first == a->second.end()) continue;
          const std::string& value = table_.cells.text(row, column.name);
          equal = equal && value == table_.cells.text(first->second, column.name);
          shared.push_back(row);
          if (std::ranges::find(values, value) == values.end()) values.push_back(value);
        }
        if (!equal || shared.size() < kCopiedValues || values.size() < kCopiedValues) continue;
        for (const std::size_t row : shared)
          add(column, row, Rule::copied, number(row, column), number(row, column),
              {Answer::contradicts, fmt::format("all {} values of {} are those of {}",
                                                shared.size(), b->first, a->first)},
              fmt::format("{} over {}", column.name, key));
      }
  }

  const PublishedTable& table_;
  RowScope& scope_;
  std::vector<PublishedAnswer> answers_;
};

}  // namespace

std::vector<PublishedAnswer> try_rules(const PublishedTable& table, RowScope& scope) {
  return Trial(table, scope).all();
}

std::vector<std::optional<double>> by_neighbours(const PublishedTable& table,
                                                 const std::string& column) {
  const Grid grid(table, column);
  std::vector<std::optional<double>> expected;
  for (std::size_t row = 0; row < table.cells.size(); ++row) expected.push_back(grid.expected(row));
  return expected;
}

}  // namespace qb
