#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

Figure two_schemes() {
  return ttft_nodes_figure(
      scheme_table({scheme_case("ring", 2, 1024, 0.4), scheme_case("ring", 4, 1024, 0.3),
                    scheme_case("zigzag", 2, 1024, 0.2), scheme_case("zigzag", 4, 1024, 0.15),
                    scheme_case("pass_q", 8, 64, 0.1, {{"kv_len", "1024"}})}));
}

TEST(TtftNodes, TimesOfAPrefillStandAgainstItsWorkersAboveWhatHalvingWouldGive) {
  const Figure figure = two_schemes();
  ASSERT_EQ(figure.panels.size(), 2u) << "cached tokens are another figure's";
  EXPECT_THAT(figure.panels[0].title, HasSubstr("N = 1,024"));
  const auto& ring = series_named(figure.panels[0], "ring").points;
  ASSERT_EQ(ring.size(), 2u);
  EXPECT_DOUBLE_EQ(ring[1].x, 4.0);
  EXPECT_DOUBLE_EQ(ring[1].y, 300.0);
  const auto& half = series_named(figure.panels[0], "twice the workers, half the time").points;
  ASSERT_EQ(half.size(), 2u);
  EXPECT_DOUBLE_EQ(half[0].y, 200.0) << "from the fastest scheme";
  EXPECT_DOUBLE_EQ(half[1].y, 100.0);
}

TEST(TtftNodes, PublishedTimesAreByNodesOfEightGpus) {
  const Figure figure = two_schemes();
  const Series& context = series_named(figure.panels.at(1), "published: context parallel");
  EXPECT_TRUE(context.published);
  ASSERT_EQ(context.points.size(), 5u);
  EXPECT_DOUBLE_EQ(context.points[1].x, 2.0);
  EXPECT_DOUBLE_EQ(context.points[1].y, 21.042);
  EXPECT_DOUBLE_EQ(context.points[4].x, 16.0);
  EXPECT_DOUBLE_EQ(context.points[4].y, 3.8);
  const Series& tensor = series_named(figure.panels[1], "published: tensor parallel");
  ASSERT_EQ(tensor.points.size(), 2u);
  EXPECT_DOUBLE_EQ(tensor.points[0].x, 2.0) << "TP16";
  EXPECT_DOUBLE_EQ(tensor.points[0].y, 29.917);
}

TEST(TtftNodes, OneWorkerCountIsASentence) {
  EXPECT_THAT(ttft_nodes_figure(scheme_table({scheme_case("ring", 2, 1024, 0.4)})).empty_reason,
              HasSubstr("two worker counts"));
}

}  // namespace
}  // namespace qb
