// SPDX-License-Identifier: Apache-2.0
// Processor sharing: more jobs than cores, and all jobs get the same share. With n jobs on C cores
// each runs at min(1, C/n) of its speed.
//
// Virtual time is the service that one job has received; a job that joins at virtual time v with
// work s ends at v + s, whichever jobs join or end meanwhile.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace qb {

class SharedCores {
 public:
  // cores <= 0: as many as jobs.
  explicit SharedCores(double cores) : cores_(cores) {}

  // Times never decrease. work_s: the job's time alone on a core.
  void add(double at_s, double work_s, int job) {
    advance(at_s);
    ends_.push({served_s_ + work_s, job});
  }
  // Returns when the next job ends if none joins before; infinity if there is no job.
  [[nodiscard]] double next_end_s() const {
    if (ends_.empty()) return std::numeric_limits<double>::infinity();
    return now_s_ + std::max(0.0, ends_.top().first - served_s_) / speed();
  }
  // Returns the job that ends next, and moves the time to its end.
  int take() {
    now_s_ = next_end_s();
    served_s_ = std::max(served_s_, ends_.top().first);
    const int job = ends_.top().second;
    ends_.pop();
    return job;
  }

 private:
  [[nodiscard]] double speed() const {
    const auto jobs = static_cast<double>(ends_.size());
    return cores_ > 0.0 ? std::min(1.0, cores_ / jobs) : 1.0;
  }
  void advance(double at_s) {
    if (!ends_.empty()) served_s_ += (at_s - now_s_) * speed();
    now_s_ = at_s;
  }

  using End = std::pair<double, int>;  // end in virtual time
  double cores_;
  double now_s_ = 0.0;
  double served_s_ = 0.0;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

}  // namespace qb
