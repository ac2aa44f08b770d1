// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "plots/figures/figures.h"
#include "plots/testing/committed_figure.h"
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
      add(n, "");
      if (n > 100) add(n, "500");
    }
    add_case(cases_, ok_case(1, 100, 1.0));  // attention alone is not a layer
  }

  void add(int n, const std::string& block) {
    Values values = ok_case(1, n, 1.0);
    values["case_id"] = fmt::format("{}-{}", n, block);
    values["workload"] = "transformer_layer";
    values["layer_block_tokens"] = block;
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
  EXPECT_EQ(layer_shares_figure(with_parts(cases_, parts_)).panels.size(), 2u) << "not asked for";
  const Figure figure = layer_shares_figure(with_published(with_parts(cases_, parts_)));
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
    for (const Point& part : series.points) published += part.y;
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
  const Figure figure = layer_shares_figure(with_published(with_parts(both, parts_)));
  ASSERT_EQ(figure.panels.size(), 2u) << "plain, in blocks";
  EXPECT_NEAR(height(figure.panels[0], "attention", 1), 50.0, 1e-9);
  for (const std::string& note : figure.notes)
    EXPECT_THAT(note, ::testing::Not(HasSubstr("Published")));
}

TEST_F(LayerFigures, OfManyLengthsEachSecondIsLabelled) {
  for (const int n : {128, 256, 512, 1024, 2048}) add(n, "");
  const Figure figure = layer_shares_figure(with_parts(cases_, parts_));
  std::vector<std::string> labels;
  for (const Axis::Tic& tic : figure.panels[0].x.tics) labels.push_back(tic.label);
  EXPECT_THAT(labels, ::testing::ElementsAre("", "128", "", "512", "", "1Ki", "", "10000"));
}

TEST_F(LayerFigures, TheTitleHasTheLengthsBetweenWhichAttentionComesToTakeHalf) {
  EXPECT_EQ(layer_shares_figure(with_parts(cases_, parts_)).title,
            "Attention comes to take half of the layer's time between N = 100 and 1,000 (plain)")
      << "in blocks it is half from the first length on: no crossing is seen";
}

TEST_F(LayerFigures, OneLengthHasAPlainTitle) {
  CsvTable one(cases_.header());
  for (std::size_t row = 0; row < cases_.size(); ++row)
    if (cases_.text(row, "n_tokens") == "10000") one.append(cases_.row(row));
  EXPECT_EQ(layer_shares_figure(with_parts(one, parts_)).title,
            "Share of each part of a transformer layer");
}

TEST_F(LayerFigures, ADisturbedBarHasAnAsteriskAndDecidesNothing) {
  for (std::size_t row = 0; row < cases_.size(); ++row)
    if (cases_.text(row, "n_tokens") == "1000") cases_.set(row, "disturbed_by", "stolen");
  const Figure figure = layer_shares_figure(with_parts(cases_, parts_));
  EXPECT_EQ(figure.title,
            "Attention comes to take half of the layer's time between N = 100 and 10,000 (plain)");
  EXPECT_EQ(figure.panels.at(0).x.tics.at(1).label, "1000*");
  EXPECT_THAT(figure.notes.at(0), HasSubstr("*: disturbed"));
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
  const Figure figure = layer_shares_figure(with_published(with_parts(cases_, parts_)));
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

TEST_F(LayerFigures, ARunWithoutLayersSaysSo) {
  const CsvTable cases = case_study_2(10);
  const CsvTable none(parts_.header());
  EXPECT_EQ(layer_shares_figure(with_parts(cases, none)).empty_reason,
            "the run has no case of workload transformer_layer with times in parts.csv");
}

// The committed figure: the slices of a bar are 100 %, and attention takes half of the layer first
// at the second of the lengths of the title.
TEST(LayerShares, CommittedSlicesAreAWholeOfWhichAttentionComesToTakeHalfWhereTheTitleSays) {
  const CommittedFigure figure("bert_layer", "layer_shares");
  std::map<std::pair<std::string, double>, double> bars;  // by panel and place
  for (const Mark& mark : figure.marks()) {
    EXPECT_NEAR(mark.y, mark.height(), 1e-9) << mark.series;
    bars[{mark.panel, mark.x}] += mark.y;
  }
  for (const auto& [bar, percent] : bars) EXPECT_NEAR(percent, 100.0, 1e-6) << bar.second;
  for (const std::string panel : {"1", "2"}) {
    const double first = panel == "1" ? 128.0 : 2048.0;
    EXPECT_EQ(figure.tics(panel, "x").at(0.0), panel == "1" ? "128" : "2Ki");
    for (const Mark& mark : figure.marks(panel, "attention"))
      EXPECT_EQ(mark.y >= 50.0, first * std::exp2(mark.x) >= 8192.0) << mark.x;
  }
  EXPECT_EQ(figure.title(),
            "Attention comes to take half of the layer's time between N = 4,096 and 8,192 (plain, "
            "blocks of 1024 tokens)");
}

}  // namespace
}  // namespace qb
