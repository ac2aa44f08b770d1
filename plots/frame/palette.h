// One table of colours and marks for every figure: a worker count or an algorithm looks the same
// wherever it is drawn. Colours are those of Okabe and Ito, which people with any common colour
// vision tell apart; marks differ too, so that a print in grey can be read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace qb {

inline constexpr std::uint32_t kBlack = 0x000000;
inline constexpr std::uint32_t kGrey = 0x6E6E6E;

// `mark` counts the shapes: circle, square, triangle, inverted triangle, diamond, pentagon. `dash`
// counts the lines: solid, dashed, dotted.
struct Style {
  std::uint32_t colour = kBlack;
  int mark = 0;
  int dash = 0;
  friend bool operator==(const Style&, const Style&) = default;
};

inline constexpr int kMarks = 6;
inline constexpr int kDashes = 3;

// `variant` tells apart series of the same worker count (or algorithm) in one figure: the colour is
// the same, the mark differs.
[[nodiscard]] Style worker_style(std::int64_t workers, int variant = 0);
[[nodiscard]] Style algorithm_style(std::string_view algorithm, int variant = 0);
// Gives the mark for who plays the workers (`ranks:`) where the colour tells the algorithm.
[[nodiscard]] int ranks_mark(std::string_view ranks);
// Gives the style of a kernel, of this program or another, or of an element type.
[[nodiscard]] Style kernel_style(std::string_view kernel);
[[nodiscard]] Style dtype_style(std::string_view dtype);
// Gives the style of a sparse pattern by its name, `sliding_window`; also of `full` and `causal`.
[[nodiscard]] Style pattern_style(std::string_view kind, int variant = 0);
// Colours that no known kernel has, then lighter ones; from the kSpareColours-th on they repeat.
inline constexpr int kSpareColours = 9;
[[nodiscard]] std::uint32_t spare_colour(int index);
// Gives the style of the index-th of many equal things (interest sets of one worker count).
[[nodiscard]] Style indexed_style(int index);

// Gives the fill of worker `worker` in a partition: it is light enough for black text, and
// neighbours are far apart in hue.
[[nodiscard]] std::uint32_t partition_colour(int worker);

// These colours show what a worker does wherever its time is drawn; black numbers can be read on
// the first.
inline constexpr std::uint32_t kComputeColour = 0x56B4E9;
inline constexpr std::uint32_t kCommunicationColour = 0xD55E00;
inline constexpr std::uint32_t kIdleColour = 0xD4D4D4;

// Mixes a colour with as much white, for what is drawn behind.
[[nodiscard]] std::uint32_t lightened(std::uint32_t colour);

// Writes `#0072b2`.
[[nodiscard]] std::string colour_text(std::uint32_t colour);

}  // namespace qb
