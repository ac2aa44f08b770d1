// SPDX-License-Identifier: Apache-2.0
// How one of our numbers answers a published one. All tables of published against ours take their
// verdicts from here, so that a word means the same everywhere, and none says more than was shown.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "base/words.h"

namespace qb {

enum class Answer {
  agrees,          // an exact quantity, to the printed digit
  within,          // within a stated tolerance
  shape_agrees,    // the same order, on the same side of a level or crossing it nearby
  modelled,        // not measured: a prediction within a stated tolerance
  obeys,           // no more than plausible: a bound, a growth
  contradicts,     // none of these, though it can be compared
  not_comparable,  // because …
  disturbed,       // by …: measure again
  not_measured     // needs …
};

template <>
inline constexpr auto kWords<Answer> =
    word_table<Answer>("verdict", {{Answer::agrees, "agrees"},
                                   {Answer::within, "within"},
                                   {Answer::shape_agrees, "shape agrees"},
                                   {Answer::modelled, "modelled within"},
                                   {Answer::obeys, "obeys"},
                                   {Answer::contradicts, "contradicts"},
                                   {Answer::not_comparable, "not comparable because"},
                                   {Answer::disturbed, "disturbed"},
                                   {Answer::not_measured, "not measured: needs"}});

// What is known of a row: that of its headline, the quantity that the paper measured, or calculated
// where it measured none. A side claim never makes it better; one that contradicts or differs
// counts.
enum class RowStanding {
  contradicts,  // itself, another table, or the hardware
  differs,      // a curve of ours has another shape, or the model is further off than it may be
  reproduced,   // measured here, the same quantity, within its stated tolerance
  shape_reproduced,  // a curve measured here is in the same order, which a constant is not
  predicted,         // within its stated band by a model that was not made from it
  derived,           // an independent calculation from the paper's parameters
  consistent,        // identities and sums of printed cells, copies; bounds that it obeys
  fitted,            // a closed form with a constant from the same table
  open               // it needs what is not there, or what is there leaves it open
};

template <>
inline constexpr auto kWords<RowStanding> =
    word_table<RowStanding>("verdict", {{RowStanding::contradicts, "contradicts"},
                                        {RowStanding::differs, "differs"},
                                        {RowStanding::reproduced, "reproduced"},
                                        {RowStanding::shape_reproduced, "shape reproduced"},
                                        {RowStanding::predicted, "predicted"},
                                        {RowStanding::derived, "derived"},
                                        {RowStanding::consistent, "consistent"},
                                        {RowStanding::fitted, "fitted"},
                                        {RowStanding::open, "open"}});

struct Verdict {
  Answer answer = Answer::not_measured;
  std::string detail{};  // follows the word of the answer; empty where that says all
  [[nodiscard]] std::string text() const;
};

// A printed value, such as `1.40`, `-0.15` or `2.69e-04`: its last decimal limits how exactly it
// can be judged.
struct Printed {
  double value = 0.0;
  double unit = 1.0;  // unit of the last decimal printed
};
// Throws UsageError if the text is not a decimal.
[[nodiscard]] Printed parse_printed(std::string_view text);

struct ShapePoint {
  double x = 0.0;
  double published = 0.0;
  double ours = 0.0;
  // The interval of ours, if it is known: what lies within it shows no order and no side.
  double ours_low = std::numeric_limits<double>::quiet_NaN();
  double ours_high = std::numeric_limits<double>::quiet_NaN();
};
// Differences below this fraction show no order: published medians scatter as much.
inline constexpr double kShapeResolution = 0.1;
// The repeats of a case lie closer together than another run of it: nine runs of two cases, minutes
// apart, had medians from 108 to 128 ms and from 52 to 64 ms, each with an interval of some 5 %.
// What is judged of times therefore reaches this fraction beyond both ends of their intervals.
inline constexpr double kBetweenRuns = 0.1;
// Judges two curves over x by what does not depend on the machine's speed. A shape agrees where at
// least one pair of points that was published more than kShapeResolution apart is in the same order
// in ours, beyond both intervals, and no such pair is in the other. A shape without such a pair,
// which a constant has too, is not comparable. Its verdict says how many pairs were resolved, and
// what our curve in reverse would have been called.
//
// By judge_shape() both curves must also cross `level` once at places that differ by `factor` at
// most, or be on the same side of it. Where the medians contradict and their intervals do not, it
// is not comparable. Points without both values are left out; none left is `not measured`.
[[nodiscard]] Verdict judge_shape(std::span<const ShapePoint> points, double level, double factor);
// The shape agrees if both cross `level` once, at places that differ by `factor` at most.
[[nodiscard]] Verdict judge_crossover(std::span<const ShapePoint> points, double level,
                                      double factor);
// The shape agrees if the slopes of both over log-log axes, by least squares, differ by `factor` at
// most. It needs two points.
[[nodiscard]] Verdict judge_exponent(std::span<const ShapePoint> points, double factor);

}  // namespace qb
