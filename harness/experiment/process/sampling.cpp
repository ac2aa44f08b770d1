#include "harness/experiment/process/sampling.h"

#include "base/statistics.h"

namespace qb {

bool enough_samples(const Measure& measure, std::span<const double> wall_s, double elapsed_s) {
  const auto n = static_cast<int>(wall_s.size());
  if (n >= measure.max_repeats) return true;
  if (n < measure.min_repeats) return false;
  if (elapsed_s >= measure.max_time_s) return true;
  const Summary summary = summarise(wall_s);
  return summary.coverage >= 0.95 &&
         summary.high95 - summary.low95 <= measure.relative_interval * summary.median;
}

std::vector<Sample> take_samples(const Measure& measure, const std::function<double()>& clock,
                                 const std::function<Sample()>& once) {
  std::vector<Sample> samples;
  const auto take = [&](int repeat, bool warmup) {
    samples.push_back(once());
    samples.back().repeat = repeat;
    samples.back().warmup = warmup;
  };
  for (int i = 0; i < measure.warmups; ++i) take(i, true);
  const double start_s = clock();
  std::vector<double> wall_s;
  while (!enough_samples(measure, wall_s, clock() - start_s)) {
    take(static_cast<int>(wall_s.size()), false);
    wall_s.push_back(samples.back().wall_s);
  }
  return samples;
}

}  // namespace qb
