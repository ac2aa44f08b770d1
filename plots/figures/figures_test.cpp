// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "base/files.h"
#include "base/schema/figure_names.h"
#include "base/status.h"
#include "plots/testing/sample_run.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

PlottedRun sample() {
  const std::string folder = fresh_folder("run");
  write_file_atomically(folder + "/manifest.json", sample_manifest());
  write_file_atomically(folder + "/cases.csv", case_study_2(10).to_string());
  return read_plotted_run(folder);
}

std::vector<std::string> names(const std::vector<Figure>& figures) {
  std::vector<std::string> out;
  for (const Figure& figure : figures) out.push_back(figure.name);
  return out;
}

TEST(RunFigures, DrawsWhatTheSpecNames) {
  EXPECT_THAT(names(figures_of_run(sample())), ElementsAre("wall_clock", "peak_memory"));
}

TEST(RunFigures, WithoutNamesDrawsAllThatTheRunHasDataFor) {
  PlottedRun run = sample();
  run.provenance.figures.clear();
  EXPECT_THAT(
      names(figures_of_run(run)),
      ElementsAre("wall_clock", "speed_up", "throughput", "peak_memory", "scheme_comparison",
                  "efficiency", "weak_scaling", "longest_context", "kernel_bars"));
}

TEST(RunFigures, EachSaysInASentenceWhatItShows) {
  for (const Figure& figure : figures_of_run(sample())) {
    EXPECT_THAT(figure.finding, ::testing::EndsWith(".")) << figure.name;
  }
}

std::size_t caption_words(const Figure& figure) {
  std::string caption = figure.title;
  for (const std::string& note : figure.notes) caption += ' ' + note;
  return static_cast<std::size_t>(std::ranges::count(caption, ' ')) + 1;
}

TEST(RunFigures, CaptionsHaveAtMostSixtyWordsAndFiguresFourPanels) {
  PlottedRun schemes(
      scheme_table({scheme_case("ring", 4, 1024, 1.0), scheme_case("cqs", 4, 1024, 2.0),
                    scheme_case("striped", 4, 1024, 2.0)}));
  on_two_cores(schemes);
  std::vector<Figure> figures =
      figures_of_run(sample(), {"wall_clock", "speed_up", "peak_memory", "longest_context"});
  std::ranges::move(figures_of_run(schemes, {"scheme_comparison", "striped_speed_up"}),
                    std::back_inserter(figures));
  for (const Figure& figure : figures) {
    EXPECT_EQ(figure.empty_reason, "") << figure.name;
    EXPECT_LE(caption_words(figure), 60u) << figure.name << ": " << figure.title;
    EXPECT_LE(figure.panels.size(), 4u) << figure.name;
  }
}

TEST(RunFigures, ANamedFigureWithoutDataSaysWhy) {
  const auto figures = figures_of_run(sample(), {"memory_timeline"});
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_THAT(figures[0].empty_reason, HasSubstr("memory_timeline.csv"));
}

TEST(RunFigures, AnUnknownNameGetsTheNearest) {
  try {
    (void)figures_of_run(sample(), {"wallclock"});
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'wall_clock'"));
  }
}

TEST(RunFigures, TheSubtitleSaysShapeAndOrigin) {
  const std::string subtitle = figures_of_run(sample()).at(0).subtitle;
  EXPECT_THAT(subtitle, HasSubstr("H = 8"));
  EXPECT_THAT(subtitle, HasSubstr("Some CPU"));
}

TEST(RunFigures, TheSubtitleSaysRepeatsAndWorkersBeyondTheCores) {
  PlottedRun run = sample();
  EXPECT_THAT(figures_of_run(run, {"wall_clock"}).at(0).subtitle, HasSubstr("5 repeats"));
  run.cases = scheme_table({scheme_case("ring", 8, 1024, 1.0, {{"kv_heads", "2"}}),
                            scheme_case("zigzag", 8, 1024, 1.0, {{"kv_heads", "2"}})});
  on_two_cores(run);
  EXPECT_THAT(figures_of_run(run, {"scheme_comparison"}).at(0).subtitle,
              ::testing::AllOf(HasSubstr("W = 8 on 2 cores"), HasSubstr("N = 1,024"),
                               HasSubstr("H = 8, G = 2")));
}

TEST(RunFigures, TheSubtitleOfAModelNamesItsDeviceAndNotTheMachineThatComputedIt) {
  PlottedRun run = sample();
  run.cases = scheme_table(
      {scheme_case("ring", 4, 1024, 1.0, {{"ranks", "model"}, {"model_device", "a100"}})});
  const Figure figure = figures_of_run(run, {"wall_clock"}).at(0);
  EXPECT_THAT(figure.subtitle, HasSubstr("modelled A100; qb"));
  EXPECT_THAT(figure.subtitle, ::testing::Not(HasSubstr("cpu")));
  EXPECT_THAT(figure.finding, ::testing::StartsWith("Modelled. "));
}

// Makes the sample again as another program's run.
PlottedRun peer(const std::string& run_id, const std::string& kernel) {
  PlottedRun run = sample();
  run.provenance.run_id = run_id;
  run.provenance.peer = "torch 2.5";
  run.cases = no_cases();
  Values values = ok_case(1, 1000, 1.0);
  values["kernel"] = kernel;
  add_case(run.cases, values);
  return run;
}

TEST(RunFigures, ThroughputShowsTheRunsBesideItAndSaysWhatTheyAre) {
  PlottedRun run = sample();
  run.beside = {peer("r2", "torch_sdpa")};
  const auto figures = figures_of_run(run, {"throughput", "wall_clock"});
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_THAT(figures[0].subtitle, HasSubstr("beside it PyTorch SDPA (torch 2.5; qb 0.1.0"));
  EXPECT_THAT(figures[0].subtitle, ::testing::Not(HasSubstr("kernel")))
      << "the runs share no kernel";
  EXPECT_THAT(figures[1].subtitle, HasSubstr("beside it PyTorch SDPA"));
}

TEST(RunFigures, RunsThatShareAnIdAreNamedByTheirFolders) {
  PlottedRun run = sample();
  run.beside = {peer(run.provenance.run_id, "materialized")};
  run.beside[0].path = "elsewhere";
  const Figure figure = figures_of_run(run, {"throughput"}).at(0);
  EXPECT_THAT(figure.subtitle, HasSubstr("beside it elsewhere"));
}

TEST(RunFigures, AFolderOfMicrobenchmarksNeedsNoCases) {
  const std::string folder = fresh_folder("microbench");
  write_file_atomically(folder + "/manifest.json", R"({"schema_version": 1})");
  CsvTable microbench = no_microbench();
  add_repeat(microbench, {{"flop", "8e7"}, {"peak_per_s", "1e11"}});
  add_repeat(microbench, {{"benchmark", "decode"}, {"bytes", "9e6"}, {"peak_per_s", "1e10"}});
  write_file_atomically(folder + "/microbench.csv", microbench.to_string());
  const PlottedRun run = read_plotted_run(folder);
  EXPECT_THAT(names(figures_of_run(run)), ElementsAre("roofline"));
  for (const std::string_view name : kFigureNames) (void)figures_of_run(run, {std::string(name)});
  EXPECT_EQ(figures_of_run(run, {"wall_clock"}).at(0).empty_reason,
            "the run folder has no cases.csv");
}

TEST(RunFigures, StepsAreReadWhereTheFolderHasThem) {
  EXPECT_EQ(figures_of_run(sample(), {"gantt"}).at(0).empty_reason,
            "the run folder has no steps.csv");
  const std::string folder = fresh_folder("steps");
  write_file_atomically(folder + "/manifest.json", sample_manifest());
  CsvTable cases = no_cases();
  const Values ring = ok_case(2, 1000, 1.0);
  add_case(cases, ring);
  CsvTable steps = no_steps();
  for (int round = 0; round < 2; ++round)
    add_step(steps, ring.at("case_id"), 0, round, {{"compute_s", "1"}, {"unmasked_pairs", "1000"}});
  write_file_atomically(folder + "/cases.csv", cases.to_string());
  write_file_atomically(folder + "/steps.csv", steps.to_string());
  for (const Figure& figure : figures_of_run(read_plotted_run(folder), {"gantt", "work_per_round"}))
    EXPECT_EQ(figure.empty_reason, "") << figure.name;
}

TEST(RunFigures, AFolderThatIsNoRunIsASentence) {
  EXPECT_THROW((void)read_plotted_run(fresh_folder("no_run")), UsageError);
  EXPECT_THROW((void)read_plotted_run("/nonexistent/run"), UsageError);
}

}  // namespace
}  // namespace qb
