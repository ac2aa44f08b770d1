// SPDX-License-Identifier: Apache-2.0
// Measures how long the parts of one run on a device take, by either of its clocks.
#pragma once

#include <vector>

#include "base/clock.h"
#include "harness/run/device/compute_device.h"

namespace qb {

// Sets marks on the device while it runs; the targets have their values only at the end.
class Stopwatch {
 public:
  explicit Stopwatch(ComputeDevice& device, ClockKind clock = ClockKind::synchronized)
      : device_(device), clock_(clock) {}
  // The run began at `begun_s` of now_s().
  void start(double begun_s = now_s()) {
    device_.forget_marks();
    spans_.clear();
    notes_.clear();
    begun_s_ = begun_s;
    late_s_ = now_s() - begun_s;
    charge(nullptr);
  }
  // Adds the time from here to the next call to `*seconds` and `*also`; either may be nullptr.
  void charge(double* seconds, double* also = nullptr) {
    spans_.push_back({device_.mark(), seconds, also});
  }
  // Sets `*seconds` to the time from the beginning to here.
  void note(double* seconds) { notes_.push_back({device_.mark(), seconds, nullptr}); }
  [[nodiscard]] double begun_s() const { return begun_s_; }
  void stop();  // waits for the device, and fills the targets
  [[nodiscard]] double wall_s() const { return wall_s_; }
  [[nodiscard]] double device_s() const { return device_s_; }  // by a GPU's clock; 0 on the host

 private:
  struct Span {
    int from = 0;
    double* target = nullptr;
    double* also = nullptr;
  };
  ComputeDevice& device_;
  ClockKind clock_;
  std::vector<Span> spans_;
  std::vector<Span> notes_;
  double begun_s_ = 0.0;
  double late_s_ = 0.0;  // from the beginning to the first mark
  double wall_s_ = 0.0;
  double device_s_ = 0.0;
};

}  // namespace qb
