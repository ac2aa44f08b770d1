// SPDX-License-Identifier: Apache-2.0
// One table of colours and marks for every figure: an algorithm, a kernel, an element type or a
// pattern looks the same wherever it is drawn.
//
// Colour and mark say which one it is. Lightness says which of several of one look: `W = 4` or `W =
// 7` of one algorithm, one or two threads of one kernel. A dash says that a line is a reference
// beside what was measured: published, a bound, or a model. So no mark and no dash ever means a
// number of workers. All colours of a table differ by a CIEDE2000 of 10 or more for people with
// normal, protanopic, deuteranopic and tritanopic vision, which a test computes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace qb {

inline constexpr std::uint32_t kBlack = 0x000000;
inline constexpr std::uint32_t kGrey = 0x6E6E6E;
inline constexpr std::uint32_t kWhite = 0xFFFFFF;

// `mark` counts the shapes: circle, square, triangle, inverted triangle, diamond, pentagon. `dash`
// counts the lines: solid, and dashed and dotted for references.
struct Style {
  std::uint32_t colour = kBlack;
  int mark = 0;
  int dash = 0;
  friend bool operator==(const Style&, const Style&) = default;
};

inline constexpr int kMarks = 6;
inline constexpr int kSlash = 6;  // of a bar that is cut, beyond those

// Makes the `place`-th of `count` shades of a colour, from light to dark; the only one is the
// colour itself. Up to kShades of them differ by 10 or more.
inline constexpr int kShades = 7;
[[nodiscard]] std::uint32_t shade(std::uint32_t colour, int place, int count);

[[nodiscard]] Style algorithm_style(std::string_view algorithm);
// Gives the place of an algorithm in the registry, in whose order legends are; empty if there is
// none of that name.
[[nodiscard]] std::optional<int> algorithm_place(std::string_view name);
// Gives the mark for who plays the workers (`ranks:`) where the colour tells the algorithm.
[[nodiscard]] int ranks_mark(std::string_view ranks);
// Gives the style of a kernel, of this program or another, or of an element type.
[[nodiscard]] Style kernel_style(std::string_view kernel);
// Gives the name that its makers gave a kernel of another program: `PyTorch SDPA`; ours are named
// by their words.
[[nodiscard]] std::string kernel_name(std::string_view kernel);
[[nodiscard]] Style dtype_style(std::string_view dtype);
// Gives the style of a sparse pattern by its name, `sliding_window`; also of `full` and `causal`.
[[nodiscard]] Style pattern_style(std::string_view kind);
// Gives the style of an operator that mixes tokens in place of attention.
[[nodiscard]] Style operator_style(std::string_view kind);
// Gives the style of the index-th of many equal things (interest sets of one worker count).
[[nodiscard]] Style indexed_style(int index);

// Gives the fill of worker `worker` in a partition: it is light enough for black text, and
// neighbours are far apart in hue.
[[nodiscard]] std::uint32_t partition_colour(int worker);

// These colours show what a worker does wherever its time is drawn.
inline constexpr std::uint32_t kComputeColour = 0x44546A;
inline constexpr std::uint32_t kCommunicationColour = 0xE3A13C;
inline constexpr std::uint32_t kGatherColour = 0xB5541C;
inline constexpr std::uint32_t kIdleColour = 0xC9C9C9;
inline constexpr std::uint32_t kReceiveColour = 0x004D40;
inline constexpr std::uint32_t kSendColour = 0x7B2D8B;

// Gives the white strokes on a fill that tell what moves from what computes in grey print, as
// matplotlib writes them; empty for other fills.
[[nodiscard]] std::string_view hatch_of(std::uint32_t colour);

// Mixes a colour with as much white, for what is drawn behind.
[[nodiscard]] std::uint32_t lightened(std::uint32_t colour);

// Writes `#0072b2`.
[[nodiscard]] std::string colour_text(std::uint32_t colour);

}  // namespace qb
