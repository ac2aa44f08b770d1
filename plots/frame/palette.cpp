#include "plots/frame/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/schema/kernels.h"
#include "base/schema/strategies.h"

namespace qb {
namespace {

constexpr std::uint32_t kBlue = 0x0072B2;
constexpr std::uint32_t kVermillion = 0xD55E00;
constexpr std::uint32_t kGreen = 0x009E73;
constexpr std::uint32_t kPurple = 0xCC79A7;
constexpr std::uint32_t kOrange = 0xE69F00;
constexpr std::uint32_t kSky = 0x56B4E9;
// These are Tol's muted set and a brown, for when the six are not enough.
constexpr std::uint32_t kWine = 0x882255;
constexpr std::uint32_t kIndigo = 0x332288;
constexpr std::uint32_t kTeal = 0x44AA99;
constexpr std::uint32_t kOlive = 0x999933;
constexpr std::uint32_t kBrown = 0x8C510A;

// Yellow, the eighth colour of the set, is too light for a line on white.
constexpr std::array kColours = {kBlue, kVermillion, kGreen, kPurple, kOrange, kSky};

constexpr std::pair<std::int64_t, Style> kWorkers[] = {
    {1, {kBlack, 0}},   {2, {kSky, 1}},   {4, {kOrange, 1}},  {7, {kBlue, 2}},
    {8, {kGreen, 3}},   {13, {kSky, 5}},  {16, {kPurple, 5}}, {31, {kVermillion, 4}},
    {32, {kPurple, 1}}, {64, {kBlue, 4}}, {57, {kGreen, 0}},
};

#define QB_STRATEGY(name, function, colour, mark, dash, summary) {#name, {colour, mark, dash}},
constexpr std::pair<std::string_view, Style> kAlgorithms[] = {QB_STRATEGIES(QB_STRATEGY)};
#undef QB_STRATEGY

// Our kernels are in base/schema/kernels.h.
constexpr std::pair<std::string_view, Style> kKernelsOfOthers[] = {
    {"torch_sdpa", {kBlue, 2}},
};

// Families of patterns have one hue: windows red, cells blue, random ones orange, global ones
// green.
constexpr std::pair<std::string_view, Style> kPatterns[] = {
    {"full", {kBlack, 0}},
    {"causal", {kGrey, 0}},
    {"block_local", {kBlue, 1}},
    {"variable_window", {kIndigo, 1}},
    {"sliding_window", {kVermillion, 4}},
    {"dilated_window", {kWine, 2}},
    {"random", {kOrange, 3}},
    {"global", {kGreen, 2}},
    {"longformer", {kPurple, 5}},
    {"bigbird", {kSky, 0}},
    {"strided", {kOlive, 3}},
    {"fixed", {kBrown, 5}},
    {"any_of", {kTeal, 4}},
    {"all_of", {kTeal, 1}},
};

constexpr std::pair<std::string_view, Style> kDtypes[] = {
    {"f32", {kBlack, 0, 0}},
    {"bf16", {kGreen, 3, 1}},
    {"f16", {kPurple, 1, 2}},
    {"f64", {kGrey, 4, 0}},
};

// Gives the style of a known word, or one that follows from its letters.
template <class Table>
Style named_style(const Table& table, std::string_view name) {
  for (const auto& [known, style] : table)
    if (known == name) return style;
  int sum = 0;
  for (const char c : name) sum += static_cast<unsigned char>(c);
  return indexed_style(sum);
}

Style with_variant(Style style, int variant) {
  style.mark = (style.mark + variant) % kMarks;
  return style;
}

std::uint8_t channel(double value) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 1.0) * 255.0));
}

std::uint32_t from_hsv(double hue, double saturation, double value) {
  const auto component = [&](double shift) {
    const double k = std::fmod(shift + hue * 6.0, 6.0);
    return channel(value * (1.0 - saturation * std::max(0.0, std::min({k, 4.0 - k, 1.0}))));
  };
  return (std::uint32_t{component(5.0)} << 16) | (std::uint32_t{component(3.0)} << 8) |
         std::uint32_t{component(1.0)};
}

}  // namespace

Style indexed_style(int index) {
  const int colours = static_cast<int>(kColours.size());
  return {kColours[static_cast<std::size_t>(index % colours)], (index + index / colours) % kMarks};
}

Style worker_style(std::int64_t workers, int variant) {
  for (const auto& [known, style] : kWorkers)
    if (known == workers) return with_variant(style, variant);
  return with_variant(indexed_style(static_cast<int>(workers % 1'000)), variant);
}

Style algorithm_style(std::string_view algorithm, int variant) {
  return with_variant(named_style(kAlgorithms, algorithm), variant);
}

int ranks_mark(std::string_view ranks) {
  constexpr std::array<std::string_view, 5> known = {"threads", "mpi", "serial", "model", "nccl"};
  const auto found = std::find(known.begin(), known.end(), ranks);
  return static_cast<int>(found - known.begin());
}

Style kernel_style(std::string_view kernel) {
  for (const KernelRow& row : kKernelRows)
    if (row.name == kernel) return {row.colour, row.mark};
  return named_style(kKernelsOfOthers, kernel);
}
Style pattern_style(std::string_view kind, int variant) {
  return with_variant(named_style(kPatterns, kind), variant);
}
Style dtype_style(std::string_view dtype) { return named_style(kDtypes, dtype); }

std::uint32_t spare_colour(int index) {
  constexpr std::array<std::uint32_t, 3> spare = {kGreen, kPurple, kSky};
  static_assert(spare.size() + kColours.size() == kSpareColours);
  const auto at = static_cast<std::size_t>(index % kSpareColours);
  return at < spare.size() ? spare[at] : lightened(kColours[at - spare.size()]);
}

std::uint32_t partition_colour(int worker) {
  // The first eight are Okabe and Ito's, lightened; then hues by the golden ratio.
  constexpr std::array<std::uint32_t, 8> first = {0x56B4E9, 0xE69F00, 0x4DC3A1, 0xF0E442,
                                                  0xE08A4F, 0xD9A3C3, 0x7FA8E0, 0xBDBDBD};
  if (worker < static_cast<int>(first.size())) return first[static_cast<std::size_t>(worker)];
  const double hue = std::fmod(static_cast<double>(worker) * 0.618033988749895, 1.0);
  constexpr std::array<double, 3> saturations = {0.32, 0.52, 0.42};
  constexpr std::array<double, 2> values = {0.98, 0.86};
  return from_hsv(hue, saturations[static_cast<std::size_t>(worker) % saturations.size()],
                  values[static_cast<std::size_t>(worker) % values.size()]);
}

std::uint32_t lightened(std::uint32_t colour) { return ((colour >> 1) & 0x7F7F7F) + 0x7F7F7F; }

std::string colour_text(std::uint32_t colour) { return fmt::format("#{:06x}", colour); }

}  // namespace qb
