// SPDX-License-Identifier: Apache-2.0
// Lies told in published tables, and what answers notice of them: to papers what planted mistakes
// are to measurements. A lie of one cell or column changes headlines only, as somebody would who
// wants a better number, and prints as many decimals as there were.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/numbers.h"
#include "base/status.h"
#include "base/verdict.h"
#include "base/words.h"
#include "harness/papers/coverage.h"

namespace qb {

enum class Lie {
  cell_up,
  cell_down,
  point_moved,
  units_mixed,  // as if it were in another unit
  rows_swapped,
  column_doubled,
  times_doubled,  // of the whole paper; rates are halved
  gains_halved,   // of all speed-ups what is above 1
  gains_zeroed,
  gains_negated
};

template <>
inline constexpr auto kWords<Lie> = word_table<Lie>("lie", {{Lie::cell_up, "cell x 1.3"},
                                                            {Lie::cell_down, "cell x 0.7"},
                                                            {Lie::point_moved, "point moved"},
                                                            {Lie::units_mixed, "cell x 1000"},
                                                            {Lie::rows_swapped, "rows swapped"},
                                                            {Lie::column_doubled, "column x 2"},
                                                            {Lie::times_doubled, "all times x 2"},
                                                            {Lie::gains_halved, "gains halved"},
                                                            {Lie::gains_zeroed, "gains zeroed"},
                                                            {Lie::gains_negated, "gains negated"}});

}  // namespace qb

namespace qb::testing_support {

// What became of one kind of lie in a paper.
struct Told {
  std::size_t times = 0;
  std::size_t noticed = 0;  // an answer is newly against a row, or a row has lost its support
  // Rows whose cell was changed and that were called reproduced, shape reproduced, predicted or
  // derived, and how many of them still were.
  std::size_t supported = 0;
  std::size_t still = 0;
};

class Liar {
 public:
  // `library` is as it was after each lie; `most` is how often a lie of single cells is told.
  Liar(Library& library, std::size_t paper, const Measurements& measurements, std::size_t most)
      : library_(library), paper_(library[paper]), measurements_(measurements), most_(most) {
    for (const PublishedTable& table : paper_.tables) truth_.push_back(answered(table));
  }

  Told tell(Lie lie) {
    Told told;
    SplitMix64 random(static_cast<std::uint64_t>(lie) + 1);
    for (const std::vector<Change>& changes : lies(lie, random)) hear(changes, told);
    return told;
  }

 private:
  struct Change {
    std::size_t table = 0;
    std::size_t row = 0;
    std::string column{};
    std::string text{};
  };

  AnsweredTable answered(const PublishedTable& table) const {
    return answer_table(library_, paper_, table, measurements_);
  }

  static bool is_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789.eE+-") == std::string::npos;
  }
  static std::string printed_as(const std::string& text, double value) {
    const std::size_t e = std::min(text.find_first_of("eE"), text.size());
    const std::size_t point = text.find('.');
    const std::size_t decimals = point < e ? e - point - 1 : 0;
    return e < text.size() ? fmt::format("{:.{}e}", value, decimals)
                           : fmt::format("{:.{}f}", value, decimals);
  }

  // Every number of these columns, changed.
  template <class Wanted, class Changed>
  std::vector<Change> all(const Wanted& wanted, const Changed& changed) const {
    std::vector<Change> changes;
    for (std::size_t t = 0; t < paper_.tables.size(); ++t)
      for (const PublishedColumn& column : paper_.tables[t].columns) {
        if (!wanted(paper_.tables[t], column)) continue;
        for (std::size_t row = 0; row < paper_.tables[t].cells.size(); ++row)
          if (const std::string& text = paper_.tables[t].cells.text(row, column.name);
              is_number(text)) {
            const std::string lied = printed_as(text, changed(column, *parse_real(text)));
            if (lied != text) changes.push_back({t, row, column.name, lied});
          }
      }
    return changes;
  }

  static bool is_headline(const PublishedTable& table, const PublishedColumn& column) {
    return table.is_headline(column.name) && column.role != ColumnRole::status;
  }

  std::vector<std::vector<Change>> lies(Lie lie, SplitMix64& random) const {
    switch (lie) {
      case Lie::cell_up:
        return some(all_headlines(1.3), random);
      case Lie::cell_down:
        return some(all_headlines(0.7), random);
      case Lie::point_moved:
        return some(all_headlines(random() % 2 == 0 ? 10.0 : 0.1), random);
      case Lie::units_mixed:
        return some(all_headlines(1000.0), random);
      case Lie::rows_swapped:
        return swaps(random);
      case Lie::column_doubled:
        return columns(all_headlines(2.0));
      case Lie::times_doubled:
        return whole(all(
            [](const PublishedTable&, const PublishedColumn& column) {
              return column.role == ColumnRole::time || column.role == ColumnRole::rate;
            },
            [](const PublishedColumn& column, double value) {
              return column.role == ColumnRole::time ? 2.0 * value : value / 2.0;
            }));
      case Lie::gains_halved:
        return gains(0.5);
      case Lie::gains_zeroed:
        return gains(0.0);
      case Lie::gains_negated:
        return gains(-1.0);
    }
    return {};
  }

  std::vector<Change> all_headlines(double factor) const {
    return all(is_headline, [&](const PublishedColumn&, double value) { return factor * value; });
  }
  std::vector<std::vector<Change>> gains(double factor) const {
    return whole(all(
        [](const PublishedTable& table, const PublishedColumn& column) {
          return is_headline(table, column) && column.name.ends_with("speedup_ratio");
        },
        [&](const PublishedColumn&, double value) { return 1.0 + factor * (value - 1.0); }));
  }

  static std::vector<std::vector<Change>> whole(std::vector<Change> changes) {
    if (changes.empty()) return {};
    return {std::move(changes)};
  }
  static std::vector<std::vector<Change>> columns(const std::vector<Change>& changes) {
    std::vector<std::vector<Change>> by_column;
    for (const Change& change : changes) {
      if (by_column.empty() || by_column.back().back().table != change.table ||
          by_column.back().back().column != change.column)
        by_column.emplace_back();
      by_column.back().push_back(change);
    }
    return by_column;
  }
  // One change at a time, of up to `most` that are drawn.
  std::vector<std::vector<Change>> some(std::vector<Change> changes, SplitMix64& random) const {
    std::vector<std::vector<Change>> drawn;
    while (!changes.empty() && drawn.size() < most_) {
      std::swap(changes[random() % changes.size()], changes.back());
      drawn.push_back({std::move(changes.back())});
      changes.pop_back();
    }
    return drawn;
  }
  // Two cells of a column that are more than a fifth apart.
  std::vector<std::vector<Change>> swaps(SplitMix64& random) const {
    const auto by_column = columns(all_headlines(2.0));
    std::vector<std::vector<Change>> drawn;
    for (std::size_t tries = 0; tries < 20 * most_ && drawn.size() < most_ && !by_column.empty();
         ++tries) {
      const std::vector<Change>& cells = by_column[random() % by_column.size()];
      Change a = cells[random() % cells.size()];
      Change b = cells[random() % cells.size()];
      a.text = paper_.tables[b.table].cells.text(b.row, b.column);
      b.text = paper_.tables[a.table].cells.text(a.row, a.column);
      const double ratio = *parse_real(a.text) / *parse_real(b.text);
      if (ratio > 1.2 || ratio < 1.0 / 1.2) drawn.push_back({a, b});
    }
    return drawn;
  }

  static bool is_supported(RowStanding standing) {
    return standing >= RowStanding::reproduced && standing <= RowStanding::derived;
  }
  // Each answer that is against a row, by its name.
  static std::set<std::string> against(const AnsweredTable& table) {
    std::set<std::string> found;
    for (const PublishedAnswer& answer : table.answers)
      if (is_against(answer))
        found.insert(fmt::format("{} {} {}", answer.row, answer.claim, answer.column));
    return found;
  }

  // Whether formulas of a table read cells of another.
  static bool reads(const PublishedTable& table, const std::string& file) {
    if (table.file == file) return true;
    bool found = false;
    const auto look = [&](const std::optional<Expression>& formula) {
      if (formula)
        for (const CellReference& reference : formula->references())
          found = found || reference.source + ".csv" == file;
    };
    for (const PublishedColumn& column : table.columns)
      for (const auto* formula :
           {&column.is, &column.at_most, &column.at_least, &column.affine, &column.bytes})
        look(*formula);
    for (const Claim& claim : table.claims) {
      for (const auto* formula : {&claim.where, &claim.published, &claim.ours, &claim.x})
        look(*formula);
      for (const auto& [key, formula] : claim.match)
        for (const CellReference& reference : formula.references())
          found = found || reference.source + ".csv" == file;
    }
    return found;
  }

  void hear(const std::vector<Change>& changes, Told& told) {
    std::vector<std::string> printed;
    std::set<std::string> files;
    for (const Change& change : changes) {
      CsvTable& cells = paper_.tables[change.table].cells;
      printed.push_back(cells.text(change.row, change.column));
      cells.set(change.row, change.column, change.text);
      files.insert(paper_.tables[change.table].file);
    }
    bool noticed = false;
    for (std::size_t t = 0; t < truth_.size(); ++t) {
      const PublishedTable& table = paper_.tables[t];
      if (std::ranges::none_of(files, [&](const auto& file) { return reads(table, file); }))
        continue;
      AnsweredTable lied{&table, {}};
      try {
        lied = answered(table);
      } catch (const UsageError&) {
        noticed = true;  // no case has such parameters
        continue;
      }
      noticed = noticed || !std::ranges::includes(against(truth_[t]), against(lied));
      const std::vector<RowStanding> before = truth_[t].standings();
      const std::vector<RowStanding> after = lied.standings();
      std::set<std::size_t> rows;
      for (const Change& change : changes)
        if (change.table == t) rows.insert(change.row);
      for (const std::size_t row : rows) {
        if (!is_supported(before[row])) continue;
        ++told.supported;
        is_supported(after[row]) ? static_cast<void>(++told.still)
                                 : static_cast<void>(noticed = true);
      }
    }
    ++told.times;
    told.noticed += noticed ? 1u : 0u;
    for (std::size_t i = changes.size(); i-- > 0;)
      paper_.tables[changes[i].table].cells.set(changes[i].row, changes[i].column, printed[i]);
  }

  Library& library_;
  Paper& paper_;
  const Measurements& measurements_;
  std::size_t most_;
  std::vector<AnsweredTable> truth_;
};

}  // namespace qb::testing_support
