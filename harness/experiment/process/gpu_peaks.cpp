#include "harness/experiment/process/gpu_peaks.h"

#include "base/numbers.h"

namespace qb {

void GpuPeaks::read(const CsvTable& cases) {
  for (; rows_read_ < cases.size(); ++rows_read_) {
    const auto text = [&](const char* column) { return cases.text(rows_read_, column); };
    if (text("device") != word(Device::cuda)) continue;
    const auto peak = parse_real(text("peak_flop_per_s"));
    const auto workers = parse_real(text("workers"));
    if (!peak || !workers) continue;
    // With NCCL the column is the sum over the workers' GPUs.
    const double gpus = text("ranks") == word(Ranks::nccl) ? *workers : 1.0;
    of_dtype_.try_emplace(std::string(text("dtype")), *peak / gpus);
  }
}

std::optional<double> GpuPeaks::of(const Case& c) const {
  if (c.device != Device::cuda) return std::nullopt;
  const auto known = of_dtype_.find(word(c.dtype));
  if (known == of_dtype_.end()) return std::nullopt;
  return known->second;
}

}  // namespace qb
