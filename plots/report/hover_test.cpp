// SPDX-License-Identifier: Apache-2.0
#include "plots/report/report.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace qb {
namespace {

using Json = nlohmann::json;

Figure small_figure() {
  Panel panel{.x = {.label = "N", .column = "n_tokens", .log = true},
              .y = {.label = "time (ms)", .column = "time_ms"}};
  panel.series = {{.name = "W = 1", .points = {{1000, 2.5, 2.25, 3}, {2000, kNaN}, {3000, 20}}},
                  {.name = "W = 1", .published = true, .points = {{1000, 3.5}}},
                  {.name = "</script>", .draw = Draw::limit, .points = {{.y = 50}}}};
  panel.series[0].points[2].disturbed = true;
  return {.name = "small", .title = "Small", .panels = {panel}};
}

constexpr std::string_view kSvg =
    R"(<svg><!-- qb: {"panels": [{"x": {"log": true, "min": 900, "max": 3100, "from": 40, "to": 90},
    "y": {"log": false, "min": 0, "max": 50, "from": 60, "to": 10}}]} --></svg>)";

TEST(Hover, HasThePointsOfEachSeriesAndNoMissingOnes) {
  const Json series = Json::parse(hover_json(small_figure(), kSvg)).at(0).at("series");
  ASSERT_EQ(series.size(), 2u) << "a limit has no points to read";
  EXPECT_EQ(series[0]["name"], "W = 1");
  EXPECT_EQ(series[0]["points"].dump(), "[[1000.0,2.5,2.25,3.0,0],[3000.0,20.0,null,null,1]]");
  EXPECT_EQ(series[1]["name"], "W = 1, published");
}

TEST(Hover, AxesAreAsThePictureHasThem) {
  const Json panel = Json::parse(hover_json(small_figure(), kSvg)).at(0);
  EXPECT_EQ(panel["x"]["from"], 40);
  EXPECT_EQ(panel["x"]["label"], "N");
  EXPECT_EQ(panel["y"]["to"], 10) << "y grows upwards in the figure, downwards in SVG";
  EXPECT_EQ(hover_json(small_figure(), "<svg></svg>"), "[]") << "a picture of another program";
  EXPECT_EQ(hover_json(small_figure(), "<svg><!-- qb: {torn --></svg>"), "[]");
}

TEST(Hover, NoNameEndsTheScriptElement) {
  Figure figure = small_figure();
  figure.panels[0].series[0].name = "</script><b>";
  EXPECT_EQ(hover_json(figure, kSvg).find("</script"), std::string::npos);
  EXPECT_EQ(Json::parse(hover_json(figure, kSvg))[0]["series"][0]["name"], "</script><b>");
}

TEST(Hover, OfLongCurvesItKeepsAPartOfThePoints) {
  Figure figure = small_figure();
  Series& series = figure.panels[0].series[0];
  series.points.clear();
  for (int i = 1; i <= 20000; ++i) series.points.push_back({1.0 * i, 2.0 * i});
  const Json points = Json::parse(hover_json(figure, kSvg))[0]["series"][0]["points"];
  EXPECT_LE(points.size(), 3000u);
  EXPECT_GE(points.size(), 1000u);
}

TEST(Hover, WordsOnAnAxisAreNamed) {
  Figure figure = small_figure();
  figure.panels[0].x.tics = {{1000, "window"}, {3000, "3,000"}};
  const Json axis = Json::parse(hover_json(figure, kSvg)).at(0).at("x");
  EXPECT_EQ(axis["tics"].dump(), R"({"1000":"window","3000":"3,000"})");
}

TEST(Hover, AreasHaveTheirSides) {
  Figure figure = small_figure();
  figure.panels[0].series = {
      {.name = "bar", .draw = Draw::rectangles, .points = {box(1000, 2000, 0, 8)}}};
  const Json series = Json::parse(hover_json(figure, kSvg))[0]["series"][0];
  EXPECT_EQ(series["area"], true);
  EXPECT_EQ(series["points"].dump(), "[[1500.0,4.0,0,8.0,0,1000.0,2000.0]]");
}

}  // namespace
}  // namespace qb
