// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/palette.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/schema/kernels.h"
#include "base/schema/strategies.h"
#include "plots/testing/colour_vision.h"

namespace qb {
namespace {

using namespace testing_support;

#define QB_NAME(name, ...) #name,
constexpr const char* kAlgorithms[] = {QB_STRATEGIES(QB_NAME)};
#undef QB_NAME
constexpr const char* kPatterns[] = {
    "full",           "causal", "block_local", "variable_window", "sliding_window",
    "dilated_window", "random", "global",      "longformer",      "bigbird",
    "strided",        "fixed",  "any_of",      "all_of"};
constexpr double kApart = 10.0;

using Named = std::vector<std::pair<std::string, std::uint32_t>>;

// What the palette says of a set of words.
template <class Words, class StyleOf>
Named colours_of(const Words& words, StyleOf style_of) {
  Named all;
  for (const auto& word : words) all.emplace_back(fmt::format("{}", word), style_of(word).colour);
  return all;
}

void expect_apart(const Named& colours) {
  for (const Vision& vision : kVisions)
    for (std::size_t i = 0; i < colours.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_GE(distance(colours[i].second, colours[j].second, vision), kApart)
            << colours[i].first << " and " << colours[j].first << ", " << vision.name;
}

TEST(Palette, DistancesAreThoseOfThePublishedTestData) {
  EXPECT_NEAR(ciede2000({50, 2.6772, -79.7751}, {50, 0, -82.7485}), 2.0425, 1e-4);
  EXPECT_NEAR(ciede2000({60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}), 1.2644, 1e-4);
  EXPECT_NEAR(ciede2000({2.0776, 0.0795, -1.135}, {0.9033, -0.0636, -0.5514}), 0.9082, 1e-4);
}

// These rely on colour alone: algorithms share six marks, but no two of them a colour.
TEST(Palette, AnyTwoAlgorithmsAreToldApartWithEveryColourVision) {
  expect_apart(colours_of(kAlgorithms, [](const char* word) { return algorithm_style(word); }));
}

TEST(Palette, KernelsAndElementTypesAreToldApartWithEveryColourVision) {
  std::vector<std::string> kernels = {"torch_sdpa"};
  for (const KernelRow& row : kKernelRows) kernels.emplace_back(row.name);
  expect_apart(colours_of(kernels, [](const std::string& word) { return kernel_style(word); }));
  const auto dtypes = {"f32", "bf16", "f16", "f64"};
  expect_apart(colours_of(dtypes, [](const char* word) { return dtype_style(word); }));
  Named threads;  // one and two
  for (const char* dtype : {"f32", "bf16", "f16"})
    for (const int place : {0, 1})
      threads.emplace_back(fmt::format("{} {}", dtype, place),
                           shade(dtype_style(dtype).colour, place, 2));
  expect_apart(threads);
}

TEST(Palette, PatternsAreToldApartWithEveryColourVision) {
  expect_apart(colours_of(kPatterns, [](const char* word) { return pattern_style(word); }));
}

TEST(Palette, OperatorsAreToldApartFromEachOtherAndFromAttention) {
  Named all = colours_of(std::vector{"full", "causal", "sliding_window", "bigbird"},
                         [](const char* word) { return pattern_style(word); });
  const Named operators =
      colours_of(std::vector{"linear", "performer", "nystrom", "linformer", "perceiver", "axial",
                             "ssd", "gated_delta", "selective_scan", "short_convolution"},
                 [](const char* word) { return operator_style(word); });
  all.insert(all.end(), operators.begin(), operators.end());
  expect_apart(all);
}

// These rely on lightness: worker counts of one algorithm have its hue. Up to seven share a figure.
TEST(Palette, WorkerCountsOfAnAlgorithmAreShadesThatAreToldApart) {
  for (int count = 2; count <= kShades; ++count) {
    Named shades;
    for (int place = 0; place < count; ++place)
      shades.emplace_back(fmt::format("{} of {}", place, count),
                          shade(algorithm_style("cqs").colour, place, count));
    expect_apart(shades);
  }
  for (const char* algorithm : kAlgorithms) {
    Named shades;
    for (int place = 0; place < 4; ++place)
      shades.emplace_back(fmt::format("{} {}", algorithm, place),
                          shade(algorithm_style(algorithm).colour, place, 4));
    expect_apart(shades);
  }
}

TEST(Palette, TheOnlyShadeIsTheColourItself) {
  EXPECT_EQ(shade(0xD46207, 0, 1), 0xD46207u);
  EXPECT_EQ(shade(0xD46207, 9, 4), shade(0xD46207, 3, 4)) << "beyond the last";
}

TEST(Palette, NoAlgorithmIsDashedSinceADashIsAReference) {
  for (const char* algorithm : kAlgorithms) EXPECT_EQ(algorithm_style(algorithm).dash, 0);
  for (const char* dtype : {"f32", "bf16", "f16", "f64"}) EXPECT_EQ(dtype_style(dtype).dash, 0);
}

TEST(Palette, AnyAlgorithmHasAStyle) {
  EXPECT_EQ(algorithm_style("something new"), algorithm_style("something new"));
  EXPECT_EQ(algorithm_place("dense"), 0);
  EXPECT_LT(*algorithm_place("ring"), *algorithm_place("ulysses"));
  EXPECT_FALSE(algorithm_place("something new"));
}

TEST(Palette, AnotherProgramsKernelHasTheNameOfItsMakers) {
  EXPECT_EQ(kernel_name("torch_sdpa"), "PyTorch SDPA");
  EXPECT_EQ(kernel_name("flash"), "flash");
}

TEST(Palette, RanksDifferInTheirMark) {
  std::set<int> marks;
  for (const char* ranks : {"serial", "threads", "mpi", "nccl", "model", "another"})
    EXPECT_TRUE(marks.insert(ranks_mark(ranks)).second) << ranks;
}

TEST(Palette, KnownKernelsAndElementTypesDifferInColour) {
  std::set<std::uint32_t> kernels;
  for (const char* kernel : {"flash", "materialized", "reference", "torch_sdpa"})
    kernels.insert(kernel_style(kernel).colour);
  EXPECT_EQ(kernels.size(), 4u);
  std::set<std::uint32_t> dtypes;
  for (const char* dtype : {"f16", "bf16", "f32", "f64"}) dtypes.insert(dtype_style(dtype).colour);
  EXPECT_EQ(dtypes.size(), 4u);
}

TEST(Palette, EveryNamedStyleHasAMarkAndADashThatCanBeDrawn) {
  std::vector<Style> styles;
  for (const char* kernel : {"flash", "materialized", "reference", "torch_sdpa", "another"})
    styles.push_back(kernel_style(kernel));
  for (const char* dtype : {"f16", "bf16", "f32", "f64", "another"})
    styles.push_back(dtype_style(dtype));
  for (const char* kind : kPatterns) styles.push_back(pattern_style(kind));
  for (const char* algorithm : kAlgorithms) styles.push_back(algorithm_style(algorithm));
  for (int index = 0; index < 20; ++index) styles.push_back(indexed_style(index));
  for (const Style& style : styles) {
    EXPECT_GE(style.mark, 0);
    EXPECT_LT(style.mark, kMarks);
    EXPECT_GE(style.dash, 0);
    EXPECT_LT(style.dash, 3);
  }
}

TEST(Palette, PartitionColoursAreDistinct) {
  std::set<std::uint32_t> colours;
  for (int worker = 0; worker < 128; ++worker) colours.insert(partition_colour(worker));
  EXPECT_EQ(colours.size(), 128u);
  Named first;
  for (int worker = 0; worker < 8; ++worker)
    first.emplace_back(fmt::format("worker {}", worker), partition_colour(worker));
  expect_apart(first);
}

TEST(Palette, WhatAWorkerDoesIsToldApartAlsoInGreyPrint) {
  expect_apart({{"compute", kComputeColour},
                {"communication", kCommunicationColour},
                {"gather", kGatherColour},
                {"idle", kIdleColour}});
  EXPECT_NE(hatch_of(kCommunicationColour), hatch_of(kIdleColour)) << "both are light";
  EXPECT_NE(hatch_of(kGatherColour), hatch_of(kComputeColour)) << "both are dark";
}

TEST(Palette, WritesColoursAsHtmlReadsThem) {
  EXPECT_EQ(colour_text(0x0072B2), "#0072b2");
  EXPECT_EQ(colour_text(lightened(0x000000)), "#7f7f7f");
}

}  // namespace
}  // namespace qb
