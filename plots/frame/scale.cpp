// SPDX-License-Identifier: Apache-2.0
// Ranges and tics of axes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/numbers.h"
#include "base/text_table.h"
#include "plots/frame/figure_layout.h"

namespace qb {
namespace {

constexpr double kWantedTics = 5.0;

std::string superscript(int value) {
  constexpr std::array<std::string_view, 10> digits = {"⁰", "¹", "²", "³", "⁴",
                                                       "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = value < 0 ? "⁻" : "";
  for (const char c : fmt::format("{}", std::abs(value)))
    out += digits[static_cast<std::size_t>(c - '0')];
  return out;
}

// Writes out all digits.
std::string plain_label(double value, double step) {
  if (step >= 1.0 && value == std::round(value))
    return format_grouped(static_cast<std::int64_t>(std::llround(value)));
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 9);
  // A step of 0.25 needs one decimal more than its magnitude says.
  const double unit = std::pow(10.0, -decimals);
  const bool coarse = std::abs(step / unit - std::round(step / unit)) > 1e-6;
  return fmt::format("{:.{}f}", value, decimals + (coarse ? 1 : 0));
}

// Writes `100`, or `10²` if another number of the axis is too long to be written out.
std::string power_label(int mantissa, int exponent, bool as_power) {
  if (!as_power || exponent == 0 || exponent == 1)
    return plain_label(mantissa * std::pow(10.0, exponent), std::pow(10.0, exponent));
  return (mantissa == 1 ? "" : fmt::format("{}×", mantissa)) + "10" + superscript(exponent);
}

double nice_step(double range) {
  const double rough = range / kWantedTics;
  const double unit = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0})
    if (rough <= factor * unit * 1.0000001) return factor * unit;
  return 10.0 * unit;
}

void linear_tics(Scale& scale, bool whole) {
  const double step = whole ? std::max(1.0, std::ceil(nice_step(scale.max - scale.min)))
                            : nice_step(scale.max - scale.min);
  // More than six digits get an SI prefix, and many zeros a power, and then all numbers of the axis
  // have it.
  const double most = std::max(std::abs(scale.min), std::abs(scale.max));
  double unit = most < 1e6 ? 1.0 : most < 1e9 ? 1e6 : most < 1e12 ? 1e9 : 1e12;
  std::string suffix = most < 1e6 ? "" : most < 1e9 ? " M" : most < 1e12 ? " G" : " T";
  if (most > 0.0 && most < 1e-3) {
    const int exponent = static_cast<int>(std::floor(std::log10(most)));
    unit = std::pow(10.0, exponent);
    suffix = "×10" + superscript(exponent);
  }
  // Adding 0 turns -0 into 0.
  for (double k = std::ceil(scale.min / step - 1e-9) + 0.0; k * step <= scale.max + step * 1e-9;
       k += 1.0)
    scale.tics.push_back({k * step, k == 0.0 && unit < 1.0
                                        ? "0"
                                        : plain_label(k * step / unit, step / unit) + suffix});
}

// Uses every power of two, or every second, third, ..., so that their labels stand apart.
void binary_tics(Scale& scale, std::size_t most_letters) {
  const int first = static_cast<int>(std::ceil(std::log2(scale.min) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log2(scale.max) + 1e-9));
  for (int exponent = first; exponent <= last; ++exponent)
    scale.minor.push_back(std::exp2(exponent));
  for (int step = 1; step <= last - first + 1; ++step) {
    std::size_t letters = 0;
    scale.tics.clear();
    for (int exponent = first; exponent <= last; exponent += step) {
      const double value = std::exp2(exponent);
      scale.tics.push_back({value, plain_label(value, value)});
      letters += display_width(scale.tics.back().label) + 1;
    }
    if (letters <= most_letters) return;
  }
}

// Uses decades; if few of them fit, also the mantissas 3, or 2 and 5, or all.
void log_tics(Scale& scale, bool whole) {
  const int first = static_cast<int>(std::floor(std::log10(scale.min)));
  const int last = static_cast<int>(std::ceil(std::log10(scale.max)));
  const auto inside = [&](double value) {
    return value >= scale.min * (1 - 1e-9) && value <= scale.max * (1 + 1e-9);
  };
  constexpr std::array<std::array<int, 9>, 4> choices = {
      {{1}, {1, 3}, {1, 2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9}}};
  const bool as_power = scale.max >= 1e6 || scale.min < 1e-3;
  for (const auto& mantissas : choices) {
    scale.tics.clear();
    for (int exponent = first; exponent <= last; ++exponent)
      for (const int mantissa : mantissas)
        if (const double value = mantissa * std::pow(10.0, exponent);
            mantissa > 0 && inside(value) && (scale.tics.size() < 12))
          scale.tics.push_back({value, power_label(mantissa, exponent, as_power)});
    if (scale.tics.size() >= 3) break;
  }
  if (scale.tics.size() < 3) {
    scale.tics.clear();
    linear_tics(scale, whole);
  }
  if (last - first > 8) return;
  for (int exponent = first; exponent <= last; ++exponent)
    for (int mantissa = 1; mantissa < 10; ++mantissa)
      if (const double value = mantissa * std::pow(10.0, exponent); inside(value))
        scale.minor.push_back(value);
}

void linear_range(const Axis& axis, double low, double high, Scale& scale) {
  if (axis.from_zero) {
    scale.min = std::min(0.0, low);
    scale.max = high > 0.0 ? high * 1.06 : 1.0;
    return;
  }
  const double range = high > low ? high - low : std::max(1.0, std::abs(high)) * 0.5;
  double margin = axis.tight && high > low ? 0.0 : range * 0.05;
  margin = std::max(margin, (axis.least_span - (high - low)) / 2);
  scale.min = low - margin;
  scale.max = high + margin;
}

void log_range(const Axis& axis, double low, double high, Scale& scale) {
  const double factor = high > low ? std::pow(high / low, 0.05) : 2.0;
  scale.min = axis.tight && high > low ? low : low / std::max(factor, 1.05);
  scale.max = axis.tight && high > low ? high : high * std::max(factor, 1.05);
}

}  // namespace

Scale make_scale(const Axis& axis, std::span<const double> values, std::size_t most_letters) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (!std::isfinite(value) || (axis.log && value <= 0.0)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  Scale scale;
  scale.log = axis.log;
  if (!(low <= high)) {
    low = axis.log ? 1.0 : 0.0;
    high = axis.log ? 10.0 : 1.0;
  }
  // Values that differ in their last digits are one: between them is no number for a tic.
  if (high - low <= 1e-9 * std::max(std::abs(low), std::abs(high))) low = high;
  if (axis.log)
    log_range(axis, low, high, scale);
  else
    linear_range(axis, low, high, scale);
  if (!axis.tics.empty())
    scale.tics = axis.tics;
  else if (axis.log && axis.powers_of_two)
    binary_tics(scale, most_letters);
  else if (axis.log)
    log_tics(scale, axis.whole);
  else
    linear_tics(scale, axis.whole);
  return scale;
}

}  // namespace qb
