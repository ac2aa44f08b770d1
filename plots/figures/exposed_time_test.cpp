// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <set>
#include <string>

#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_run.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Values link_case(const std::string& algorithm, const std::string& ranks,
                 const std::string& bandwidth, double exposed_s, int workers = 4) {
  Values values = ok_case(workers, 8192, 1.0);
  values["algorithm"] = algorithm;
  values["ranks"] = ranks;
  values["provenance"] = ranks == "model" ? "model" : "measured";
  values["link_bandwidth_byte_per_s"] = bandwidth;
  values["wall_time_median_s"] = "2";
  values["exposed_communication_median_s"] = to_text(exposed_s);
  values["device_sent_bytes"] = "1e9";
  values["case_id"] += algorithm + ranks + bandwidth;
  return values;
}

TEST(ExposedTime, IsTheMedianOverWhatTheBytesTakeAgainstBandwidth) {
  const Figure figure = exposed_time_figure(
      cases_of({link_case("ring", "threads", "1e10", 0.2), link_case("ring", "threads", "1e9", 1.0),
                link_case("zigzag", "threads", "1e9", 0.5)}));
  ASSERT_THAT(titles(figure), ElementsAre("N = 8,192, W = 4, threads"));
  const Series& ring = series_named(figure.panels[0], "ring");
  ASSERT_EQ(ring.points.size(), 2u);
  EXPECT_EQ(ring.points[0].x, 1.0);
  EXPECT_DOUBLE_EQ(ring.points[0].y, 1.0);
  EXPECT_EQ(ring.points[1].x, 10.0);
  EXPECT_DOUBLE_EQ(ring.points[1].y, 2.0);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[0], "nothing hidden").points.at(0).y, 1.0);
  EXPECT_EQ(figure.title, "Workers wait 0.5 to 2 times as long as their bytes take on the link");
  EXPECT_EQ(ring.style, algorithm_style("ring"));
  EXPECT_DOUBLE_EQ(series_named(figure.panels[0], "zigzag").points.at(0).y, 0.5);
  EXPECT_TRUE(figure.panels[0].x.log);
}

TEST(ExposedTime, TwoWorkersCanExposeCommunicationAndOneCannot) {
  EXPECT_THAT(titles(exposed_time_figure(cases_of({link_case("ring", "threads", "1e10", 0.1, 1),
                                                   link_case("ring", "threads", "1e10", 0.1, 2)}))),
              ElementsAre("N = 8,192, W = 2, threads"));
}

TEST(ExposedTime, AModelIsDashedInAPanelOfItsOwn) {
  const Figure figure = exposed_time_figure(
      cases_of({link_case("ring", "threads", "1e9", 1.0), link_case("ring", "model", "1e9", 0.8)}));
  ASSERT_THAT(titles(figure), ElementsAre("N = 8,192, W = 4, model", "N = 8,192, W = 4, threads"));
  EXPECT_EQ(series_named(figure.panels[0], "ring").style.dash, 1);
  EXPECT_EQ(series_named(figure.panels[1], "ring").style.dash, 0);
}

TEST(ExposedTime, SerialCasesAndOneWorkerHaveNone) {
  EXPECT_THAT(exposed_time_figure(cases_of({link_case("ring", "serial", "1e9", 0.2),
                                            link_case("ring", "threads", "1e9", 0.2, 1)}))
                  .empty_reason,
              HasSubstr("exposed communication"));
}

Values sent_case(const std::string& ranks, const std::string& exposed_s) {
  return scheme_case("ring", 4, 8192, 2.0,
                     {{"ranks", ranks},
                      {"provenance", ranks == "model" ? "model" : "measured"},
                      {"link_bandwidth_byte_per_s", "2e9"},
                      {"exposed_communication_median_s", exposed_s},
                      {"device_sent_bytes", "4e9"}});
}

TEST(ExposedTime, OfManyPanelsTheFirstAndTheLastAreAmongThoseDrawn) {
  std::vector<Values> rows;
  for (int workers = 2; workers < 12; ++workers)
    rows.push_back(link_case("ring", "threads", "1e9", 0.1, workers));
  const Figure figure = exposed_time_figure(cases_of(rows));
  ASSERT_EQ(figure.panels.size(), 4u);
  EXPECT_EQ(figure.panels.front().title, "N = 8,192, W = 2, threads");
  EXPECT_EQ(figure.panels.back().title, "N = 8,192, W = 11, threads");
  EXPECT_THAT(figure.notes, ::testing::Contains(HasSubstr("Not drawn: 6 of 10 panels")));
}

TEST(ExposedTime, CasesWithoutItAreSaidToBeLeftOutWithTheReason) {
  Values failed = link_case("ring", "threads", "1e8", 0.1);
  failed["status"] = "timeout";
  const CsvTable cases =
      cases_of({link_case("ring", "threads", "1e9", 0.1), link_case("ring", "serial", "1e9", 0.1),
                link_case("ring", "threads", "1e9", 0.0, 1), failed});
  EXPECT_THAT(exposed_time_figure(cases).notes,
              ::testing::Contains(
                  "Not drawn: 1 of 4 cases (one worker); 1 of 4 cases (serial ranks, whose workers "
                  "took turns); 1 of 4 cases (timeout)."));
}

TEST(ExposedTime, SchemesWithARootAreLeftOutSinceTheirScatterAndGatherHaveNoSuchTime) {
  Values cqs = link_case("cqs", "threads", "1e9", 0.1);
  cqs["root_sent_bytes"] = "4e8";
  const Figure figure =
      exposed_time_figure(cases_of({link_case("ring", "threads", "1e9", 0.1), cqs}));
  EXPECT_THROW((void)series_named(figure.panels.at(0), "cqs"), std::out_of_range);
  EXPECT_THAT(figure.notes, ::testing::Contains(HasSubstr("1 of 2 cases (a root, whose scatter")));
}

TEST(ExposedTime, OnlyClocksThatCountAreInTheTitle) {
  Values stolen = sent_case("mpi", "2.5");
  stolen["disturbed_by"] = "stolen";
  stolen["link_bandwidth_byte_per_s"] = "1e9";
  stolen["case_id"] = "stolen";
  PlottedRun run(scheme_table({sent_case("mpi", "0.5"), stolen}));
  EXPECT_EQ(exposed_time_figure(run).title,
            "Workers wait 0.25 times as long as their bytes take on the link");
  on_two_cores(run);
  EXPECT_EQ(exposed_time_figure(run).title,
            "Waiting for data over what its bytes take on the link, mpi on 2 cores");
}

TEST(ExposedTime, IntervalsAreDrawn) {
  const auto with_interval = [](Values values, const char* low, const char* high) {
    values["exposed_communication_low95_s"] = low;
    values["exposed_communication_high95_s"] = high;
    return values;
  };
  Values faster = sent_case("mpi", "0.7");
  faster["link_bandwidth_byte_per_s"] = "4e9";
  faster["case_id"] = "faster";
  const Values slower = with_interval(sent_case("mpi", "0.5"), "0.4", "0.6");
  const Figure apart =
      exposed_time_figure(scheme_table({slower, with_interval(faster, "0.65", "0.8")}));
  EXPECT_THAT(apart.notes, ::testing::Contains(HasSubstr("Bars: ")));
  const Series& line = series_named(apart.panels.at(0), "ring");
  EXPECT_DOUBLE_EQ(line.points.at(0).low, 0.2);
  EXPECT_DOUBLE_EQ(line.points.at(1).high, 0.8);
}

TEST(ExposedTime, ALinkWithoutALimitIsLeftOut) {
  Values unlimited = sent_case("mpi", "0.1");
  unlimited["link_bandwidth_byte_per_s"] = "";
  EXPECT_THAT(exposed_time_figure(scheme_table({unlimited})).empty_reason,
              HasSubstr("link.bandwidth"));
}

// The committed figure: four ranks on two cores are in no title, and each mark is the time of
// cases.csv over what its bytes take.
TEST(ExposedTime, CommittedRatiosAreThoseOfTheCasesAndTheTitleRanksNone) {
  const CommittedFigure figure("mpi_link", "exposed_time");
  EXPECT_EQ(figure.title(),
            "Waiting for data over what its bytes take on the link, mpi on 2 cores");
  const PlottedRun run = read_plotted_run(source_path("data/measured/epyc-zen3-2-cores/mpi_link"));
  // Its rows are older than the bytes of a device; all workers send alike but those of cqs_sharded.
  std::vector<double> ratios;
  for (const Row& row : all_rows(run.cases))
    ratios.push_back(row.number("exposed_communication_median_s") *
                     row.number("link_bandwidth_byte_per_s") * row.number("workers") /
                     row.number("moved_bytes"));
  for (const auto& [scheme, line] : figure.lines("1"))
    for (const auto& [bandwidth, ratio] : line)
      EXPECT_TRUE(scheme == "cqs_sharded" ||
                  std::ranges::any_of(
                      ratios, [&](double one) { return std::fabs(one / ratio - 1.0) < 1e-6; }))
          << scheme << " " << bandwidth << " " << ratio;
}

}  // namespace
}  // namespace qb
