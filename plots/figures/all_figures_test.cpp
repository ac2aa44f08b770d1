// SPDX-License-Identifier: Apache-2.0
// What holds for each figure, whatever it shows.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <string>

#include "base/files.h"
#include "base/source_root.h"
#include "plots/draw/draw.h"
#include "plots/figures/figures.h"
#include "plots/frame/table.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::AnyOf;
using ::testing::HasSubstr;

// Schemes of all kinds at W = 1, 4 and 8 and two lengths under threads, as a machine of many cores
// marks them; those of `slow` take `times` as long.
CsvTable schemes_over_workers(const std::string& slow, double times) {
  CsvTable cases = no_cases();
  const auto add = [&](const std::string& algorithm, int workers, std::int64_t n_tokens,
                       const Values& more) {
    const double seconds = 0.01 * (workers > 1 && algorithm == slow ? times : 1.0);
    Values values = {{"device_sent_bytes", "1e6"},
                     {"device_peak_bytes", "1e6"},
                     {"relative_l2_error", "1e-6"},
                     {"link_bandwidth_byte_per_s", "1e9"},
                     {"kv_len", fmt::to_string(n_tokens)},
                     {"compute_median_s", to_text(0.5 * seconds)},
                     {"exposed_communication_median_s", to_text(0.5 * seconds)},
                     {"idle_median_s", "0"}};
    for (const char* clock : {"critical_path", "longest_subsequence"})
      for (const auto& [end, factor] : {std::pair{"median", 1.0}, {"low95", 0.9}, {"high95", 1.1}})
        values[fmt::format("{}_{}_s", clock, end)] = to_text(factor * seconds);
    values["achieved_flop_per_s"] = to_text(1e9 / seconds);
    for (const auto& [column, value] : more) values[column] = value;
    add_case(cases, scheme_case(algorithm, workers, n_tokens, seconds, values));
  };
  for (const std::int64_t n_tokens : {1024, 4096}) {
    for (const int workers : {4, 8}) {
      for (const char* scheme : {"ring", "striped", "zigzag", "cqs_sharded", "pass_q", "pass_kv"})
        add(scheme, workers, n_tokens, {});
      add("cqs_sharded", workers, n_tokens, {{"distillation", "balanced"}});
      for (const char* scheme : {"decode", "tree_decode", "pass_q", "pass_kv"})
        add(scheme, workers, n_tokens / 64, {{"kv_len", fmt::to_string(n_tokens)}});
    }
    add("dense", 1, n_tokens, {});
    add("dense", 1, n_tokens / 64, {{"kv_len", fmt::to_string(n_tokens)}});
  }
  return cases;
}

TEST(AllFigures, ClocksOfMoreWorkersThanCoresAreInNoTitle) {
  const auto said = [](const std::string& slow, double times) {
    PlottedRun run(schemes_over_workers(slow, times));
    on_two_cores(run);
    std::map<std::string, std::string> titles;
    for (const Figure& figure : figures_of_run(run))
      titles[figure.name] = figure.title + " " + figure.finding;
    return titles;
  };
  const auto same = said("", 1.0);
  EXPECT_GE(same.size(), 10u);
  for (const char* slow : {"ring", "zigzag", "cqs_sharded", "pass_q", "tree_decode"})
    for (const double times : {0.25, 4.0}) EXPECT_EQ(said(slow, times), same) << slow;
}

TEST(AllFigures, AFigureOfOneLengthNamesIt) {
  for (const Figure& figure : figures_of_run(PlottedRun(schemes_over_workers("ring", 2.0)))) {
    std::string words = figure.title + figure.subtitle;
    bool against_length = false;
    for (const std::string& note : figure.notes) words += note;
    for (const Panel& panel : figure.panels) {
      words += panel.title;
      for (const Series& series : panel.series) words += ' ' + series.name;
      for (const Axis* axis : {&panel.x, &panel.y}) {
        against_length = against_length || axis->column.find("tokens") != std::string::npos;
        for (const Axis::Tic& tic : axis->tics) words += ' ' + tic.label;
      }
    }
    if (against_length) continue;
    EXPECT_THAT(words, AnyOf(HasSubstr("1,024"), HasSubstr("4,096"))) << figure.name;
  }
}

TEST(AllFigures, WhatIsSaidAndMeantStandsInTheCaption) {
  for (const Figure& figure : figures_of_run(PlottedRun(schemes_over_workers("ring", 2.0)))) {
    const std::string caption = caption_latex(figure);
    EXPECT_NE(figure.finding, figure.title + '.') << "it would be said twice";
    for (const std::string& said : joined_notes({{figure.title, figure.finding}, figure.notes}))
      EXPECT_THAT(caption, HasSubstr(latex_escape(said))) << figure.name;
  }
}

TEST(AllFigures, EachCommittedOneHasATestOfItsClaim) {
  namespace fs = std::filesystem;
  std::string tests;
  for (const char* folder : {"plots/figures", "harness/cli/views"})
    for (const auto& file : fs::directory_iterator(source_path(folder)))
      if (file.path().string().ends_with("_test.cpp")) tests += read_text(file.path().string());
  int figures = 0;
  for (const auto& file : fs::recursive_directory_iterator(source_path("paper_figures"))) {
    if (file.path().extension() != ".svg") continue;
    if (is_declared(file.path().stem().string())) continue;  // DeclaredTitles.* reads them all
    const fs::path folder = file.path().parent_path();
    const fs::path run = folder.filename() == "figures" ? folder.parent_path() : folder;
    EXPECT_THAT(tests, HasSubstr(fmt::format("(\"{}\", \"{}\")", run.filename().string(),
                                             file.path().stem().string())));
    ++figures;
  }
  EXPECT_GE(figures, 14);
}

}  // namespace
}  // namespace qb
