// SPDX-License-Identifier: Apache-2.0
#include "harness/run/device/stopwatch.h"

namespace qb {

void Stopwatch::stop() {
  const int end = device_.mark();
  if (clock_ == ClockKind::unsynchronized) wall_s_ = now_s() - begun_s_;
  device_.wait();
  if (clock_ != ClockKind::unsynchronized) wall_s_ = now_s() - begun_s_;
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const Span& span = spans_[i];
    if (span.target == nullptr && span.also == nullptr) continue;
    const int to = i + 1 < spans_.size() ? spans_[i + 1].from : end;
    const double seconds = device_.seconds(span.from, to, clock_);
    for (double* const target : {span.target, span.also})
      if (target != nullptr) *target += seconds;
  }
  const int first = spans_.front().from;
  for (const Span& note : notes_)
    *note.target = late_s_ + device_.seconds(first, note.from, ClockKind::synchronized);
  device_s_ = device_.facts().on_host ? 0.0 : device_.seconds(first, end, ClockKind::synchronized);
}

}  // namespace qb
