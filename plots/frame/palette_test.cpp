#include "plots/frame/palette.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <utility>

namespace qb {
namespace {

TEST(Palette, WorkerCountsOfTheCaseStudyDifferInColourAndInMark) {
  std::set<std::uint32_t> colours;
  std::set<int> marks;
  for (const int workers : {1, 4, 7, 8, 31}) {
    colours.insert(worker_style(workers).colour);
    marks.insert(worker_style(workers).mark);
  }
  EXPECT_EQ(colours.size(), 5u);
  EXPECT_EQ(marks.size(), 5u);
}

TEST(Palette, AVariantKeepsTheColourAndChangesTheMark) {
  EXPECT_EQ(worker_style(31, 1).colour, worker_style(31).colour);
  EXPECT_NE(worker_style(31, 1).mark, worker_style(31).mark);
  EXPECT_EQ(algorithm_style("cqs", 2).colour, algorithm_style("cqs").colour);
}

TEST(Palette, AnyWorkerCountAndAnyAlgorithmHasAStyle) {
  for (const std::int64_t workers : {3, 57, 1057, 1'000'000}) {
    EXPECT_GE(worker_style(workers).mark, 0);
    EXPECT_LT(worker_style(workers).mark, kMarks);
  }
  EXPECT_EQ(algorithm_style("something new"), algorithm_style("something new"));
}

TEST(Palette, EveryAlgorithmHasAColourOfItsOwnAndAnotherLook) {
  std::set<std::uint32_t> colours;
  std::set<std::pair<int, int>> looks;  // looks in a grey print
  for (const char* algorithm :
       {"dense", "cqs", "cqs_sharded", "ring", "striped", "zigzag", "pass_kv", "pass_q", "decode",
        "flash_decoding", "tree_decode", "ulysses", "all_gather_kv"}) {
    const Style style = algorithm_style(algorithm);
    EXPECT_TRUE(colours.insert(style.colour).second) << algorithm;
    EXPECT_TRUE(looks.emplace(style.mark, style.dash).second) << algorithm;
  }
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
  for (int i = 0; i < kSpareColours; ++i)
    EXPECT_TRUE(kernels.insert(spare_colour(i)).second) << "spare colour " << i;
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
  for (const char* kind :
       {"full", "causal", "block_local", "variable_window", "sliding_window", "dilated_window",
        "random", "global", "longformer", "bigbird", "strided", "fixed", "any_of", "all_of"})
    for (int variant = 0; variant < kMarks; ++variant)
      styles.push_back(pattern_style(kind, variant));
  for (const char* algorithm :
       {"dense", "cqs", "cqs_sharded", "ring", "striped", "zigzag", "pass_kv", "pass_q", "decode",
        "flash_decoding", "tree_decode", "ulysses", "all_gather_kv"})
    for (int variant = 0; variant < kMarks; ++variant)
      styles.push_back(algorithm_style(algorithm, variant));
  for (int index = 0; index < 20; ++index) styles.push_back(indexed_style(index));
  for (const Style& style : styles) {
    EXPECT_GE(style.mark, 0);
    EXPECT_LT(style.mark, kMarks);
    EXPECT_GE(style.dash, 0);
    EXPECT_LT(style.dash, kDashes);
  }
}

// Relative luminance of sRGB (WCAG); black text on it has contrast (L + 0.05) / 0.05.
double contrast_with_black(std::uint32_t colour) {
  const auto linear = [](std::uint32_t byte) {
    const double value = byte / 255.0;
    return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  const double luminance = 0.2126 * linear(colour >> 16 & 0xFF) +
                           0.7152 * linear(colour >> 8 & 0xFF) + 0.0722 * linear(colour & 0xFF);
  return (luminance + 0.05) / 0.05;
}

TEST(Palette, PartitionColoursAreDistinct) {
  std::set<std::uint32_t> colours;
  for (int worker = 0; worker < 128; ++worker) colours.insert(partition_colour(worker));
  EXPECT_EQ(colours.size(), 128u);
}

TEST(Palette, BlackNumbersCanBeReadOnPartitionColours) {
  EXPECT_GT(contrast_with_black(kComputeColour), 4.5);
  for (int worker = 0; worker < 128; ++worker)
    EXPECT_GT(contrast_with_black(partition_colour(worker)), 4.5) << "worker " << worker;
}

TEST(Palette, WritesColoursAsGnuplotAndHtmlReadThem) {
  EXPECT_EQ(colour_text(0x0072B2), "#0072b2");
  EXPECT_EQ(colour_text(lightened(0x000000)), "#7f7f7f");
}

}  // namespace
}  // namespace qb
