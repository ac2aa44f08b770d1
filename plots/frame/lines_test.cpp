// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/lines.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_run.h"

namespace qb {
namespace {

TEST(Lines, HollowMarksAreCounted) {
  const Figure figure{
      .panels = {{.series = {{.points = {{.y = 1}, {.y = 2, .disturbed = true}}}}}}};
  EXPECT_EQ(disturbed_note(figure), "Hollow: 1 disturbed measurement.");
  EXPECT_EQ(disturbed_note({}), "");
}

TEST(Lines, LinesOfOneAlgorithmDifferInTheirLightnessAlone) {
  Groups lines = {{{.name = "cqs"}}, {{.name = "ring"}}, {{.name = "ring"}}};
  for (Group& line : lines) line.style = algorithm_style(line.name);
  shade_equal_looks(lines);
  EXPECT_EQ(lines[0].style, algorithm_style("cqs"));
  EXPECT_EQ(lines[1].style.mark, algorithm_style("ring").mark);
  EXPECT_EQ(lines[2].style.mark, algorithm_style("ring").mark);
  EXPECT_NE(lines[2].style.colour, lines[1].style.colour);
  EXPECT_EQ(lines[2].style.dash, 0);
}

TEST(Lines, WhatIsNotDrawnIsOneSentenceWithNumbersAndReasons) {
  EXPECT_EQ(not_drawn({{.number = 4, .what = "case", .reason = "unsupported", .of = 48},
                       {.number = 0, .what = "line", .reason = "never said"},
                       {.number = 1, .what = "panel", .reason = "beyond six"}}),
            "Not drawn: 4 of 48 cases (unsupported); 1 panel (beyond six).");
  EXPECT_EQ(not_drawn({}), "");
}

TEST(Lines, SeveralNotesOnWhatIsNotDrawnBecomeOne) {
  std::vector<std::string> notes = {
      not_drawn({{.number = 1, .what = "case", .reason = "timeout"}}), "Another.",
      not_drawn({{.number = 2, .what = "panel", .reason = "beyond six"}})};
  join_not_drawn(notes);
  EXPECT_THAT(notes, ::testing::ElementsAre("Not drawn: 1 case (timeout); 2 panels (beyond six).",
                                            "Another.", ""));
}

TEST(Lines, PanelsBeyondTheFirstAreSaidToBeLeftOut) {
  Groups panels(5);
  EXPECT_EQ(keep_first(panels, 5, "N"), "");
  EXPECT_EQ(keep_first(panels, 3, "N"), "Not drawn: 2 of 5 panels (beyond the first 3 by N).");
  EXPECT_EQ(panels.size(), 3u);
}

TEST(Lines, TheReasonOfAFailureIsItsMessageWithoutWhatExplainsIt) {
  const CsvTable cases = testing_support::cases_of(
      {testing_support::failed_case(2, 1000, "unsupported",
                                    "cqs needs at least 3 workers (no set of W = 2 exists)"),
       testing_support::failed_case(1, 1000, "timeout", "10 s are over"),
       testing_support::failed_case(1, 2000, "timeout", "12 s are over")});
  EXPECT_EQ(case_notes(cases).back(),
            "Not drawn: 2 of 3 cases (timeout); 1 of 3 cases (unsupported: cqs needs at least 3 "
            "workers).");
}

TEST(Lines, NotesComeInTheOrderInWhichTheyAreNeeded) {
  std::vector<std::string> notes = {"Drawn: 2 threads.", "Not drawn: 1 case.", kModelNote,
                                    "Dashed: a bound.", "Bars: 75 % intervals, 3 repeats."};
  order_by_need(notes);
  EXPECT_THAT(notes, ::testing::ElementsAre("Dashed: a bound.", "Bars: 75 % intervals, 3 repeats.",
                                            kModelNote, "Not drawn: 1 case.", "Drawn: 2 threads."));
}

TEST(Lines, AScaledPointKeepsItsPlace) {
  const Point point = scaled({.x = 3, .y = 2, .low = 1, .high = 4}, 10);
  EXPECT_EQ(point.x, 3);
  EXPECT_EQ(point.y, 20);
  EXPECT_EQ(point.low, 10);
  EXPECT_EQ(point.high, 40);
}

}  // namespace
}  // namespace qb
