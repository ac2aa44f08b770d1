// SPDX-License-Identifier: Apache-2.0
// Figures of transformer layers: shares, time, memory.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "plots/figures/figures.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

// Attention of these layers takes N^2 ns and their only other part N us: half each at N = 1000.
class LayerFigures : public ::testing::Test {
 protected:
  LayerFigures() {
    cases_ = no_cases();
    for (const int n : {100, 1000, 10000}) {
      add(n, "", 70.0 * n);
      if (n > 100) add(n, "500", 40.0 * n);
    }
    add_case(cases_, ok_case(1, 100, 1.0));  // attention alone is not a layer
  }

  void add(int n, const std::string& block, double bytes) {
    Values values = ok_case(1, n, 1.0);
    values["case_id"] = fmt::format("{}-{}", n, block);
    values["workload"] = "transformer_layer";
    values["layer_block_tokens"] = block;
    values["device_peak_bytes"] = to_text(bytes * 1024 * 1024);
    values["predicted_device_peak_bytes"] = to_text(bytes * 1024 * 1024);
    add_case(cases_, values);
    for (int repeat = 0; repeat < 4; ++repeat) {
      // The warm-up is slow, and repeats scatter around their median.
      const bool warmup = repeat == 0;
      const double factor = warmup ? 100.0 : 0.5 * repeat;
      for (const auto& [part, seconds] :
           {std::pair{"qkv", 1e-6 * n}, std::pair{"attention", 1e-9 * n * n}})
        add_case(parts_, {{"case_id", values["case_id"]},
                          {"repeat", fmt::format("{}", warmup ? 0 : repeat - 1)},
                          {"warmup", warmup ? "1" : "0"},
                          {"part", part},
                          {"flop", "1"},
                          {"time_s", to_text(seconds * factor)}});
    }
  }

  CsvTable cases_;
  CsvTable parts_{{"case_id", "repeat", "warmup", "part", "flop", "time_s"}};
};

double height(const Panel& panel, const std::string& name, std::size_t point) {
  for (const Series& series : panel.series)
    if (series.name == name) return series.points.at(point).high - series.points.at(point).low;
  ADD_FAILURE() << "no series " << name;
  return kNaN;
}

TEST_F(LayerFigures, SharesAreThoseOfTheMedianPartsWithoutWarmUps) {
  const Figure figure = layer_shares_figure(with_parts(cases_, parts_));
  ASSERT_EQ(figure.panels.size(), 3u) << "plain, in blocks, published";
  const Panel& plain = figure.panels[0];
  EXPECT_EQ(plain.x.tics.size(), 3u);
  EXPECT_NEAR(height(plain, "attention", 0), 100.0 / 11, 1e-9);
  EXPECT_NEAR(height(plain, "attention", 1), 50.0, 1e-9);
  EXPECT_NEAR(height(plain, "QKV projection", 2), 100.0 / 11, 1e-9);
  EXPECT_THAT(figure.panels[2].title, HasSubstr("published"));
  double published = 0.0;
  for (const Series& series : figure.panels[2].series) {
    EXPECT_TRUE(series.published);
    published += series.points[0].high - series.points[0].low;
  }
  EXPECT_NEAR(published, 500.0, 1e-9) << "five bars of 100 %";
}

// What is published is a forward pass.
TEST_F(LayerFigures, SharesOfOtherPassesHaveNoPublishedOnesBesideThem) {
  CsvTable both(cases_.header());
  for (std::size_t row = 0; row < cases_.size(); ++row) {
    std::vector<std::string> fields;
    for (const std::string& column : cases_.header())
      fields.push_back(column == "pass" ? "both" : cases_.text(row, column));
    both.append(std::move(fields));
  }
  const Figure figure = layer_shares_figure(with_parts(both, parts_));
  ASSERT_EQ(figure.panels.size(), 2u) << "plain, in blocks";
  EXPECT_NEAR(height(figure.panels[0], "attention", 1), 50.0, 1e-9);
  for (const std::string& note : figure.notes)
    EXPECT_THAT(note, ::testing::Not(HasSubstr("Published")));
}

TEST_F(LayerFigures, OfManyLengthsEachSecondIsLabelled) {
  for (const int n : {128, 256, 512, 1024, 2048}) add(n, "", 70.0 * n);
  const Figure figure = layer_shares_figure(with_parts(cases_, parts_));
  std::vector<std::string> labels;
  for (const Axis::Tic& tic : figure.panels[0].x.tics) labels.push_back(tic.label);
  EXPECT_THAT(labels, ::testing::ElementsAre("", "128", "", "512", "", "1Ki", "", "10000"));
}

TEST_F(LayerFigures, TheHalfIsInterpolatedBetweenTheCasesAroundIt) {
  const Figure figure = layer_shares_figure(with_parts(cases_, parts_));
  ASSERT_EQ(figure.notes.size(), 3u) << "in blocks it is half from 1000 on: no crossing is seen";
  EXPECT_THAT(
      figure.notes[1],
      ::testing::AnyOf(HasSubstr("plain: attention takes half of the layer from N = 999 on"),
                       HasSubstr("plain: attention takes half of the layer from N = 1,000 on")));
}

TEST_F(LayerFigures, TimeHasTheLayerAndTheAttentionOfThePlainOne) {
  const Figure figure = layer_time_figure(with_parts(cases_, parts_));
  ASSERT_EQ(figure.panels.size(), 2u);
  std::vector<std::string> names;
  for (const Series& series : figure.panels[0].series) names.push_back(series.name);
  EXPECT_THAT(names, ::testing::ElementsAre("plain", "attention, plain", "blocks of 500 tokens"));
  EXPECT_NEAR(figure.panels[0].series[1].points[2].y, 100.0, 1e-9) << "10000^2 ns in ms";
}

TEST_F(LayerFigures, ALayerInBlocksIsComparedWithThePlainOne) {
  const Figure figure = layer_time_figure(with_parts(cases_, parts_));
  const Series& ratio = series_named(figure.panels.at(1), "blocks of 500 tokens");
  ASSERT_EQ(ratio.points.size(), 2u);
  EXPECT_DOUBLE_EQ(ratio.points[0].y, 1.0) << "the times of both are the same here";
  EXPECT_DOUBLE_EQ(ratio.points[0].low, 0.93 / 1.12);
  EXPECT_DOUBLE_EQ(ratio.points[0].high, 1.12 / 0.93);
}

// The contrast of black on a colour, by the Web Content Accessibility Guidelines.
double contrast_of_black_on(std::uint32_t colour) {
  const auto linear = [](std::uint32_t channel) {
    const double value = channel / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  const double light = 0.2126 * linear(colour >> 16 & 255) + 0.7152 * linear(colour >> 8 & 255) +
                       0.0722 * linear(colour & 255);
  return (light + 0.05) / 0.05;
}

TEST_F(LayerFigures, NumbersCanBeReadOnEveryPartAndNoTwoPartsShareAHue) {
  for (const char* part : {"attention_output", "feed_forward_in", "gelu", "feed_forward_out"})
    add_case(parts_, {{"case_id", "100-"},
                      {"repeat", "0"},
                      {"warmup", "0"},
                      {"part", part},
                      {"flop", "1"},
                      {"time_s", "1"}});
  const Figure figure = layer_shares_figure(with_parts(cases_, parts_));
  std::map<std::uint32_t, std::string> names;
  for (const Panel& panel : figure.panels)
    for (const Series& series : panel.series) {
      EXPECT_GE(contrast_of_black_on(series.style.colour), 4.5) << series.name;
      if (!series.in_legend) continue;
      const auto known = names.emplace(series.style.colour, series.name).first;
      EXPECT_EQ(known->second, series.name);
    }
  EXPECT_GE(names.size(), 10u);
}

TEST_F(LayerFigures, ThrottledRowsAreRinged) {
  CsvTable flagged(cases_.header());
  for (std::size_t row = 0; row < cases_.size(); ++row) {
    std::vector<std::string> fields;
    for (const std::string& column : cases_.header())
      fields.push_back(column != "throttled_samples" ? cases_.text(row, column)
                       : row == 0                    ? "2"
                       : row == 1                    ? "0"
                                                     : "");
    flagged.append(std::move(fields));
  }
  const Figure figure = layer_time_figure(with_parts(flagged, parts_));
  std::size_t ringed = 0;
  for (const Series& series : figure.panels.at(0).series)
    if (series.draw == Draw::points) {
      ringed += series.points.size();
      EXPECT_EQ(series.name, "slowed down, plain");
      EXPECT_EQ(series.points.at(0).x, 100.0);
    }
  EXPECT_EQ(ringed, 1u);
  EXPECT_THAT(figure.notes.back(), HasSubstr("throttled"));
  EXPECT_THAT(layer_time_figure(with_parts(cases_, parts_)).notes.back(), HasSubstr("Dashed"));
}

TEST_F(LayerFigures, MemoryNamesTheSavingAtTheLongestSequence) {
  const Figure figure = layer_memory_figure(cases_);
  ASSERT_EQ(figure.panels.size(), 1u);
  EXPECT_THAT(figure.notes[0], HasSubstr("5 of 5 peaks are the predicted ones"));
  EXPECT_EQ(figure.notes[1],
            "At N = 10,000 plain takes 1.75 × the memory of blocks of 500 tokens.");
}

TEST_F(LayerFigures, ARunWithoutLayersSaysSo) {
  const CsvTable cases = case_study_2(10);
  const CsvTable none(parts_.header());
  EXPECT_EQ(layer_shares_figure(with_parts(cases, none)).empty_reason,
            "the run has no case of workload transformer_layer with times in parts.csv");
  EXPECT_EQ(layer_time_figure(with_parts(cases, none)).empty_reason,
            "the run has no case of workload transformer_layer with times in parts.csv");
  EXPECT_FALSE(layer_memory_figure(cases).empty_reason.empty());
}

}  // namespace
}  // namespace qb
