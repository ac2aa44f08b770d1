// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "base/schema/kernels.h"
#include "base/schema/strategies.h"

namespace qb {
namespace {

// Algorithms have these colours too (base/schema/strategies.h).
constexpr std::uint32_t kVermillion = 0xD46207;
constexpr std::uint32_t kWine = 0x801A4D;
constexpr std::uint32_t kBlue = 0x2572AA;
constexpr std::uint32_t kOrange = 0xE6A216;
constexpr std::uint32_t kGreen = 0x409877;
constexpr std::uint32_t kPurple = 0xC877A5;
constexpr std::uint32_t kIndigo = 0x2E2388;
constexpr std::uint32_t kSky = 0x71A8D5;

constexpr std::array kColours = {kBlue, kVermillion, kGreen, kPurple, kOrange, kSky};

#define QB_STRATEGY(name, function, colour, mark, summary) {#name, {colour, mark}},
constexpr std::pair<std::string_view, Style> kAlgorithms[] = {QB_STRATEGIES(QB_STRATEGY)};
#undef QB_STRATEGY

// The one kernel of another program. Ours are in base/schema/kernels.h.
constexpr std::string_view kTorch = "torch_sdpa";

// Families have one hue: windows red, cells blue, random ones orange, global ones green.
constexpr std::pair<std::string_view, Style> kPatterns[] = {
    {"full", {kBlack, 0}},
    {"causal", {0x6A6E75, 0}},
    {"block_local", {0x1174B7, 1}},
    {"variable_window", {0x35208A, 1}},
    {"sliding_window", {0xBB5B05, 4}},
    {"dilated_window", {0x6A1342, 2}},
    {"random", {0xF2B00D, 3}},
    {"global", {0x259F78, 2}},
    {"longformer", {0xAF799E, 5}},
    {"bigbird", {0x33B5F3, 0}},
    {"strided", {0xA39A43, 3}},
    {"fixed", {0x824504, 5}},
    {"any_of", {0x86B0A4, 4}},
    {"all_of", {0x3D7248, 1}},
};

// Operators in place of attention have colours of patterns that they never stand beside: `full`,
// `causal`, `sliding_window` and `bigbird` are in their figures.
constexpr std::pair<std::string_view, Style> kOperators[] = {
    {"linear", {0x1174B7, 1}},         {"performer", {0x35208A, 1}},
    {"nystrom", {0x259F78, 2}},        {"linformer", {0xF2B00D, 3}},
    {"perceiver", {0xAF799E, 5}},      {"ssd", {0x6A1342, 2}},
    {"selective_scan", {0xA39A43, 3}}, {"axial", {0x3D7248, 4}},
    {"gated_delta", {0x0A00F0, 0}},    {"short_convolution", {0x3C3600, 5}},
};

// Those of one and of two threads, lighter and darker, are told apart, too.
constexpr std::pair<std::string_view, Style> kDtypes[] = {
    {"f32", {kIndigo, 0}},
    {"bf16", {kOrange, 3}},
    {"f16", {kGreen, 1}},
    {"f64", {kWine, 4}},
};

// Gives the style of a known word, or one that follows from its letters.
template <class Styles>
Style named_style(const Styles& styles, std::string_view name) {
  for (const auto& [known, style] : styles)
    if (known == name) return style;
  int sum = 0;
  for (const char c : name) sum += static_cast<unsigned char>(c);
  return indexed_style(sum);
}

// The part of light that a byte of sRGB stands for.
double linear(std::uint32_t byte) {
  const double value = static_cast<double>(byte & 0xFF) / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

// L* of CIELAB, from 0 to 100.
double lightness(std::uint32_t colour) {
  const double y =
      0.2126 * linear(colour >> 16) + 0.7152 * linear(colour >> 8) + 0.0722 * linear(colour);
  return y > 216.0 / 24389.0 ? 116.0 * std::cbrt(y) - 16.0 : y * 24389.0 / 27.0;
}

// Mixes with white, or with black if the amount is negative; 0 changes nothing and 1 all.
std::uint32_t mixed(std::uint32_t colour, double amount) {
  const auto component = [&](std::uint32_t byte) {
    const auto value = static_cast<double>(byte & 0xFF);
    const double to = amount > 0.0 ? value + (255.0 - value) * amount : value * (1.0 + amount);
    return static_cast<std::uint32_t>(std::lround(to));
  };
  return component(colour >> 16) << 16 | component(colour >> 8) << 8 | component(colour);
}

std::uint32_t from_hsv(double hue, double saturation, double value) {
  const auto component = [&](double shift) {
    const double k = std::fmod(shift + hue * 6.0, 6.0);
    const double part = value * (1.0 - saturation * std::max(0.0, std::min({k, 4.0 - k, 1.0})));
    return static_cast<std::uint32_t>(std::lround(part * 255.0));
  };
  return component(5.0) << 16 | component(3.0) << 8 | component(1.0);
}

}  // namespace

Style indexed_style(int index) {
  const int colours = static_cast<int>(kColours.size());
  return {kColours[static_cast<std::size_t>(index % colours)], (index + index / colours) % kMarks};
}

// Lightness is what all kinds of colour vision share. A few shades lie around the middle; many
// take the whole range that can be seen on white.
std::uint32_t shade(std::uint32_t colour, int place, int count) {
  if (count < 2) return colour;
  const double light = count < 5 ? 50.0 + 7.0 * count : 65.0 + 3.0 * std::min(count, kShades);
  const double dark = std::max(4.0, 50.0 - 7.0 * count);
  const double wanted = light - (light - dark) * std::min(place, count - 1) / (count - 1);
  double low = -1.0;
  double high = 1.0;
  for (int i = 0; i < 24; ++i) {
    const double middle = (low + high) / 2;
    (lightness(mixed(colour, middle)) < wanted ? low : high) = middle;
  }
  return mixed(colour, (low + high) / 2);
}

Style algorithm_style(std::string_view algorithm) { return named_style(kAlgorithms, algorithm); }

std::optional<int> algorithm_place(std::string_view name) {
  const auto* const found =
      std::ranges::find(kAlgorithms, name, &std::pair<std::string_view, Style>::first);
  if (found == std::end(kAlgorithms)) return std::nullopt;
  return static_cast<int>(found - std::begin(kAlgorithms));
}

int ranks_mark(std::string_view ranks) {
  constexpr std::array<std::string_view, 5> known = {"threads", "mpi", "serial", "model", "nccl"};
  const auto found = std::find(known.begin(), known.end(), ranks);
  return static_cast<int>(found - known.begin());
}

Style kernel_style(std::string_view kernel) {
  for (const KernelRow& row : kKernelRows)
    if (row.name == kernel) return {row.colour, row.mark};
  if (kernel == kTorch) return {kBlue, 2};
  return named_style(std::span<const std::pair<std::string_view, Style>>(), kernel);
}

std::string kernel_name(std::string_view kernel) {
  return std::string(kernel == kTorch ? "PyTorch SDPA" : kernel);
}

Style pattern_style(std::string_view kind) { return named_style(kPatterns, kind); }
Style operator_style(std::string_view kind) { return named_style(kOperators, kind); }
Style dtype_style(std::string_view dtype) { return named_style(kDtypes, dtype); }

std::uint32_t partition_colour(int worker) {
  // The first eight are far apart for every colour vision; then come hues by the golden ratio.
  constexpr std::array<std::uint32_t, 8> first = {0x72CEFF, 0xEAA601, 0x47B792, 0xF5E93A,
                                                  0xD77A38, 0xD19FC2, 0x9E8FDC, 0xC9C9C7};
  if (worker < static_cast<int>(first.size())) return first[static_cast<std::size_t>(worker)];
  const double hue = std::fmod(static_cast<double>(worker) * 0.618033988749895, 1.0);
  constexpr std::array<double, 3> saturations = {0.32, 0.52, 0.42};
  constexpr std::array<double, 2> values = {0.98, 0.86};
  return from_hsv(hue, saturations[static_cast<std::size_t>(worker) % saturations.size()],
                  values[static_cast<std::size_t>(worker) % values.size()]);
}

std::string_view hatch_of(std::uint32_t colour) {
  return colour == kCommunicationColour ? "////" : colour == kGatherColour ? "xxxx" : "";
}

std::uint32_t lightened(std::uint32_t colour) { return ((colour >> 1) & 0x7F7F7F) + 0x7F7F7F; }

std::string colour_text(std::uint32_t colour) { return fmt::format("#{:06x}", colour); }

}  // namespace qb
