// SPDX-License-Identifier: Apache-2.0
// For tests only: how far apart two colours look, for people with each kind of colour vision.
//
// A dichromat's colours are simulated with the matrices of G. M. Machado, M. M. Oliveira and L. A.
// F. Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE
// TVCG 15(6), 2009, at severity 1.0, on linear RGB. Distances are CIEDE2000 (G. Sharma, W. Wu, E.
// N. Dalal, Color Research and Application 30(1), 2005).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace qb::testing_support {

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

struct Vision {
  const char* name;
  Matrix matrix;
};

inline constexpr std::array<Vision, 4> kVisions = {{{"normal", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
                                                    {"protanopia",
                                                     {{{0.152286, 1.052583, -0.204868},
                                                       {0.114503, 0.786281, 0.099216},
                                                       {-0.003882, -0.048116, 1.051998}}}},
                                                    {"deuteranopia",
                                                     {{{0.367322, 0.860646, -0.227968},
                                                       {0.280085, 0.672501, 0.047413},
                                                       {-0.011820, 0.042940, 0.968881}}}},
                                                    {"tritanopia",
                                                     {{{1.255528, -0.076749, -0.178779},
                                                       {-0.078411, 0.930809, 0.147602},
                                                       {0.004733, 0.691367, 0.303900}}}}}};

inline Triple times(const Matrix& matrix, const Triple& from) {
  Triple out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) out[i] += matrix[i][j] * from[j];
  return out;
}

// CIELAB (D65) of a colour as a person with this vision sees it.
inline Triple lab_of(std::uint32_t colour, const Vision& vision) {
  const auto linear = [](std::uint32_t byte) {
    const double value = static_cast<double>(byte & 0xFF) / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  Triple rgb = times(vision.matrix, {linear(colour >> 16), linear(colour >> 8), linear(colour)});
  for (double& value : rgb) value = std::clamp(value, 0.0, 1.0);
  constexpr Matrix kXyz = {{{0.4124564 / 0.95047, 0.3575761 / 0.95047, 0.1804375 / 0.95047},
                            {0.2126729, 0.7151522, 0.0721750},
                            {0.0193339 / 1.08883, 0.1191920 / 1.08883, 0.9503041 / 1.08883}}};
  const auto curve = [](double t) {
    return t > 216.0 / 24389.0 ? std::cbrt(t) : (24389.0 / 27.0 * t + 16.0) / 116.0;
  };
  const Triple xyz = times(kXyz, rgb);
  const double y = curve(xyz[1]);
  return {116.0 * y - 16.0, 500.0 * (curve(xyz[0]) - y), 200.0 * (y - curve(xyz[2]))};
}

inline double degrees(double radians) { return radians * 180.0 / std::numbers::pi; }
inline double radians(double degrees) { return degrees * std::numbers::pi / 180.0; }

inline double ciede2000(const Triple& one, const Triple& other) {
  const auto seventh = [](double chroma) {
    return std::sqrt(std::pow(chroma, 7) / (std::pow(chroma, 7) + std::pow(25.0, 7)));
  };
  const double mean = (std::hypot(one[1], one[2]) + std::hypot(other[1], other[2])) / 2;
  const double stretch = 1.0 + 0.5 * (1.0 - seventh(mean));
  const auto chroma = [&](const Triple& lab) { return std::hypot(stretch * lab[1], lab[2]); };
  const auto hue = [&](const Triple& lab) {
    const double angle = chroma(lab) == 0.0 ? 0.0 : degrees(std::atan2(lab[2], stretch * lab[1]));
    return angle < 0.0 ? angle + 360.0 : angle;
  };
  const double c1 = chroma(one);
  const double c2 = chroma(other);
  double turn = c1 * c2 == 0.0 ? 0.0 : hue(other) - hue(one);
  if (turn > 180.0) turn -= 360.0;
  if (turn < -180.0) turn += 360.0;
  const double sum = hue(one) + hue(other);
  const bool far = std::abs(hue(one) - hue(other)) > 180.0;
  const double h = c1 * c2 == 0.0 ? sum
                   : !far         ? sum / 2
                                  : (sum + (sum < 360.0 ? 360.0 : -360.0)) / 2;
  const double l = (one[0] + other[0]) / 2;
  const double c = (c1 + c2) / 2;
  const double t = 1.0 - 0.17 * std::cos(radians(h - 30.0)) + 0.24 * std::cos(radians(2.0 * h)) +
                   0.32 * std::cos(radians(3.0 * h + 6.0)) -
                   0.20 * std::cos(radians(4.0 * h - 63.0));
  const double off = (l - 50.0) * (l - 50.0);
  const double dl = (other[0] - one[0]) / (1.0 + 0.015 * off / std::sqrt(20.0 + off));
  const double dc = (c2 - c1) / (1.0 + 0.045 * c);
  const double dh = 2.0 * std::sqrt(c1 * c2) * std::sin(radians(turn / 2)) / (1.0 + 0.015 * c * t);
  const double bend =
      -std::sin(radians(60.0 * std::exp(-std::pow((h - 275.0) / 25.0, 2)))) * 2.0 * seventh(c);
  return std::sqrt(dl * dl + dc * dc + dh * dh + bend * dc * dh);
}

inline double distance(std::uint32_t one, std::uint32_t other, const Vision& vision) {
  return ciede2000(lab_of(one, vision), lab_of(other, vision));
}

}  // namespace qb::testing_support
