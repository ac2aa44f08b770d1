#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

CsvTable table(const std::vector<Values>& rows) {
  std::vector<std::string> header = no_cases().header();
  for (const char* column :
       {"workload", "product_row_groups", "product_depth", "idle_workers", "distillation"})
    header.emplace_back(column);
  CsvTable cases(header);
  for (const Values& values : rows) add_case(cases, values);
  return cases;
}

Values product(int workers, const char* row_groups, double seconds, const char* bound,
               const char* idle, std::int64_t rows = 1000) {
  Values values = scheme_case(workers == 1 ? "dense" : "cqs", workers, rows, seconds,
                              {{"ranks", "serial"},
                               {"workload", "matrix_product"},
                               {"distillation", "published"},
                               {"kv_len", "500"},
                               {"product_depth", "64"},
                               {"product_row_groups", row_groups},
                               {"responsibility_ratio", bound},
                               {"idle_workers", idle},
                               {"critical_path_median_s", to_text(seconds)},
                               {"critical_path_low95_s", to_text(seconds)},
                               {"critical_path_high95_s", to_text(seconds)}});
  values["case_id"] += row_groups;
  return values;
}

TEST(ProductSpeedUp, IsTheWholeProductOverTheSlowestWorkerBesideItsBound) {
  const Figure figure = product_speed_up_figure(
      table({product(1, "0", 0.6, "1", "0"), product(7, "3", 0.12, "6", "1"),
             product(7, "1", 0.3, "3", "4"), product(8, "4", 0.2, "4", "0"),
             product(8, "2", 0.2, "4", "2")}));
  ASSERT_EQ(figure.panels.size(), 2u);
  EXPECT_EQ(figure.panels[0].title, "1000 × 64 × 500");
  const auto& half = series_named(figure.panels[0], "W1 = W/2").points;
  ASSERT_EQ(half.size(), 2u);
  EXPECT_DOUBLE_EQ(half[0].y, 5.0);
  EXPECT_DOUBLE_EQ(half[1].y, 3.0);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[0], "bound, W1 = W/2").points[0].y, 6.0);
  EXPECT_EQ(series_named(figure.panels[0], "W1 = W/4").points.size(), 1u);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[1], "W1 = 1").points.at(0).y, 400.0 / 7);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[1], "W1 = W/4").points.at(0).y, 25.0);
}

TEST(ProductSpeedUp, ASizeWithoutItsWholeProductHasItsBoundAlone) {
  const Figure figure = product_speed_up_figure(
      table({product(1, "0", 0.6, "1", "0"), product(7, "3", 0.1, "6", "1", 2000)}));
  ASSERT_EQ(figure.panels.size(), 2u);
  ASSERT_EQ(figure.panels[0].series.size(), 2u);
  EXPECT_EQ(figure.panels[0].series[0].name, "bound, W1 = W/2");
  EXPECT_EQ(figure.panels[0].series[1].name, "bound") << "what a dashed line is, for the legend";
  EXPECT_TRUE(figure.panels[0].series[1].in_legend);
  EXPECT_NE(figure.panels[0].series[1].style.dash, 0);
}

TEST(ProductSpeedUp, SaysThatThereIsNothing) {
  EXPECT_THAT(product_speed_up_figure(table({product(1, "0", 0.6, "1", "0")})).empty_reason,
              HasSubstr("matrix_product"));
  EXPECT_FALSE(product_speed_up_figure(no_cases()).empty_reason.empty());
}

}  // namespace
}  // namespace qb
